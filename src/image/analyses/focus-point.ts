/**
 * Where to look in a picture: at its most prominent face, else at what stands out most, else at its middle. Where what
 * stands out comes from is in `saliency.ts`.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { findFacesEstimate } from "../faces/detect.ts";
import { glanceForFace, glanceEstimate } from "../faces/glance.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import { rowsOver } from "../pixels/rows.ts";
import type { Small } from "../steps/analysis.ts";
import { areSought, facesIn } from "./found-faces.ts";
import { overWhite } from "./over-white.ts";
import { saliencyMs, standoutOf } from "./saliency.ts";

const MIDDLE: Point = { x: 0.5, y: 0.5 };

/** Milliseconds that it takes to seek faces, and what stands out where there are none. */
export function focusMs(size: Size): number {
  return findFacesEstimate(size).ms + saliencyMs(size.width * size.height);
}

/**
 * As shares of width and height.
 * @param part shares of the sides of a part of the picture that is to hold what stands out
 */
export async function focusPoint(small: Small, timeSlice: TimeSlice, part?: Size): Promise<Point> {
  const [face] = await facesIn(small, timeSlice);
  return pointIn(small, face, timeSlice, part);
}

/** Milliseconds that a glance takes. */
export function glanceMs(size: Size): number {
  return glanceEstimate(size).ms + saliencyMs(size.width * size.height);
}

/** The same at a glance, which knows no small faces, unless all were sought anyway. */
export async function pointAtGlance(small: Small, timeSlice: TimeSlice): Promise<Point> {
  if (areSought(small)) return focusPoint(small, timeSlice);
  return pointIn(small, await glanceForFace(rowsOver(small.pixels, small), timeSlice), timeSlice);
}

async function pointIn(small: Small, face: Box | undefined, timeSlice: TimeSlice, part?: Size): Promise<Point> {
  if (face) {
    const { x, y, width, height } = face;
    return { x: (x + width / 2) / small.width, y: (y + height / 2) / small.height };
  }
  const standout = standoutOf(await overWhite(small), small, part);
  await timeSlice.spend(saliencyMs(small.width * small.height));
  return standout ?? MIDDLE;
}
