/** Bindings that only tests have. */
declare namespace Cloudflare {
  interface Env {
    DB_1: D1Database;
    DB_2: D1Database;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** Interleavings that the model of webhooks walks; more at night. */
    MODEL_RUNS: string;
  }
}
