import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

export default defineConfig({
  root,
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: `${root}wrangler.toml` },
      miniflare: {
        bindings: {
          ADMIN_TOKEN: "admin-token-for-tests",
          ALLOW_PRIVATE_ORIGINS: "true",
          VAULT_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
          TEST_MIGRATIONS: await readD1Migrations(`${root}src/migrations`),
        },
      },
    })),
  ],
  test: {
    // Far above what any test takes: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    include: ["test/**/*.test.ts"],
    // The log lines of requests are shown for tests that fail.
    silent: "passed-only",
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/origin.ts"],
  },
});
