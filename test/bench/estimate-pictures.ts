/** Pictures of any size for the bench of estimates: photographs, drawings, pictures with alpha, and what moves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ROOT } from "../../src/cli/wrangler.ts";
import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../src/image/plan/plan.ts";
import { pictureOf as storedPicture } from "../../src/image/plan/planned-picture.ts";
import { writableIn } from "../../src/image/search/task.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { drain, pictureOf, type Pixels, rowsOf } from "../support/rows.ts";

const FIXTURES = join(ROOT, "test/fixtures");
/** Photographs that are there for everybody, a page of text and lines, and a glass that can be seen through. */
export const PHOTO = join(FIXTURES, "webp/denali.webp");
export const PAGE = join(FIXTURES, "score/page.png");
export const GLASS = join(FIXTURES, "score/glass.png");

export const SETTINGS: EncodeSettings = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

export async function fixture(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(FIXTURES, path)));
}

/** The upright pixels of a file. */
export async function pixelsIn(path: string): Promise<Pixels> {
  const stored = identify(new Uint8Array(await readFile(path)));
  const plan = planSteps(storedSize(stored.facts), [{ kind: "turn", orientation: stored.facts.orientation }]);
  for await (const { rows } of storedPicture(stored, plan).open(UNPAUSED)) return await drain(rows);
  throw new Error("no frame");
}

/** A part of a picture, or more than all of it: what lies outside repeats it in mirror image. */
export function part({ width, height, data }: Pixels, size: { width: number; height: number }, x = 0, y = 0): Pixels {
  const from = (at: number, length: number) =>
    Math.floor(at / length) % 2 === 0 ? at % length : length - 1 - (at % length);
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const result = new Uint32Array(size.width * size.height);
  for (let row = 0; row < size.height; row++) {
    const start = from(y + row, height) * width;
    for (let column = 0; column < size.width; column++) {
      result[row * size.width + column] = pixels[start + from(x + column, width)] ?? 0;
    }
  }
  return { ...size, data: new Uint8Array(result.buffer) };
}

/** The width from which a picture is as soft as large photographs are. */
const SOFT_WIDTH = 2_400;

/** A picture as a camera of more pixels would have taken it. */
export function softened(pixels: Pixels): Promise<Pixels> {
  const { width, height } = pixels;
  const factor = Math.max(1, SOFT_WIDTH / width);
  const size = { width: Math.round(width * factor), height: Math.round(height * factor) };
  return drain(resample(rowsOf(pixels), { box: { x: 0, y: 0, width, height }, ...size, kernel: "cubic" }));
}

/** A camera that moves over a picture, or a spot of another color that moves over one that stays. */
export function moving(
  picture: Pixels,
  size: { width: number; height: number },
  frames: number,
  pans: boolean,
  opaque = true,
): Picture {
  const frame = (index: number) =>
    pans ? part(picture, size, index * 7, index * 3) : spotted(part(picture, size), index);
  const [first, ...others] = Array.from({ length: frames }, (_, index) => frame(index));
  if (!first) throw new RangeError("no frames");
  return pictureOf([first, ...others], { delayMs: 80, opaque });
}

/** Levels by which grain differs from what is under it, at most. */
const GRAIN = 6;

/** A film in which no frame repeats another to the level: cameras have grain. */
export function grainy(film: Picture): Picture {
  async function* open(timeSlice: TimeSlice) {
    let state = 1;
    for await (const { delayMs, rows } of film.open(timeSlice)) {
      const pixels = await drain(rows);
      for (let at = 0; at < pixels.data.length; at++) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        const grain = ((state >>> 24) * (2 * GRAIN + 1)) >> 8;
        if (at % 4 < 3) pixels.data[at] = Math.min(255, Math.max(0, (pixels.data[at] ?? 0) + grain - GRAIN));
      }
      yield { delayMs, rows: rowsOf(pixels, film.opaque) };
    }
  }
  return { ...film, open };
}

/** The side of the spot, in parts of the shorter side. */
const SPOT = 6;

function spotted(pixels: Pixels, index: number): Pixels {
  const side = Math.floor(Math.min(pixels.width, pixels.height) / SPOT);
  const left = (index * 9) % (pixels.width - side);
  for (let y = side; y < 2 * side; y++) {
    for (let x = left; x < left + side; x++) {
      const at = (y * pixels.width + x) * 4;
      pixels.data.set([(pixels.data[at] ?? 0) ^ 96, pixels.data[at + 1] ?? 0, (x * 5) & 255, 255], at);
    }
  }
  return pixels;
}

/** A picture as a file of a format. */
export async function fileOf(
  name: FormatName,
  picture: Picture,
  settings: Partial<EncodeSettings> = {},
): Promise<Uint8Array> {
  const format = writableIn({ format: FORMATS[name] });
  if (!format) throw new RangeError(`${name} is not written`);
  return format.write.encode(picture, { ...SETTINGS, ...settings }, UNPAUSED);
}
