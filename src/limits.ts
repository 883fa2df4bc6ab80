/**
 * Every bound of the service, but for those of notifications, of pictures by address and of the parts of files, which are
 * in the folder of this name: the unit is in the name, the reason in the comment.
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

/** Decoded pixels of a picture, all frames together; the largest medium-format cameras make 102 megapixels. */
export const MAX_SOURCE_PIXELS = 110_000_000;
/** One side that a request may ask for. */
export const MAX_SIDE_PIXELS = 16_384;
/**
 * One side of an original, and of a result that keeps it: strips of comics and screenshots of whole pages are this long. JPEG
 * cannot hold more than libjpeg does, which is this; formats that hold less refuse it by name.
 */
export const MAX_LONG_SIDE_PIXELS = 65_500;
/** A size that a result may be asked to have: more than any result. */
export const MAX_TARGET_BYTES = 1024 * 1024 * 1024;
/** A side of a picture in an icon: what a byte of its directory can say. */
export const MAX_ICON_SIDE_PIXELS = 256;
/** Pictures in an icon. */
export const MAX_ICON_SIDES = 16;
/** Pixels of a result, all frames together: what bounds the time that one request may take. */
export const MAX_RESULT_PIXELS = 110_000_000;
/** A color profile that a result takes over from its original: those of RGB with tables have up to 600 KB, cameras' 3 KB. */
export const MAX_KEPT_PROFILE_BYTES = 1024 * 1024;
/** Frames of an animation: one minute at 25 frames a second. */
export const MAX_FRAMES = 1_500;

/**
 * What one job may hold in memory, alone in its isolate: photographs of 24 megapixels in every format take up to 91 MiB, and
 * files of JPEG XL of 12 whose groups begin in the middle 99.
 */
export const ISOLATE_BUDGET_BYTES = 100 * 1024 * 1024;
/**
 * What everything that is declared may hold: a job that runs alone, and all originals. The platform gives 128 MB for
 * everything: these are 109 of them. The bundle and its heap take 10, and up to 18 in a crowd.
 */
export const ISOLATE_BYTES = 104 * 1024 * 1024;
/**
 * What jobs that run beside each other and large originals may hold, small originals left out: with them and the heap of a
 * crowd, of which the engine gives nothing back while it is busy, it is 110 MB.
 */
export const SHARED_BYTES = 70 * 1024 * 1024;
/**
 * What a job leaves of that where others are there, if what it would have more saves nothing but time: room for a large
 * original to be read meanwhile, or for a small job.
 */
export const COMPANY_BYTES = 16 * 1024 * 1024;
/**
 * What idle native modules may fill, with those in use and all originals. Less than what jobs may share, for they grow
 * beside it until their stretch ends, and what is given up then is collected late. Enough for what the next job mostly
 * comes for: decoders, encoders and the score of photographs, or the encoder of an animation.
 */
export const FILLED_BYTES = 56 * 1024 * 1024;
/**
 * Of SHARED_BYTES and FILLED_BYTES an isolate takes so much in which the platform has ended work in its midst, mostly for its
 * memory: for an hour after the last such end, unless it is replaced before. Work that needs more still runs, alone.
 */
export const CAREFUL_SHARE = 0.8;
export const CAREFUL_MS = 3_600_000;
/** What one original may hold of SHARED_BYTES: one of the largest, with its options. */
export const MAX_ORIGINALS_BYTES = MAX_SOURCE_BYTES + MAX_JSON_BYTES;
/**
 * What several originals may hold of it: two of 10 MB, or six of 4. More of them would wait with their bytes for work that
 * mostly goes on one at a time, and have it wait in turn.
 */
