/**
 * Files of several scans, written anew in one: a decoder of several keeps the coefficients of the whole picture in
 * memory.
 */
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Allowance } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Attempt } from "./attempt.ts";
import { fits } from "./estimates.ts";
import { type Task, taskOf } from "./task.ts";
import { withoutWay } from "./ways.ts";

/**
 * The task on a file of one scan, where that is needed: every look at coefficients takes longer in several scans, and a
 * way through pixels may not fit into memory. The task as it is where it is not needed, or not possible.
 * @param attempts at the task as it is
 */
export async function inOneScan(task: Task, attempts: readonly Attempt[], allowance?: Allowance): Promise<Task> {
  const { stored, unchanged } = task;
  const { bytes, facts, format } = stored;
  const { recompress, coefficients } = format;
  if (!facts.interlaced || !recompress || !coefficients?.divides(bytes) || !isNeeded(task, attempts)) return task;
  const settings = { progressive: false, tag: unchanged?.tag ?? 1 };
  const estimate = recompress.estimate(bytes, facts, settings);
  if (!isolateBudget.canHold(estimate, bytes.length) || allowance?.affords(estimate) === false) return task;
  const work = (timeSlice: TimeSlice) => recompress.run(bytes, facts, settings, timeSlice);
  const made = await isolateBudget.run(estimate, work, allowance).catch(withoutWay);
  if (!made) return task;
  return taskOf({ ...task, stored: { ...stored, bytes: made, facts: format.read.factsOf(made) } }, unchanged);
}

/** Whether coefficients are to be looked at many times, or none of the ways that are preferred fits into memory. */
function isNeeded(task: Task, attempts: readonly Attempt[]): boolean {
  const preferred = attempts.filter(({ isFallback }) => !isFallback);
  if (attempts.length === 0 || preferred.some(({ name }) => name === "keep original")) return false;
  if (preferred.some(({ name }) => name === "requantize")) return true;
  return !preferred.some(({ estimate }) => fits(task, estimate));
}
