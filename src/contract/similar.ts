/** What requests and answers say of pictures that look alike. */
import * as v from "valibot";

import { digits, record } from "../fields.ts";
import { MAX_PAGE_ENTRIES } from "../limits/accounts.ts";
import { MAX_ALIKE_BITS } from "../limits/reuse.ts";

const hashRule = "must be 16 hexadecimal digits in lower case, as analysis.phash is";

/** Query parameters are texts. */
export const SimilarQuery = record({
  phash: v.pipe(v.string(hashRule), v.regex(/^[\da-f]{16}$/, hashRule)),
  /** How many of the 64 bits may differ. */
  distance: v.optional(digits(0, MAX_ALIKE_BITS)),
  limit: v.optional(digits(1, MAX_PAGE_ENTRIES)),
});

/** A picture that looks like the one that was asked about. */
export const Similar = v.strictObject({
  /** The id of the answer that told its hash; the last one, where there were several. */
  id: v.pipe(v.string(), v.uuid()),
  /** The name of its original. */
  name: v.string(),
  phash: v.string(),
  /** How many of the 64 bits differ. */
  distance: v.pipe(v.number(), v.integer(), v.minValue(0)),
  kept_at: v.pipe(v.string(), v.isoTimestamp()),
});

export const SimilarList = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  /** The nearest first, then the newest. */
  similar: v.array(Similar),
  /** False: there are more than the answer names. */
  complete: v.boolean(),
});
export type SimilarList = v.InferOutput<typeof SimilarList>;
