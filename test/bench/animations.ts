/**
 * The bytes by which animated AVIF and WebP reach one score, and the processor time of one encoding:
 * `PICTURES="a.gif b.gif …" npm run bench -- animations`. SCORE is the score (75). Bytes are worked out between two
 * qualities, one on each side of it; a format without loss may be smaller than with, and has a line of its own.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { changesOf, detailOf } from "../../src/image/codec/complexity.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { TARGET_SCORE } from "../../src/image/search/presets.ts";
import { pictureIn } from "../../src/image/search/probe.ts";
import type { WritableFormat } from "../../src/image/search/task.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "../support/render.ts";
import { scoreAnimation } from "../support/scores.ts";
import { given } from "./given.ts";
import { bytesAt } from "./search-baselines.ts";

const FORMATS_COMPARED = ["webp", "avif"] as const;
const USUAL_SCORE = "75";
const USUAL_QUALITY = 75;
const SETTINGS = { lossless: false, quality: USUAL_QUALITY, progressive: false, effort: 0.5 } as const;

export async function main(): Promise<void> {
  const score = Number(process.env["SCORE"] ?? USUAL_SCORE);
  for (const path of given("PICTURES")) {
    const file = new Uint8Array(await readFile(path));
    const picture = pictureOf(file);
    const { width, height, frames } = picture;
    console.log(`${basename(path)}: ${frames} frames of ${width} x ${height}, at a score of ${score}`);
    for (const name of FORMATS_COMPARED) {
      const format: WritableFormat = FORMATS[name];
      const ms: number[] = [];
      const bytes = await bytesAt(score, USUAL_QUALITY, (quality) => encoded(picture, format, quality, ms));
      const exact = await format.write.encode(picture, { ...SETTINGS, lossless: true }, UNPAUSED);
      const lossy = bytes === null ? "not reached" : `${Math.round(bytes)} bytes`;
      const mean = Math.round(ms.reduce((sum, one) => sum + one, 0) / ms.length);
      console.log(`  ${name.padEnd(5)} ${lossy.padStart(16)}  ${mean} ms  (without loss ${exact.length} bytes)`);
    }
    const auto = { output: { format: "auto" }, optimize: { lossless: false, compression: presetOf(score) } } as const;
    const { format, file: made, score: reached } = (await rendered(file, auto)).output;
    console.log(
      `  auto  ${String(made.bytes.length).padStart(10)} bytes  is ${format.label} at a score of ${reached?.toFixed(1)}`,
    );
  }
}

/** The preset whose score is the nearest. */
function presetOf(score: number): keyof typeof TARGET_SCORE {
  const distance = (name: keyof typeof TARGET_SCORE) => Math.abs(TARGET_SCORE[name] - score);
  const names = Object.keys(TARGET_SCORE) as (keyof typeof TARGET_SCORE)[];
  return names.reduce((nearest, name) => (distance(name) < distance(nearest) ? name : nearest));
}

function pictureOf(bytes: Uint8Array): Picture {
  const { format, facts }: { format: FormatDefinition; facts: ReturnType<FormatDefinition["read"]["factsOf"]> } =
    identify(bytes);
  return { ...pictureIn(format, bytes), changes: changesOf(facts, facts), detail: detailOf(facts, facts) };
}

/** One encoding, its score, and what it took. */
async function encoded(picture: Picture, format: WritableFormat, quality: number, ms: number[]) {
  const before = process.cpuUsage();
  const bytes = await format.write.encode(picture, { ...SETTINGS, quality }, UNPAUSED);
  const { user, system } = process.cpuUsage(before);
  ms.push((user + system) / 1_000);
  return { score: await scoreAnimation(picture, pictureIn(format, bytes), UNPAUSED), bytes: bytes.length };
}
