/** One service and one browser for all files; without a browser the tests are skipped and say why. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type BrowserServer, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

import { type LocalService, startLocal } from "../../src/cli/local.ts";
import { findChromium, FLAGS } from "./chromium.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the service, without a slash at the end. */
    base: string;
    /** Where the browser takes orders; empty when there is none. */
    browser: string;
  }
}

const VARIABLES = {
  ADMIN_TOKEN: "admin",
  ALLOW_PRIVATE_ORIGINS: "true",
  // As `npm start` has it: each draft and each hit is counted.
  HIT_SAMPLE: "1",
  VAULT_KEY: Buffer.alloc(32, 1).toString("base64"),
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = await findChromium();
  if ("missing" in found) {
    console.warn(`The tests in a browser are skipped: ${found.missing}.`);
    project.provide("base", "");
    project.provide("browser", "");
    return async () => undefined;
  }
  const state = await mkdtemp(join(tmpdir(), "browser-"));
  const [service, browser] = await Promise.all([
    startLocal({ host: "127.0.0.1", port: 0, state, variables: VARIABLES, quiet: true }),
    chromium.launchServer({ executablePath: found.path, args: FLAGS }),
  ]);
  project.provide("base", service.url.href.replace(/\/$/, ""));
  project.provide("browser", browser.wsEndpoint());
  return () => stop(service, browser, state);
}

async function stop(service: LocalService, browser: BrowserServer, state: string): Promise<void> {
  await browser.close();
  await service.stop();
  await rm(state, { recursive: true, force: true });
}
