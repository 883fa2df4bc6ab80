/** Files of several scans, written anew in one: a decoder of several keeps the coefficients of the whole picture in memory. */
import type { Allowance } from "../allowance.ts";
import { isolateBudget } from "../budget.ts";
import { encodeBlind, encodeExactly, reencodePlanes } from "./encode-once.ts";
import { fitSize } from "./fit-size.ts";
import { keepFitting, keepMarked } from "./keep-original.ts";
import { fits } from "./prices.ts";
import { searchFrames, searchPixels } from "./search-pixels.ts";
import { searchedScore } from "./search-pixels.ts";
import { canDivide, type Task, taskOf } from "./task.ts";

/**
 * The task on a file of one scan, where that is needed: every look at coefficients takes longer in several scans, and a way
 * through pixels may not fit into memory. The task as it is where it is not needed, or not possible.
 */
export async function inOneScan(task: Task, allowance?: Allowance): Promise<Task> {
  const { stored, unchanged } = task;
  const { bytes, facts, format } = stored;
  const { recompress, coefficients } = format;
  if (!facts.interlaced || !recompress || !coefficients?.divides(bytes) || !isNeeded(task)) return task;
  const settings = { progressive: false, tag: unchanged?.tag ?? 1 };
  const price = recompress.price(bytes, facts, settings);
  if (!isolateBudget.canHold(price, bytes.length) || allowance?.affords(price) === false) return task;
  const made = await isolateBudget.run(price, (breath) => recompress.run(bytes, facts, settings, breath), allowance);
  if (!made) return task;
  const simpler = { ...stored, bytes: made, facts: format.read.probe(made) };
  return { ...taskOf({ ...task, stored: simpler }), unchanged };
}

/** Whether none of the ways that are preferred fits into memory, or coefficients are to be looked at many times. */
function isNeeded(task: Task): boolean {
  if (keepMarked(task) ?? keepFitting(task)) return false;
  if (searchedScore(task) !== undefined && canDivide(task)) return true;
  const ways = [fitSize, searchFrames, searchPixels, reencodePlanes, encodeExactly];
  const blind = searchedScore(task) === undefined ? [encodeBlind] : [];
  const isPossible = [...ways, ...blind].some((way) => {
    const attempt = way(task);
    return attempt !== null && fits(task, attempt.price);
  });
  return task.aim.kind !== "lossless" && !isPossible;
}
