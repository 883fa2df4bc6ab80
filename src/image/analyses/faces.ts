/** Where faces are in a picture. */
import * as v from "valibot";

import { FACE_SIDE, findFacesEstimate } from "../faces/detect.ts";
import { enlarged, snapped } from "../faces/report.ts";
import { analysis } from "../steps/analysis.ts";
import { facesIn } from "./found-faces.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const faces = analysis({
  summary: "Boxes around the faces of the result, in its pixels, most prominent first.",
  answer: v.array(v.strictObject({ x: count, y: count, width: count, height: count })),
  side: FACE_SIDE,
  ms: (size) => findFacesEstimate(size).ms,
  of: async (small, timeSlice) => {
    const found = await facesIn(small, timeSlice);
    return enlarged(found, small, small.picture).map((box) => snapped(box, small.picture));
  },
});
