/** Pictures of two colors. */
import { hexColor, record } from "../../fields.ts";
import { ramp } from "../steps/color-matrices.ts";
import { filter } from "../steps/filter.ts";
import { matrixStep } from "../steps/tone.ts";

export const duotone = filter({
  summary: "The grayscale picture between two colors: `dark` for black, `light` for white.",
  params: record({ light: hexColor("rgb"), dark: hexColor("rgb") }),
  plan: ({ light, dark }, { size, colorOf }) => [matrixStep(size, ramp(colorOf(dark), colorOf(light)))],
});
