/** The color of which a picture has most. */
import * as v from "valibot";

import { analysis, GLANCE_SIDE } from "../steps/analysis.ts";
import { colorsMs, colorsOf } from "./colors.ts";

export const hexSchema = v.pipe(v.string(), v.regex(/^#[\da-f]{6}$/));

/** Of a picture in which nothing is to be seen. */
const NONE = "#ffffff";

export const color = analysis({
  summary: "The dominant color.",
  answer: hexSchema,
  side: GLANCE_SIDE,
  ms: ({ width, height }) => colorsMs(width * height),
  of: (small) => colorsOf(small)[0]?.color ?? NONE,
});
