/**
 * Faces found in pictures that the number of votes was not chosen on: `FACES="folder…" npm run bench -- faces-held-out`.
 * Leaving one picture out after the other, the least number of votes is chosen on the others, and used on that one;
 * and everything again with mirrored pictures, which nothing was ever chosen on.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { UNPAUSED } from "../../src/image/breath.ts";
import { type Candidate, elected, FACE_SIDE, MIN_VOTES, votedPlaces } from "../../src/image/faces/detect.ts";
import { rowsOf } from "../support/rows.ts";
import { best, type Face, marks } from "./face-marks.ts";
import { given } from "./given.ts";

const CHOICES = [10, 12, 14, 16, 18, 20, 22, 24, 28];

/** Of a face in the small version, in pixels, from which on it should be found. */
const MIN_FACE = 24;

interface Searched {
  readonly name: string;
  readonly places: readonly Candidate[];
  readonly faces: readonly Face[];
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
    for (const votes of CHOICES)
      console.log(`  ${votes} votes: ${told(sum(pictures.map((one) => counted(one, votes))))}`);
    console.log(
      `  held out, ${chosenVotes(pictures)} on all: ${told(sum(pictures.map((one) => heldOut(one, pictures))))}`,
    );
    console.log(`  as it is, ${MIN_VOTES} votes: ${told(sum(pictures.map((one) => counted(one, MIN_VOTES))))}`);
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
    const faces = (marks().get(name)?.faces ?? []).map((face) => {
      const box = { x: face.x * scale, y: face.y * scale, width: face.width * scale, height: face.height * scale };
      return { ...box, x: mirrored ? info.width - box.x - box.width : box.x, clear: face.clear };
    });
    return [
      { name, places: await votedPlaces(rowsOf({ width: info.width, height: info.height, data }), UNPAUSED), faces },
    ];
  } catch {
    return [];
  }
}

function counted({ places, faces }: Searched, votes: number): Count {
  const boxes = elected(places, votes).map(({ x, y, side }) => ({ x, y, width: side, height: side }));
  const hit = new Set(boxes.map((box) => best(faces, box)));
  const clear = faces.filter((face) => face.clear && face.width >= MIN_FACE);
  return {
    found: clear.filter((face) => hit.has(face)).length,
    clear: clear.length,
    wrong: boxes.filter((box) => !best(faces, box)).length,
  };
}

/** The number of votes that finds most, less what is wrong. */
function chosenVotes(pictures: readonly Searched[]): number {
  const value = (votes: number) => {
    const { found, wrong } = sum(pictures.map((one) => counted(one, votes)));
    return found - wrong;
  };
  return CHOICES.reduce((chosen, votes) => (value(votes) > value(chosen) ? votes : chosen));
}

function heldOut(picture: Searched, pictures: readonly Searched[]): Count {
  return counted(picture, chosenVotes(pictures.filter((other) => other !== picture)));
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
