/**
 * How much smaller JPEG files become as JPEG XL, and whether Debian's djxl makes the same files again, beside Debian's
 * cjxl at its default effort: `IMAGES="folder …" npm run bench -- repacking`. `ONLY="…"` chooses files by words in their names.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { FORMATS } from "../../src/image/formats.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { given } from "./given.ts";

const QUIET = { stdio: "ignore" } as const;

export async function main(): Promise<void> {
  const paths = given("IMAGES").flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const only = process.env["ONLY"]?.split(" ").filter(Boolean);
  const isAsked = (path: string) => /\.jpe?g$/i.test(path) && (!only || only.some((word) => path.includes(word)));
  const scratch = mkdtempSync(join(tmpdir(), "repacking-"));
  const savings: Savings[] = [];
  try {
    for (const path of paths.filter(isAsked).toSorted()) {
      const line = await repacked(path, scratch);
      if (typeof line !== "string") savings.push(line);
      console.log(`  ${basename(path).padEnd(44)} ${typeof line === "string" ? line : told(line)}`);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(
    `${savings.length} files: ${told({ own: mean(savings.map(({ own }) => own)), other: mean(savings.map(({ other }) => other)) })} in the mean`,
  );
}

/** Shares of the file, of files that were made again to the byte. */
interface Savings {
  readonly own: number;
  readonly other: number;
}

const told = ({ own, other }: Savings) => `saves ${percent(own)}, cjxl ${percent(other)}`;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** What was saved, or why there is nothing to compare. */
async function repacked(path: string, scratch: string): Promise<Savings | string> {
  const file = readFileSync(path);
  let packed: Uint8Array | null;
  try {
    packed = await FORMATS.jxl.repack.run(new Uint8Array(file), identify(new Uint8Array(file)).facts, UNPAUSED);
  } catch (cause) {
    return `refused: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
  if (!packed) return "no place for it in JPEG XL";
  const [jxl, restored, theirs] = ["own.jxl", "restored.jpg", "theirs.jxl"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(jxl, packed);
  execFileSync("djxl", [jxl, restored], QUIET);
  if (!readFileSync(restored).equals(file)) return "IS ANOTHER FILE";
  execFileSync("cjxl", ["--lossless_jpeg=1", path, theirs], QUIET);
  const saved = (bytes: number) => 1 - bytes / file.length;
  return { own: saved(packed.length), other: saved(statSync(theirs).size) };
}
