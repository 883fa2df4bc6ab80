/** All tests but those in a browser: most run in workerd, some on Node. */
import { join } from "node:path";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");

// Far above what any test takes: a busy machine is no failure.
const patience = { testTimeout: 120_000, hookTimeout: 120_000 };

// What a person runs in a terminal runs on Node, and so do its tests; so do tests that read the repository.
const onNode = [
  "test/cli/**/*.test.ts",
  "test/wasm/binaries.test.ts",
  "test/headers.test.ts",
  "test/fuzz/**/*.test.ts",
];

const worker = {
  root,
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: join(root, "wrangler.toml") },
      miniflare: {
        // Besides DB: accounts that are made by the API lie in three databases.
        d1Databases: { DB_1: "11111111-0000-0000-0000-000000000000", DB_2: "22222222-0000-0000-0000-000000000000" },
        bindings: {
          ADMIN_TOKEN: "admin-token-for-tests",
          ALLOW_PRIVATE_ORIGINS: "true",
          VAULT_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
          MODEL_RUNS: process.env["MODEL_RUNS"] ?? "500",
          TEST_MIGRATIONS: await readD1Migrations(join(root, "src", "migrations")),
        },
      },
    })),
  ],
  test: {
    ...patience,
    name: "worker",
    include: ["test/**/*.test.ts"],
    // Pages are tried in a browser, by a configuration of their own.
    exclude: [...onNode, "test/browser/**"],
    // The log lines of requests are shown for tests that fail.
    silent: "passed-only",
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/origin.ts", "test/support/reader.ts", "test/support/stores.ts"],
  },
};

const node = { root, test: { ...patience, name: "node", include: onNode } };

export default defineConfig({
  root,
  test: {
    projects: [worker, node],
    // Every core works on a file: what feeds them takes little.
    maxWorkers: "100%",
    // The report is for machines: .ci/run counts from it.
    reporters: ["default", ["json", { outputFile: "coverage/tests.json" }]],
  },
});