export const SEVERAL_ORIGINALS_BYTES = 24 * 1024 * 1024;
/** What is taken of it at a time, as bytes arrive: who sends slowly holds no more than this beyond what it has sent. */
export const ORIGINAL_STEP_BYTES = 4 * 1024 * 1024;
/** Originals up to this size have a part of their own besides, so that large ones that come slowly keep nobody out. */
export const SMALL_ORIGINAL_BYTES = 4 * 1024 * 1024;
export const SMALL_ORIGINALS_BYTES = 8 * 1024 * 1024;
/** Icons, drawings and JSON have a part of that alone, so that they do not wait behind small photographs either. */
export const TINY_ORIGINAL_BYTES = 16 * 1024;
export const TINY_ORIGINALS_BYTES = 256 * 1024;
/**
 * How long work that is alone waits for memory to be collected that was given up, where there is not room for both. The
 * engine may take longer: it does not know that anybody waits.
 */
export const MAX_COLLECTION_MS = 900;
/**
 * Bytes of answers that slow readers may keep in memory, all together: dozens of usual pictures, of which most are read at
 * once. It comes out of what the heap of a crowd may have.
 */
export const MAX_LENT_BYTES = 4 * 1024 * 1024;
/**
 * How long a request waits for its turn (setting): less than the 30 seconds after which most clients give up. Where more
 * than that is declared before it, it is refused at once.
 */
export const MAX_WAIT_SECONDS = 25;
export const MAX_WAIT_MS = MAX_WAIT_SECONDS * 1_000;
/**
 * Declared time before a request after which it goes to an object of the pool, where there is one (setting): a few usual
 * pictures. The way to the object and an isolate that may have to start take less.
 */
export const MAKER_LINE_MS = 4_000;
/** Objects of the pool: as many requests a second as a thousand isolates do, each at most a few. */
export const MAX_MAKERS = 1_000;
/** How long all who hold originals may wait for each other, before the last of them is told to come back. */
export const MAX_BLOCKED_MS = 3_000;
/**
 * How often a job that needs nearly all there is may be passed by others, whose originals stand in its way, before
 * originals for which there is no room beside it wait until it has begun: a few seconds, mostly.
 */
export const MAX_PASSES = 8;
/** How often any job may be passed by smaller ones that have room beside it, before they wait behind it. */
export const MAX_PASSES_BESIDE = 32;
/**
 * How often little work may do so while work goes on beside which the passed job has no room: it waits for that in any
 * case. Files of some kilobytes for half a minute, the time of an animation as AVIF.
 */
export const MAX_PASSES_OF_LITTLE = 512;
/**
 * Work of at most so many bytes waits for memory that was given up no longer than work that is alone: icons, thumbnails of
 * them, a look at a header.
 */
export const SMALL_WORK_BYTES = 4 * 1024 * 1024;
/**
 * Work of at most so many bytes waits half a second for work that is large, unless everything together is more than an isolate
 * has: the search for a drawing of 800 by 600 pixels in PNG, whose compressor alone takes 10 MiB.
 */
export const LITTLE_WORK_BYTES = 28 * 1024 * 1024;
/** An ICC profile, unpacked; the largest in use (of presses) have 2 MB. What is larger is taken for none. */
export const MAX_UNPACKED_PROFILE_BYTES = 4 * 1024 * 1024;
/** What files whose work has not begun may hold beside their bytes, all together: two of the largest profiles. */
export const MAX_HEADERS_BYTES = 8 * 1024 * 1024;
/**
 * Declared processor time of one request, on the reference machine. An invocation may take three times that
 * (wrangler.toml): work whose estimate is half of the truth, or that runs on a slower machine, still comes to its end.
 */
export const DEFAULT_JOB_MS = 20_000;
/**
 * A search ends that takes so many times its estimate, and a moment more: its job goes on with what it found. The job itself ends
 * at so many times what one may take. Estimates lie within a factor of two of what is measured.
 */
export const OVERRUN_FACTOR = 3;
export const OVERRUN_GRACE_MS = 1_000;
export const OVERRUN_OF_BOUND = 2;
/**
 * Processor time of failed requests that an account is not charged for, in a window: then its images wait. Damaged files
 * fail early; 1,000 that are refused after 100 ms each are within it.
 */
