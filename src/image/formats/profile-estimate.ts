/** What the profile of a picture adds to the price of its file. */
import { beside, type Price, priced } from "../../../wasm/estimate.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import type { Extent } from "../pixels/picture.ts";

/**
 * Prices of files that have the profiles of their pictures in them.
 * @param copies of a profile that are there at once, the file left out
 * @param nanoseconds for a byte of it
 */
export function besideProfile<Shape>(
  price: (picture: Shape, settings: EncodeSettings) => Price,
  copies: number,
  nanoseconds = 0,
) {
  return (picture: Shape & Pick<Extent, "space">, settings: EncodeSettings): Price => {
    const whole = price(picture, settings);
    const bytes = picture.space?.profile.length ?? 0;
    return bytes === 0 ? whole : beside(whole, priced(copies * bytes, bytes, nanoseconds));
  };
}
