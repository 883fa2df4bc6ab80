/** By how much two pictures differ to the eye. */
import { type Pixels, sample } from "../support/rows.ts";

/**
 * Means over all pixels, in levels of 256: of color as it looks on white, and of opacity, if the format has any.
 * A format without a quality but with few colors (GIF) has pixels that are there or not.
 */
export function differenceOf(
  a: Pixels,
  b: Pixels,
  { alpha, binary }: { readonly alpha: boolean; readonly binary: boolean },
): { readonly color: number; readonly opacity: number } {
  let [color, opacity] = [0, 0];
  for (let at = 0; at < a.data.length; at += 4) {
    const [shown, other] = [sample(a.data, at + 3), sample(b.data, at + 3)];
    const expected = binary ? (shown >= 128 ? 255 : 0) : shown;
    if (alpha) opacity += Math.abs(expected - other);
    for (let channel = at; channel < at + 3; channel++) {
      const meant = 255 + ((sample(a.data, channel) - 255) * expected) / 255;
      color += Math.abs(meant - 255 - ((sample(b.data, channel) - 255) * other) / 255);
    }
  }
  const pixels = a.width * a.height;
  return { color: color / pixels / 3, opacity: opacity / pixels };
}
