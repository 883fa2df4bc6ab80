/** Every bound of the service: the unit is in the name, the reason in the comment. */

/** One image, uploaded or fetched. A 100-megapixel camera JPEG fits; the body is held once while it is processed. */
export const MAX_SOURCE_BYTES = 32 * 1024 * 1024;
/** The `data` part of an upload, or a JSON body: far more than all operations and credentials together need. */
export const MAX_JSON_BYTES = 256 * 1024;
/**
 * How far a body may fall behind the slowest pace, from its beginning and at any later time: who sent much and then
 * stalls has no more time left than this. Together it may take no longer than the longest.
 */
export const BODY_GRACE_MS = 30_000;
/** The slowest pace of a body: that of a poor telephone line. Whoever sends less keeps memory occupied for nothing. */
export const MIN_BODY_BYTES_PER_SECOND = 4 * 1024;
export const MAX_BODY_MS = 600_000;
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

/** Decoded pixels of a picture, all frames together; the largest medium-format cameras make 102 megapixels. */
export const MAX_SOURCE_PIXELS = 110_000_000;
/** One side of a source or a result; WebP cannot hold more than 16,383 pixels, JPEG not more than 65,535. */
export const MAX_SIDE_PIXELS = 16_384;
/** A size that a result may be asked to have: more than any result. */
export const MAX_TARGET_BYTES = 1024 * 1024 * 1024;
/** Pixels of a result, all frames together: what bounds the time that one request may take. */
export const MAX_RESULT_PIXELS = 110_000_000;
/** Frames of an animation: one minute at 25 frames a second. */
export const MAX_FRAMES = 1_500;

/** What jobs of an isolate that run beside each other and large originals may hold in memory. */
export const ISOLATE_BUDGET_BYTES = 100 * 1024 * 1024;
/**
 * What everything that is declared may hold: a job that runs alone, all originals, and idle native modules. The platform
 * gives 128 MB for everything; the bundle and its heap take about 10 of them.
 */
export const ISOLATE_BYTES = 112 * 1024 * 1024;
/** What originals may hold of it, before their bytes are read: one of the largest, with its options, or several of others. */
export const MAX_ORIGINALS_BYTES = MAX_SOURCE_BYTES + MAX_JSON_BYTES;
/** Originals up to this size have a part of their own besides, so that large ones that come slowly keep nobody out. */
export const SMALL_ORIGINAL_BYTES = 4 * 1024 * 1024;
export const SMALL_ORIGINALS_BYTES = 8 * 1024 * 1024;
/** How long originals may keep an isolate from working that has work, before the last in the line is told to come back. */
export const MAX_BLOCKED_MS = 3_000;
/** Jobs that may wait for their turn in an isolate before further ones are told to come back. */
export const MAX_WAITING_JOBS = 32;
/** Half of these places are the most that one account may have: the others are for other accounts. */
export const MAX_ACCOUNT_WAITING_JOBS = MAX_WAITING_JOBS / 2;
/** Declared processor time of all work that runs or waits in an isolate: what comes last waits about two minutes. */
export const MAX_LOAD_MS = 120_000;
/** What of it one account may have. */
export const MAX_ACCOUNT_LOAD_MS = MAX_LOAD_MS / 2;
/**
 * Declared processor time of one request, on the reference machine. An invocation may take three times that
 * (wrangler.toml): work whose price is half of the truth, or that runs on a slower machine, still comes to its end.
 */
export const DEFAULT_JOB_MS = 20_000;
/**
 * Work ends that takes so many times its price, and a moment more, or the whole job so many times what one may take: a
 * price that is wrong must not take the isolate. Prices lie within a factor of two of what is measured.
 */
export const OVERRUN_FACTOR = 3;
export const OVERRUN_GRACE_MS = 1_000;
export const OVERRUN_OF_BOUND = 2;
/**
 * Processor time of failed requests that an account is not charged for, in a window: then its images wait. Damaged files
 * fail early; 1,000 that are refused after 100 ms each are within it.
 */
export const DEFAULT_FAILED_MS = 120_000;
/** What a client that found the isolate full is told to wait. */
export const BUSY_RETRY_SECONDS = 2;

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

/** The rate window and the requests allowed in it, per API key. */
export const RATE_WINDOW_SECONDS = 900;
export const RATE_LIMIT_REQUESTS = 100_000;

