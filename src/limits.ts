/**
 * Bounds of requests, of the files that they bring and name, and of what is kept of their results: the unit is in the name,
 * the reason in the comment. All others are in the folder of this name, by what they are about.
 */

/** One image, uploaded or fetched. A 100-megapixel camera JPEG fits; the body is held once while it is processed. */
export const MAX_SOURCE_BYTES = 32 * 1024 * 1024;
/** The `data` part of an upload, or a JSON body: far more than all operations and credentials together need. */
export const MAX_JSON_BYTES = 256 * 1024;
/**
 * How long the body of a request may take, without the time in which there was no room for it: 32 MiB at 9 megabits a
 * second. Its memory is held all the while.
 */
export const MAX_BODY_MS = 30_000;
/** Bytes of a refused body that are read off so that its sender gets to see the answer: the platform's own bound. */
export const MAX_DISCARDED_BYTES = 100 * 1024 * 1024;
/** How long that may take. */
export const MAX_DISCARD_MS = 30_000;
/** Boundaries, part headers and parts that nobody asked for, in an upload; browsers send a few hundred bytes. */
export const MAX_MULTIPART_EXTRA_BYTES = 64 * 1024;
/** Parts of an upload, of which two are read: every part costs time, however few bytes it has. */
export const MAX_MULTIPART_PARTS = 16;
/** The header block of one part of an upload. */
export const MAX_PART_HEADER_BYTES = 8 * 1024;
/** Nesting of a JSON body; the deepest documented member is four levels down. */
export const MAX_JSON_DEPTH = 16;

/** The origin of a fetched image: from the call to the last byte, all redirects included. */
export const FETCH_TIMEOUT_MS = 30_000;
/** Redirects followed to an origin; each hop is checked again. */
export const MAX_REDIRECTS = 5;
/** What a platform says about a profile, before the picture itself is fetched. */
export const MAX_PROFILE_BYTES = 64 * 1024;
/** Custom request headers for an origin. */
export const MAX_FETCH_HEADERS = 32;
export const MAX_HEADER_VALUE_CHARACTERS = 4_096;
/** A URL in a request; browsers and servers stop near this length. */
export const MAX_URL_CHARACTERS = 8_192;

/** The name of a result file. */
export const MAX_NAME_CHARACTERS = 255;
/** Metadata in a response header. It is sent under two names, and Node's clients stop at 16 KB for all headers. */
export const MAX_METADATA_HEADER_BYTES = 6 * 1024;

/** Results that one request may ask for: the variants of one picture of a page. */
export const MAX_OUTPUTS = 20;
/** Widths of a srcset: between two of a page's widths a dozen leave a tenth of the bytes to be saved. */
export const MAX_SRCSET_WIDTHS = 12;
/** The `sizes` of a srcset: a dozen media conditions. */
export const MAX_SIZES_CHARACTERS = 500;
/** Results of one request that wait until the last is made, to be stored together: a tenth of what an isolate has. */
export const MAX_WAITING_RESULT_BYTES = 12 * 1024 * 1024;

/** Of so many requests that went well one has a line in the log: the platform bills its logs. */
export const DEFAULT_LOG_SAMPLE = 100;

/** The rate window and the requests allowed in it, per API key. */
export const RATE_WINDOW_SECONDS = 900;
export const RATE_LIMIT_REQUESTS = 100_000;

/** Longest and default life of a result in volatile storage. */
export const MAX_TEMPORARY_TTL_SECONDS = 86_400;
export const DEFAULT_TEMPORARY_TTL_SECONDS = 3_600;
/** Between two looks for results whose time is over, and for uploaded bytes that were left behind, where none are found. */
export const TEMPORARY_SWEEP_MS = 600_000;
export const LEFTOVER_SWEEP_MS = 3_600_000;

/**
 * Expired results deleted in one sweep; the next sweep goes on. Each thousand costs two of a call's 1,000 subrequests.
 */
export const MAX_SWEEP_OBJECTS = 50_000;

/**
 * Probes that an answer tells of its searches with `response.explain`, some 90 characters each: a photograph takes 2 to 12,
 * a small drawing up to 40 in each format.
 */
export const MAX_EXPLAINED_PROBES = 256;
