/** Bindings that only tests have. */
declare namespace Cloudflare {
  interface Env {
    DB_1: D1Database;
    DB_2: D1Database;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** What generated cases begin with; empty where each run has its own. */
    CASES_SEED: string;
    /** Whether everything is to be tried: "true" or "false". */
    EXHAUSTIVE: string;
    /** Interleavings that models walk; more at night. */
    MODEL_RUNS: string;
  }
}

/** The same function as in `cloudflare:test`, without the service. */
declare module "cloudflare:test-internal" {
  export { reset } from "cloudflare:test";
}
