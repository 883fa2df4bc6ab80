import * as v from "valibot";

import { flag, record } from "../../fields.ts";
import { operation } from "../operation.ts";
import { enhancement } from "../steps/enhance.ts";
import { toneSteps } from "../steps/tone.ts";

/** The longest side, in pixels, of the version of the picture that is measured. */
const LOOK_SIDE = 256;

/** Some clients send the members of `border` here. */
const ignored = v.optional(v.unknown());

export const auto = operation({
  summary:
    "Improves the picture by itself: `enhance` spreads the tones over the whole range, brings a dark or a pale picture to a medium brightness, and freshens dull colors. A well-exposed picture stays as it is. `size`, `color`, `radius` and `background` are ignored.",
  params: record({
    enhance: v.optional(flag(), false),
    size: ignored,
    color: ignored,
    radius: ignored,
    background: ignored,
  }),
  looks: ({ enhance }) => (enhance ? LOOK_SIDE : 0),
  plan: ({ enhance }, { size, look }) => (enhance ? toneSteps(size, enhancement(look())) : []),
});
