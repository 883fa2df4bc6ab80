/**
 * `npm run fuzz [seconds] [seed]`: every fixture, cut short and changed at random, is decoded and made small, and drawings
 * are made that take long. Fails when anything but a picture or a refusal comes of a file, when a drawing takes more
 * processor time than it may, when a file takes more than 10 seconds of it, or when a good file is no longer decoded as it
 * was before. Files with a framing that is made to cost must not take longer than their bytes warrant.
 * `npm run fuzz -- --native` is another: native.ts.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { fuzzNative } from "./native.ts";

const MOST_MS = 10_000;

if (process.argv[2] === "--native") fuzzNative(process.argv.slice(3));
else decodeDamaged(process.argv[2] ?? "60", process.argv[3] ?? "1");

function decodeDamaged(seconds: string, seed: string): void {
  /** Microseconds of processor time of this process when the file that is being decoded was begun. */
  const begun = new BigInt64Array(new SharedArrayBuffer(8));
  const worker = new Worker(join(import.meta.dirname, "cases.ts"), {
    workerData: { seconds: Number(seconds), seed: Number(seed), begun, mostMs: MOST_MS },
  });
  let decoded = "";
  worker.on("message", (name: string) => {
    decoded = name;
  });
  // Code that never returns cannot be asked to stop. On a busy machine time passes that no file takes.
  const watch = setInterval(() => {
    const since = Number(Atomics.load(begun, 0));
    const { user, system } = process.cpuUsage();
    if (since === 0 || user + system - since < 2 * MOST_MS * 1_000) return;
    console.error(`${decoded}: more than ${(2 * MOST_MS) / 1_000} seconds of processor time; seed ${seed}`);
    process.exit(1);
  }, 1_000);
  worker.on("error", (error) => {
    throw error;
  });
  worker.on("exit", (code) => {
    clearInterval(watch);
    process.exitCode = code;
  });
}
