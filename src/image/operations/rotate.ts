import * as v from "valibot";

import { openRotation, type Rotation as NativeRotation, rotationPeakBytes } from "../../../wasm/effects/rotation.ts";
import { hexColor, integer, record } from "../../fields.ts";
import { parseColor, type Rgba, TRANSPARENT, WHITE } from "../color.ts";
import { effectStep } from "../effect.ts";
import { type Box, type Orientation, type Size, turnSize } from "../geometry.ts";
import { operation, type Step } from "../operation.ts";

/** The turns that lose nothing, by quarters clockwise. */
const QUARTERS = [1, 6, 3, 8] as const satisfies readonly Orientation[];

export const rotate = operation({
  summary:
    "Turns the picture clockwise by `angle` degrees, quarter turns without loss. The canvas grows; what the picture does not cover is `background`: transparent where the output can be, else white.",
  params: record({ angle: integer(0, 359), background: v.optional(hexColor()) }),
  plan({ angle, background }, { size, opaque, alpha }) {
    const quarters = Math.round(angle / 90);
    const orientation = QUARTERS[quarters % 4]!;
    const rest = angle - quarters * 90;
    const turn: Step[] = orientation === 1 ? [] : [{ kind: "turn", orientation }];
    if (rest === 0) return turn;
    const color = background ? parseColor(background) : alpha ? TRANSPARENT : WHITE;
    return [...turn, rotation(turnSize(size, orientation), rest, opaque, color)];
  },
});

type Rotation = Omit<NativeRotation, "background" | "opaque">;

/** A turn by at most half a quarter, so that the rows which one result row crosses are few for small angles. */
function rotation({ width, height }: Size, angle: number, opaque: boolean, background: Rgba): Step {
  const cosine = Math.cos((angle * Math.PI) / 180);
  const sine = Math.abs(Math.sin((angle * Math.PI) / 180));
  // Nothing is cut off; what is a whole number but for the arithmetic does not grow by one.
  const resultWidth = Math.ceil(width * cosine + height * sine - 1e-6);
  const resultHeight = Math.ceil(width * sine + height * cosine - 1e-6);
  const shape = { width, height, resultWidth, resultHeight, angle };
  return effectStep({
    width: resultWidth,
    height: resultHeight,
    opaque: (input) => input && background[3] === 255,
    peakBytes: rotationPeakBytes({ ...shape, opaque }),
    open: (rows) => openRotation({ ...shape, opaque: rows.opaque, background }),
    before: (box) => turnedBack(box, shape),
  });
}

/** A box of the same size about the place where the center of `box` was before the rotation. */
function turnedBack(box: Box, { width, height, resultWidth, resultHeight, angle }: Rotation): Box {
  const radians = (-angle * Math.PI) / 180;
  const x = box.x + box.width / 2 - resultWidth / 2;
  const y = box.y + box.height / 2 - resultHeight / 2;
  const center = {
    x: x * Math.cos(radians) - y * Math.sin(radians) + width / 2,
    y: x * Math.sin(radians) + y * Math.cos(radians) + height / 2,
  };
  return { ...box, x: center.x - box.width / 2, y: center.y - box.height / 2 };
}
