/** Pictures of one color. */
import { decimal, hexColor, record } from "../../fields.ts";
import { IDENTITY, mix, ramp } from "../steps/color-matrices.ts";
import { filter } from "../steps/filter.ts";
import { matrixStep } from "../steps/tone.ts";

export const monochrome = filter({
  summary:
    "The grayscale picture in one color, from black to `color`; `value` per cent of it. The alpha of an AARRGGBB color weakens it further.",
  params: record({ value: decimal(0, 100), color: hexColor("argb") }),
  plan({ value, color }, { size, colorOf }) {
    const paint = colorOf(color, "argb");
    const share = (value / 100) * (paint[3] / 255);
    return share === 0 ? [] : [matrixStep(size, mix(IDENTITY, ramp([0, 0, 0], paint), share))];
  },
});
