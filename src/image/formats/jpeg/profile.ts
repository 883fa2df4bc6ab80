/** Whether a JPEG picture needs its ICC profile to look as it does. */
import { openTransform } from "../../../../wasm/color/color.ts";
import type { JpegHeader } from "../../../../wasm/jpeg/jpeg.ts";

/** The profile, if the picture looks different without it. */
export function neededProfile({ profile, colors }: JpegHeader): Uint8Array | undefined {
  if (!profile) return undefined;
  const layout = colors === "Gray" ? "gray" : colors === "CMYK" || colors === "YCCK" ? "cmyk-inverted" : "rgba";
  const transform = openTransform(profile, layout);
  transform?.close();
  return transform ? profile : undefined;
}
