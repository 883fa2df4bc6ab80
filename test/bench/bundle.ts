/** What a deployment uploads, and what starting it costs. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { ROOT, wranglerOrThrow } from "../../src/cli/wrangler.ts";
import { median } from "./harness.ts";

/** The same start is seen to take 22 to 60 ms, and more on a busy machine: one look says nothing. */
const LOOKS = 9;

export async function main(): Promise<void> {
  const folder = join(ROOT, ".wrangler", "bench", "deployment");
  console.log("everything");
  await build(folder, []);
  console.log("\neveryday formats");
  await build(
    folder,
    [
      "#faces/judge:./src/image/faces/without-judge.ts",
      ...["avif", "heic", "jpeg2000", "jxl", "mp4", "svg", "tiff"].map(
        (name) => `#formats/${name}:./src/image/formats/left-out.ts`,
      ),
    ].flatMap((alias) => ["--alias", alias]),
  );
  const looks: number[] = [];
  while (looks.length < LOOKS) looks.push(await startMs());
  const told = (ms: number) => ms.toFixed(1);
  console.log(
    `start-up  ${told(Math.min(...looks))} ms at least, ${told(median(looks))} by the median of ${LOOKS} looks`,
  );
}

/** Milliseconds that the runtime is at work until a deployment can answer, by the samples of a profile. */
async function startMs(): Promise<number> {
  const profile = join(ROOT, ".wrangler", "bench", "startup.cpuprofile");
  const printed = await wranglerOrThrow(["check", "startup", "--outfile", profile]);
  return Number(/Active: ([\d.]+) ms/.exec(printed)?.[1]);
}

/** Prints what a build with these options uploads. */
async function build(folder: string, options: readonly string[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await wranglerOrThrow(["deploy", "--dry-run", "--outdir", folder, ...options]);
  const names = (await readdir(folder)).filter((name) => !/\.map$|^README\.md$/.test(name));
  const sizes = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return { name, raw: bytes.byteLength, packed: gzipSync(bytes, { level: 9 }).byteLength };
    }),
  );
  const total = {
    name: "total",
    raw: sum(sizes.map(({ raw }) => raw)),
    packed: sum(sizes.map(({ packed }) => packed)),
  };
  console.log("   raw KiB  gzip KiB");
  for (const { name, raw, packed } of [...sizes.sort((a, b) => b.packed - a.packed), total]) {
    console.log(`${kibibytes(raw)} ${kibibytes(packed)}  ${name}`);
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const kibibytes = (bytes: number) => (bytes / 1024).toFixed(1).padStart(10);
