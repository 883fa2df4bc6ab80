/** Cells of one color. */
import { openPixellate, pixellateEstimate } from "../../../wasm/effects/blurs.ts";
import { decimal, record } from "../../fields.ts";
import type { Size } from "../pixels/geometry.ts";
import { effectStep } from "../steps/effect.ts";
import { filter } from "../steps/filter.ts";
import type { Step } from "../steps/operation.ts";

export const pixellate = filter({
  summary: "Square cells of `value` pixels, each in the mean color of its pixels; 0 and 1 change nothing.",
  aliases: ["pixelate"],
  params: record({ value: decimal(0, 100) }),
  plan({ value }, { size }) {
    const cell = Math.round(value);
    if (cell < 2) return [];
    return [
      effectStep(size, {
        estimate: pixellateEstimate(size),
        open: () => openPixellate(size, cell),
        gains: ({ map, across, down }) => inCells(map, cell * across, cell * down),
      }),
    ];
  },
});

/** A gain map of about one value for each cell; cells of less than its pixels have one. */
function inCells(map: Size, across: number, down: number): Step[] {
  const few = { width: Math.ceil(map.width / across), height: Math.ceil(map.height / down) };
  if (few.width >= map.width || few.height >= map.height) return [];
  return [
    { kind: "resize", ...few, kernel: "linear" },
    { kind: "resize", ...map, kernel: "nearest" },
  ];
}
