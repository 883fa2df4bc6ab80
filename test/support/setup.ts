/** What every test file finds: empty storage, databases with the deployed schema, and modules that have done nothing. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import { databasesOf } from "../../src/account/databases.ts";

// Files share a runtime, so that it starts and compiles the native modules once: nothing else may pass between them.
vi.useRealTimers();
vi.unstubAllGlobals();
await reset();
// The schema under test is the deployed one.
await Promise.all([...databasesOf(env).values()].map((db) => applyD1Migrations(db, env.TEST_MIGRATIONS)));
vi.resetModules();
