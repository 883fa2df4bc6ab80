/** What the profile of a picture adds to the estimate of its file. */
import { parallel, type Estimate, estimated } from "../../../wasm/estimate.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Extent } from "../pixels/picture.ts";

/**
 * Estimates of files that have the profiles of their pictures in them.
 * @param copies of a profile that are there at once, the file left out
 * @param nanoseconds for a byte of it
 */
export function besideProfile<Shape>(
  estimate: (picture: Shape, settings: EncodeSettings) => Estimate,
  copies: number,
  nanoseconds = 0,
) {
  return (picture: Shape & Pick<Extent, "space">, settings: EncodeSettings): Estimate => {
    const whole = estimate(picture, settings);
    const bytes = picture.space?.profile.length ?? 0;
    return bytes === 0 ? whole : parallel(whole, estimated(copies * bytes, bytes, nanoseconds));
  };
}