/** Longest and default life of a result in volatile storage. */
export const MAX_TEMPORARY_TTL_SECONDS = 86_400;
export const DEFAULT_TEMPORARY_TTL_SECONDS = 3_600;

/**
 * Expired results deleted in one sweep; the next sweep goes on. Each thousand costs two of a call's 1,000 subrequests.
 */
export const MAX_SWEEP_OBJECTS = 50_000;

/** How long an isolate trusts what it knows of a key: a revoked key stops working within a minute. */
export const KEY_CACHE_SECONDS = 30;
/** How long an isolate remembers that a key does not exist, so that guessing does not reach the database each time. */
export const UNKNOWN_KEY_CACHE_SECONDS = 5;
/** Keys that exist, as an isolate remembers them; the oldest are forgotten. */
export const MAX_CACHED_KEYS = 10_000;
/** Keys that do not exist, remembered apart from those that do: a flood of them forgets only its own. */
export const MAX_CACHED_UNKNOWN_KEYS = 1_000;
/** Client addresses whose requests without a known key an isolate counts; the longest silent are forgotten. */
export const MAX_COUNTED_ADDRESSES = 10_000;

/** A reserved credit whose work never reported back is free again after this; the longest job ends well before. */
export const CREDIT_LEASE_SECONDS = 300;
/** How long the answer to a request with an `Idempotency-Key` is repeated. */
export const RECEIPT_KEPT_MS = 24 * 3_600_000;
/** After this without a sign of life a request with an `Idempotency-Key` has ended without an answer. */
export const RECEIPT_RUN_MS = 45_000;
/** Between two signs of life: two may be lost. */
export const RECEIPT_RENEWAL_MS = 14_000;
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;
/** Between two writes of a busy meter: what a crash may forget. */
export const METER_WRITE_INTERVAL_MS = 1_000;
/** Between two copies of a busy meter's usage to the database: how old the list of all accounts may be. */
export const USAGE_WRITE_INTERVAL_MS = 60_000;
/** How long usage can be queried: thirteen months, to compare a month with that of the year before. */
export const USAGE_HISTORY_DAYS = 400;
/**
 * How far a page of the usage of all accounts may be from its beginning where they lie in several databases: so many entries
 * are read from each, to be merged.
 */
export const MAX_MERGED_ENTRIES = 10_000;
/**
 * Days of usage that are summed by one statement: 100 keys for 60 days are 6,000 rows, some 2 ms of a database that does one
 * thing at a time.
 */
export const USAGE_SUM_DAYS = 60;
/** Days of usage that a query without dates is about. */
export const DEFAULT_USAGE_DAYS = 30;
/** What a client is told to wait when the meter or the database does not answer. */
export const OUTAGE_RETRY_SECONDS = 5;

/** What a new account gets when the operator does not say. */
export const DEFAULT_PLAN = "standard";
export const DEFAULT_CREDITS = 10_000;
export const MAX_CREDITS = 1_000_000_000_000;
/** Keys of one account. */
export const MAX_KEYS = 100;

/** Entries of a list in one answer. */
export const DEFAULT_PAGE_ENTRIES = 50;
export const MAX_PAGE_ENTRIES = 100;

/** The longest wait between the end of processing and the notification: one week. */
export const MAX_WEBHOOK_DELAY_SECONDS = 604_800;
/** What an endpoint has to answer a notification with its status and headers. */
export const DELIVERY_TIMEOUT_MS = 10_000;
/** How long a record can be queried. */
export const WEBHOOK_HISTORY_DAYS = 60;
/** How long a finished record keeps its payload and its address, and can be redelivered: most of what a record takes. */
export const WEBHOOK_BODY_DAYS = 7;
/** The address of a notification, which is kept with every record: proxies and servers stop near this length. */
export const MAX_WEBHOOK_URL_CHARACTERS = 2_048;
/**
 * Accepted jobs of one account on one day, UTC. So many usual records a day, kept for WEBHOOK_HISTORY_DAYS, come to 600 MB:
 * a thirteenth of what a database takes.
 */
export const WEBHOOK_JOBS_PER_DAY = 20_000;
/** What these jobs may take in the database together: ten kilobytes each, most of them for a short time. */
export const WEBHOOK_BYTES_PER_DAY = 200_000_000;
/**
 * What a record counts for besides its job and its address: the row with its indexes, the payload, the attempts. 1,600
 * bytes are usual, and 350 without the body (`npm run bench -- d1`).
 */
