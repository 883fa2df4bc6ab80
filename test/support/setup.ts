/** The database of every test file, with the deployed schema. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// The schema under test is the deployed one.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
