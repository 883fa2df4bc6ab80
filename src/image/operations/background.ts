/** Pictures laid on a color. */
import { hexColor, record } from "../../fields.ts";
import { rowStep } from "../steps/effect.ts";
import { flatten, flattenEstimate } from "../steps/flatten.ts";
import { operation } from "../steps/operation.ts";

export const background = operation({
  summary: "Lays the picture on `color`: nothing of it is transparent then.",
  params: record({ color: hexColor("rgb") }),
  plan({ color }, { size, opaque, colorOf }) {
    if (opaque) return [];
    const paint = colorOf(color);
    const step = rowStep(size, flattenEstimate(size), (rows) => flatten(rows, paint));
    return [{ ...step, opaque: () => true }];
  },
});
