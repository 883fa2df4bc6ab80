/** The bounds of notifications: of their records, and of jobs whose answer is one. */
import { FETCH_TIMEOUT_MS } from "../limits.ts";

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
/** What each further result of a job counts for: what its payload says of it, its addresses twice more for a page. */
export const WEBHOOK_OUTPUT_BYTES = 1_024;
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
/** Declared processor time before an isolate from which on jobs go to the queue at once: others wait here for an answer. */
export const MAX_DIRECT_QUEUE_MS = 3_000;
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
/**
 * First attempts of one account's notifications that are made at the same time where its jobs were done; further ones have
 * couriers.
 */
export const MAX_ATTEMPTS_OF_ACCOUNT = 2;
/** So long before a job would be handed on nobody begins to wait for an endpoint any more: the answer has to be written. */
export const ATTEMPT_RESERVE_MS = 3_000;
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
