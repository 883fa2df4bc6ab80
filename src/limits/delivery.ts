/** The bounds of pictures by address. */
import { FETCH_TIMEOUT_MS } from "../limits.ts";

/** Deliveries of one account: one a site and a stage is plenty; each may be cached by every isolate. */
export const MAX_DELIVERIES = 100;
/** Sources of one delivery, all compared with every address. */
export const MAX_DELIVERY_SOURCES = 16;
/** Presets of one delivery; the record is kept in the memory of every isolate that serves it. */
export const MAX_DELIVERY_PRESETS = 100;
/** Characters of all presets of a delivery as JSON: lists of deliveries hold a hundred times as many, and isolates more. */
export const MAX_PRESETS_CHARACTERS = 32 * 1024;
/** Widths that unsigned addresses may have: each is a result that anonymous clients can have made. */
export const MAX_DELIVERY_WIDTHS = 64;
/** Qualities that unsigned addresses may have: each is a result for every width. */
export const MAX_DELIVERY_QUALITIES = 16;
/**
 * How long a result is used before its original is asked for again, in seconds: by default 30 days, since purges are
 * there.
 */
export const MIN_DELIVERY_TTL_SECONDS = 60;
export const MAX_DELIVERY_TTL_SECONDS = 31_536_000;
export const DEFAULT_DELIVERY_TTL_SECONDS = 2_592_000;
/** The last second that an address may end at: the last that a date can have. */
export const MAX_EXPIRES_SECONDS = 8_640_000_000_000;
/** After a rotation addresses that were signed with the pair before stay valid for this long. */
export const SIGNING_OVERLAP_MS = 24 * 3_600_000;
/**
 * How long a purge is remembered for work that had begun before: longer than the platform lets any invocation go on,
 * which is 15 minutes.
 */
export const PURGE_KEPT_MS = 3_600_000;
/**
 * Finals that anonymous clients may have made of one delivery within an hour: a page of pictures every few minutes, and
 * a day of the fastest anonymous client costs 12,000 credits.
 */
export const DEFAULT_FINALS_PER_HOUR = 500;
export const MAX_FINALS_PER_HOUR = 1_000_000;
/** Names of query parameters that unsigned sources may have: versions, sizes and the like. */
export const MAX_QUERY_NAMES = 16;
export const MAX_QUERY_NAME_CHARACTERS = 64;
/** Presets that one address may lay over each other: each is merged and judged anew. */
export const MAX_CHAINED_PRESETS = 8;
/**
 * Batches of a thousand results that one call of a purge deletes: each costs two of the platform's 1,000 subrequests.
 */
export const MAX_PURGE_BATCHES = 100;

/** How long an isolate trusts what it knows of a delivery, or that there is none. */
export const DELIVERY_CACHE_SECONDS = 60;
/** How long an isolate takes a budget for spent without asking its meter: what was raised, or given back, holds after that. */
export const SPENT_BUDGET_CACHE_SECONDS = 10;
/** Deliveries that exist, as an isolate remembers them, and ids of none, apart: a flood of ids forgets only its own. */
export const MAX_CACHED_DELIVERIES = 1_000;
export const MAX_CACHED_UNKNOWN_DELIVERIES = 10_000;
/** How long a draft may be kept by browsers and edges, and how long anything may be shown while it is renewed. */
export const DRAFT_CACHE_SECONDS = 30;
export const STALE_SECONDS = 86_400;
/** How long it is remembered that an original does not exist, or that no picture can be made of it. */
export const REFUSAL_CACHE_SECONDS = 60;
/** How much longer than its time a result is served whose origin fails. */
export const FAILING_ORIGIN_MS = 86_400_000;
/** How long browsers and edges may keep such a result. */
export const FAILING_CACHE_SECONDS = 60;
/** Starts of a final that may fail before the draft is taken for it. */
export const MAX_FINAL_STARTS = 3;
/** How long a request waits for a final that is made elsewhere, and between two looks. */
export const FINAL_WAIT_MS = 20_000;
export const FINAL_LOOK_MS = 300;
/** Between the first thing that a delivery counts and the row in which it is counted. */
export const DELIVERY_COUNT_MS = 2_000;
/** How long a request for a picture waits for its turn in a busy isolate: a page's visitor sees nothing meanwhile. */
export const MAX_DELIVERY_WAIT_MS = 10_000;
/** How long results are kept that nobody asks for. */
export const DEFAULT_DELIVERY_KEEP_DAYS = 90;
/**
 * A result that is asked for is marked as such again after this; it may be kept for so much longer than it has to. A
 * mark costs as much as five months in the bucket.
 */
export const RESULT_MARK_MS = 90 * 86_400_000;
/** Rows of finals by the bytes of their originals that a sweep looks at: four million of them within three days. */
export const SWEPT_TWINS = 1_000;
/** Between two looks through all results for those whose time is over, which is counted in months. */
export const RESULT_SWEEP_MS = 7 * 86_400_000;
/** Results whose originals this isolate has found unchanged; some hundred bytes each. */
export const MAX_CHECKED_RESULTS = 10_000;
/** Of so many hits one is counted, as so many: rows for each would cost more than the hits. */
export const DEFAULT_HIT_SAMPLE = 20;
/** How long a request waits for work that another one of its isolate does: longer than fetching and encoding take. */
export const SHARED_WAIT_MS = FETCH_TIMEOUT_MS + 30_000;
/**
 * Requests of one delivery that wait for its origin in an isolate, the pictures of a page or two; beyond, clients come
 * back.
 */
export const MAX_DELIVERY_READS = 64;
/** Refusals of originals and of requests for them, as an isolate remembers them; some hundred bytes each. */
export const MAX_CACHED_REFUSALS = 1_000;
