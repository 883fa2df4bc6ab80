/**
 * Memory and processor time of JPEG XL files with a loss, of photographs of 2, 12 and 24 megapixels, beside Debian's
 * cjxl on one thread at the same distance: `PHOTOS=a.jpg npm run bench -- jxl`. The photograph is repeated in mirror
 * image, as in `photos.ts`. MEGAPIXELS and QUALITY say of which ones, and the engine's quality ("2 12 24", 93); EFFORTS
 * are those of cjxl ("3 4 5 6 7"): the line to compare with is that of the same bytes. Scores are those of the
 * reference tool where SSIMULACRA2 names it.
 *
 * Memory is that of the module, which takes the picture in rows, and the most that was resident of the process of cjxl.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import { ROOT } from "../../src/cli/wrangler.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { distanceOf } from "../../src/image/formats/jxl/quality.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";
import { pictureOf, type Pixels } from "../support/rows.ts";
import { given, NotGiven } from "./given.ts";
import { photoPath, preparePhotos } from "./photos.ts";
import { type Scorer, scorer } from "./search-scores.ts";

const SIZES = { 2: [1_800, 1_200], 12: [4_000, 3_000], 24: [6_000, 4_000] } as const;
const USUAL_QUALITY = 93;
const USUAL_EFFORTS = "3 4 5 6 7";
/**
 * Tells what a command took: seconds of the processor, its own and the system's, and the most KiB that were resident.
 */
const TIME = "/usr/bin/time";

export async function main(): Promise<void> {
  if (!existsSync(TIME) || spawnSync("cjxl", ["--version"]).error) throw new NotGiven("cjxl, djxl and GNU time");
  const [tool] = process.env["SSIMULACRA2"] ? given("SSIMULACRA2") : [];
  const quality = Number(process.env["QUALITY"] ?? USUAL_QUALITY);
  const wanted = (process.env["MEGAPIXELS"] ?? Object.keys(SIZES).join(" ")).split(" ");
  await preparePhotos();
  const scratch = mkdtempSync(join(tmpdir(), "jxl-"));
  try {
    for (const [megapixels, [width, height]] of Object.entries(SIZES)) {
      if (!wanted.includes(megapixels)) continue;
      const photo = sharp(join(ROOT, photoPath(megapixels === "24" ? 24 : 12, "baseline"))).resize(width, height);
      const original = await photo.png({ compressionLevel: 1 }).toBuffer();
      const pixels = { width, height, data: await photo.ensureAlpha().raw().toBuffer() };
      const scores = scorer(original, tool);
      try {
        await compare(original, pixels, quality, scores, scratch);
      } finally {
        scores.close();
      }
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** A file, and what making it took. */
interface Made {
  readonly file: Uint8Array;
  readonly ms: number;
  readonly memoryBytes: number;
}

async function compare(original: Buffer, pixels: Pixels, quality: number, scores: Scorer, scratch: string) {
  const distance = distanceOf(quality);
  console.log(`${pixels.width} x ${pixels.height}, at a distance of ${distance.toFixed(2)}`);
  await print("own", await own(pixels, quality), scores, scratch);
  for (const effort of (process.env["EFFORTS"] ?? USUAL_EFFORTS).split(" ")) {
    await print(`cjxl, effort ${effort}`, theirs(original, String(distance), effort, scratch), scores, scratch);
  }
}

async function print(name: string, { file, ms, memoryBytes }: Made, scores: Scorer, scratch: string): Promise<void> {
  const score = (await scores.ofBaseline(shown(file, scratch))).toFixed(2);
  const [bytes, took, held] = [String(file.length), ms.toFixed(0), (memoryBytes / 1e6).toFixed(0)];
  console.log(
    `  ${name.padEnd(16)} ${bytes.padStart(9)} bytes  ${took.padStart(6)} ms  ${held.padStart(5)} MB  score ${score}`,
  );
}

async function own(pixels: Pixels, quality: number): Promise<Made> {
  trimNative(0);
  const settings = { lossless: false, quality, progressive: false, effort: 0.5 };
  const before = process.cpuUsage();
  const file = await FORMATS.jxl.write.encode(pictureOf([pixels]), settings, UNPAUSED);
  const { user, system } = process.cpuUsage(before);
  return { file, ms: (user + system) / 1_000, memoryBytes: nativeMemoryBytes() };
}

/** @throws Error when cjxl fails */
function theirs(original: Buffer, distance: string, effort: string, scratch: string): Made {
  const [from, to, took] = ["original.png", "theirs.jxl", "took"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(from, original);
  const command = ["cjxl", from, to, "-d", distance, "-e", effort, "--num_threads=0"];
  const { status, stderr } = spawnSync(TIME, ["-f", "%U %S %M", "-o", took, ...command], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const [user = 0, system = 0, kibibytes = 0] = readFileSync(took, "utf8").trim().split(" ").map(Number);
  return { file: readFileSync(to), ms: (user + system) * 1_000, memoryBytes: kibibytes * 1024 };
}

/** A file as djxl shows it. */
function shown(file: Uint8Array, scratch: string): Buffer {
  const [from, to] = [join(scratch, "shown.jxl"), join(scratch, "shown.png")];
  writeFileSync(from, file);
  execFileSync("djxl", [from, to], { stdio: "ignore" });
  return readFileSync(to);
}
