/**
 * Where to look in a picture: at its most prominent face, else at what stands out most, else at its middle. Where what
 * stands out comes from is in `saliency.ts`.
 */
import * as v from "valibot";

import { analysis } from "../analysis.ts";
import { FACE_SIDE, findFacesPrice } from "../faces/detect.ts";
import type { Point } from "../gravity.ts";
import { facesIn } from "./found-faces.ts";
import { overWhite } from "./over-white.ts";
import { saliencyMs, standoutOf } from "./saliency.ts";

const MIDDLE: Point = { x: 0.5, y: 0.5 };

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const focus = analysis({
  summary: "The point to look at, as shares of width and height: a face, what stands out, or the middle.",
  answer: v.strictObject({ x: share, y: share }),
  side: FACE_SIDE,
  ms: (size) => findFacesPrice(size).ms + saliencyMs(size.width * size.height),
  of: async (small, breath) => {
    const [face] = await facesIn(small, breath);
    if (face) {
      const { x, y, width, height } = face;
      return rounded({ x: (x + width / 2) / small.width, y: (y + height / 2) / small.height });
    }
    const standout = standoutOf(await overWhite(small), small);
    await breath.spend(saliencyMs(small.width * small.height));
    return rounded(standout ?? MIDDLE);
  },
});

/** A thousandth of a side is less than anybody sees. */
function rounded({ x, y }: Point): Point {
  return { x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000 };
}
