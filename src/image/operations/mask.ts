/** Pictures cut to a shape. */
import * as v from "valibot";

import { hexColor, oneOf, record } from "../../fields.ts";
import { frameStep } from "../steps/frame.ts";
import { colorBehind, operation } from "../steps/operation.ts";

export const mask = operation({
  summary:
    "Cuts the picture to an ellipse inside its bounds, with a smooth edge. The background (RRGGBBAA) is transparent where the output can be, else white.",
  params: record({ shape: oneOf(["ellipse"]), background: v.optional(hexColor()) }),
  plan({ background }, stage) {
    const { size } = stage;
    const color = colorBehind(background, stage);
    const { width, height } = size;
    const outer = { left: 0, top: 0, right: width, bottom: height, radiusX: width / 2, radiusY: height / 2 };
    return [frameStep(size, { outer, background: color })];
  },
});
