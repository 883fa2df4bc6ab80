/**
 * Faces found in pictures that the least score was not chosen on: `FACES="folder…" npm run bench -- faces-held-out`.
 * Leaving one picture out after the other, the least score of a face is chosen on the others, and used on that one;
 * and everything again with mirrored pictures, which nothing was ever chosen on.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { UNPAUSED } from "../../src/image/breath.ts";
import { elected, FACE_SIDE, faceCandidates, MIN_SCORE } from "../../src/image/faces/detect.ts";
import type { Box } from "../../src/image/geometry.ts";
import type { Hit } from "../../wasm/faces/faces.ts";
import { rowsOf } from "../support/rows.ts";
import { best, isWrong, type Marked, marks } from "./face-marks.ts";
import { given } from "./given.ts";

const CHOICES = [0.66, 0.68, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8];

/** Of a face in the small version, in pixels, from which on it should be found. */
const MIN_FACE = 24;

interface Searched {
  readonly name: string;
  readonly places: readonly Hit[];
  readonly marked: Marked;
}

interface Count {
  readonly found: number;
  readonly clear: number;
  readonly wrong: number;
}

export async function main(): Promise<void> {
  const folders = given("FACES");
  for (const mirrored of [false, true]) {
    const pictures: Searched[] = [];
    for (const folder of folders) {
      for (const name of readdirSync(folder)) pictures.push(...(await searched(join(folder, name), name, mirrored)));
    }
    const kind = mirrored ? "mirrored" : "as they are";
    console.log(`${pictures.length} pictures ${kind}, faces of ${MIN_FACE} pixels or more`);
    for (const score of CHOICES)
      console.log(`  from ${score}: ${told(sum(pictures.map((one) => counted(one, score))))}`);
    console.log(
      `  held out, ${chosenScore(pictures)} on all: ${told(sum(pictures.map((one) => heldOut(one, pictures))))}`,
    );
    console.log(`  as it is, ${MIN_SCORE}: ${told(sum(pictures.map((one) => counted(one, MIN_SCORE))))}`);
  }
}

async function searched(path: string, name: string, mirrored: boolean): Promise<Searched[]> {
  try {
    const bytes = readFileSync(path);
    const upright = sharp(await sharp(bytes).rotate().toColorspace("srgb").toBuffer());
    const { width } = await upright.metadata();
    const small = upright
      .flop(mirrored)
      .resize(FACE_SIDE, FACE_SIDE, { fit: "inside", withoutEnlargement: true, kernel: "linear" });
    const { data, info } = await small.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const scale = info.width / width;
    const { faces, ignored } = marks().get(name) ?? { faces: [], ignored: [] };
    const reduced = <T extends Box>(box: T): T => {
      const [x, boxWidth] = [box.x * scale, box.width * scale];
      const left = mirrored ? info.width - x - boxWidth : x;
      return { ...box, x: left, y: box.y * scale, width: boxWidth, height: box.height * scale };
    };
    const marked = { faces: faces.map(reduced), ignored: ignored.map(reduced) };
    const rows = rowsOf({ width: info.width, height: info.height, data });
    return [{ name, places: await faceCandidates(rows, UNPAUSED), marked }];
  } catch {
    return [];
  }
}

function counted({ places, marked }: Searched, score: number): Count {
  const boxes = elected(places, score);
  const hit = new Set(boxes.map((box) => best(marked.faces, box)));
  const clear = marked.faces.filter((face) => face.clear && face.width >= MIN_FACE);
  return {
    found: clear.filter((face) => hit.has(face)).length,
    clear: clear.length,
    wrong: boxes.filter((box) => isWrong(marked, box)).length,
  };
}

/** The least score that finds most, less what is wrong. */
function chosenScore(pictures: readonly Searched[]): number {
  const value = (score: number) => {
    const { found, wrong } = sum(pictures.map((one) => counted(one, score)));
    return found - wrong;
  };
  return CHOICES.reduce((chosen, score) => (value(score) > value(chosen) ? score : chosen));
}

function heldOut(picture: Searched, pictures: readonly Searched[]): Count {
  return counted(picture, chosenScore(pictures.filter((other) => other !== picture)));
}

function sum(counts: readonly Count[]): Count {
  return counts.reduce(
    (total, { found, clear, wrong }) => ({
      found: total.found + found,
      clear: total.clear + clear,
      wrong: total.wrong + wrong,
    }),
    { found: 0, clear: 0, wrong: 0 },
  );
}

function told({ found, clear, wrong }: Count): string {
  return `${found} of ${clear} found, ${wrong} wrong`;
}
