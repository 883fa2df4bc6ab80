/** The pixels of a picture on white, for what knows no alpha. */
import type { Small } from "../analysis.ts";

/** @returns RGBA8, opaque; the pixels themselves where they are */
export function overWhite({ pixels, opaque }: Pick<Small, "pixels" | "opaque">): Uint8ClampedArray<ArrayBuffer> {
  const shown = new Uint8ClampedArray(pixels);
  if (opaque) return shown;
  for (let at = 0; at < shown.length; at += 4) {
    const alpha = shown[at + 3]! / 255;
    for (let channel = at; channel < at + 3; channel++) shown[channel] = 255 + (shown[channel]! - 255) * alpha;
    shown[at + 3] = 255;
  }
  return shown;
}
