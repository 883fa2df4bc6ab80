/**
 * What the search for a quality is taught: `LEARNED=/usr/share npm run bench -- search-losses`, with `FORMATS="jpeg
 * webp"` for some formats only. For every format, of pictures that nothing is measured with, medians of: how much more
 * is lost from one quality to the next, as logarithms; what bytes grow by with what is lost no more; and, by least
 * squares, how much steeper that is of what takes more bits, and what the whole loses by what its tiles lose.
 */
import { join } from "node:path";

import sharp from "sharp";

import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { decoded } from "../../src/image/search/probe.ts";
import { referenceOf } from "../../src/image/search/reference.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { pictureOf } from "../support/rows.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { LEARNED } from "./search-pictures.ts";

/** Pixels. */
const LONGER_SIDE = 1_200;
const QUALITIES = [1, 4, 8, 12, 16, 25, 35, 45, 55, 65, 70, 78, 85, 92, 96];
/** Outside, nothing is searched for. */
const [LEAST, MOST] = [30, 93];

interface Made {
  readonly quality: number;
  readonly bytes: number;
  /** Of a pixel. */
  readonly bits: number;
  /** Points. */
  readonly lost: number;
  readonly lostByTiles: number;
}

export async function main(): Promise<void> {
  const [folder] = given("LEARNED");
  const wanted = (process.env["FORMATS"] ?? "jpeg webp avif").split(" ");
  for (const name of ["jpeg", "webp", "avif", "heic"] as const) {
    if (!wanted.includes(name)) continue;
    const measured: Made[][] = [];
    for (const path of LEARNED) measured.push(await lossesOf(name, await pictureAt(join(folder, path))));
    tell(name, measured);
  }
}

async function pictureAt(path: string): Promise<Picture> {
  const within = { width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside", withoutEnlargement: true } as const;
  const shown = sharp(path).rotate().toColorspace("srgb").resize(within).removeAlpha().ensureAlpha();
  const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
  return pictureOf([{ width: info.width, height: info.height, data: new Uint8Array(data) }]);
}

/** What comes of the qualities that are searched among. */
async function lossesOf(name: "jpeg" | "webp" | "avif" | "heic", picture: Picture): Promise<Made[]> {
  const format = FORMATS[name];
  const reference = await referenceOf(picture, false, UNPAUSED);
  const made: Made[] = [];
  for (const quality of QUALITIES) {
    const settings: EncodeSettings = {
      lossless: false,
      quality,
      effort: 0.5,
      subsample: "4:2:0",
      progressive: false,
    };
    const whole = await format.write.encode(picture, settings, UNPAUSED);
    const lost = 100 - (await reference.judge.both(await decoded(format, whole, UNPAUSED))).score;
    if (100 - lost < LEAST || 100 - lost > MOST) continue;
    const tiles = await format.write.encode(reference.sample.picture, { ...settings, probe: true }, UNPAUSED);
    const lostByTiles = 100 - (await reference.judgeSample.both(await decoded(format, tiles, UNPAUSED))).score;
    const bits = (whole.length * 8) / (picture.width * picture.height);
    made.push({ quality, bytes: whole.length, bits, lost, lostByTiles });
  }
  return made;
}

function tell(name: string, measured: readonly (readonly Made[])[]): void {
  console.log(`## ${name}, ${measured.length} pictures`);
  const pairs = measured.flatMap((probeAt) => {
    const last = probeAt.slice(1);
    return probeAt.flatMap((one, index) => last.slice(index, index + 1).map((next) => [one, next] as const));
  });
  const steeper: [bits: number, times: number][] = [];
  for (const [index, quality] of QUALITIES.entries()) {
    const steps = pairs.filter(([one, other]) => one.quality === quality && other.quality === QUALITIES[index + 1]);
    if (steps.length === 0) continue;
    const step = median(steps.map(([one, other]) => Math.log(one.lost / other.lost)));
    console.log(`   from quality ${quality} to ${QUALITIES[index + 1]}: ${step.toFixed(3)} (${steps.length})`);
    for (const [one, other] of steps) steeper.push([Math.log(other.bits), Math.log(one.lost / other.lost) / step]);
  }
  const growth = pairs.map(([one, other]) => Math.log(other.bytes / one.bytes) / Math.log(one.lost / other.lost));
  console.log(`   bytes grow by ${median(growth).toFixed(2)}`);
  const { slope, at } = lineThrough(steeper);
  const usual = Math.exp((1 - at(0)) / slope).toFixed(2);
  console.log(`   ${slope.toFixed(2)} times steeper with the logarithm of bits, usual at ${usual} bits a pixel`);
  const whole = lineThrough(measured.flat().map(({ lost, lostByTiles }) => [lostByTiles, lost]));
  console.log(
    `   the whole loses ${whole.slope.toFixed(3)} of what its tiles lose, and ${whole.at(0).toFixed(2)} points`,
  );
}

/** The line that is nearest to points, by least squares. */
function lineThrough(points: readonly (readonly [x: number, y: number])[]) {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [centerX, centerY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const along = mean(points.map(([x, y]) => (x - centerX) * (y - centerY)));
  const slope = along / mean(points.map(([x]) => (x - centerX) ** 2));
  return { slope, at: (x: number) => centerY + slope * (x - centerX) };
}
