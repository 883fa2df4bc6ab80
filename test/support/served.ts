/** A running `npm run serve`, which the project `served` sends the requests of tests to. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { startRelay } from "./relay.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of a service in another process, without a slash at the end; absent: tests call the service themselves. */
    served?: string;
    /** Where such a service asks for originals that tests answer. */
    relay?: string;
  }
}

const ROOT = join(import.meta.dirname, "..", "..");

/** What the runtime of the other tests has as bindings, and no demands on who calls. */
const VARIABLES = {
  ADMIN_TOKEN: "admin-token-for-tests",
  ALLOW_PRIVATE_ORIGINS: "true",
  ALLOWED_HOSTS: "*",
  HIT_SAMPLE: "1",
  METER_BLOCK_SECONDS: "0",
};

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "served-"));
  const args = ["src/cli/serve.ts", "--data", folder, "--port", "0", "--host", "127.0.0.1"];
  // BASE_URL means something else to what runs the tests.
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, BASE_URL: undefined, ...VARIABLES },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(printed)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (more: Buffer) => {
        printed += more.toString();
        const [, found] = /listens on (\S+)/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
  });
  const relay = await startRelay();
  provide("served", url);
  provide("relay", relay.url);
  return async () => {
    relay.stop();
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}
