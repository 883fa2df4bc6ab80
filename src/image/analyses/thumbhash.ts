/** A ThumbHash: a placeholder of some 25 bytes with the picture's average color, proportions and alpha. */
import { rgbaToThumbHash } from "thumbhash";
import * as v from "valibot";

import { analysis, GLANCE_SIDE } from "../steps/analysis.ts";

export const thumbhash = analysis({
  summary: "A ThumbHash in base64: a blurred placeholder with proportions and alpha.",
  answer: v.pipe(v.string(), v.base64()),
  side: GLANCE_SIDE,
  ms: ({ width, height }) => width * height * 4e-4,
  of: ({ width, height, pixels }) => btoa(String.fromCharCode(...rgbaToThumbHash(width, height, pixels))),
});
