/**
 * Faces found in pictures that the least score was not chosen on: `FACES="folder…" npm run bench -- faces-held-out`.
 * Leaving one picture out after the other, the least score of a face is chosen on the others, and used on that one:
 * the lowest at which 95 % of the boxes show faces, clear or hard. And everything again with mirrored pictures, which
 * nothing was ever chosen on.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { elected, FACE_SIDE, faceCandidates, MIN_SCORE } from "../../src/image/faces/detect.ts";
import { judge } from "../../src/image/faces/judge.ts";
import type { Box } from "../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import type { Hit } from "../../wasm/faces/faces.ts";
import { rowsOf } from "../support/rows.ts";
import { best, isWrong, type Marked, marks } from "./face-marks.ts";
import { given } from "./given.ts";

const CHOICES = Array.from({ length: 14 }, (_, index) => 0.59 + index / 100);

/** Of all boxes, how many shall show a face. */
const PRECISION = 0.95;

/** Of a face in the small version, in pixels, from which on it should be found. */
const MIN_FACE = 24;

interface Searched {
  readonly name: string;
  readonly places: readonly Hit[];
  readonly marked: Marked;
}

interface Count {
  readonly clear: number;
  readonly clearFound: number;
  readonly hard: number;
  readonly hardFound: number;
  readonly right: number;
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
      console.log(`  from ${score.toFixed(2)}: ${told(sum(pictures.map((one) => counted(one, score))))}`);
    console.log(
      `  held out, ${chosenScore(pictures).toFixed(2)} on all: ${told(sum(pictures.map((one) => heldOut(one, pictures))))}`,
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
    return [{ name, places: await faceCandidates(rows, UNPAUSED, judge), marked }];
  } catch {
    return [];
  }
}

function counted({ places, marked }: Searched, score: number): Count {
  const boxes = elected(places, score);
  const hit = new Set(boxes.map((box) => best(marked.faces, box)));
  const large = marked.faces.filter((face) => face.width >= MIN_FACE);
  const [clear, hard] = [large.filter((face) => face.clear), large.filter((face) => !face.clear)];
  return {
    clear: clear.length,
    clearFound: clear.filter((face) => hit.has(face)).length,
    hard: hard.length,
    hardFound: hard.filter((face) => hit.has(face)).length,
    right: boxes.filter((box) => best(marked.faces, box)).length,
    wrong: boxes.filter((box) => isWrong(marked, box)).length,
  };
}

/** The lowest score with the precision, or the highest of all. */
function chosenScore(pictures: readonly Searched[]): number {
  const isPrecise = (score: number) => {
    const { right, wrong } = sum(pictures.map((one) => counted(one, score)));
    return right >= PRECISION * (right + wrong);
  };
  return CHOICES.find(isPrecise) ?? Math.max(...CHOICES);
}

function heldOut(picture: Searched, pictures: readonly Searched[]): Count {
  return counted(picture, chosenScore(pictures.filter((other) => other !== picture)));
}

function sum(counts: readonly Count[]): Count {
  return counts.reduce((total, count) => ({
    clear: total.clear + count.clear,
    clearFound: total.clearFound + count.clearFound,
    hard: total.hard + count.hard,
    hardFound: total.hardFound + count.hardFound,
    right: total.right + count.right,
    wrong: total.wrong + count.wrong,
  }));
}

function told({ clear, clearFound, hard, hardFound, right, wrong }: Count): string {
  const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  const [recall, precision] = [percent(clearFound + hardFound, clear + hard), percent(right, right + wrong)];
  return `${recall} found, ${clearFound} of ${clear} clear and ${hardFound} of ${hard} hard; ${precision} right, ${wrong} wrong`;
}
