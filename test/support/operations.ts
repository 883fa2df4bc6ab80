/** Operations on pictures of a test, the way the pipeline runs them, without formats. */
import { checked } from "../../src/contract/message.ts";
import { regionsOfInterest } from "../../src/image/analyses/region-of-interest.ts";
import { parseColor } from "../../src/image/color/rgba.ts";
import { png } from "../../src/image/formats/png.ts";
import { OPERATIONS, type OperationName } from "../../src/image/operations.ts";
import type { Rows } from "../../src/image/pixels/rows.ts";
import { applied as stepped } from "../../src/image/plan/planned-picture.ts";
import type { OperationRow, Step } from "../../src/image/steps/operation.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { drain, type Pixels, rowsOf, sample } from "./rows.ts";

export interface Situation {
  /** The picture is declared opaque. */
  readonly opaque?: boolean;
  /** The file that the picture comes from kept every sample. */
  readonly lossless?: boolean;
  /** The output format can hold alpha. */
  readonly alpha?: boolean;
  /** The file of every saved picture. */
  readonly overlay?: ArrayBuffer;
  /** Rows that the source gives at most, and that are asked for at most, at a time. */
  readonly give?: number;
  readonly ask?: number;
}

export interface Applied extends Pixels {
  readonly steps: readonly Step[];
  /** What the rows say about themselves. */
  readonly opaque: boolean;
}

/** The steps that an operation plans for a picture of this size. */
export async function planned(
  name: OperationName,
  params: object,
  pixels: Pixels,
  { opaque = true, lossless = false, alpha = true, overlay, give = 1_000 }: Situation = {},
): Promise<readonly Step[]> {
  const row: OperationRow = OPERATIONS[name];
  const valid = checked(row.params, params) as never;
  const look = async () => smallVersion(rowsOf(pixels, opaque), row.looks?.(valid) ?? 0);
  async function* frames() {
    yield rowsOf(pixels, opaque, give);
  }
  return row.plan(valid, {
    size: { width: pixels.width, height: pixels.height },
    frames: 1,
    opaque,
    lossless,
    alpha,
    colorOf: parseColor,
    timeSlice: UNPAUSED,
    look,
    ...regionsOfInterest(look, pixels, UNPAUSED),
    findBox: (finder) => finder(frames()),
    overlay: () => new Uint8Array(overlay ?? new ArrayBuffer(0)),
  });
}

/** Rows reduced until no side is longer than `maxSide`. */
function smallVersion(rows: Rows, maxSide: number): Rows {
  const { width, height } = rows;
  const factor = Math.min(1, maxSide / Math.max(width, height));
  const small = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
  return resample(rows, { box: { x: 0, y: 0, width, height }, ...small, kernel: "linear" });
}

/** A picture as an operation leaves it. */
export async function applied(
  name: OperationName,
  params: object,
  pixels: Pixels,
  situation: Situation = {},
): Promise<Applied> {
  const { opaque = true, give = 1_000, ask = 16 } = situation;
  const steps = await planned(name, params, pixels, situation);
  let rows: Rows = rowsOf(pixels, opaque, give);
  for (const step of steps) rows = stepped(rows, step, UNPAUSED);
  return { ...(await drain(rows, ask)), steps, opaque: rows.opaque };
}

/** The pixels of a PNG file. */
export async function decoded(file: ArrayBuffer | Uint8Array): Promise<Pixels> {
  const [first] = await decodedFrames(file);
  if (!first) throw new Error("no frame");
  return first;
}

/** The pixels of every frame of a PNG file. */
export async function decodedFrames(file: ArrayBuffer | Uint8Array): Promise<Pixels[]> {
  const bytes = new Uint8Array(file);
  const facts = png.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const frames: Pixels[] = [];
  for await (const { rows } of png.read.open(bytes, facts, demand, UNPAUSED)) frames.push(await drain(rows));
  return frames;
}

/** The largest difference of two samples, in levels; colors are weighted with their alpha. */
export function largestDifference(a: Pixels, b: Pixels): number {
  let largest = a.width === b.width && a.height === b.height ? 0 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.data.length; i++) {
    const alpha = i % 4 === 3 ? 255 : Math.max(sample(a.data, i | 3), sample(b.data, i | 3));
    largest = Math.max(largest, (Math.abs(sample(a.data, i) - sample(b.data, i)) * alpha) / 255);
  }
  return largest;
}

/** The four samples of a pixel. */
export function pixel({ width, data }: Pixels, x: number, y: number): [number, number, number, number] {
  const at = (y * width + x) * 4;
  return [sample(data, at), sample(data, at + 1), sample(data, at + 2), sample(data, at + 3)];
}

/** One color everywhere. */
export function flat(width: number, height: number, color: readonly [number, number, number, number]): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at += 4) data.set(color, at);
  return { width, height, data };
}
