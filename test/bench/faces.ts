/**
 * Faces found against faces marked by hand: `FACES="folder…" npm run bench -- faces`. Pictures of the folders that
 * faces.tsv does not name count as pictures without a face. A face is found when a box covers it with an intersection
 * of at least 0.35 of their union.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { FACE_SIDE, findFaces } from "../../src/image/faces/detect.ts";
import type { Box } from "../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../wasm/load.ts";
import { rendered } from "../support/render.ts";
import { rowsOf } from "../support/rows.ts";
import { best, type Face, isWrong, type Marked, marks } from "./face-marks.ts";
import { given } from "./given.ts";

/** Of a face in the small version, in pixels, from which on it should be found. */
const MIN_FACE = 24;

interface Result {
  readonly clear: number;
  readonly clearFound: number;
  readonly hard: number;
  readonly hardFound: number;
  readonly right: number;
  readonly wrong: number;
  readonly cpuMs: number;
}

const CROP = { mode: "face", padding: 1, faces: "one" } as const;

export async function main(): Promise<void> {
  const marked = marks();
  const results: Result[] = [];
  for (const folder of given("FACES")) {
    for (const name of readdirSync(folder)) {
      const result = await resultOf(join(folder, name), marked.get(name) ?? { faces: [], ignored: [] });
      if (!result) continue;
      results.push(result);
      const { clear, clearFound, hard, hardFound, wrong, cpuMs } = result;
      if (clear + hard + wrong > 0)
        console.log(
          `${name.padEnd(36)} ${clearFound} of ${clear}, hard ${hardFound} of ${hard}, ${wrong} wrong, ${cpuMs.toFixed(0)} ms`,
        );
    }
  }
  report(results);
}

async function resultOf(path: string, marked: Marked): Promise<Result | undefined> {
  const bytes = new Uint8Array(readFileSync(path));
  const boxes = await facesIn(bytes);
  if (!boxes) return undefined;
  const { width, height } = await sharp(bytes).metadata();
  const scale = Math.min(1, FACE_SIDE / Math.max(width, height));
  const hit = new Set(boxes.map((box) => best(marked.faces, box)));
  const large = marked.faces.filter((face) => face.width * scale >= MIN_FACE);
  const [clear, hard] = [true, false].map((kind) => large.filter((face) => face.clear === kind));
  const foundOf = (faces: readonly Face[] = []) => faces.filter((face) => hit.has(face)).length;
  return {
    clear: clear?.length ?? 0,
    clearFound: foundOf(clear),
    hard: hard?.length ?? 0,
    hardFound: foundOf(hard),
    right: boxes.filter((box) => best(marked.faces, box)).length,
    wrong: boxes.filter((box) => isWrong(marked, box)).length,
    cpuMs: await cpuOf(bytes),
  };
}

function report(results: readonly Result[]) {
  const sum = (value: (result: Result) => number) => results.reduce((total, result) => total + value(result), 0);
  const percent = (part: number, whole: number) =>
    `${((100 * part) / Math.max(1, whole)).toFixed(0)} %, ${part} of ${whole}`;
  const [clear, hard] = [sum((r) => r.clear), sum((r) => r.hard)];
  const [clearFound, hardFound] = [sum((r) => r.clearFound), sum((r) => r.hardFound)];
  const [right, wrong] = [sum((r) => r.right), sum((r) => r.wrong)];
  const times = results.map(({ cpuMs }) => cpuMs).toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  console.log(`faces of ${MIN_FACE} pixels or more in ${results.length} pictures`);
  console.log(`recall: ${percent(clearFound + hardFound, clear + hard)}`);
  console.log(`recall of clear faces: ${percent(clearFound, clear)}`);
  console.log(`recall of hard faces: ${percent(hardFound, hard)}`);
  console.log(`precision: ${percent(right, right + wrong)}`);
  console.log(`processor time: median ${median.toFixed(0)} ms, at most ${(times.at(-1) ?? 0).toFixed(0)}`);
  const memory = nativeStatistics().find(({ name }) => name === "faces");
  console.log(`memory of the module: ${memory?.memoryBytes}`);
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
