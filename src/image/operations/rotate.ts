/** Turns by any angle. */
import * as v from "valibot";

import { flag, hexColor, integer, record } from "../../fields.ts";
import { type Orientation, turnSize } from "../pixels/geometry.ts";
import { colorBehind, operation, type Step } from "../steps/operation.ts";
import { turnedSize } from "../steps/rotate.ts";

/** The turns that lose nothing, by quarters clockwise. */
const QUARTERS = [1, 6, 3, 8] as const satisfies readonly Orientation[];

export const rotate = operation({
  summary:
    "Turns the picture clockwise by `angle` degrees, quarter turns without loss. The canvas grows; what the picture does not cover is `background`: transparent where the output can be, else white. `upright: false` begins with the picture as it is stored, whatever its orientation tag says.",
  params: record({
    angle: integer(0, 359),
    background: v.optional(hexColor()),
    upright: v.optional(flag(), true),
  }),
  asStored: ({ upright }) => !upright,
  plan({ angle, background }, stage) {
    const { size } = stage;
    // Half a quarter is rotated from where the picture is, in either direction.
    const quarters = angle === 45 ? 0 : Math.round(angle / 90);
    const orientation = QUARTERS[quarters % 4]!;
    const rest = angle - quarters * 90;
    const turn: Step[] = orientation === 1 ? [] : [{ kind: "turn", orientation }];
    if (rest === 0) return turn;
    const color = colorBehind(background, stage);
    const canvas = turnedSize(turnSize(size, orientation), rest);
    return [...turn, { kind: "rotate", ...canvas, angle: rest, background: color }];
  },
});