export const WEBHOOK_RECORD_BYTES = 4_096;
/**
 * The size from which on a database takes no further jobs. D1 ends at 10 GB; the rest is for what goes on: answers and
 * attempts of jobs that were accepted, usage, saved assets, and what comes before the next sweep measures.
 */
export const DATABASE_BYTES = 8_000_000_000;
export const MAX_DATABASE_BYTES = 9_500_000_000;
/** The share of it up to which a database takes new accounts: those that it has will still grow. */
export const DATABASE_ROOM_SHARE = 0.75;
/** What a client is told to wait when its database is full: room comes with days that end. */
export const FULL_RETRY_SECONDS = 600;
/** Databases that one sweep looks after, in turn: D1 runs 1,000 statements for an invocation. */
export const SWEEP_DATABASES = 3;
/** Entries of a page of records. */
export const MAX_WEBHOOK_PAGE = 100;
export const DEFAULT_WEBHOOK_PAGE = 50;
/** Records that a page may skip: every one that is skipped is read. A range of dates leads to all others. */
export const MAX_WEBHOOK_OFFSET = 10_000;
/** After a rotation notifications carry the signatures of both secrets for this long. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;

/**
 * Who processes a job says so again within this time, or it is taken for dead and the job for free. Longer than any run:
 * fetching, the processor time of an invocation (60 seconds, wrangler.toml) in which no timer may fire, and storing.
 */
export const RUN_LEASE_MS = FETCH_TIMEOUT_MS + 60_000 + 40_000;
export const RUN_RENEWAL_MS = 10_000;
/** A delivery is taken for dead after this time; it is over after DELIVERY_TIMEOUT_MS and two database writes. */
export const DELIVERY_LEASE_MS = 30_000;
/** Between two looks of a job that must be alone whether others still run in its isolate. */
export const ALONE_PAUSE_MS = 1_000;
/** Starts of one job that ended without an outcome: more, and the job is what kills its processor. */
export const MAX_STARTS = 5;
/** First and longest wait before a job that met a fault of ours, or no capacity, is started again; each is twice the one before. */
export const RUN_RETRY_MS = 2_000;
export const MAX_RUN_RETRY_MS = 60_000;
/** How often a job may find no capacity before its notification says so: for about an hour. */
export const MAX_PUT_BACKS = 64;
/**
 * Jobs that one isolate starts right where they were accepted; further ones go through the queue, to other isolates.
 */
export const MAX_DIRECT_RUNS = 4;
/**
 * What a 202 gets to leave before its job starts: without it, it waits for the whole job (measured: 375 ms, with it
 * 70).
 */
export const HEAD_START_MS = 20;
/** The platform gives work after an answer 30 seconds; by then a job started there is over, or dead. */
export const DIRECT_RUN_MS = 30_000;
/**
 * After this a job that was started where it was accepted is handed to the queue: what is left is for its longest
 * stretch, the database and the queue. An origin alone may take longer.
 */
export const DIRECT_WORK_MS = 20_000;
/** After this a job of the queue is handed on: the platform gives a consumer 15 minutes, waiting for its turn included. */
export const QUEUE_WORK_MS = 840_000;
/** Attempts that a record shows, the latest, fifty bytes each for 60 days: redelivering by hand has no end. */
export const MAX_SHOWN_ATTEMPTS = 20;
/** Messages of one batch, as the platform bounds it, and batches of one sweep: 50,000 lost messages take ten minutes. */
export const SWEEP_MESSAGES = 100;
export const SWEEP_BATCHES = 50;
/**
 * Messages that wait in the queue and are beyond any doubt a line, at whose end a further one would stand: then a sweep
 * hands out one batch only.
 */
export const LONG_LINE_MESSAGES = 1_000;
/** What whoever accepted a job is given to begin it, or to send it through the queue: both happen at once, or never. */
export const BEGIN_MS = 30_000;
/**
 * What whoever was told of a record is given to take it before somebody is told again: as long as it has waited already,
 * between these bounds. So a record that stands in a long line is named again ever more rarely.
 */
