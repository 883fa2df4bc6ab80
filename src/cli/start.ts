/** `npm start`: the service on this machine, ready to use. */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { DEMO_KEY, LOCAL_DEFAULTS, startLocal } from "./local.ts";
import { ensureSecrets, needOwnToken } from "./secrets.ts";
import { freePort, settingsFromEnvironment, stopRequest } from "./terminal.ts";
import { ROOT } from "./wrangler.ts";

/** Names and addresses under which nobody but this machine can call. */
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Where to listen: options of the command line, else the environment. */
function place(): { readonly host: string; readonly port: string } {
  const options = { host: { type: "string" }, port: { type: "string" } } as const;
  const { values } = parseArgs({ options });
  return {
    host: values.host ?? process.env["HOST"] ?? "localhost",
    port: values.port ?? process.env["PORT"] ?? "8787",
  };
}

function welcome(url: URL, isShared: boolean): string {
  const address = url.href.replace(/\/$/, "");
  if (isShared) {
    return [
      "",
      `Darkroom listens on ${address} (Ctrl-C stops it), for other machines too: there is no demo account.`,
      `The first account and its key: curl -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name": "First"}' ${address}/admin/accounts`,
    ].join("\n");
  }
  return [
    "",
    `Darkroom listens on ${address} (Ctrl-C stops it).`,
    `The key is "${DEMO_KEY}". State is kept under .wrangler/, secrets in .dev.vars.`,
    `Pictures by address: ${address}/i/demo/w=400/${address}/sample.jpg`,
    `Open ${address}/ in a browser, or: curl -u ${DEMO_KEY}: -F file=@photo.jpg ${address}/1.0/upload`,
  ].join("\n");
}

async function main(): Promise<void> {
  const stopping = stopRequest();
  const { host, port: text } = place();
  const isShared = !LOOPBACK.test(host);
  if (isShared) await needOwnToken(ROOT, host);
  const port = await freePort(host, text, "PORT=8788 npm start");
  await ensureSecrets(ROOT);
  const service = await startLocal({
    host,
    port,
    state: join(ROOT, ".wrangler", "state", "v3"),
    // What suits a service that only this machine calls suits no other.
    variables: { ...(isShared ? {} : LOCAL_DEFAULTS), ...settingsFromEnvironment() },
    hasDemo: !isShared,
  });
  console.log(welcome(service.url, isShared));
  await stopping;
  await service.stop();
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
