/**
 * A look at a file that was encoded at a quality which nobody looked at, because there was no time or no memory for the search
 * for it; and the quality that this look says it should have had.
 */
import { held, parallel } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { firstFrame } from "../pixels/picture.ts";
import { fits, judgeEstimate, sourceEstimate } from "./estimates.ts";
import { expectedQuality } from "./losses.ts";
import type { Predicted } from "./overrun.ts";
import { aimedAt, patienceOf } from "./presets.ts";
import { decoded } from "./probe.ts";
import type { Rendition } from "./rendition.ts";
import { inComparedColors, judgeRows } from "./score.ts";
import { searchableIn, searchedScore } from "./search-pixels.ts";
import type { Session } from "./session.ts";
import { withoutMore } from "./ways.ts";

/** The rendition with what both opinions say of it, where nothing was said and there is memory and time for a look. */
export async function lookedAt(session: Session, rendition: Rendition, jobLimits?: JobLimits): Promise<Rendition> {
  const { task, picture } = session;
  const format = searchableIn(task);
  if (!format || !rendition.isCutOff || rendition.score !== undefined) return rendition;
  const { bytes } = rendition.file;
  const looking = parallel(sourceEstimate(task), judgeEstimate(format, picture), held(bytes.length));
  const estimate = session.beside(looking);
  if (!fits(task, estimate) || jobLimits?.affords(estimate) === false) return rendition;
  const look = async (timeSlice: TimeSlice) => {
    const { space } = picture;
    const shown = inComparedColors(await firstFrame(picture, timeSlice), space);
    const made = inComparedColors(await decoded(format, bytes, timeSlice, space), space);
    return judgeRows(shown, made, timeSlice);
  };
  const said = await isolateBudget.run(estimate, look, jobLimits).catch(withoutMore);
  return said ? { ...rendition, score: said.points, metric: said.score } : rendition;
}

/**
 * The settings at which a file would look as good as promised that was looked at once and does not: a higher quality, or beyond
 * the highest one the next that are known. None where it does, or nothing is left.
 */
export function correctedBy({ task, predictions }: Session, { isCutOff, score }: Rendition): readonly Predicted[] {
  const { objective, picture, settings } = task;
  const format = searchableIn(task);
  const targetScore = searchedScore(task);
  if (!format || !isCutOff || score === undefined || targetScore === undefined || score >= targetScore) return [];
  const [predicted, ...others] = predictions;
  const { quality } = { ...settings, ...predicted };
  const wanted = aimedAt(targetScore, picture) + patienceOf(objective).margin;
  const corrected = expectedQuality([{ quality, score }], wanted, format.write.qualities);
  return corrected > quality ? [{ ...predicted, quality: corrected }, ...others] : others;
}
