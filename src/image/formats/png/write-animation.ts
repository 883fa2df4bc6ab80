/** Writes animations: each frame stores the rectangle that changed, as it is or laid over what was there. */
import { parallel, held, type Estimate, estimated, serial, times } from "../../../../wasm/estimate.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changingPart } from "../../codec/complexity.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { headerChunks } from "./assemble.ts";
import { choose } from "./choose.ts";
import { chunkParts, makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { type Choice, compress, lengthOf, pngBands, pngBandsOfPixels } from "./compress.ts";
import { BLEND, DISPOSE } from "./header.ts";
import { lastCompressionMs, ratioOf } from "./levels.ts";
import { lookAt } from "./look.ts";
import type { Representation } from "./representation.ts";
import { stillEstimate, type WriteOptions } from "./write.ts";

const OPAQUE = 0xff000000;
const MAX_UINT16 = 0xffff;

interface FrameData {
  readonly box: Box;
  readonly blend: number;
  readonly pieces: readonly Uint8Array[];
}

/** The file of an animation, pixels and delays exact. */
export async function writeAnimation(
  picture: Picture,
  options: WriteOptions,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height, frames, loops } = picture;
  const { colorChunks = [] } = options;
  const look = await lookAt(picture, options, timeSlice);
  await look.close();
  const choice = await choose(look, width, { ...options, pixels: width * height * frames }, timeSlice);
  const header = headerChunks(choice.representation, picture, colorChunks);
  const parts = [SIGNATURE, ...header, makeChunk(TYPE.acTL, words(frames, loops))];
  let before: Uint32Array<ArrayBuffer> | null = null;
  let canvas: Uint32Array<ArrayBuffer> = new Uint32Array(width * height);
  let sequenceNumber = 0;
  for await (const { delayMs, rows } of picture.open(timeSlice)) {
    await collect(rows, new Uint8Array(canvas.buffer), timeSlice);
    const { box, blend, pieces } = await frameData({ canvas, before, width, choice }, timeSlice);
    parts.push(makeChunk(TYPE.fcTL, frameHeader(sequenceNumber++, box, delayMs, blend)));
    for (const piece of pieces) {
      parts.push(...(before ? chunkParts(TYPE.fdAT, words(sequenceNumber++), piece) : chunkParts(TYPE.IDAT, piece)));
    }
    [before, canvas] = [canvas, before ?? new Uint32Array(width * height)];
  }
  return joined([...parts, makeChunk(TYPE.IEND)]);
}

async function collect(rows: Rows, pixels: Uint8Array, timeSlice: TimeSlice): Promise<void> {
  let filled = 0;
  for await (const band of pngBands(rows, timeSlice)) {
    pixels.set(band, filled);
    filled += band.length;
  }
}

/** Comparing a pixel with the one before, or cutting it out: one way through the canvas. */
const COMPARE_NANOSECONDS = 3;
const COMPARISONS = 3;
/** A frame is compressed as it is and with holes. */
const COMPRESSIONS = 2;
/** The part of its raw size that a frame after the first takes as a file, at most: twice while it is joined. */
const FRAME_RATIO = 0.2;

/** The estimate of `writeAnimation`: two canvases, a frame cut out twice, and the result. */
export function animationEstimate(picture: Extent, effort: number): Estimate {
  const { width, height, frames } = picture;
  const pixels = width * height;
  const canvases = held(pixels * 4 * (4 + FRAME_RATIO * (frames - 1)));
  const compression = { bytes: 0, ms: lastCompressionMs(pixels * frames, effort, ratioOf(picture)) };
  const work = serial(
    compareEstimate(pixels * frames * COMPARISONS),
    times(COMPRESSIONS * changingPart(picture), compression),
  );
  return parallel(canvases, stillEstimate(picture, effort), work);
}

function compareEstimate(pixels: number): Estimate {
  return estimated(0, pixels, COMPARE_NANOSECONDS);
}

