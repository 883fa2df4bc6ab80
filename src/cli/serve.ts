/** `npm run serve`: the service on one machine, without the platform. All that it keeps is in one folder. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { copyData, type DataFolder, freeHeld, openData } from "./data-folder.ts";
import { startLocal } from "./local.ts";
import { assertOwnToken } from "./secrets.ts";
import { freePort, settingsFromEnvironment, stopRequest } from "./terminal.ts";

const HELP = `npm run serve -- --data <folder>                the service, whose rows, objects and secrets are in the folder
npm run serve -- --data <folder> --backup <to>  copies the folder, while the service runs or not

  --port <number>  where to listen: 8787, or PORT
  --host <name>    for whom: localhost, or HOST; 0.0.0.0 is every machine that reaches this one`;

interface Order {
  readonly data: string;
  readonly backup?: string;
  readonly host: string;
  readonly port: string;
}

/** @throws Error with the help where the folder is not named */
function order(): Order {
  const text = { type: "string" } as const;
  const options = { data: text, backup: text, host: text, port: text, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  if (values.help || values.data === undefined) throw new Error(HELP);
  return {
    data: resolve(values.data),
    ...(values.backup !== undefined && { backup: resolve(values.backup) }),
    host: values.host ?? process.env["HOST"] ?? "localhost",
    port: values.port ?? process.env["PORT"] ?? "8787",
  };
}

function welcome(url: URL, { secrets, isNew }: DataFolder, folder: string): string {
  const address = url.href.replace(/\/$/, "");
  const call = `curl -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name": "First"}' ${address}/admin/accounts`;
  const fresh = [`ADMIN_TOKEN, shown this once: ${secrets.ADMIN_TOKEN}`, `The first account and its key: ${call}`];
  return [
    "",
    `Darkroom listens on ${address} (Ctrl-C stops it). All that it keeps is in ${folder}.`,
    ...(isNew ? fresh : []),
  ].join("\n");
}

async function serve({ data, host, port: text }: Order): Promise<void> {
  const stopping = stopRequest();
  const port = await freePort(host, text, "npm run serve -- --port 8788");
  const folder = await openData(data);
  await freeHeld(folder.state, Date.now());
  assertOwnToken(process.env["ADMIN_TOKEN"] ?? folder.secrets.ADMIN_TOKEN, host);
  const service = await startLocal({
    host,
    port,
    state: folder.state,
    variables: { ALLOW_PRIVATE_ORIGINS: "false", ...folder.secrets, ...settingsFromEnvironment() },
    hasDemo: false,
  });
  console.log(welcome(service.url, folder, data));
  await stopping;
  await service.stop();
}

try {
  const given = order();
  if (given.backup === undefined) await serve(given);
  else await copyData(given.data, given.backup);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
