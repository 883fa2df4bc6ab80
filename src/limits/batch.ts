/** The bounds of batches: whole buckets that are worked on object by object. */
import { FETCH_TIMEOUT_MS } from "../limits.ts";

/** Objects of an account that are worked on at once, whatever the number of its batches: others' work goes on beside them. */
export const BATCH_CONCURRENCY = 8;
/** Batches of an account that are not over. */
export const MAX_OPEN_BATCHES = 20;
/**
 * Batches of an account that can be asked for, BATCH_KEPT_DAYS after their end included: 83 a day. With the longest names and
 * patterns they take 160 MB of its database.
 */
export const MAX_KEPT_BATCHES = 5_000;
/** Objects that a batch has listed and not done yet: what it holds, however many the bucket has. */
export const MAX_WAITING_OBJECTS = 1_000;
/** As few as this, and the next part of the list is read. */
export const FEW_WAITING_OBJECTS = 100;
/** Batches that are told of new objects of one bucket. */
export const MAX_LISTENERS = 50;
/** Objects that a batch has heard of by notifications and not done yet; more stay in the queue, and come again. */
export const MAX_HEARD_OBJECTS = 50_000;
/** How long a batch is believed to be one that its store lists names to: with the trust in keys, a minute. */
export const HEARING_TRUST_MS = 30_000;
/** Objects that a dry run works on, without writing, for its estimate. */
export const SAMPLED_OBJECTS = 12;
/** Parts of a list that one look reads: what is left is read by the next, which is called at once. */
export const LISTS_OF_LOOK = 10;
/** Failures that are kept to be read, the first ones; all are counted. Two megabytes at most. */
export const MAX_KEPT_FAILURES = 2_000;
/** Of these in the answer about a batch. */
export const SHOWN_FAILURES = 10;
/** How long a batch can be asked for after its end. */
export const BATCH_KEPT_DAYS = 60;
/** Between two looks of a batch that is at work: whether somebody died, and what the list of batches says of it. */
export const BATCH_LOOK_MS = 10_000;
/**
 * Who works on an object is taken for dead after this time: reading it, waiting for memory, an invocation's processor time (60
 * seconds, wrangler.toml), and two talks with the store.
 */
export const OBJECT_LEASE_MS = FETCH_TIMEOUT_MS + 180_000;
/** A message that nobody has taken after this time is sent again. */
export const OBJECT_TOLD_MS = 300_000;
/** Starts of an object that ended without a word, or with a fault of ours: more, and it has failed. */
export const MAX_OBJECT_STARTS = 4;
/**
 * Times that a store which gives others may ask for time, or not answer, when it is asked for one object: more, and the object
 * has failed. Four minutes lie between the first and the last, for each pause is longer than the one before, and other objects
 * are handed out before it.
 */
export const MAX_OBJECT_REFUSALS = 8;
/** Objects for which a store has asked for time that a batch knows. */
export const MAX_REFUSED_OBJECTS = 64;
/** Versions of an object that were replaced while it was worked on: more, and it has failed. */
export const MAX_OBJECT_CHANGES = 5;
/** First and longest wait for a store that asks for time; each is twice the one before. */
export const STORE_PAUSE_MS = 1_000;
export const MAX_STORE_PAUSE_MS = 300_000;
/** The longest wait for which a store is asked to be left alone: no store that is well asks for hours. */
export const MAX_ASKED_PAUSE_MS = 3_600_000;
/** Parts of a list: half a billion objects. A list that is longer may be one without an end. */
export const MAX_LIST_PARTS = 1_000_000;
/** Pauses in a row after which a batch waits for its owner: hours of them. */
export const MAX_STORE_PAUSES = 30;
/** Answers without trouble after which one more object is worked on at once. */
export const CALM_ANSWERS = 16;
/** Patterns of `include` and of `exclude`, and their length. */
export const MAX_PATTERNS = 32;
export const MAX_PATTERN_CHARACTERS = 256;
/** Characters of all patterns of `include`, and of `exclude`: each looks at every name, a thousand of them in one stretch. */
export const MAX_CHARACTERS_OF_PATTERNS = 2_048;
/** Percent that a result must be smaller to take the original's place, unless the request says otherwise. */
export const DEFAULT_SMALLER_PERCENT = 5;
/** Bits by which the hashes of two pictures may differ that are called duplicates: one of four bands is the same then. */
export const DUPLICATE_BITS = 3;
/** Hashes of objects that a batch keeps for its report of duplicates: 250 MB of its database, which may have 10 GB. */
export const MAX_KEPT_LOOKS = 1_000_000;
/** Hashes that a new one is compared with: pictures of one background share a band by the thousand. */
export const MAX_COMPARED_LOOKS = 400;
/** Names of duplicates of one object that the report has; all are counted. */
export const SHOWN_DUPLICATES = 20;
/** How long a notification waits for the end of its batch, which may be paused for as long as its owner likes: ten years. */
export const BATCH_NOTICE_MS = 10 * 365 * 86_400_000;
/** The share of a key's window of requests that batches leave to others. */
export const LEFT_OF_WINDOW = 0.5;
/** How long a batch waits at most for a budget that is spent: it may be raised meanwhile. */
export const BUDGET_LOOK_SECONDS = 600;
