/** Parts of a picture with nothing but a few colors in them, other parts in other frames. */
import { beside, either } from "../../../wasm/price.ts";
import type { Rgba } from "../color.ts";
import { rowStep } from "../effect.ts";
import type { Box, Size } from "../geometry.ts";
import type { Kernel, RowStep } from "../operation.ts";
import { resample, resamplePrice } from "../resample.ts";
import { type Rows, rowsOver } from "../rows.ts";
import { lay, layPrice } from "./overlay.ts";

export interface Colors extends Size {
  /** RGBA8, without alpha below 255: what is under them must not show. */
  readonly pixels: Uint8Array;
}

export interface Cover {
  /** In whole pixels, inside the picture. */
  readonly box: Box;
  readonly colors: Colors;
  /** Between the colors. */
  readonly kernel: Kernel;
}

/** What is covered from a frame on. */
interface Covers {
  /** The number of the frame. */
  readonly from: number;
  readonly covers: readonly Cover[];
}

export function oneColor(color: Rgba): Colors {
  return { width: 1, height: 1, pixels: Uint8Array.from(color) };
}

/** @param spans in the order of their frames, the first one from frame 0 on */
export function coverStep(picture: Size, spans: readonly Covers[]): RowStep {
  const prices = spans.map(({ covers }) => beside(...covers.map((cover) => coverPrice(picture, cover))));
  return rowStep(picture, either(...prices), (rows, _, frame = 0) => {
    const span = spans.findLast(({ from }) => from <= frame);
    return (span?.covers ?? []).reduce(covered, rows);
  });
}

function covered(rows: Rows, { box, colors, kernel }: Cover): Rows {
  const { pixels, width, height } = colors;
  const few = { x: 0, y: 0, width, height };
  const size = { width: box.width, height: box.height };
  const open = async () => resample(rowsOver(pixels, { width, height, opaque: true }), { box: few, ...size, kernel });
  return lay(rows, { ...size, open }, box, 1);
}

function coverPrice(picture: Size, { box, colors }: Cover) {
  return beside(resamplePrice(colors, box), layPrice(picture, box));
}
