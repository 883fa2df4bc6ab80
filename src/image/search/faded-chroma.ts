/** Color that is lost where chroma has half of the resolution, and that no quality brings back. */
import type { EncodeSettings, Variant } from "../codec/writer.ts";
import { isDrawn } from "./exact.ts";
import type { Search } from "./goal.ts";
import { expectedQuality, firstQuality, mostScoreOf, type Scored } from "./losses.ts";

/** Points by which the metric is above the second opinion where halved chroma has lost what quality does not bring back. */
const FADED_POINTS = 2;

export function hasAllChroma({ subsample }: Variant): boolean {
  return subsample === "4:4:4";
}

/** Whether halved chroma takes color from a drawing that `other` settings would leave. */
export async function fadesInHalf(
  { reference, timeSlice }: Search,
  settings: EncodeSettings,
  other: EncodeSettings,
): Promise<boolean> {
  return settings.subsample === "4:2:0" && hasAllChroma(other) && isDrawn(reference.sample, timeSlice);
}

/**
 * Whether no quality is expected to reach the target score, or the last rendition misses it by the second opinion alone, which
 * sees the color that halved chroma loses.
 * @param isSure the second opinion alone is not enough
 */
export function hasFaded(
  tried: readonly Scored[],
  { targetScore, scale }: Pick<Search, "targetScore" | "scale">,
  isSure: boolean,
): boolean {
  if (mostScoreOf(tried, scale) < targetScore) return true;
  const { score, metric = score } = tried.at(-1)!;
  return !isSure && metric >= targetScore && metric - score >= FADED_POINTS;
}

/**
 * The quality at which all chroma is expected to do, where half of it never does: the metric alone hardly sees the color that is
 * missing. Where it does, that says nothing.
 */
export function unfaded(
  { scale, settings, targetScore, patience }: Pick<Search, "scale" | "settings" | "targetScore" | "patience">,
  known: readonly Scored[],
): number {
  const metrics = known.map(({ metric, ...one }) => ({ ...one, score: metric ?? one.score }));
  if (mostScoreOf(metrics, scale) < targetScore) return firstQuality(settings.quality, scale);
  return expectedQuality(metrics, targetScore + patience.margin - (scale.fullChroma ?? 0), scale);
}