export const DEFAULT_FAILED_MS = 120_000;
/** What a client that found the isolate full is told to wait: as long as is declared, between these bounds. */
export const BUSY_RETRY_SECONDS = 2;
export const MAX_RETRY_SECONDS = 120;

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
/** An accepted job that nobody has told of is done or given up after this: it is started for an hour, five times at most. */
export const ACCEPTED_JOB_SECONDS = 7_200;
/** What is kept of a budget of processor time for a credit of an account that has done nothing yet: a search of AVIF takes it. */
export const FIRST_CPU_MS_OF_CREDIT = 2_000;
/** What an operator may bound for an account. */
export const BUDGETS = ["credits_per_month", "cpu_seconds_per_day", "finals_per_day"] as const;
/** Percents of a budget at which its operator is told. */
export const ALERT_PERCENTS = [80, 100] as const;
/** Days whose spending a meter knows, and notices that it remembers to have made. */
export const MAX_BUDGET_DAYS = 4;
export const MAX_TOLD_ALERTS = 64;
/** Between two attempts of a meter to have its operator told. */
export const ALERT_RETRY_MS = 60_000;
/** The largest budgets. */
export const MAX_CPU_SECONDS_PER_DAY = 1_000_000_000;
export const MAX_FINALS_PER_DAY = 1_000_000_000;
/** How long the answer to a request with an `Idempotency-Key` is repeated. */
export const RECEIPT_KEPT_MS = 24 * 3_600_000;
/** After this without a sign of life a request with an `Idempotency-Key` has ended without an answer. */
export const RECEIPT_RUN_MS = 45_000;
/** Between two signs of life: two may be lost. */
export const RECEIPT_RENEWAL_MS = 14_000;
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;
/** Longer keys are kept as their hashes. */
export const MAX_KEPT_KEY_CHARACTERS = 64;
/** How long a refusal is repeated whose work had not begun: the same request comes to the same again, for nothing. */
export const REFUSAL_RECEIPT_KEPT_MS = 300_000;
/** Receipts of one account, and their bytes, of which the oldest go: a Durable Object ends at 10 GB. */
export const MAX_RECEIPTS = 100_000;
export const MAX_RECEIPT_BYTES = 256 * 1024 * 1024;

/**
 * Probes that an answer tells of its searches with `response.explain`, some 90 characters each: a photograph takes 2 to 12,
 * a small drawing up to 40 in each format.
 */
export const MAX_EXPLAINED_PROBES = 256;

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

/** Requests that an isolate takes from an account's meter at once: a call of the meter is a trip and a piece of the bill. */
export const MAX_BLOCK_REQUESTS = 20;
/**
 * How long a data center keeps what became of them to itself: the more is told at once, the fewer rows are written. What goes
 * on after an answer has 30 seconds: the rest is for calls that are repeated.
 */
export const DEFAULT_METER_BLOCK_SECONDS = 25;
export const MAX_METER_BLOCK_SECONDS = 25;
/**
 * How long an isolate keeps requests that nobody has made yet: their credits are reserved for `CREDIT_LEASE_SECONDS`, and the
 * last of them must end in time.
 */
export const BLOCK_HELD_SECONDS = 180;
/** Between two writes of a busy meter: what a crash may forget. */
export const METER_WRITE_INTERVAL_MS = 1_000;
/** Writes of a meter within that time that wait for nothing: a second awake costs as much as one and a half rows. */
export const METER_WRITES = 2;
/** Between two copies of a meter's usage to the database: how old the list of all accounts may be. */
export const USAGE_WRITE_INTERVAL_MS = 600_000;
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
export const MAX_CREDITS = 1_000_000_000_000;
/** Credits of an account to which the operator has named no number: more than any meter counts. */
export const UNLIMITED_CREDITS = MAX_CREDITS + 1;
/** What an agent may have processed on one day, unless its key says another number: a loop that goes wrong costs no more. */
export const DEFAULT_AGENT_DAILY_LIMIT = 200;
/** More is no limit. */
export const MAX_AGENT_DAILY_LIMIT = 1_000_000;
/** Keys of one account. */
export const MAX_KEYS = 100;

/** Entries of a list in one answer. */
export const DEFAULT_PAGE_ENTRIES = 50;
export const MAX_PAGE_ENTRIES = 100;

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
