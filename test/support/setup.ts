/** What every test file finds: empty storage, databases with the deployed schema, and modules that have done nothing. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import { databasesOf } from "../../src/account/databases.ts";

// The files of the engine share a runtime: nothing may pass between them.
vi.useRealTimers();
vi.unstubAllGlobals();
await reset();
// The schema under test is the deployed one.
await Promise.all([...databasesOf(env).values()].map((db) => applyD1Migrations(db, env.TEST_MIGRATIONS)));
vi.resetModules();
