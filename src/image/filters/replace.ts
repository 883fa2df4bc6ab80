/** One color for another. */
import * as v from "valibot";

import { openReplacement, replacementEstimate } from "../../../wasm/effects/colors.ts";
import { decimal, hexColor, record } from "../../fields.ts";
import { linearLevels, toLab } from "../color/light.ts";
import { effectStep } from "../steps/effect.ts";
import { filter } from "../steps/filter.ts";

export const replace = filter({
  summary:
    "One color for another: what is within `value` units of `from` in CIELAB (difference by CIE 1976) becomes `to`, fading out over the outer half of that distance. With 0 only `from` itself changes.",
  aliases: ["color_replacement", "colorreplace", "color-replacement"],
  params: record({
    from: hexColor("rgb"),
    to: hexColor(),
    value: v.optional(decimal(0, 100), 10),
  }),
  plan({ from, to, value }, { size, colorOf }) {
    const [red, green, blue] = colorOf(from);
    const paint = colorOf(to);
    const replaced = { from: toLab(red, green, blue), to: paint, tolerance: value };
    return [
      effectStep(size, {
        opaque: (input) => input && paint[3] === 255,
        estimate: replacementEstimate(size),
        open: () => openReplacement(size, { ...replaced, linear: linearLevels() }),
      }),
    ];
  },
});
