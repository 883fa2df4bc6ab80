/** Where to look in a picture (`focus-point.ts`). */
import * as v from "valibot";

import { analysis } from "../analysis.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import type { Point } from "../gravity.ts";
import { focusMs, focusPoint } from "./focus-point.ts";

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const focus = analysis({
  summary: "The point to look at, as shares of width and height: a face, what stands out, or the middle.",
  answer: v.strictObject({ x: share, y: share }),
  side: FACE_SIDE,
  ms: focusMs,
  of: async (small, breath) => rounded(await focusPoint(small, breath)),
});

/** A thousandth of a side is less than anybody sees. */
function rounded({ x, y }: Point): Point {
  return { x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000 };
}
