/** Cells of one color. */
import { openPixellate, pixellatePrice } from "../../../wasm/effects/blurs.ts";
import { decimal, record } from "../../fields.ts";
import { effectStep } from "../effect.ts";
import { filter } from "../filter.ts";

export const pixellate = filter({
  summary: "Square cells of `value` pixels, each in the mean color of its pixels; 0 and 1 change nothing.",
  aliases: ["pixelate"],
  params: record({ value: decimal(0, 100) }),
  plan({ value }, { size: { width, height } }) {
    const cell = Math.round(value);
    if (cell < 2) return [];
    return [
      effectStep({
        width,
        height,
        price: pixellatePrice({ width, height }),
        open: () => openPixellate({ width, height }, cell),
      }),
    ];
  },
});
