/** All tests but those in a browser: most run in workerd, some on Node. */
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");

// Far above what any test takes: a busy machine is no failure.
const patience = { testTimeout: 300_000, hookTimeout: 300_000 };

// What a person runs in a terminal runs on Node, and so do its tests; so do tests that read the repository.
const terminal = [
  "test/cli/**/*.test.ts",
  "test/wasm/{binaries,exports,upstream}.test.ts",
  "test/headers.test.ts",
  "test/imports.test.ts",
  "test/words.test.ts",
  "test/start.test.ts",
  "test/{clients,components}.test.ts",
  "test/platform-findings.test.ts",
  "test/generators/*.test.ts",
  "test/error-words.test.ts",
  "test/packages.test.ts",
  "test/docs.test.ts",
  "test/docs-length.test.ts",
  "test/playground/*.test.ts",
  // What it asks of the heap, no other runtime tells.
  "test/image/containers/stripped.test.ts",
  "test/image/containers/walk.test.ts",
];

// Whole matrices, model runs and builds under sanitizers: each crosses behaviors that the other tests touch one by one.
const exhaustive = [
  "test/image/formats/matrix.test.ts",
  "test/image/formats/pairs.test.ts",
  "test/image/operations/hostile.test.ts",
  // Pictures of 24 megapixels.
  "test/image/search/requantize.test.ts",
  "test/pipeline/orientation.test.ts",
  "test/pipeline/table.test.ts",
  "test/webhook/model.test.ts",
  "test/webhook/simulation.test.ts",
];
const sanitized = ["test/fuzz/**/*.test.ts"];

// Its process asks another implementation about hundreds of files.
const judged = ["test/image/provenance/reference.test.ts"];

// Measures minutes of work.
const measured = ["test/image/render/held.test.ts"];

// The one waits for most of a minute, until the sweep takes what nobody was told of; the others install packages, and kill services.
const restarted = [
  "test/cli/restart.test.ts",
  "test/cli/two-commands.test.ts",
  "test/cli/serve.test.ts",
  "test/cli/worker-package.test.ts",
  "test/generators/generators.test.ts",
];

// Files that ask by HTTP, so that a service in another process can be asked as well: test/support/served.ts. A test that looks
// into the service, or moves its clock, is skipped there from that point on (needsInside). Originals of deliveries are
// answered by the tests themselves, through test/support/relay.ts. Files are left out of which next to nothing would remain: of
// deliveries those about the queue and its rows (finals, purge-races), about addresses of clients that only the platform says
// (abuse, crowd), about caches and buckets that are given to the service (edge-cache, stores); and whatever gives the service a
// pipeline of its own.
const served = [
  "test/delivery/{ends,explain,explained,hints,next,privacy,records,serve,spelling}.test.ts",
  "test/http/{admin,endpoints,kept,operability,webhook-queries,webhooks}.test.ts",
];

// Files of every day that have more to do here: test/support/exhaustive.ts says how much of it is for every day.
const longer = [
  "test/batch/simulation.test.ts",
  "test/account/meter.test.ts",
  "test/http/faults.test.ts",
  "test/http/idempotency.test.ts",
  "test/http/reuse.test.ts",
  "test/scheduler/budget-orders.test.ts",
  "test/image/formats/avif/large.test.ts",
  "test/image/formats/gif/quality.test.ts",
  "test/image/formats/jxl/write.test.ts",
  "test/image/formats/svg/bounds.test.ts",
  "test/image/formats/svg/css.test.ts",
  "test/image/search/large.test.ts",
  "test/image/search/turned-large.test.ts",
  "test/image/search/memory-tiers.test.ts",
  "test/image/search/preset-order.test.ts",
  "test/image/render/declared.test.ts",
  "test/image/render/estimates.test.ts",
  "test/image/render/render.test.ts",
  "test/pipeline/ended.test.ts",
  "test/pipeline/generated.test.ts",
  "test/pipeline/ways.test.ts",
];

/**
 * What generated cases begin with: always the same where a change is judged, which is not to fail by what it did not touch;
 * others each time where somebody works on it.
 */
const casesSeed = process.env["CASES_SEED"] ?? (process.env["CI"] ? "1" : "");

/** Long tables are whole, or one of so many of their crossings: what judges every change takes a part. */
const share = process.env["EXHAUSTIVE_SHARE"];
const provide = { share: Number(share ?? "1") };
/** What judges every change runs both projects: files of both are run by the one in which they have more to do. */
const laterWithMore = share === undefined ? [] : longer;

/** Interleavings that models walk. */
const modelRuns = (runs: number) => process.env["MODEL_RUNS"] ?? String(runs);

/** Files that run inside the runtime of Workers; `--project` chooses by the name. */
const inWorkerd = (name: "worker" | "exhaustive" | "served", include: string[], exclude: string[] = []) => ({
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
          // Tests call the service by many names.
          ALLOWED_HOSTS: "*",
          VAULT_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
          // All is counted at once, and has its line.
          HIT_SAMPLE: "1",
          METER_BLOCK_SECONDS: "0",
          LOG_SAMPLE: "1",
          CASES_SEED: casesSeed,
          EXHAUSTIVE: String(name === "exhaustive"),
          MODEL_RUNS: name === "exhaustive" ? modelRuns(Math.max(25, Math.ceil(500 / provide.share))) : modelRuns(25),
          TEST_MIGRATIONS: await readD1Migrations(join(root, "src", "migrations")),
        },
      },
    })),
  ],
  test: {
    ...patience,
    provide,
    name,
    include,
    exclude,
    // One runtime serves many files, since starting one and handing it the codecs takes seconds: setup.ts makes each
    // file begin with fresh modules and empty storage, and fails a file that leaves anything else changed.
    isolate: false,
    // The log lines of requests are shown for tests that fail.
    silent: "passed-only" as const,
    setupFiles: ["test/support/setup.ts"],
    globalSetup: [
      "test/support/origin.ts",
      "test/support/reader.ts",
      "test/support/stores.ts",
      ...(name === "served" ? ["test/support/served.ts"] : []),
    ],
  },
});

const onNode = (name: string, include: string[], exclude: string[] = []) => ({
  root,
  test: { ...patience, provide, name, include, exclude },
});

export default defineConfig({
  root,
  test: {
    projects: [
      // Pages are tried in a browser, by a configuration of their own.
      inWorkerd(
        "worker",
        ["test/**/*.test.ts"],
        [...terminal, ...exhaustive, ...sanitized, ...judged, ...measured, ...laterWithMore, "test/browser/**"],
      ),
      onNode("node", terminal, restarted),
      inWorkerd("exhaustive", [...exhaustive, ...longer]),
      inWorkerd("served", served),
      onNode("exhaustive-node", [...sanitized, ...restarted, ...judged, ...measured]),
    ],
    // Every core works on a file, and one more file is at work: many wait for a process, or for time to pass.
    maxWorkers: availableParallelism() + 1,
    // The report is for machines: .ci/run counts from it.
    reporters: ["default", "json"],
    outputFile: { json: "coverage/tests.json" },
  },
});
