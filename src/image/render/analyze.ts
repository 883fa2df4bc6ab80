/** What a picture is: analyses of a file, made from small versions of what it shows. */
import { isolateBudget } from "../../scheduler/budget.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type AnalysisName, ANALYSES } from "../analyses.ts";
import { smallOf, THUMBNAIL_BYTES_PER_PIXEL } from "../analyses/region-of-interest.ts";
import { withoutMemory } from "../codec/guard.ts";
import { type Size, turnSize } from "../pixels/geometry.ts";
import { firstFrame } from "../pixels/picture.ts";
import { identify } from "../plan/detect.ts";
import { thumbnailEstimate, smallVersion } from "../plan/looks.ts";
import { pictureOf, type Stored } from "../plan/planned-picture.ts";
import type { Analysis } from "../steps/analysis.ts";
import type { Step } from "../steps/operation.ts";

export type Answers = { [Name in AnalysisName]?: Awaited<ReturnType<(typeof ANALYSES)[Name]["of"]>> };

/**
 * Analyses of the first frame of a file, upright.
 * @param names of the analyses; the answers are in this order
 * @throws ApiError 422 when it takes more time than is allowed, 503 when there is no room for it
 */
export async function analyze(
  bytes: Uint8Array,
  names: readonly AnalysisName[],
  jobLimits?: JobLimits,
): Promise<Answers> {
  const stored = identify(bytes);
  const { facts } = stored;
  const steps: readonly Step[] = [{ kind: "turn", orientation: facts.orientation }];
  return analyzePicture({ stored, steps, size: turnSize(facts, facts.orientation) }, names, jobLimits);
}

/** A picture that is to be looked at: what is done with a stored one, and the size that it has then. */
interface Shown {
  readonly stored: Stored;
  readonly steps: readonly Step[];
  readonly size: Size;
}

/** Analyses of the first frame of a picture. Those that look at a version of the same size share it. */
export async function analyzePicture(
  shown: Shown,
  names: readonly AnalysisName[],
  jobLimits?: JobLimits,
): Promise<Answers> {
  const answers = new Map<AnalysisName, unknown>();
  const asked = names.map((name): [AnalysisName, Analysis] => [name, ANALYSES[name]]);
  const earlier = ({ after }: Analysis) => asked.find(([name]) => name === after)?.[1];
  for (const [side, alike] of Map.groupBy(asked, ([, row]) => (earlier(row) ?? row).side)) {
    const rows = alike.toSorted(
      ([, one], [, other]) => Number(Boolean(earlier(one))) - Number(Boolean(earlier(other))),
    );
    for (const [name, answer] of await lookedAt(shown, side, rows, jobLimits)) answers.set(name, answer);
  }
  return Object.fromEntries(names.map((name) => [name, answers.get(name)])) as Answers;
}

async function lookedAt(
  { stored, steps, size: picture }: Shown,
  side: number,
  rows: readonly (readonly [AnalysisName, Analysis])[],
  jobLimits: JobLimits | undefined,
): Promise<(readonly [AnalysisName, unknown])[]> {
  const plan = smallVersion(stored, steps, side);
  const lookMs = rows.reduce((sum, [, row]) => sum + row.ms(plan.size), 0);
  const look = async (timeSlice: TimeSlice) => {
    const small = await smallOf(await firstFrame(pictureOf(stored, plan), timeSlice), picture);
    const found: (readonly [AnalysisName, unknown])[] = [];
    for (const [name, row] of rows) {
      found.push([name, await row.of(small, timeSlice)]);
    }
    return found;
  };
  return isolateBudget
    .run(thumbnailEstimate(stored, plan, lookMs, THUMBNAIL_BYTES_PER_PIXEL), look, jobLimits)
    .catch((error: unknown) => {
      throw withoutMemory(error);
    });
}
