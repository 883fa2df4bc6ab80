/**
 * `npm run fuzz -- --native [seconds] [module...]`: the native modules built for this machine with sanitizers, and run
 * by libFuzzer, one after the other, each for so many seconds (60 by default). Fails when one crashes, leaves memory
 * behind or does not end; says where the input lies that made it. What was found to reach new code is kept beside the
 * builds, for the next time.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { writeSeeds } from "./seeds.ts";

const NATIVE = join(import.meta.dirname, "native");
const KEPT = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "darkroom-wasm", "sanitized");
const SECONDS = 60;
/** An input that does not end. What takes long is found by its processor time (host.h). */
const MOST_SECONDS = 120;
/** A module can hold 128 MiB; the rest is shadow and quarantine. */
const MOST_MEBIBYTES = 1_500;
const MOST_INPUT_BYTES = 32_768;
/** libFuzzer says a line for every input that it keeps. */
const MOST_LOG_BYTES = 1 << 28;

/** Memory is accounted for by the targets. */
const ENVIRONMENT = {
  ...process.env,
  ASAN_OPTIONS:
    "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:malloc_context_size=8:detect_stack_use_after_return=0",
  UBSAN_OPTIONS: "print_stacktrace=1",
};

/** The modules that there are targets for. */
export function targets(): string[] {
  const sources = readdirSync(NATIVE).filter((name) => name.endsWith(".cc"));
  return sources.map((name) => name.slice(0, -".cc".length)).filter((name) => name !== "host" && name !== "operators");
}

export interface Fuzzing {
  readonly seconds?: number;
  /** Seeds and so many inputs made of them, instead of a time. */
  readonly runs?: number;
}

export interface Found {
  readonly good: boolean;
  /** What libFuzzer said. */
  readonly log: string;
}

/**
 * Builds a target where that was not done.
 * @throws Error with what compilers and others said
 */
export function buildTarget(target: string): void {
  execFileSync("bash", [join(NATIVE, "build.sh"), target], {
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: MOST_LOG_BYTES,
  });
}

/** Runs a target on the seeds, on what was found before, and on what it makes of them for so many seconds. */
export function fuzzFor(target: string, seconds: number): Found {
  return run(target, kept("corpus", target), [`-max_total_time=${seconds}`]);
}

/** The same on so many inputs, which are the same every time. */
export function fuzzTimes(target: string, runs: number): Found {
  const corpus = mkdtempSync(join(tmpdir(), "corpus-"));
  try {
    return run(target, corpus, [`-runs=${runs}`, "-seed=1"]);
  } finally {
    rmSync(corpus, { recursive: true });
  }
}

function run(target: string, corpus: string, length: readonly string[]): Found {
  const seeds = kept("seeds", target);
  writeSeeds(target, seeds);
  const regressions = join(NATIVE, "found", target);
  const inputs = [corpus, seeds, ...(existsSync(regressions) ? [regressions] : [])];
  const limits = [`-timeout=${MOST_SECONDS}`, `-rss_limit_mb=${MOST_MEBIBYTES}`, `-max_len=${MOST_INPUT_BYTES}`];
  const dictionary = join(NATIVE, `${target}.dict`);
  const words = existsSync(dictionary) ? [`-dict=${dictionary}`] : [];
  const options = [...length, ...limits, ...words, `-artifact_prefix=${kept("found", target)}/`];
  const { status, stderr, error } = spawnSync(join(KEPT, `${target}-fuzz`), [...options, ...inputs], {
    env: ENVIRONMENT,
    encoding: "utf8",
    maxBuffer: MOST_LOG_BYTES,
  });
  // A machine that runs no programs of 32 bits says so here.
  return { good: status === 0, log: error ? `ERROR: ${error.message}` : stderr };
}

/** A folder that stays. */
function kept(kind: "corpus" | "seeds" | "found", target: string): string {
  const folder = join(KEPT, kind, target);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What a person wants to see of a finding: where it is, how it came there, and which input makes it. */
function summaryOf(log: string): string {
  const lines = log.split("\n");
  const error = lines.findIndex((line) => /ERROR:|runtime error|^wrong|left .* bytes behind/.test(line));
  const input = lines.filter((line) => line.includes("Test unit written to"));
  return [...lines.slice(error, error + STACK_LINES), ...input].join("\n");
}

const STACK_LINES = 14;

/** What `npm run fuzz -- --native` does. */
export function fuzzNative([seconds = String(SECONDS), ...named]: readonly string[]): void {
  for (const target of named.length > 0 ? named : targets()) {
    buildTarget(target);
    const { good, log } = fuzzFor(target, Number(seconds));
    const [last = ""] = log.match(/cov: .*/g)?.slice(-1) ?? [];
    console.log(`${target}: ${log.match(/^Done .*/m)?.[0] ?? "ended early"}; ${last}`);
    if (good) continue;
    console.error(summaryOf(log));
    process.exitCode = 1;
  }
}
