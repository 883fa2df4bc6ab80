/**
 * `npm run bench -- [--workerd] [name…]`: prints measurements, asserts nothing.
 * A bench of the engine exports `bench` (a Bench) or several `benches`; one that measures something else exports
 * `main`.
 */
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";

import { ROOT } from "../../src/cli/wrangler.ts";
import "../support/imports-on-node.ts";
import { NotGiven } from "./given.ts";
import { type Bench, compare, table } from "./harness.ts";

interface BenchModule {
  readonly bench?: Bench;
  readonly benches?: readonly Bench[];
  readonly main?: () => Promise<void>;
}

/** Every bench, one line each; the name is the file's. */
const BENCHES: Readonly<Record<string, () => Promise<BenchModule>>> = {
  analyses: () => import("./analyses.ts"),
  animations: () => import("./animations.ts"),
  auto: () => import("./auto.ts"),
  yielding: () => import("./yielding.ts"),
  "batch-simulation": () => import("./batch-simulation.ts"),
  bucket: () => import("./bucket.ts"),
  bundle: () => import("./bundle.ts"),
  costs: () => import("./costs.ts"),
  d1: () => import("./d1.ts"),
  delivery: () => import("./delivery.ts"),
  "delivery-own": () => import("./delivery-own.ts"),
  faces: () => import("./faces.ts"),
  "faces-held-out": () => import("./faces-held-out.ts"),
  floor: () => import("./floor.ts"),
  formats: () => import("./formats.ts"),
  fuel: () => import("./fuel.ts"),
  framing: () => import("./framing.ts"),
  "gain-maps": () => import("./gain-maps.ts"),
  gif: () => import("./gif.ts"),
  gravity: () => import("./gravity.ts"),
  playground: () => import("./playground.ts"),
  png: () => import("./png.ts"),
  estimates: () => import("./estimates.ts"),
  qualities: () => import("./qualities.ts"),
  quantize: () => import("./quantize.ts"),
  "red-eyes": () => import("./red-eyes.ts"),
  repacking: () => import("./repacking.ts"),
  resize: () => import("./resize.ts"),
  jpeg: () => import("./jpeg.ts"),
  "look-pairs": () => import("./look-pairs.ts"),
  looks: () => import("./looks.ts"),
  jxl: () => import("./jxl.ts"),
  crowd: () => import("./crowd.ts"),
  imgproxy: () => import("./imgproxy.ts"),
  isolate: () => import("./isolate.ts"),
  held: () => import("./held.ts"),
  matrix: () => import("./matrix.ts"),
  memory: () => import("./memory.ts"),
  operations: () => import("./operations.ts"),
  phash: () => import("./phash.ts"),
  optimize: () => import("./optimize.ts"),
  score: () => import("./score.ts"),
  "score-accuracy": () => import("./score-accuracy.ts"),
  search: () => import("./search.ts"),
  "search-losses": () => import("./search-losses.ts"),
  service: () => import("./service.ts"),
  small: () => import("./small.ts"),
  suites: () => import("./suites.ts"),
  superres: () => import("./superres.ts"),
  sets: () => import("./sets.ts"),
  sizes: () => import("./sizes.ts"),
  slices: () => import("./slices.ts"),
  soak: () => import("./soak.ts"),
  "webp-decode": () => import("./webp-decode.ts"),
  "webp-encode": () => import("./webp-encode.ts"),
  "webhooks-simulation": () => import("./webhooks-simulation.ts"),
  "webhooks-soak": () => import("./webhooks-soak.ts"),
};

async function runBenches(name: string, benches: readonly Bench[], inWorkerd: boolean): Promise<void> {
  for (const bench of benches) await bench.prepare?.();
  if (inWorkerd) {
    // Only here: a copy for a machine without the runtime of the service has no need of it.
    const { compareInWorkerd } = await import("./workerd.ts");
    return console.log(await compareInWorkerd(name));
  }
  for (const bench of benches) {
    console.log(`\n## ${name}: ${bench.title}`);
    const candidates = await bench.candidates("node", (path) => readFile(join(ROOT, path)));
    console.log(table(await compare(candidates, bench.rounds)));
  }
}

async function main(args: readonly string[]): Promise<void> {
  const inWorkerd = args.includes("--workerd");
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = names.filter((name) => !(name in BENCHES));
  if (unknown.length > 0)
    throw new Error(`No bench ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}`);
  const model = cpus()[0]?.model ?? "unknown processor";
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${model}, ${availableParallelism()} cores, load ${load}, Node ${process.version}, ${new Date().toISOString()}`,
  );
  const leftOut: string[] = [];
  for (const [name, open] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      await runOne(name, await open(), inWorkerd);
    } catch (error) {
      if (!(error instanceof NotGiven)) throw error;
      leftOut.push(`${name} (wants ${error.message})`);
    }
  }
  if (leftOut.length > 0) console.log(`\nLeft out: ${leftOut.join(", ")}`);
}

async function runOne(name: string, { bench, benches, main: run }: BenchModule, inWorkerd: boolean): Promise<void> {
  const timed = benches ?? (bench ? [bench] : []);
  if (timed.length > 0) await runBenches(name, timed, inWorkerd);
  if (run && !inWorkerd) {
    console.log(`\n## ${name}`);
    await run();
  }
}

await main(process.argv.slice(2));
