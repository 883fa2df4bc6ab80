/** Mirrored pictures. */
import * as v from "valibot";

import { flag, oneOf, record } from "../../fields.ts";
import type { Orientation } from "../pixels/geometry.ts";
import { operation } from "../steps/operation.ts";

const Flip = v.pipe(
  record({
    horizontal: v.optional(flag()),
    vertical: v.optional(flag()),
    mode: v.optional(oneOf(["horizontal", "vertical", "both"])),
  }),
  v.check(
    ({ horizontal, vertical, mode }) => mode === undefined || (horizontal === undefined && vertical === undefined),
    "must have either mode or horizontal and vertical, not both",
  ),
  v.check(
    ({ horizontal, vertical, mode }) => mode !== undefined || horizontal === true || vertical === true,
    "needs mode, or horizontal or vertical as true",
  ),
);

export const flip = operation({
  summary: "Mirrors the picture: `horizontal` swaps left and right, `vertical` top and bottom.",
  params: Flip,
  plan({ horizontal, vertical, mode }) {
    const leftRight = horizontal === true || mode === "horizontal" || mode === "both";
    const topBottom = vertical === true || mode === "vertical" || mode === "both";
    const orientation: Orientation = leftRight ? (topBottom ? 3 : 2) : 4;
    return [{ kind: "turn", orientation }];
  },
});
