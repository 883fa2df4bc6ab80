/** `npm start`: the service on this machine, ready to use. */
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { SETTING_NAMES } from "../env.ts";
import { DEMO_KEY, LOCAL_DEFAULTS, startLocal } from "./local.ts";
import { ensureSecrets, needOwnToken } from "./secrets.ts";
import { ROOT } from "./wrangler.ts";

/** Whole settings of the environment, by the names of src/env.ts. */
function settingsFromEnvironment(): Record<string, string> {
  const entries = SETTING_NAMES.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** @throws Error when the port is no port or is taken */
async function freePort(host: string, text: string): Promise<number> {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("PORT must be a whole number between 0 and 65535");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer();
  probe.once("error", reject);
  probe.listen(port, host, () => probe.close(() => resolve()));
  try {
    await promise;
  } catch (cause) {
    const taken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    throw new Error(
      taken
        ? `Port ${port} is taken. Stop what listens there, or choose another: PORT=8788 npm start`
        : `Cannot listen on ${host}:${port}`,
      { cause },
    );
  }
  return port;
}

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

/** Resolves when the process is asked to stop, or when npm, which started it, is gone. */
async function stopRequest(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"] !== undefined) {
    setInterval(() => process.ppid === parent || resolve(), 1_000).unref();
  }
  return promise;
}

async function main(): Promise<void> {
  const stopping = stopRequest();
  const { host, port: text } = place();
  const isShared = !LOOPBACK.test(host);
  if (isShared) await needOwnToken(ROOT, host);
  const port = await freePort(host, text);
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
