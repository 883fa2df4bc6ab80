/**
 * Whether crops hold what a photograph is of: `SUBJECTS="folder…" npm run bench -- gravity`. The photographs that
 * subjects.tsv names are cut to a square and to 9:16 where the gravity `auto`, the middle, and the strategies
 * `attention` and `entropy` of libvips put the crop. A crop holds a subject when it has at least 0.95 of as much of its
 * box as any crop of that shape could have.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { regionsOfInterest } from "../../src/image/analyses/region-of-interest.ts";
import { FACE_SIDE } from "../../src/image/faces/detect.ts";
import type { Box, Size } from "../../src/image/pixels/geometry.ts";
import { type Point, placeAround, placeInside } from "../../src/image/pixels/gravity.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rowsOf } from "../support/rows.ts";
import { given } from "./given.ts";

const SHAPES = { square: 1, "9:16": 9 / 16 } as const;
const MIN_SHARE = 0.95;

interface Subject {
  readonly file: string;
  /** Shares of the sides. */
  readonly box: Box;
  readonly half: "tuning" | "held out";
}

interface Photo extends Size {
  readonly data: Buffer;
}

type Way = (photo: Photo, region: Size) => Promise<Point>;

const WAYS: Readonly<Record<string, Way>> = {
  auto: (photo, region) =>
    placeInside(
      region,
      photo,
      "auto",
      regionsOfInterest(async () => rowsOf(photo), photo, UNPAUSED),
    ),
  middle: async (photo, region) => placeAround(region, photo, { x: 0.5, y: 0.5 }),
  attention: (photo, region) => strategy(photo, region, sharp.strategy.attention),
  entropy: (photo, region) => strategy(photo, region, sharp.strategy.entropy),
};

export async function main(): Promise<void> {
  const folders = given("SUBJECTS");
  const held = new Map<string, number>();
  const seen = new Map<string, number>();
  const count = (into: Map<string, number>, key: string) => into.set(key, (into.get(key) ?? 0) + 1);
  for (const { file, box, half } of subjects()) {
    const path = folders.map((folder) => join(folder, file)).find((place) => existsSync(place));
    if (path === undefined) continue;
    const photo = await photoOf(path);
    const subject = inPixels(box, photo);
    for (const [shape, ratio] of Object.entries(SHAPES)) {
      const region = largest(photo, ratio);
      count(seen, `${shape} ${half}`);
      for (const [name, way] of Object.entries(WAYS))
        if (holds({ ...(await way(photo, region)), ...region }, subject)) count(held, `${name} ${shape} ${half}`);
    }
  }
  report(held, seen);
}

function report(held: ReadonlyMap<string, number>, seen: ReadonlyMap<string, number>): void {
  const columns = [...seen.keys()].toSorted((a, b) => a.localeCompare(b));
  console.log(["".padEnd(10), ...columns.map((column) => column.padStart(16))].join(""));
  for (const name of Object.keys(WAYS)) {
    const cells = columns.map((column) => `${held.get(`${name} ${column}`) ?? 0} of ${seen.get(column)}`);
    console.log([name.padEnd(10), ...cells.map((cell) => cell.padStart(16))].join(""));
  }
}

function subjects(): Subject[] {
  const lines = readFileSync(join(import.meta.dirname, "subjects.tsv"), "utf8").split("\n");
  const rows = lines.filter((line) => /(?:\t\d\.\d+){4}$/.test(line)).map((line) => line.split("\t"));
  return rows.map(([file = "", x, y, width, height], index) => ({
    file,
    box: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
    half: index % 2 === 0 ? "tuning" : "held out",
  }));
}

/** The version that is looked at. */
async function photoOf(path: string): Promise<Photo> {
  const { data, info } = await sharp(path)
    .rotate()
    .flatten({ background: "white" })
    .toColorspace("srgb")
    .resize(FACE_SIDE, FACE_SIDE, { fit: "inside", withoutEnlargement: true, kernel: "linear" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function inPixels(box: Box, { width, height }: Size): Box {
  return { x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height };
}

/** The largest region of a shape. */
function largest({ width, height }: Size, ratio: number): Size {
  return { width: Math.min(width, Math.round(height * ratio)), height: Math.min(height, Math.round(width / ratio)) };
}

function holds(crop: Box, subject: Box): boolean {
  const across = shared(crop.x, crop.width, subject.x, subject.width);
  const down = shared(crop.y, crop.height, subject.y, subject.height);
  const most = Math.min(crop.width, subject.width) * Math.min(crop.height, subject.height);
  return across * down >= MIN_SHARE * most;
}

function shared(a: number, length: number, b: number, other: number): number {
  return Math.max(0, Math.min(a + length, b + other) - Math.max(a, b));
}

async function strategy({ data, width, height }: Photo, region: Size, position: number): Promise<Point> {
  const { info } = await sharp(data, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .resize({ ...region, fit: "cover", position })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { x: -(info.cropOffsetLeft ?? 0), y: -(info.cropOffsetTop ?? 0) };
}
