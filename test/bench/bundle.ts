/** What a deployment uploads, and what starting it costs. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { ROOT, wranglerOrThrow } from "../../src/cli/wrangler.ts";

export async function main(): Promise<void> {
  const folder = join(ROOT, ".wrangler", "bench", "deployment");
  console.log("everything");
  await build(folder, []);
  console.log("\neveryday formats");
  await build(
    folder,
    [
      "#faces/judge:./src/image/faces/without-judge.ts",
      ...["avif", "heic", "jpeg2000", "jxl", "svg", "tiff"].map(
        (name) => `#formats/${name}:./src/image/formats/left-out.ts`,
      ),
    ].flatMap((alias) => ["--alias", alias]),
  );
  const profile = join(ROOT, ".wrangler", "bench", "startup.cpuprofile");
  const printed = await wranglerOrThrow(["check", "startup", "--outfile", profile]);
  for (const [line] of printed.matchAll(/(?:Profile window|Sampled time|Active): .*/g))
    console.log(`start-up  ${line}`);
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
