/** The colors that a picture is made of, with their shares. */
import * as v from "valibot";

import { analysis, GLANCE_SIDE } from "../steps/analysis.ts";
import { hexSchema } from "./color.ts";
import { colorsMs, colorsOf } from "./colors.ts";

export const palette = analysis({
  summary: "Up to six colors with their shares, the largest first.",
  answer: v.array(v.strictObject({ color: hexSchema, share: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) })),
  side: GLANCE_SIDE,
  ms: ({ width, height }) => colorsMs(width * height),
  of: colorsOf,
});
