/** An address explained to the owner of its delivery. */
import * as v from "valibot";

import { record, text } from "../fields.ts";
import { MAX_URL_CHARACTERS } from "../limits.ts";

const MAX_ACCEPT_CHARACTERS = 1_024;

export const ExplainQuery = record({
  /** The address as a page has it, with or without its host. */
  address: text(1, MAX_URL_CHARACTERS),
  /** The header `Accept` of the browser that it is explained for. */
  accept: v.optional(text(1, MAX_ACCEPT_CHARACTERS)),
});

/** What an address means, and whether it is answered. Nothing is fetched for it: an original may be missing all the same. */
export const AddressExplained = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  /** Whether visitors get an answer. */
  allowed: v.boolean(),
  /** The first segment of the path: `i` is the service's own. */
  dialect: v.picklist(["i", "imgproxy", "next"]),
  signature: v.picklist(["none", "valid", "wrong"]),
  /** What visitors are refused with, and why. */
  refusal: v.optional(
    v.strictObject({ code: v.pipe(v.number(), v.integer()), error: v.string(), message: v.string() }),
  ),
  /** What the address says; absent where its options cannot be read. */
  asked: v.optional(
    v.strictObject({
      source: v.optional(v.string()),
      presets: v.array(v.string()),
      width: v.optional(v.number()),
      format: v.string(),
      expires_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
      /** Its options as members of a request. */
      request: v.record(v.string(), v.unknown()),
    }),
  ),
  /** The original that is read. */
  original: v.optional(v.string()),
  /** The request that is worked on, presets and rules of the delivery included: the same for every spelling of it. */
  request: v.optional(v.record(v.string(), v.unknown())),
  /** The types that the result is chosen among; absent where the address names its format. */
  accept: v.optional(v.string()),
});
export type AddressExplained = v.InferOutput<typeof AddressExplained>;
