/** The encoding that the caller named: the smallest file that was found, or the original, may have the other. */
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Allowance } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Rendition, withBytes } from "./rendition.ts";
import { isEncodedOtherwise, type Task } from "./task.ts";
import { withoutWay } from "./ways.ts";

/** The rendition in the encoding that was named, if any was; its pixels stay what they are. */
export async function asNamed(task: Task, rendition: Rendition, allowance?: Allowance): Promise<Rendition> {
  const { format, encoding } = task;
  const { recompress, mark: marker, read } = format;
  const { bytes } = rendition.file;
  if (encoding === undefined || !recompress) return rendition;
  const facts = read.factsOf(bytes);
  if (!isEncodedOtherwise(task, { bytes, format, facts })) return rendition;
  const settings = { progressive: encoding === "progressive", tag: facts.orientation };
  const estimate = recompress.estimate(bytes, facts, settings);
  if (allowance?.affords(estimate) === false) return rendition;
  const work = (timeSlice: TimeSlice) => recompress.run(bytes, facts, settings, timeSlice);
  const made = await isolateBudget.run(estimate, work, allowance).catch(withoutWay);
  if (!made) return rendition;
  const mark = marker?.read(bytes);
  return withBytes(rendition, mark === undefined || !marker ? made : marker.write(made, mark));
}
