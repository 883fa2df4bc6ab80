/** Embedded ICC profiles, applied. */
import { type Layout, openTransform, transformPrice } from "../../../wasm/color/color.ts";
import { FREE, type Price } from "../../../wasm/price.ts";
import type { Facts } from "../format.ts";
import type { Size } from "../geometry.ts";
import { type Rows, skipRows } from "../rows.ts";

/**
 * A picture in sRGB, given the ICC profile and the color space of its file. Without a profile, or with one that is
 * damaged, for other pixels or already sRGB, the rows are the same.
 */
export function toSrgb(rows: Rows, profile: Uint8Array | undefined, colorspace: string): Rows {
  return (profile && converted(rows, profile, colorspace === "Gray" ? "gray" : "rgba")) ?? rows;
}

/** The price of `toSrgb` on a picture of this size. */
export function conversionPrice(size: Size, { profile }: Pick<Facts, "profile">): Price {
  return profile ? transformPrice(profile, size) : FREE;
}

/** Rows through an ICC profile to sRGB; null when there is nothing to do or the profile is of no use. */
export function converted(rows: Rows, profile: Uint8Array, layout: Layout): Rows | null {
  const transform = openTransform(profile, layout);
  if (!transform) return null;
  const stride = rows.width * 4;
  const bandRows = Math.max(1, Math.floor(transform.maxPixels / rows.width));
  const wide = rows.width > transform.maxPixels ? new Uint8Array(stride) : null;
  return {
    width: rows.width,
    height: rows.height,
    opaque: rows.opaque,
    async read(max) {
      const band = await rows.read(Math.min(max, bandRows));
      if (!band) return null;
      if (!wide) return transform.convert(band);
      for (let at = 0; at < stride; at += transform.maxPixels * 4) {
        wide.set(transform.convert(band.subarray(at, Math.min(stride, at + transform.maxPixels * 4))), at);
      }
      return wide;
    },
    skip: (count) => skipRows(rows, count),
    close() {
      transform.close();
      rows.close();
    },
  };
}
