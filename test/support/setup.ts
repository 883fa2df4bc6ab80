/** The databases of every test file, with the deployed schema. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { databasesOf } from "../../src/account/databases.ts";

// The schema under test is the deployed one.
await Promise.all([...databasesOf(env).values()].map((db) => applyD1Migrations(db, env.TEST_MIGRATIONS)));
