import { openResampler, type Resampler, resamplerPeakBytes } from "../../wasm/pixels/resampler.ts";
import { type Box, outerBox, type Size } from "./geometry.ts";
import type { Kernel } from "./operation.ts";
import type { Rows } from "./rows.ts";
import { crop } from "./steps/crop.ts";

export interface ResampleOptions extends Size {
  /** What part of the rows becomes the result, in pixels; fractions allowed. */
  readonly box: Box;
  readonly kernel: Kernel;
  /** Filter linear light: keeps fine bright detail as bright as it is, at some cost. */
  readonly linear?: boolean;
}

/**
 * The region `box` of a picture, resampled to `width` x `height`: separable filtering as `vips resize` does it, in
 * bounded memory. Pixels outside the region do not bleed in. A region that already has the size is returned unchanged.
 */
export function resample(rows: Rows, { box, width, height, kernel, linear = false }: ResampleOptions): Rows {
  const integral = Number.isInteger(box.x) && Number.isInteger(box.y);
  if (integral && box.width === width && box.height === height) return crop(rows, box);
  const pixels = rows.opaque ? "opaque" : "rgba";
  const outer = outerBox(box, rows);
  const resampler = openResampler({
    sourceWidth: outer.width,
    sourceHeight: outer.height,
    box: { ...box, x: box.x - outer.x, y: box.y - outer.y },
    width,
    height,
    kernel,
    pixels,
    linear,
  });
  return resampled(crop(rows, outer), resampler, { width, height });
}

/** The rows that a resampler makes of other rows. */
export function resampled(source: Rows, resampler: Resampler, { width, height }: Size): Rows {
  let left = height;
  return {
    width,
    height,
    opaque: source.opaque,
    read(max) {
      while (left > 0) {
        const result = resampler.read(max);
        if (result.length > 0) {
          left -= result.length / (width * 4);
          return result;
        }
        const rows = source.read(resampler.room());
        if (!rows) return null;
        resampler.write(rows);
      }
      return null;
    },
    close() {
      resampler.close();
      source.close();
    },
  };
}

/** Bytes of memory that resampling a picture or region of size `from` to `to` holds at most. */
export function resamplePeakBytes(from: Size, to: Size): number {
  return resamplerPeakBytes({
    sourceWidth: Math.ceil(from.width) + 1,
    box: { x: 0, y: 0, width: from.width, height: from.height },
    width: to.width,
    height: to.height,
    kernel: "lanczos3",
    pixels: "rgba",
  });
}
