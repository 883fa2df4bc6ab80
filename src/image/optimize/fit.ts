/** The best encoding that is not larger than asked. */
import { ApiError } from "../../errors.ts";
import type { EncodeSettings } from "../format.ts";

const MIN_QUALITY = 1;
const MAX_QUALITY = 100;

/**
 * The encoding of the highest quality whose bytes fit, found by bisection: bytes grow with quality.
 * @throws ApiError 422 naming the smallest size there is, when none fits
 */
export function largestWithin(
  encode: (settings: EncodeSettings) => Uint8Array,
  settings: EncodeSettings,
  limitBytes: number,
): Uint8Array {
  let best: Uint8Array | null = null;
  let smallest = Number.POSITIVE_INFINITY;
  let low = MIN_QUALITY;
  let high = MAX_QUALITY;
  while (low <= high) {
    const quality = Math.floor((low + high) / 2);
    const bytes = encode({ ...settings, quality });
    smallest = Math.min(smallest, bytes.length);
    if (bytes.length <= limitBytes) {
      best = bytes;
      low = quality + 1;
    } else {
      high = quality - 1;
    }
  }
  if (best) return best;
  throw new ApiError(422, `optimize.target_bytes is too small for this image: the least is ${smallest}`);
}
