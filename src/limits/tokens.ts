/** Upload tokens. */

/** How long an upload token may be used: long enough for a person to choose a picture, too short to be passed on. */
export const MIN_UPLOAD_TOKEN_SECONDS = 60;
export const MAX_UPLOAD_TOKEN_SECONDS = 3_600;
export const DEFAULT_UPLOAD_TOKEN_SECONDS = 600;
export const MAX_UPLOAD_TOKEN_USES = 100;
/**
 * Requests with a token for each of its uses: those that are refused give their use back, and count as requests of the key
 * that made the token. A visitor must not use up its window.
 */
export const UPLOAD_TOKEN_TRIES = 10;
/** Sites whose pages may use a token: one with its stages and its languages. */
export const MAX_UPLOAD_TOKEN_ORIGINS = 10;
/** The longest name of a host, with its scheme and its port. */
export const MAX_ORIGIN_CHARACTERS = 267;
/** What a token says of the work, as JSON: it travels in a header, of which some clients take 16 KB at most. */
export const MAX_UPLOAD_TOKEN_DATA_BYTES = 4 * 1024;
/** A token with the longest data and origins, sealed and in base64, takes less. */
export const MAX_UPLOAD_TOKEN_CHARACTERS = 12 * 1024;
/** How much longer than a token its uses are remembered: clocks of two machines differ. */
export const UPLOAD_TOKEN_SKEW_MS = 60_000;
/** Spent tokens that an isolate remembers, so that asking again with one reaches no meter. */
export const MAX_CACHED_SPENT_TOKENS = 1_000;
/** For how long: a flood with one costs a call of the meter each time, and a person who tries again takes longer. */
export const SPENT_TOKEN_CACHE_MS = 2_000;
/** How long browsers may remember that a page may send uploads; the longest that any of them does. */
export const PREFLIGHT_SECONDS = 7_200;
