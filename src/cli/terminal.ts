/** What the commands that run the service in a terminal share: where to listen, which settings, and when to stop. */
import { createServer } from "node:net";

import { SETTING_NAMES } from "../env.ts";

/** Whole settings of the environment, by the names of src/env.ts. */
export function settingsFromEnvironment(): Record<string, string> {
  const entries = SETTING_NAMES.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * The port that the text names, which nobody listens on.
 * @param command how another one is chosen, for the message
 * @throws Error when the port is no port or is taken
 */
export async function freePort(host: string, text: string, command: string): Promise<number> {
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
        ? `Port ${port} is taken. Stop what listens there, or choose another: ${command}`
        : `Cannot listen on ${host}:${port}`,
      { cause },
    );
  }
  return port;
}

/** Resolves when the process is asked to stop, or when npm, which started it, is gone. */
export async function stopRequest(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  const parent = process.ppid;
  if (process.env["npm_lifecycle_event"] !== undefined) {
    setInterval(() => process.ppid === parent || resolve(), 1_000).unref();
  }
  return promise;
}
