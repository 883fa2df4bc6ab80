/** The faces of a small version: analyses that look at the same one seek them once. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { findFaces } from "../faces/detect.ts";
import type { Box } from "../pixels/geometry.ts";
import { rowsOver } from "../pixels/rows.ts";
import type { Small } from "../steps/analysis.ts";

/** Gone with the small version that they were found in. */
const found = new WeakMap<Small, Promise<Box[]>>();

/** Whether the faces of a small version were sought. */
export function areSought(small: Small): boolean {
  return found.has(small);
}

/** The most prominent first, in pixels of the small version. */
export function facesIn(small: Small, timeSlice: TimeSlice): Promise<Box[]> {
  const finding = found.get(small) ?? findFaces(rowsOver(small.pixels, small), timeSlice);
  found.set(small, finding);
  return finding;
}