interface Change {
  readonly canvas: Uint32Array<ArrayBuffer>;
  readonly before: Uint32Array<ArrayBuffer> | null;
  readonly width: number;
  readonly choice: Choice;
}

/** The smaller of the changed rectangle as it is, and the same with holes where nothing changed. */
async function frameData({ canvas, before, width, choice }: Change, timeSlice: TimeSlice): Promise<FrameData> {
  const pause = () => timeSlice.spend(compareEstimate(canvas.length).ms);
  await pause();
  const box = before ? changedBox(canvas, before, width) : { x: 0, y: 0, width, height: canvas.length / width };
  const stored = async (pixels: Uint32Array, blend: number): Promise<FrameData> => {
    const bands = pngBandsOfPixels(new Uint8Array(pixels.buffer), box.width);
    return { box, blend, pieces: await compress(choice, { width: box.width, height: box.height, bands }, timeSlice) };
  };
  await pause();
  const whole = await stored(cutOut(canvas, width, box), BLEND.source);
  await pause();
  const holed = before && holdsTransparent(choice.representation) ? cutHoles(canvas, before, width, box) : null;
  if (!holed) return whole;
  const patch = await stored(holed, BLEND.over);
  return lengthOf(patch.pieces) < lengthOf(whole.pieces) ? patch : whole;
}

function holdsTransparent({ type, palette, key }: Representation): boolean {
  return (
    (type & 4) !== 0 || key !== undefined || (palette !== undefined && new Uint32Array(palette.buffer).includes(0))
  );
}

/** The smallest rectangle outside which two canvases are the same; one pixel if they are the same everywhere. */
function changedBox(canvas: Uint32Array, before: Uint32Array, width: number): Box {
  let left = width;
  let right = -1;
  let top = -1;
  let bottom = -1;
  for (let row = 0, at = 0; at < canvas.length; row++, at += width) {
    let x = 0;
    while (x < width && canvas[at + x] === before[at + x]) x++;
    if (x === width) continue;
    if (top < 0) top = row;
    bottom = row;
    left = Math.min(left, x);
    x = width - 1;
    while (x > right && canvas[at + x] === before[at + x]) x--;
    right = Math.max(right, x);
  }
  if (top < 0) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function cutOut(canvas: Uint32Array, width: number, box: Box): Uint32Array {
  const pixels = new Uint32Array(box.width * box.height);
  for (let row = 0; row < box.height; row++) {
    const from = (box.y + row) * width + box.x;
    pixels.set(canvas.subarray(from, from + box.width), row * box.width);
  }
  return pixels;
}

/** The rectangle with transparent pixels where nothing changed; null if a change is not opaque and would be blended. */
function cutHoles(canvas: Uint32Array, before: Uint32Array, width: number, box: Box): Uint32Array | null {
  const pixels = cutOut(canvas, width, box);
  for (let row = 0, to = 0; row < box.height; row++) {
    const from = (box.y + row) * width + box.x;
    for (let x = 0; x < box.width; x++, to++) {
      if (pixels[to] === before[from + x]) pixels[to] = 0;
      else if (pixels[to]! < OPAQUE) return null;
    }
  }
  return pixels;
}

function frameHeader(serial: number, box: Box, delayMs: number, blend: number): Uint8Array {
  const data = new Uint8Array(26);
  data.set(words(serial, box.width, box.height, box.x, box.y));
  const view = viewOf(data);
  const inMilliseconds = delayMs <= MAX_UINT16;
  view.setUint16(20, inMilliseconds ? delayMs : Math.min(MAX_UINT16, Math.round(delayMs / 1000)));
  view.setUint16(22, inMilliseconds ? 1000 : 1);
  data.set([DISPOSE.none, blend], 24);
  return data;
}

/** Numbers as PNG writes them: four bytes each, big-endian. */
function words(...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 4);
  for (const [index, number] of numbers.entries()) viewOf(bytes).setUint32(index * 4, number);
  return bytes;
}
