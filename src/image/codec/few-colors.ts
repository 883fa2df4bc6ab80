/**
 * Pictures in few colors, which take a fraction of the bytes without loss: drawings and screens often look the same in
 * them.
 */
import { parallel, held, type Estimate, serial } from "../../../wasm/estimate.ts";
import type { Extent, Picture } from "../pixels/picture.ts";
import { Palettes, palettesEstimate, quantized, quantizedEstimate } from "./quantize.ts";

/** Numbers of colors that are tried. */
export const FEWER_COLORS: readonly number[] = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/** Colors of a picture in few colors, at most. */
export const MOST_COLORS = 256;

/** A still picture in at most so many colors. Nothing is dithered: that takes more bytes than it gains in looks. */
export function inColors(picture: Picture, colors: number): Picture {
  return fewColorsOf(picture)(colors);
}

/** The same in several numbers of colors, which are counted once. */
export function fewColorsOf(picture: Picture): (colors: number) => Picture {
  const palettes = new Palettes(picture, false);
  return (colors) => {
    let made: Picture | undefined;
    return {
      ...picture,
      async *open(timeSlice) {
        const reduction = { colors, dither: 0, sharp: false };
        made ??= quantized(picture, await palettes.choose(colors, timeSlice), reduction);
        yield* made.open(timeSlice);
      },
    };
  };
}

/** The estimate of reading a picture `inColors` for the first time. */
export function inColorsEstimate(picture: Extent): Estimate {
  const [palettes, mapped] = [palettesEstimate(picture), quantizedEstimate(picture)];
  return parallel(held(palettes.bytes + mapped.bytes), { bytes: 0, ms: serial(palettes, mapped).ms });
}
