/** Files written anew in their own format in another encoding, their pixels being what they are. */
import { isolateBudget } from "../../scheduler/budget.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { RecompressSettings } from "../codec/format.ts";
import type { Stored } from "../plan/planned-picture.ts";
import { type Attempt, hasPreferred, type Ways } from "./attempt.ts";
import { type Rendition, withBytes } from "./rendition.ts";
import { isEncodedOtherwise, type Task, taskOf } from "./task.ts";
import { withoutWay } from "./ways.ts";

/**
 * The task on a file of one scan, where that is needed: every look at coefficients takes longer in several scans, and a
 * way through pixels may not fit into memory, for a decoder of several keeps the coefficients of the whole picture. Null
 * where it is not needed, or not possible.
 * @param planned the task as it is
 */
export async function inOneScan(planned: Ways, jobLimits?: JobLimits): Promise<Task | null> {
  const { task } = planned;
  const { stored, unchanged } = task;
  const { bytes, facts, format } = stored;
  if (!facts.interlaced || !format.coefficients?.divides(bytes) || !isNeeded(planned)) return null;
  const made = await encodedAnew(stored, { progressive: false, tag: unchanged?.tag ?? 1 }, jobLimits);
  return made && taskOf({ ...task, stored: { ...stored, bytes: made, facts: format.read.factsOf(made) } }, unchanged);
}

/** Whether coefficients are to be looked at many times, or none of the ways that are preferred fits into memory. */
function isNeeded(ways: Ways): boolean {
  const { attempts } = ways;
  const isTried = (name: Attempt["name"]) => attempts.some((one) => one.name === name && !one.isFallback);
  if (attempts.length === 0 || isTried("keep original")) return false;
  return isTried("requantize") || !hasPreferred(ways);
}

/**
 * The rendition in the encoding that was named, if any was: the smallest file that was found, or the original, may have the
 * other.
 */
export async function asNamed(task: Task, rendition: Rendition, jobLimits?: JobLimits): Promise<Rendition> {
  const { format, encoding } = task;
  const { mark: marker, read } = format;
  const { bytes } = rendition.file;
  if (encoding === undefined) return rendition;
  const written = { bytes, format, facts: read.factsOf(bytes) };
  if (!isEncodedOtherwise(task, written)) return rendition;
  const settings = { progressive: encoding === "progressive", tag: written.facts.orientation };
  const made = await encodedAnew(written, settings, jobLimits);
  if (!made) return rendition;
  const mark = marker?.read(bytes);
  return withBytes(rendition, mark === undefined || !marker ? made : marker.write(made, mark));
}

/** A file in another encoding; null where that cannot be made, or takes more than there is for it. */
async function encodedAnew(
  { bytes, facts, format: { recompress } }: Pick<Stored, "bytes" | "facts" | "format">,
  settings: RecompressSettings,
  jobLimits: JobLimits | undefined,
): Promise<Uint8Array | null> {
  const estimate = recompress?.estimate(bytes, facts, settings);
  if (!recompress || !estimate || !isolateBudget.canHold(estimate, bytes.length)) return null;
  if (jobLimits?.affords(estimate) === false) return null;
  const work = (timeSlice: TimeSlice) => recompress.run(bytes, facts, settings, timeSlice);
  return isolateBudget.run(estimate, work, jobLimits).catch(withoutWay);
}
