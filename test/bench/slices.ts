/**
 * The longest time for which one piece of work keeps the thread, in milliseconds of its processor time, so that other
 * programs on the machine do not matter: `IMAGES=folder npm run bench -- slices`. Every picture of the folder and large
 * ones that are made here go from file to file in many ways. A slice is what the thread does between two turns of its
 * event loop, which is when other requests are answered. The clock stands still within a slice, as it does where the
 * service is deployed: what ends a slice is what work declares. Each job runs twice, and the better run counts: the first
 * one compiles.
 *
 * `ONLY="heic webp"` takes the files whose names contain one of the words, `OPTIONS` the ways, and `STACKS=1` says
 * where the longest slices end.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

import { ApiError } from "../../src/errors.ts";
import { identify } from "../../src/image/plan/detect.ts";
import type { SingleOrder } from "../../src/image/render/order.ts";
import { renderedFrom } from "../support/render.ts";
import { given } from "./given.ts";
import { made } from "./slice-files.ts";

const OPTIONS: Readonly<Record<string, Pick<SingleOrder, "operations"> & Partial<SingleOrder>>> = {
  "as it is": { operations: {} },
  "1,200 px": { operations: { resize: sized(1_200) } },
  "WebP, 800 px": { operations: { resize: sized(800) }, output: { format: "webp" } },
  "AVIF, 640 px": { operations: { resize: sized(640) }, output: { format: "avif" } },
  "PNG, 600 px": { operations: { resize: sized(600) }, output: { format: "png" } },
};
const MOST_SHOWN = 25;
const WANTED_MS = 50;

function sized(width: number): object {
  return { width, mode: "auto", gravity: "center", upscale: false, background: "ffffff", linear: false };
}

interface Slices {
  readonly longestMs: number;
  readonly where: string;
  readonly count: number;
  readonly outcome: string;
}

export async function main(): Promise<void> {
  const words = (process.env["ONLY"] ?? "").split(" ").filter(Boolean);
  const ways = (process.env["OPTIONS"] ?? "").split(";").filter(Boolean);
  const all: { name: string; slices: Slices }[] = [];
  for await (const [name, bytes] of pictures(
    (path) => words.length === 0 || words.some((word) => path.includes(word)),
  )) {
    for (const [way, order] of Object.entries(OPTIONS)) {
      if (ways.length > 0 && !ways.includes(way)) continue;
      const run = (own: Uint8Array) => renderedFrom(own, order);
      const first = await slicesOf(bytes.slice(), run);
      const second = first.longestMs > WANTED_MS / 2 ? await slicesOf(bytes.slice(), run) : first;
      const slices = second.longestMs < first.longestMs ? second : first;
      all.push({ name: `${name}, ${way}`, slices });
      if (slices.longestMs > WANTED_MS) console.log(shown(`${name}, ${way}`, slices));
    }
  }
  const sorted = all.toSorted((a, b) => b.slices.longestMs - a.slices.longestMs);
  console.log(`  ${all.length} jobs; the longest slices, milliseconds of processor time:`);
  for (const { name, slices } of sorted.slice(0, MOST_SHOWN)) console.log(shown(name, slices));
  const above = all.filter(({ slices }) => slices.longestMs > WANTED_MS).length;
  console.log(`  above ${WANTED_MS} ms: ${above} of ${all.length}`);
}

function shown(name: string, { longestMs, outcome, count, where }: Slices): string {
  return `  ${longestMs.toFixed(0).padStart(6)}  ${name} (${outcome}, ${count} slices)${where}`;
}

async function* pictures(isWanted: (path: string) => boolean): AsyncGenerator<[string, Uint8Array<ArrayBuffer>]> {
  for (const [name, make] of Object.entries(made)) if (isWanted(name)) yield [name, await make()];
  const [folder] = given("IMAGES");
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const path = join(folder, name);
    if (!isWanted(name) || !(await stat(path)).isFile()) continue;
    const bytes = new Uint8Array(await readFile(path));
    try {
      identify(bytes);
    } catch (error) {
      if (error instanceof ApiError) continue;
      throw error;
    }
    yield [relative(folder, path), bytes];
  }
}

/** Runs work while the event loop is watched. */
async function slicesOf(own: Uint8Array, run: (own: Uint8Array) => Promise<unknown>): Promise<Slices> {
  let since = processorMs();
  let longestMs = 0;
  let where = "";
  let latest = "";
  let count = 0;
  let isOver = false;
  const { scheduler } = globalThis as unknown as { scheduler: { wait: (ms: number) => Promise<void> } };
  const wait = scheduler.wait.bind(scheduler);
  Object.assign(globalThis, {
    scheduler: {
      wait: (ms: number) => {
        if (process.env["STACKS"]) latest = `\n${new Error("here").stack?.split("\n").slice(7, 14).join("\n")}`;
        return wait(ms);
      },
    },
  });
  const { promise: watched, resolve } = Promise.withResolvers<void>();
  const running = performance.now.bind(performance);
  let standing = running();
  performance.now = () => standing;
  const turn = () => {
    const now = processorMs();
    standing = running();
    count++;
    if (now - since > longestMs) {
      longestMs = now - since;
      where = latest;
    }
    latest = "";
    since = processorMs();
    if (isOver) resolve();
    else setImmediate(turn);
  };
  setImmediate(turn);
  const outcome = await run(own).then(
    () => "done",
    (error: unknown) => (error instanceof ApiError ? String(error.status) : "failed"),
  );
  isOver = true;
  await watched;
  performance.now = running;
  Object.assign(globalThis, { scheduler });
  return { longestMs, where, count, outcome };
}

/** Milliseconds for which this thread ran. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
