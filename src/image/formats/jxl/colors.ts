/** Pictures in few colors, which take a fraction of the bytes without loss: drawings and screens often look the same in them. */
import { beside, held, type Price, sequence } from "../../../../wasm/estimate.ts";
import { Palettes, palettesPrice, quantized, quantizedPrice } from "../../codec/quantize.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";

/** Numbers of colors that are tried, as values of `nearLossless`. */
export const FEWER_COLORS: readonly number[] = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/** A still picture in at most so many colors. Nothing is dithered: that takes more bytes than it gains in looks. */
export function inColors(picture: Picture, colors: number): Picture {
  const reduction = { colors, dither: 0, sharp: false };
  let made: Picture | undefined;
  return {
    ...picture,
    async *open(breath) {
      made ??= quantized(picture, await new Palettes(picture, false).choose(colors, breath), reduction);
      yield* made.open(breath);
    },
  };
}

/** The price of reading a picture `inColors` for the first time. */
export function inColorsPrice(picture: Extent): Price {
  const [palettes, mapped] = [palettesPrice(picture), quantizedPrice(picture)];
  return beside(held(palettes.bytes + mapped.bytes), { bytes: 0, ms: sequence(palettes, mapped).ms });
}
