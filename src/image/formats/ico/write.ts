/** Icons: a picture in several sizes, each a PNG file of its own, behind a directory. */
import { type Estimate, held, parallel, serial } from "../../../../wasm/estimate.ts";
import type { Writer } from "../../codec/writer.ts";
import { collectEstimate, collectPixels, rowsOfPixels } from "../../pixels/buffered.ts";
import { whole } from "../../pixels/geometry.ts";
import { type Extent, firstFrame, stillPicture } from "../../pixels/picture.ts";
import { resample, resampleEstimate } from "../../steps/resample.ts";
import { png } from "../png.ts";
import { ENTRY_BYTES, HEADER_BYTES } from "./entries.ts";

const EXACT = { lossless: true, quality: 100, progressive: false } as const;
const BITS_PER_PIXEL = 32;

/** A square of a picture. */
function squareOf(picture: Extent, side: number): Extent {
  return { ...picture, width: side, height: side };
}

/** Of a PNG file of noise: its pixels, as they are, and what stands around them. */
function mostFileBytes(side: number): number {
  return 1_024 + side * (1 + (side * BITS_PER_PIXEL) / 8);
}

function estimateOf(picture: Extent, sides: readonly number[], effort: number): Estimate {
  const each = sides.map((side) => {
    const square = squareOf(picture, side);
    const writing = png.write.estimate(square, { ...EXACT, effort });
    return parallel(writing, resampleEstimate(picture, square, picture));
  });
  // All files are held at once, and then the icon that is made of them.
  const files = sides.reduce((sum, side) => sum + mostFileBytes(side), 0);
  return parallel(collectEstimate(picture), serial(...each), held(2 * files));
}

export const write: Writer = {
  estimate: (picture, { sides = [picture.width], effort }) => estimateOf(picture, sides, effort),

  /** Squares of a square picture. */
  async encode(picture, { sides = [picture.width], effort }, timeSlice) {
    const pixels = await collectPixels(await firstFrame(picture, timeSlice), timeSlice);
    const files: { readonly side: number; readonly bytes: Uint8Array }[] = [];
    for (const side of sides) {
      const to = { box: whole(pixels), width: side, height: side, kernel: "lanczos3" } as const;
      const square = stillPicture(squareOf(picture, side), () => resample(rowsOfPixels(pixels), to));
      files.push({ side, bytes: await png.write.encode(square, { ...EXACT, effort }, timeSlice) });
    }
    return iconOf(files);
  },
  qualities: { step: 1 },
  variants: [{}],
  maxScoredPixels: 0,
};

function iconOf(files: readonly { readonly side: number; readonly bytes: Uint8Array }[]): Uint8Array {
  const start = HEADER_BYTES + files.length * ENTRY_BYTES;
  const icon = new Uint8Array(files.reduce((sum, { bytes }) => sum + bytes.length, start));
  const view = new DataView(icon.buffer);
  view.setUint16(2, 1, true);
  view.setUint16(4, files.length, true);
  let offset = start;
  for (const [index, { side, bytes }] of files.entries()) {
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    // A byte holds no 256: 0 stands for it.
    view.setUint8(at, side & 255);
    view.setUint8(at + 1, side & 255);
    view.setUint16(at + 4, 1, true);
    view.setUint16(at + 6, BITS_PER_PIXEL, true);
    view.setUint32(at + 8, bytes.length, true);
    view.setUint32(at + 12, offset, true);
    icon.set(bytes, offset);
    offset += bytes.length;
  }
  return icon;
}
