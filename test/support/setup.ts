/** The beginning and the end of every test file: one runtime serves many files, and each finds it as new. */
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

import { emptyStorage } from "./emptied.ts";
import { noteShared } from "./left-behind.ts";

// Every file has modules of its own, the service's too: budgets, caches, and native memory begin at nothing.
vi.resetModules();

// Imported now, because what was imported before is forgotten above.
const { default: fc } = await import("fast-check");
const { databasesOf } = await import("../../src/account/databases.ts");
const databases = [...databasesOf(env).values()];
await emptyStorage(databases);

// The schema under test is the deployed one.
const schema = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
await Promise.all(databases.map((db) => db.batch(schema.map((query) => db.prepare(query)))));

if (env.CASES_SEED) fc.configureGlobal({ seed: Number(env.CASES_SEED) });

const putBack = noteShared(env);

// Vitest takes back spies and stubs after a file by itself, which is what is done here before looking.
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  const left = putBack();
  if (left.length > 0) throw new Error(`This file leaves changed for the next: ${left.join(", ")}`);
});
