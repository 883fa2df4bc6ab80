/**
 * Faces found against faces marked by hand: `FACES="folder…" npm run bench -- faces`. Pictures of the folders that
 * faces.tsv does not name count as pictures without a face. A face is found when a box covers it with an intersection
 * of at least 0.35 of their union.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { UNPAUSED } from "../../src/image/breath.ts";
import { FACE_SIDE, findFaces } from "../../src/image/faces/detect.ts";
import type { Box } from "../../src/image/geometry.ts";
import { rendered } from "../support/render.ts";
import { rowsOf } from "../support/rows.ts";
import { best, marks } from "./face-marks.ts";
import { given } from "./given.ts";

/** Of a face in the small version, in pixels, from which on it should be found. */
const MIN_FACE = 24;

interface Total {
  pictures: number;
  clear: number;
  found: number;
  /** Of MIN_FACE pixels or more. */
  large: number;
  largeFound: number;
  hardFound: number;
  wrong: number;
  cpuMs: number;
  mostMs: number;
}

const CROP = { mode: "face", padding: 1, faces: "one" } as const;

export async function main(): Promise<void> {
  const marked = marks();
  const total: Total = {
    pictures: 0,
    clear: 0,
    found: 0,
    large: 0,
    largeFound: 0,
    hardFound: 0,
    wrong: 0,
    cpuMs: 0,
    mostMs: 0,
  };
  for (const folder of given("FACES")) {
    for (const name of readdirSync(folder)) {
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      const boxes = await facesIn(bytes);
      if (!boxes) continue;
      const { width, height } = await sharp(bytes).metadata();
      const scale = Math.min(1, FACE_SIDE / Math.max(width, height));
      const faces = marked.get(name) ?? [];
      const hit = new Set(boxes.map((box) => best(faces, box)));
      const clear = faces.filter((face) => face.clear);
      const large = clear.filter((face) => face.width * scale >= MIN_FACE);
      const wrong = boxes.filter((box) => !best(faces, box)).length;
      const cpuMs = await cpuOf(bytes);
      total.pictures++;
      total.clear += clear.length;
      total.found += clear.filter((face) => hit.has(face)).length;
      total.large += large.length;
      total.largeFound += large.filter((face) => hit.has(face)).length;
      total.hardFound += faces.filter((face) => !face.clear && hit.has(face)).length;
      total.wrong += wrong;
      total.cpuMs += cpuMs;
      total.mostMs = Math.max(total.mostMs, cpuMs);
      const found = clear.filter((face) => hit.has(face)).length;
      console.log(`${name.padEnd(36)} ${found} of ${clear.length} found, ${wrong} wrong, ${cpuMs.toFixed(0)} ms`);
    }
  }
  report(total);
}

function report(total: Total) {
  const right = total.found + total.hardFound;
  const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(0)} %`;
  console.log(`recall ${percent(total.found, total.clear)}: ${total.found} of ${total.clear} clear faces`);
  console.log(
    `recall from ${MIN_FACE} pixels on: ${percent(total.largeFound, total.large)}, ${total.largeFound} of ${total.large}`,
  );
  console.log(`precision ${percent(right, right + total.wrong)}: ${total.wrong} wrong in ${total.pictures} pictures`);
  console.log(
    `processor time: ${(total.cpuMs / total.pictures).toFixed(0)} ms a picture, at most ${total.mostMs.toFixed(0)}`,
  );
}

/** As a request gets them; undefined for what cannot be read. */
async function facesIn(bytes: Uint8Array): Promise<readonly Box[] | undefined> {
  try {
    return (await rendered(bytes, { operations: { crop: CROP } })).input.faces;
  } catch {
    return undefined;
  }
}

/** Processor time of one search, warmed up, without decoding. */
async function cpuOf(bytes: Uint8Array): Promise<number> {
  const small = sharp(bytes).rotate().resize(FACE_SIDE, FACE_SIDE, { fit: "inside", withoutEnlargement: true });
  const { data, info } = await small.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixels = { width: info.width, height: info.height, data };
  await findFaces(rowsOf(pixels), UNPAUSED);
  const before = process.cpuUsage().user;
  await findFaces(rowsOf(pixels), UNPAUSED);
  return (process.cpuUsage().user - before) / 1e3;
}
