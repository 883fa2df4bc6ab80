/** `npm run serve`: the service on one machine, without the platform. All that it keeps is in one folder. */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { copyData, type DataFolder, freeHeld, openData, SECRETS } from "./data-folder.ts";
import { assertOwnToken } from "./secrets.ts";
import { freePort, settingsFromEnvironment, stopRequest } from "./terminal.ts";

const HELP = `npm run serve -- --data <folder>                the service, whose rows, objects and secrets are in the folder
npm run serve -- --data <folder> --backup <to>  copies the folder, while the service runs or not
npm run serve -- --bundle <folder>              bundles the service once, into an empty folder

  --port <number>    where to listen: 8787, or PORT
  --host <name>      for whom: localhost, or HOST; 0.0.0.0 is every machine that reaches this one
  --proxy <address>  a proxy in front, which adds the client to X-Forwarded-For; may be said again
  --bundle <folder>  with --data: starts what was bundled there, sooner, and writes nothing beside --data`;

/** Calls of a meter on this machine cost nothing, so that none waits for others: what ends without notice has told it all. */
const DEFAULTS = { ALLOW_PRIVATE_ORIGINS: "false", METER_BLOCK_SECONDS: "0" };

/** What bundles and runs is a second of reading, which nobody waits for who copies a folder or mistypes one. */
const local = () => import("./local.ts");

interface Order {
  /** Absent: nothing is started. */
  readonly data?: string;
  readonly backup?: string;
  readonly bundle?: string;
  readonly host: string;
  readonly port: string;
  readonly proxies: readonly string[];
}

/**
 * What is to be done; undefined where help is asked for.
 * @throws Error with the help where no folder is named
 */
function order(): Order | undefined {
  const text = { type: "string" } as const;
  const options = { data: text, backup: text, bundle: text, host: text, port: text } as const;
  const proxy = { type: "string", multiple: true, default: [] as string[] } as const;
  const { values } = parseArgs({ options: { ...options, proxy, help: { type: "boolean" } } });
  const { data, backup, bundle, proxy: proxies } = values;
  if (values.help) return undefined;
  if ((data ?? bundle) === undefined) throw new Error(HELP);
  return {
    ...(data !== undefined && { data: resolve(data) }),
    ...(backup !== undefined && { backup: resolve(backup) }),
    ...(bundle !== undefined && { bundle: resolve(bundle) }),
    host: values.host ?? process.env["HOST"] ?? "localhost",
    port: values.port ?? process.env["PORT"] ?? "8787",
    proxies,
  };
}

/** @throws Error when something is in the folder, of which the bundle would become a part */
async function prepare(folder: string): Promise<void> {
  const there: string[] = await readdir(folder).catch(() => []);
  if (there.length > 0) throw new Error(`${folder} is not empty`);
  const { writeBundle } = await local();
  await writeBundle(folder);
}

function welcome(url: URL, { secrets, isNew }: DataFolder, folder: string): string {
  const address = url.href.replace(/\/$/, "");
  const call = `curl -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name": "First"}' ${address}/admin/accounts`;
  const fresh = [`ADMIN_TOKEN, shown this once: ${secrets.ADMIN_TOKEN}`, `The first account and its key: ${call}`];
  return [
    "",
    `Darkroom listens on ${address} (Ctrl-C stops it). All that it keeps is in ${folder}.`,
    ...(isNew ? fresh : [`Its ADMIN_TOKEN is in ${join(folder, SECRETS)}.`]),
  ].join("\n");
}

async function serve(data: string, { bundle, host, port: text, proxies }: Order): Promise<void> {
  const stopping = stopRequest();
  const port = await freePort(host, text, "npm run serve -- --port 8788");
  const folder = await openData(data);
  await freeHeld(folder.state, Date.now());
  assertOwnToken(process.env["ADMIN_TOKEN"] ?? folder.secrets.ADMIN_TOKEN, host);
  const { startLocal } = await local();
  const service = await startLocal({
    host,
    port,
    proxies,
    state: folder.state,
    variables: { ...DEFAULTS, ...folder.secrets, ...settingsFromEnvironment() },
    hasDemo: false,
    ...(bundle !== undefined && { bundle }),
  });
  console.log(welcome(service.url, folder, data));
  await stopping;
  await service.stop();
}

try {
  const given = order();
  const { data, backup, bundle } = given ?? {};
  if (given === undefined) console.log(HELP);
  else if (data !== undefined) await (backup === undefined ? serve(data, given) : copyData(data, backup));
  else if (bundle !== undefined) await prepare(bundle);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
