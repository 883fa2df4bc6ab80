/** `npm start`: the service on this machine, ready to use. */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureSecrets, needOwnToken } from "./secrets.ts";
import { freePort, settingsFromEnvironment, stopRequest } from "./terminal.ts";
import { ROOT } from "./wrangler.ts";

/** Names and addresses under which nobody but this machine can call. */
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

const HELP = `npm start    the service on this machine, with the key "demo"; npm run dev starts it anew with every change

  --port <number>  where to listen: 8787, or PORT
  --host <name>    for whom: localhost, or HOST; others than this machine need an ADMIN_TOKEN of your own
Every setting is a variable of the environment: http://localhost:8787/docs/running#settings.`;

/** Where to listen: options of the command line, else the environment; undefined where help is asked for. */
function place(): { readonly host: string; readonly port: string } | undefined {
  const options = { host: { type: "string" }, port: { type: "string" }, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return undefined;
  return {
    host: values.host ?? process.env["HOST"] ?? "localhost",
    port: values.port ?? process.env["PORT"] ?? "8787",
  };
}

function welcome(url: URL, demoKey: string | undefined): string {
  const address = url.href.replace(/\/$/, "");
  if (demoKey === undefined) {
    return [
      "",
      `Darkroom listens on ${address} (Ctrl-C stops it), for other machines too: there is no demo account.`,
      `The first account and its key: curl -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name": "First"}' ${address}/admin/accounts`,
    ].join("\n");
  }
  return [
    "",
    `Darkroom listens on ${address} (Ctrl-C stops it).`,
    `The key is "${demoKey}". State is kept under .wrangler/, secrets in .dev.vars.`,
    `Pictures by address: ${address}/i/demo/w=400/${address}/sample.jpg`,
    `Open ${address}/ in a browser, or: curl -u ${demoKey}: -F file=@photo.jpg ${address}/1.0/upload`,
  ].join("\n");
}

async function main({ host, port: text }: { readonly host: string; readonly port: string }): Promise<void> {
  const stopping = stopRequest();
  const isShared = !LOOPBACK.test(host);
  if (isShared) await needOwnToken(ROOT, host);
  const port = await freePort(host, text, "PORT=8788 npm start");
  await ensureSecrets(ROOT);
  // A second of reading, which nobody waits for who mistypes an option.
  const { DEMO_KEY, LOCAL_DEFAULTS, startLocal } = await import("./local.ts");
  const service = await startLocal({
    host,
    port,
    state: join(ROOT, ".wrangler", "state", "v3"),
    // What suits a service that only this machine calls suits no other.
    variables: { ...(isShared ? {} : LOCAL_DEFAULTS), ...settingsFromEnvironment() },
    hasDemo: !isShared,
  });
  console.log(welcome(service.url, isShared ? undefined : DEMO_KEY));
  await stopping;
  await service.stop();
}

try {
  const found = place();
  if (found) await main(found);
  else console.log(HELP);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
