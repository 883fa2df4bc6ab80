/** Tests in a browser: they run one after the other, apart from all others. */
import { join } from "node:path";

import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..", "..");

export default defineConfig({
  root,
  test: {
    name: "browser",
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/setup.ts"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // A page that loads anew takes seconds on a busy machine: what is polled for is waited for as long as anything else.
    expect: { poll: { timeout: 90_000 } },
    // They share one service, whose heavy jobs take turns.
    fileParallelism: false,
    // The report is for machines: .ci/run counts from it.
    reporters: ["default", ["json", { outputFile: "coverage/browser.json" }]],
  },
});
