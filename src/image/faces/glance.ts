/** A glance at a picture: whether a face takes much of it, at a twentieth of the cost of finding all faces. */
import { parallel, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Box, type Size, whole } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { resample, resampleEstimate } from "../steps/resample.ts";
import { findLargeFace, findLargeFaceEstimate } from "./detect.ts";

/**
 * The longest side, in pixels, of what is looked at: a face has the 20 pixels there that it needs where it takes a
 * seventh of the picture.
 */
const SIDE = 144;

/**
 * The most prominent face, if one takes much of the picture, in its pixels. Reads the rows to their end and closes
 * them.
 */
export async function glanceForFace(rows: Rows, timeSlice: TimeSlice): Promise<Box | undefined> {
  const { width, height } = rows;
  const small = reduced(rows);
  const shrunk = resample(rows, { box: whole(rows), ...small, kernel: "linear" });
  const box = await findLargeFace(shrunk, timeSlice);
  if (!box) return undefined;
  const [across, down] = [width / small.width, height / small.height];
  return { x: box.x * across, y: box.y * down, width: box.width * across, height: box.height * down };
}

/** The estimate of a glance at a picture of this size. */
export function glanceEstimate(size: Size): Estimate {
  const small = reduced(size);
  return parallel(resampleEstimate(size, small, { opaque: true }), findLargeFaceEstimate(small));
}

function reduced({ width, height }: Size): Size {
  const factor = Math.min(1, SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}
