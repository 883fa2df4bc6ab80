/** Writes animations: each frame stores the rectangle that changed, as it is or laid over what was there. */
import { joined } from "../../../joined.ts";
import type { Box, Size } from "../../geometry.ts";
import type { Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";
import { makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { compress } from "./compress.ts";
import { BLEND, DISPOSE } from "./header.ts";
import { bandsOfPixels, bandsOfRows, lookAt, type Representation } from "./representation.ts";
import { type Choice, choose } from "./tuning.ts";
import { headerChunks, stillPeakBytes, type WriteOptions } from "./write.ts";

const OPAQUE = 0xff000000;
const MAX_UINT16 = 0xffff;

interface FrameData {
  readonly box: Box;
  readonly blend: number;
  readonly pieces: readonly Uint8Array[];
}

/** The file of an animation, pixels and delays exact. */
export function writeAnimation(picture: Picture, options: WriteOptions): Uint8Array {
  const { width, height, frames, loops } = picture;
  const { colorChunks = [] } = options;
  const look = lookAt(picture, options);
  look.close();
  const choice = choose(look, { width, pixels: width * height * frames }, options);
  const header = headerChunks(choice.representation, picture, colorChunks);
  const parts = [SIGNATURE, ...header, makeChunk(TYPE.acTL, words(frames, loops))];
  let before: Uint32Array<ArrayBuffer> | null = null;
  let canvas: Uint32Array<ArrayBuffer> = new Uint32Array(width * height);
  let sequence = 0;
  for (const { delayMs, rows } of picture.open()) {
    collect(rows, new Uint8Array(canvas.buffer));
    const { box, blend, pieces } = frameData(canvas, before, width, choice);
    parts.push(makeChunk(TYPE.fcTL, frameHeader(sequence++, box, delayMs, blend)));
    for (const piece of pieces) {
      parts.push(before ? makeChunk(TYPE.fdAT, words(sequence++), piece) : makeChunk(TYPE.IDAT, piece));
    }
    [before, canvas] = [canvas, before ?? new Uint32Array(width * height)];
  }
  return joined([...parts, makeChunk(TYPE.IEND)]);
}

function collect(rows: Rows, pixels: Uint8Array): void {
  let filled = 0;
  for (const band of bandsOfRows(rows)) {
    pixels.set(band, filled);
    filled += band.length;
  }
}

/**
 * Bytes of memory that `writeAnimation` holds at most: two canvases, a frame cut out twice, and the result, of which
 * frames after the first take a tenth of their raw size.
 */
export function animationPeakBytes(size: Size & { opaque: boolean; frames: number }, effort: number): number {
  const frame = size.width * size.height * 4;
  return Math.ceil(frame * (4 + 0.2 * (size.frames - 1))) + stillPeakBytes(size, effort);
}

/** The smaller of the changed rectangle as it is, and the same with holes where nothing changed. */
function frameData(canvas: Uint32Array, before: Uint32Array | null, width: number, choice: Choice): FrameData {
  const box = before ? changedBox(canvas, before, width) : { x: 0, y: 0, width, height: canvas.length / width };
  const stored = (pixels: Uint32Array, blend: number): FrameData => {
    const bands = bandsOfPixels(new Uint8Array(pixels.buffer), box.width);
    return { box, blend, pieces: compress(choice, box, bands) };
  };
  const whole = stored(cutOut(canvas, width, box), BLEND.source);
  const holed = before && holdsTransparent(choice.representation) ? cutHoles(canvas, before, width, box) : null;
  if (!holed) return whole;
  const patch = stored(holed, BLEND.over);
  return sizeOf(patch) < sizeOf(whole) ? patch : whole;
}

function sizeOf({ pieces }: FrameData): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
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

function frameHeader(sequence: number, box: Box, delayMs: number, blend: number): Uint8Array {
  const data = new Uint8Array(26);
  data.set(words(sequence, box.width, box.height, box.x, box.y));
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
