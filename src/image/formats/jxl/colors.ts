/**
 * Pictures in few colors, which take a fraction of the bytes without loss: drawings and screens often look the same in
 * them.
 */
import { parallel, held, type Estimate, serial } from "../../../../wasm/estimate.ts";
import { Palettes, palettesEstimate, quantized, quantizedEstimate } from "../../codec/quantize.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";

/** Numbers of colors that are tried, as values of `nearLossless`. */
export const FEWER_COLORS: readonly number[] = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/** A still picture in at most so many colors. Nothing is dithered: that takes more bytes than it gains in looks. */
export function inColors(picture: Picture, colors: number): Picture {
  const reduction = { colors, dither: 0, sharp: false };
  let made: Picture | undefined;
  return {
    ...picture,
    async *open(timeSlice) {
      made ??= quantized(picture, await new Palettes(picture, false).choose(colors, timeSlice), reduction);
      yield* made.open(timeSlice);
    },
  };
}

/** The estimate of reading a picture `inColors` for the first time. */
export function inColorsEstimate(picture: Extent): Estimate {
  const [palettes, mapped] = [palettesEstimate(picture), quantizedEstimate(picture)];
  return parallel(held(palettes.bytes + mapped.bytes), { bytes: 0, ms: serial(palettes, mapped).ms });
}
