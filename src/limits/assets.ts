/** What accounts save: watermarks, credentials, signers. */

/** A watermark; it is decoded whole. */
export const MAX_WATERMARK_BYTES = 5 * 1024 * 1024;
/** A service account's keyfile; they have about 2.5 KB. */
export const MAX_KEYFILE_BYTES = 16 * 1024;
/** A connector with all its members as JSON; most have some hundred bytes, long metadata and headers a few kilobytes. */
export const MAX_CONNECTOR_BYTES = 16 * 1024;
/** Characters of the certificates or the key of a signer, or of the anchors of trust: public lists have up to 200,000. */
export const MAX_SIGNER_CHARACTERS = 240_000;
/** Secrets sealed anew by one call: D1 runs 1,000 statements for a request. */
export const RESEAL_SECRETS = 500;
/**
 * Bytes of each kind of secret that one call seals anew: D1 hands them over as lists of numbers, eight bytes a byte and
 * more.
 */
export const RESEAL_BYTES = 1024 * 1024;
/**
 * Secrets of each kind that are counted as left in a database, at most: a database does one thing at a time, and counting
 * millions keeps everybody waiting.
 */
export const MAX_COUNTED_SECRETS = 10_000;
/** Saved watermarks, keyfiles or connectors of one account, of each kind. */
export const MAX_ASSETS = 1_000;
export const MAX_ASSET_NAME_CHARACTERS = 128;
