/** ICC profiles, applied. */
import { type Layout, openTransform, relationOf, SRGB, transformEstimate } from "../../../wasm/color/color.ts";
import { NO_WORK, type Estimate } from "../../../wasm/estimate.ts";
import { isIn, type Space } from "../color/space.ts";
import type { Size } from "../pixels/geometry.ts";
import { bytesPerPixel, type Rows, rowsOf, skipRows } from "../pixels/rows.ts";
import type { Facts } from "./format.ts";

/**
 * A picture in sRGB, given the ICC profile and the color space of its file. Without a profile, or with one that is
 * damaged, for other pixels or already sRGB, the rows are the same.
 */
export function toSrgb(rows: Rows, profile: Uint8Array | undefined, colorspace: string): Rows {
  return (profile && converted(rows, profile, layoutOf(colorspace))) ?? rows;
}

/** A picture in another space, or in sRGB where there is none; without a usable profile its file means sRGB. */
export function toSpace(
  rows: Rows,
  { profile, colorspace }: Pick<Facts, "profile" | "colorspace">,
  space: Space | undefined,
): Rows {
  if (!space) return toSrgb(rows, profile, colorspace);
  if (isIn(space, profile)) return rows;
  const target = space.profile;
  const layout = layoutOf(colorspace);
  const isSame = profile !== undefined && layout === "rgba" && relationOf(profile, target) === "same";
  if (isSame) return rows;
  return (profile && converted(rows, profile, layout, target)) ?? converted(rows, SRGB, "rgba", target) ?? rows;
}

function layoutOf(colorspace: string): Layout {
  return colorspace === "Gray" ? "gray" : "rgba";
}

/** The estimate of `toSpace` on a picture of this size. */
export function conversionEstimate(
  size: Size & Pick<Rows, "sixteenBit">,
  { profile }: Pick<Facts, "profile">,
  space?: Space,
): Estimate {
  if (!space) return profile ? transformEstimate(profile, size, SRGB, size.sixteenBit) : NO_WORK;
  return isIn(space, profile) ? NO_WORK : transformEstimate(profile ?? SRGB, size, space.profile, size.sixteenBit);
}

/** Rows through an ICC profile to another, sRGB by default; null when there is nothing to do or one is of no use. */
export function converted(rows: Rows, profile: Uint8Array, layout: Layout, target: Uint8Array = SRGB): Rows | null {
  const transform = openTransform(profile, layout, target, rows.sixteenBit);
  if (!transform) return null;
  const pixelBytes = bytesPerPixel(rows);
  const stride = rows.width * pixelBytes;
  const step = transform.maxPixels * pixelBytes;
  const bandRows = Math.max(1, Math.floor(transform.maxPixels / rows.width));
  const wide = rows.width > transform.maxPixels ? new Uint8Array(stride) : null;
  return rowsOf(rows, {
    async read(max) {
      const band = await rows.read(Math.min(max, bandRows));
      if (!band) return null;
      if (!wide) return transform.convert(band);
      for (let at = 0; at < stride; at += step) {
        wide.set(transform.convert(band.subarray(at, Math.min(stride, at + step))), at);
      }
      return wide;
    },
    skip: (count) => skipRows(rows, count),
    close() {
      transform.close();
      rows.close();
    },
  });
}

/** Rows of four inks a pixel, which they fill: alpha lies beside them until they are colors. */
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
  const rows = converted(inks, profile, layout);
  if (!rows || !alpha) return rows;
  // The conversion reads a band at a time, and asks for none before that is handed out.
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
