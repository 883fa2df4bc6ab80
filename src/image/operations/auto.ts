/** What a picture lacks, seen by looking at it. */
import * as v from "valibot";

import { flag, record } from "../../fields.ts";
import { redEyeSteps } from "../faces/red-eyes.ts";
import { operation, type Step } from "../steps/operation.ts";
import { toneSteps } from "../steps/tone.ts";
import { enhancement } from "./auto/enhance.ts";

/**
 * The longest side, in pixels, of the version of the picture that is measured, and of that in which eyes are sought.
 */
const MEASURE_SIDE = 256;
const SEARCH_SIDE = 1_024;

/** Some clients send the members of `border` here. */
const ignored = v.optional(v.unknown());

export const auto = operation({
  summary:
    "Improves the picture by itself: `redeye` makes pairs of red pupils dark. `enhance` spreads the tones over the whole range, brings a dark or a pale picture to a medium brightness, and freshens dull colors; a well-exposed picture stays as it is. `size`, `color`, `radius` and `background` are ignored.",
  params: record({
    enhance: v.optional(flag(), false),
    redeye: v.optional(flag(), false),
    size: ignored,
    color: ignored,
    radius: ignored,
    background: ignored,
  }),
  looks: ({ enhance, redeye }) => (redeye ? SEARCH_SIDE : enhance ? MEASURE_SIDE : 0),
  seldomSeeksFaces: true,
  async plan({ enhance, redeye }, { size, look, timeSlice }): Promise<Step[]> {
    const eyes = redeye ? await redEyeSteps(size, look, timeSlice) : [];
    return [...eyes, ...(enhance ? toneSteps(size, await enhancement(await look())) : [])];
  },
});
