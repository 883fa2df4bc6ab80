/** The rules that a member of a request can break, as the last part of a word. `error-words.ts` says what words are for. */
import type { ErrorStatus } from "./refusal-reasons.ts";

export interface ErrorRow {
  readonly statuses: readonly ErrorStatus[];
  /** Which sentences mean it; absent: all others of its statuses. */
  readonly says?: RegExp;
  /** Why it happens, as the documentation says it. */
  readonly cause: string;
  /** What helps. */
  readonly cure: string;
}

/** What can be wrong with a member, in the order in which sentences are looked at. */
export const RULES = {
  required: {
    statuses: [422],
    says: /^ (?:is required|must be given)/,
    cause: "The member is missing.",
    cure: "Add it.",
  },
  unknown: {
    statuses: [422],
    says: /^ (?:is not a known|is not offered|is not a part|belongs into data)/,
    cause: "No member has this name here: a slip of the pen, or the right name in the wrong place.",
    cure: "Look it up in the reference at `/docs/reference`.",
  },
  twice: {
    statuses: [422],
    says: /^ (?:must (?:not )?be given (?:only once|twice)|must name every|must not have two|must differ)/,
    cause: "The same thing was said twice.",
    cure: "Say it once.",
  },
  conflict: {
    statuses: [422],
    says: /cannot be combined|^(?: force| false| binary)? needs |must not be given|must not be set|in this output.?format|as long as|with faces|must not be before|must be the host of/,
    cause: "The member does not go with another one, or with the output format.",
    cure: "Leave one of them out; the message names both.",
  },
  missing: {
    statuses: [422],
    says: /^ (?:must be the id of|is not the id|must be a connector|names a picture|must exist)/,
    cause: "The saved thing that it names is not there, or cannot be used.",
    cure: "List what is saved (`GET /1.0/connectors`, `/watermarks`, `/keyfiles`).",
  },
  choice: {
    statuses: [422],
    says: /^ must be (?:one (?:of|or|where)|true or false|false|none|auto|drop|web or store|90, 180)|must be a known provider/,
    cause: "The value is none of those that there are.",
    cure: "Take one that the message lists.",
  },
  range: {
    statuses: [422],
    says: /^ (?:times dpr )?must be (?:an integer|a (?:whole )?number|a positive integer|a multiple|at most \d+(?:$|;)|whole numbers)/,
    cause: "The number is too small, too large, or none.",
    cure: "Stay between the bounds that the message names.",
  },
  drawn: {
    statuses: [422],
    says: /has characters that no font|cannot be drawn/,
    cause:
      "The text cannot be drawn: its letters are in no font here, it is too large, or the deployment has no fonts.",
    cure: "Use Latin, Greek or Cyrillic letters, or fewer and smaller ones.",
  },
  length: {
    statuses: [422],
    says: /characters|must have \d+ to|must be a list of|bytes|must not be empty|must name at most/,
    cause: "A text or a list is too short, too long, or has characters that may not be in it.",
    cure: "Shorten it as the message says.",
  },
  url: {
    statuses: [422],
    says: /URL|public address|origin of a site|must not have a query|must have neither a user|is not public|is reachable/,
    cause: "The address is none that may be called: not http or https, private, or with parts that it may not have.",
    cure: "Use a public address by name.",
  },
  place: {
    statuses: [422],
    says: /must lie inside|must leave something|must lie in the folder/,
    cause: "It points outside: of the image, or of the folder that was granted.",
    cure: "Look at width and height in `input`, or at the folder of the account.",
  },
  format: {
    statuses: [422],
    says: /^ (?:must|cannot|has|is|names)/,
    cause: "The value has another form or type than it must have.",
    cure: "Write it as the message says.",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
