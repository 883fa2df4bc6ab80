/** Results that are found again, by what they look like and by equal requests. */

/** How long it is known what a result looked like, for those that look alike: a year. */
export const ALIKE_KEPT_DAYS = 365;
/** Of the 64 bits of a hash so many may differ in a look for alike results; more is asked of other pictures than it finds. */
export const MAX_ALIKE_BITS = 11;
/** Unless told otherwise: the changes of the table in `docs/analysis.md` are within it. */
export const DEFAULT_ALIKE_BITS = 7;
/**
 * Rows that a look for alike results reads, at most. Of a million results of an account 1,040 share a part of a hash within
 * seven bits, where hashes are even.
 */
export const MAX_ALIKE_ROWS = 4_000;
/** Of an original's name, as far as it is kept: as long as names of files are. */
export const MAX_LOOK_NAME_CHARACTERS = 255;
/** Rows of looks that a sweep goes through: four million of them within three days. */
export const SWEPT_LOOKS = 1_000;

/** Results of an account that are found again with `reuse`: a kilobyte each, those that end first are forgotten. */
export const MAX_KNOWN_RESULTS = 10_000;
/** An answer that is longer, with hundreds of faces or boxes, is worked out again. */
export const MAX_KNOWN_ANSWER_CHARACTERS = 16 * 1024;
/** The same of several results, of which each takes up to 800 characters: the largest srcset has 48. */
export const MAX_KNOWN_SET_CHARACTERS = 48 * 1024;
/** How long a request with `reuse` waits for an equal one that is being worked on: most work takes less. */
export const REUSE_WAIT_MS = 20_000;
/** After this somebody who works on a request with `reuse`, and has not ended it, is taken for lost. */
export const REUSE_CLAIM_MS = 60_000;
/** How long a result in a caller's own store is found again: nobody knows whether it is still there. */
export const STORED_RESULT_KEPT_MS = 24 * 3_600_000;
/** A validator that is longer is not kept. */
export const MAX_VALIDATOR_CHARACTERS = 512;
/** What a temporary result must have left to be given out again: time to download it, also with a slow connection. */
export const REUSE_MARGIN_MS = 300_000;
