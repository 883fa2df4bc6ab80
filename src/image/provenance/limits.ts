/** Bounds on what is read of a manifest store. Stores in use are below a megabyte, most of it thumbnails. */

/** Bytes of a store; a larger one is not read. */
export const MAX_STORE_BYTES = 4 << 20;
/** JUMBF boxes of a store, one in the other: a manifest, its assertions, an assertion, and what is in it. */
export const MAX_BOX_DEPTH = 8;
/** JUMBF boxes of a store, all together. */
export const MAX_BOXES = 10_000;
export const MAX_MANIFESTS = 128;
/** Manifests that are looked at, one being the ingredient of the other. */
export const MAX_INGREDIENT_DEPTH = 32;
/** Bytes of CBOR of one box; claims and assertions take some kilobytes. */
export const MAX_CBOR_BYTES = 512 << 10;
export const MAX_CBOR_DEPTH = 24;
/** Values of the CBOR of one box, all together. */
export const MAX_CBOR_VALUES = 20_000;
/** Values of the CBOR of all boxes of a store that are looked at: maps that hold nothing take 170 bytes of memory each. */
export const MAX_FILE_VALUES = 50_000;
/** Bytes of a box's label, which others are compared with. */
export const MAX_LABEL_BYTES = 1_000;
/** Elements of a certificate or a time stamp that stands alone. */
export const MAX_DER_ELEMENTS = 4_096;
/** Elements of all certificates and time stamps of a store: a certificate has about a hundred. */
export const MAX_FILE_ELEMENTS = 32_768;
export const MAX_DER_DEPTH = 24;
/** Certificates of one signature. */
export const MAX_CERTIFICATES = 16;
/** Signatures of manifests that are verified for one file. */
export const MAX_SIGNATURES = 64;
/** Signatures that are verified for one file, those of certificates and time stamps included: each takes up to a millisecond. */
export const MAX_VERIFICATIONS = 256;
/** Bytes that are hashed for one file, times its length: the file, and as much again for assertions and for ingredients. */
export const MAX_HASHED_TIMES = 3;
/** Bytes that may be hashed for a file besides, however small it is. */
export const MAX_HASHED_BYTES = 1 << 20;
/** Boxes of a file that all exclusions of a hard binding together look at. */
export const MAX_VISITS = 100_000;
/** Pieces that a hard binding leaves out. */
export const MAX_EXCLUSIONS = 256;
/** Failures and texts that an answer tells. */
export const MAX_FAILURES = 32;
export const MAX_TEXT_CHARACTERS = 200;
