/** Inks with alpha: four inks fill a pixel, so that alpha lies beside them until they are colors. */
import type { Layout } from "../../../wasm/color/color.ts";
import type { Rows } from "../pixels/rows.ts";
import { converted } from "./convert-colors.ts";

/** Rows of four inks a pixel. */
export interface InkRows extends Rows {
  /** Alpha of the rows that were read last, one byte a pixel; null where the picture is opaque. */
  readonly alpha: (() => Uint8Array) | null;
}

/**
 * Inks through their profile as RGBA.
 * @returns null when the profile is of no use
 */
export function convertedInks(inks: InkRows, profile: Uint8Array, layout: Layout): Rows | null {
  const { alpha } = inks;
  if (!alpha) return converted(inks, profile, layout);
  // The conversion reads a band at a time, and asks for none before that is handed out.
  const rows = converted(inks, profile, layout);
  if (!rows) return null;
  return {
    ...rows,
    async read(max) {
      const band = await rows.read(max);
      if (!band) return null;
      const levels = alpha();
      for (let pixel = 0; pixel < levels.length; pixel++) band[pixel * 4 + 3] = levels[pixel] ?? 0;
      return band;
    },
  };
}