export const HAND_OUT_MS = 300_000;
export const MAX_HAND_OUT_MS = 3_600_000;
/** The longest wait before a message that failed comes back; ten of them bridge a quarter of an hour. */
export const MAX_MESSAGE_RETRY_SECONDS = 300;
/** Records deleted or emptied by one statement of a sweep: others wait for as long as it takes. */
export const SWEEP_DELETIONS = 100;
/** Such statements of one sweep: 14 million records a day, more than two keys can make. */
export const SWEEP_DELETION_PAGES = 100;
/** Uploaded bytes of which one sweep finds out whether they were left behind. */
export const SWEEP_LEFTOVERS = 500;
/** What is overdue by less is still in good hands: waiting for its turn, not lost. */
export const GRACE_MS = 15_000;
/** Uploaded bytes this old without a waiting job were left behind by a crash: no request takes a day to be accepted. */
export const LEFTOVER_BYTES_MS = 86_400_000;

/** A watermark; it is decoded whole. */
export const MAX_WATERMARK_BYTES = 5 * 1024 * 1024;
/** A service account's keyfile; they have about 2.5 KB. */
export const MAX_KEYFILE_BYTES = 16 * 1024;
/** A connector with all its members as JSON; most have some hundred bytes, long metadata and headers a few kilobytes. */
export const MAX_CONNECTOR_BYTES = 16 * 1024;
/** Secrets sealed anew by one call: D1 runs 1,000 statements for a request. */
export const RESEAL_SECRETS = 500;
/**
 * Bytes of each kind of secret that one call seals anew: D1 hands them over as lists of numbers, eight bytes a byte and
 * more.
 */
export const RESEAL_BYTES = 1024 * 1024;
/** Saved watermarks, keyfiles or connectors of one account, of each kind. */
export const MAX_ASSETS = 1_000;
export const MAX_ASSET_NAME_CHARACTERS = 128;

/** A caller's store: tokens, the upload, its repetition and the answers together. */
export const STORE_TIMEOUT_MS = 20_000;
/** The share of it after which a first attempt is given up, so that a second one still has time. */
export const STORE_FIRST_ATTEMPT_SHARE = 0.6;
/** What a store that failed is given to recover before the second attempt. */
export const STORE_RETRY_PAUSE_MS = 200;
/** What is read of a store's answer; a service catalog is the longest one that matters. */
export const MAX_STORE_ANSWER_BYTES = 128 * 1024;
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

/** Deliveries of one account: one a site and a stage is plenty; each may be cached by every isolate. */
export const MAX_DELIVERIES = 100;
/** Sources of one delivery, all compared with every address. */
export const MAX_DELIVERY_SOURCES = 16;
/** Presets of one delivery; the record is kept in the memory of every isolate that serves it. */
export const MAX_DELIVERY_PRESETS = 100;
/** Widths that unsigned addresses may have: each is a result that strangers can have made. */
export const MAX_DELIVERY_WIDTHS = 64;
/** How long a result is used before its original is asked for again, in seconds: by default a week. */
export const MIN_DELIVERY_TTL_SECONDS = 60;
export const MAX_DELIVERY_TTL_SECONDS = 31_536_000;
export const DEFAULT_DELIVERY_TTL_SECONDS = 604_800;
/** After a rotation addresses that were signed with the pair before stay valid for this long. */
export const SIGNING_OVERLAP_MS = 24 * 3_600_000;
/** Batches of a thousand results that one call of a purge deletes: each costs two of the platform's 1,000 subrequests. */
export const MAX_PURGE_BATCHES = 100;

/** How long an isolate trusts what it knows of a delivery, or that there is none. */
export const DELIVERY_CACHE_SECONDS = 60;
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
/** Starts of a final that may fail before the draft is taken for it. */
export const MAX_FINAL_STARTS = 3;
/** How long a request waits for a final that is made elsewhere, and between two looks. */
export const FINAL_WAIT_MS = 20_000;
export const FINAL_LOOK_MS = 300;
/** Between the first thing that a delivery counts and the row in which it is counted. */
export const DELIVERY_COUNT_MS = 2_000;
/** How long results are kept that nobody asks for. */
export const DEFAULT_DELIVERY_KEEP_DAYS = 90;
/** A result that is asked for is marked as such again after this; it may be kept for so much longer than it has to. */
export const RESULT_MARK_MS = 7 * 86_400_000;
/** How long a request waits for work that another one of its isolate does: longer than fetching and encoding take. */
export const SHARED_WAIT_MS = FETCH_TIMEOUT_MS + 30_000;
/** Results that an isolate makes for addresses at a time, the pictures of a page or two; beyond, clients come back. */
export const MAX_DELIVERY_WORK = 64;
/** Refusals of originals and of requests for them, as an isolate remembers them; some hundred bytes each. */
export const MAX_CACHED_REFUSALS = 1_000;
