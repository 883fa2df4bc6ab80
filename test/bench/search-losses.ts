/**
 * What the search for a quality is taught: `LEARNED=/usr/share npm run bench -- search-losses`, with `FORMATS="jpeg webp"` for
 * some formats only. For every format, of pictures that nothing is measured with, medians of: how much more is lost from one
 * quality to the next, as logarithms; what bytes grow by with what is lost no more; and what the whole loses beside tiles.
 */
import { join } from "node:path";

import sharp from "sharp";

import { UNPAUSED } from "../../src/image/breath.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { Reference } from "../../src/image/optimize/reference.ts";
import { inMemory } from "../../src/image/optimize/sample.ts";
import { decoded } from "../../src/image/optimize/trial.ts";
import type { Picture } from "../../src/image/picture.ts";
import type { EncodeSettings } from "../../src/image/writer.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { LEARNED } from "./search-pictures.ts";

/** Pixels. */
const LONGER_SIDE = 1_200;
const QUALITIES = [15, 25, 35, 45, 55, 65, 70, 78, 85, 92, 96];
/** Outside, nothing is searched for. */
const [LEAST, MOST] = [45, 93];
const KEPT = { pixels: false, prepared: true };

interface Made {
  readonly quality: number;
  readonly bytes: number;
  /** Points. */
  readonly lost: number;
  readonly lostByTiles: number;
}

export async function main(): Promise<void> {
  const [folder] = given("LEARNED");
  const wanted = (process.env["FORMATS"] ?? "jpeg webp avif").split(" ");
  for (const name of ["jpeg", "webp", "avif"] as const) {
    if (!wanted.includes(name)) continue;
    const curves: Made[][] = [];
    for (const path of LEARNED) curves.push(await curveOf(name, await pictureAt(join(folder, path))));
    tell(name, curves);
  }
}

async function pictureAt(path: string): Promise<Picture> {
  const within = { width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside", withoutEnlargement: true } as const;
  const shown = sharp(path).rotate().toColorspace("srgb").resize(within).removeAlpha().ensureAlpha();
  const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
  return inMemory(new Uint8Array(data), info, true);
}

/** What comes of the qualities that are searched among. */
async function curveOf(name: "jpeg" | "webp" | "avif", picture: Picture): Promise<Made[]> {
  const format = FORMATS[name];
  return Reference.during(picture, KEPT, UNPAUSED, async (reference) => {
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
      const lost = 100 - (await reference.score(await decoded(format, whole, UNPAUSED)));
      if (100 - lost < LEAST || 100 - lost > MOST) continue;
      const tiles = await format.write.encode(reference.sample.picture, { ...settings, trial: true }, UNPAUSED);
      const lostByTiles = 100 - (await reference.scoreSample(await decoded(format, tiles, UNPAUSED)));
      made.push({ quality, bytes: whole.length, lost, lostByTiles });
    }
    return made;
  });
}

function tell(name: string, curves: readonly (readonly Made[])[]): void {
  console.log(`## ${name}, ${curves.length} pictures`);
  const pairs = curves.flatMap((curve) => {
    const last = curve.slice(1);
    return curve.flatMap((one, index) => last.slice(index, index + 1).map((next) => [one, next] as const));
  });
  for (const [index, quality] of QUALITIES.entries()) {
    const steps = pairs.filter(([one, other]) => one.quality === quality && other.quality === QUALITIES[index + 1]);
    if (steps.length === 0) continue;
    const step = median(steps.map(([one, other]) => Math.log(one.lost / other.lost)));
    console.log(`   from quality ${quality} to ${QUALITIES[index + 1]}: ${step.toFixed(3)} (${steps.length})`);
  }
  const growth = pairs.map(([one, other]) => Math.log(other.bytes / one.bytes) / Math.log(one.lost / other.lost));
  const beside = curves.flat().map(({ lost, lostByTiles }) => lost - lostByTiles);
  console.log(`   bytes grow by ${median(growth).toFixed(2)}`);
  console.log(`   the whole loses ${median(beside).toFixed(2)} points more than tiles that are written in haste`);
}
