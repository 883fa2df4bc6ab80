/** Where to look in a picture (`focus-point.ts`). */
import * as v from "valibot";

import type { Point } from "../pixels/gravity.ts";
import { analysis } from "../steps/analysis.ts";
import { glanceMs, pointAtGlance } from "./focus-point.ts";

/** Five pixels for each cell of what stands out, and two for each of a glance at faces. */
const SIDE = 320;

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const focus = analysis({
  summary:
    "The point to look at, as shares of width and height: a prominent face (with `faces`, any), what stands out, or the middle.",
  answer: v.strictObject({ x: share, y: share }),
  side: SIDE,
  after: "faces",
  ms: glanceMs,
  of: async (small, timeSlice) => rounded(await pointAtGlance(small, timeSlice)),
});

/** A thousandth of a side is less than anybody sees. */
function rounded({ x, y }: Point): Point {
  return { x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000 };
}
