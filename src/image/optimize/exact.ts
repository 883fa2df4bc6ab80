/** Encodings without loss, or nearly: of drawings and screens they can be smaller than lossy ones that look as good. */
import type { EncodeSettings } from "../format.ts";
import type { EncodeWhole, Found } from "./trial.ts";

/** A file without loss that is larger by more than this than a lossy one stays so when it loses a little. */
const PROMISING = 2;

/** Whether an encoding without loss is small enough, beside a lossy one that looks as asked, to look further. */
export function isPromising(exact: Uint8Array, lossy: Uint8Array): boolean {
  return exact.length < PROMISING * lossy.length;
}

/**
 * The smallest of `lossy` and of the encodings without loss, or nearly, that reach the target.
 * @param levels of `EncodeSettings.nearLossless`, those that touch pixels most first
 */
export function smallerExact(
  encode: EncodeWhole,
  scoreOf: (bytes: Uint8Array) => number,
  settings: EncodeSettings,
  target: number,
  levels: readonly number[],
  lossy: Found,
): Found {
  const exactly = { ...settings, lossless: true };
  const exact = { bytes: encode(exactly), score: 100 };
  const reaches = lossy.score >= target;
  if (reaches && !isPromising(exact.bytes, lossy.bytes)) return lossy;
  const best = reaches && lossy.bytes.length <= exact.bytes.length ? lossy : exact;
  for (const nearLossless of levels) {
    const bytes = encode({ ...exactly, nearLossless });
    // What is touched less is no smaller.
    if (bytes.length >= best.bytes.length) return best;
    const score = scoreOf(bytes);
    if (score >= target) return { bytes, score };
  }
  return best;
}
