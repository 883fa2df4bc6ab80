/** Stores of callers: calls, names and credentials. */

/** A caller's store: tokens, the upload, its repetition and the answers together. */
export const STORE_TIMEOUT_MS = 20_000;
/** The share of it after which a first attempt is given up, so that a second one still has time. */
export const STORE_FIRST_ATTEMPT_SHARE = 0.6;
/** What a store that failed is given to recover before the second attempt. */
export const STORE_RETRY_PAUSE_MS = 200;
/** What is read of a store's answer; a service catalog is the longest one that matters. */
export const MAX_STORE_ANSWER_BYTES = 128 * 1024;
/** Names in one part of a list of objects, and what is read of the answer that has them: names of a kilobyte, each letter as %XX. */
export const LIST_OBJECTS = 500;
export const MAX_LIST_ANSWER_BYTES = 2_000_000;
/** Where a list goes on, as a store says it: the longest are names of a kilobyte, each letter of three bytes, in base64. */
export const MAX_CURSOR_CHARACTERS = 8_192;
/** The name of a stored object, folders included; the smallest of the providers' limits. */
export const MAX_OBJECT_KEY_BYTES = 1_024;
/** Names and values of an object's metadata together: the smallest of the providers' limits. */
export const MAX_OBJECT_METADATA_BYTES = 2_048;
/** Tags of a stored object, as providers limit them. */
export const MAX_OBJECT_TAGS = 10;
export const MAX_TAG_KEY_CHARACTERS = 128;
export const MAX_TAG_VALUE_CHARACTERS = 256;
/** One credential of a store; access keys have 20 to 100 characters. */
export const MAX_CREDENTIAL_CHARACTERS = 1_024;
/** Access tokens that an isolate keeps; some hundred bytes to a few kilobytes each. */
export const MAX_KEPT_TOKENS = 256;
/** How long before its end an access token is not used any more. */
export const TOKEN_MARGIN_MS = 60_000;
