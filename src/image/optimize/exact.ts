/** Encodings without loss, or nearly: of drawings and screens they can be smaller than lossy ones that look as good. */
import type { EncodeSettings } from "../format.ts";
import type { Encode, Found } from "./trial.ts";

/** A file without loss that is larger by more than this than a lossy one stays so when it loses a little. */
const PROMISING = 2;

/** Whether an encoding without loss is small enough, beside a lossy one that looks as asked, to look further. */
export function isPromising(exact: Uint8Array, lossy: Uint8Array): boolean {
  return exact.length < PROMISING * lossy.length;
}

/**
 * The smallest of `lossy` and of the encodings without loss, or nearly, that reach the target score.
 * @param levels of `EncodeSettings.nearLossless`, those that touch pixels most first
 */
export async function smallerExact(
  encode: Encode,
  scoreOf: (bytes: Uint8Array) => Promise<number>,
  settings: EncodeSettings,
  targetScore: number,
  levels: readonly number[],
  lossy: Found,
): Promise<Found> {
  const exactly = { ...settings, lossless: true };
  const exact = { bytes: await encode(exactly), score: 100 };
  const reaches = lossy.score >= targetScore;
  if (reaches && !isPromising(exact.bytes, lossy.bytes)) return lossy;
  const best = reaches && lossy.bytes.length <= exact.bytes.length ? lossy : exact;
  for (const nearLossless of levels) {
    const bytes = await encode({ ...exactly, nearLossless });
    // What is touched less is no smaller.
    if (bytes.length >= best.bytes.length) return best;
    const score = await scoreOf(bytes);
    if (score >= targetScore) return { bytes, score };
  }
  return best;
}
