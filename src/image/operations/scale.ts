/** Pictures of another size, by a factor. */
import * as v from "valibot";

import { flag, positiveDecimal, record } from "../../fields.ts";
import { operation } from "../steps/operation.ts";

const MAX_FACTOR = 10;

export const scale = operation({
  summary:
    "Changes the size by the factor `size`; `ratio` stretches the width by a further factor. `linear` is that of `resize`.",
  params: record({
    size: positiveDecimal(MAX_FACTOR),
    ratio: v.optional(positiveDecimal(MAX_FACTOR), 1),
    linear: v.optional(flag(), false),
  }),
  plan({ size: factor, ratio, linear }, { size }) {
    const width = Math.max(1, Math.round(size.width * factor * ratio));
    const height = Math.max(1, Math.round(size.height * factor));
    return [{ kind: "resize", width, height, kernel: "lanczos3", linear }];
  },
});
