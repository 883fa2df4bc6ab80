/** Regions of a picture at another size. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { openResampler, resamplerEstimate } from "../../../wasm/pixels/resampler.ts";
import { sixteenBitResamplerEstimate, openSixteenBitResampler } from "../../../wasm/pixels/sixteen-bit-resampler.ts";
import { type Box, outerBox, type Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { crop } from "./crop.ts";
import { pump } from "./effect.ts";
import type { Kernel } from "./operation.ts";

interface ResampleOptions extends Size {
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
  const { opaque, sixteenBit } = rows;
  const outer = outerBox(box, rows);
  const options = {
    sourceWidth: outer.width,
    sourceHeight: outer.height,
    box: { ...box, x: box.x - outer.x, y: box.y - outer.y },
    width,
    height,
    kernel,
    linear,
  };
  const pixels = opaque ? "opaque" : "rgba";
  const resampler = sixteenBit
    ? openSixteenBitResampler({ ...options, opaque })
    : openResampler({ ...options, pixels });
  return pump(crop(rows, outer), resampler, { width, height, opaque, sixteenBit });
}

/** What pixels are that are resampled, and in which light. */
interface ResampledPixels extends Partial<Pick<Rows, "opaque" | "sixteenBit">> {
  readonly linear?: boolean | undefined;
}

/** The estimate of resampling a picture or region of size `from` to `to`. */
export function resampleEstimate(
  from: Size,
  to: Size,
  { linear = false, opaque = false, sixteenBit }: ResampledPixels = {},
): Estimate {
  const options = {
    sourceWidth: Math.ceil(from.width) + 1,
    box: { x: 0, y: 0, width: from.width, height: from.height },
    width: to.width,
    height: to.height,
    kernel: "lanczos3",
    linear,
  } as const;
  if (sixteenBit) return sixteenBitResamplerEstimate({ ...options, opaque });
  return resamplerEstimate({ ...options, pixels: opaque ? "opaque" : "rgba" });
}
