/** Relations of bounds that others rely on, asserted when the Worker is loaded: a bound is changed without its neighbors once. */
import { FETCH_TIMEOUT_MS, MAX_SOURCE_BYTES } from "../limits.ts";
import { KEY_CACHE_SECONDS, RECEIPT_RENEWAL_MS, RECEIPT_RUN_MS, UNKNOWN_KEY_CACHE_SECONDS } from "./accounts.ts";
import {
  BATCH_CONCURRENCY,
  BATCH_LOOK_MS,
  FEW_WAITING_OBJECTS,
  MAX_ASKED_PAUSE_MS,
  MAX_KEPT_FAILURES,
  MAX_STORE_PAUSE_MS,
  MAX_WAITING_OBJECTS,
  OBJECT_LEASE_MS,
  OBJECT_TOLD_MS,
  SHOWN_FAILURES,
  STORE_PAUSE_MS,
} from "./batch.ts";
import {
  DEFAULT_DELIVERY_TTL_SECONDS,
  DEFAULT_FINALS_PER_HOUR,
  FINAL_LOOK_MS,
  FINAL_WAIT_MS,
  MAX_DELIVERY_TTL_SECONDS,
  MAX_DELIVERY_WAIT_MS,
  MAX_FINALS_PER_HOUR,
  MIN_DELIVERY_TTL_SECONDS,
} from "./delivery.ts";
import {
  CAREFUL_SHARE,
  COMPANY_BYTES,
  FILLED_BYTES,
  ISOLATE_BUDGET_BYTES,
  ISOLATE_BYTES,
  MAX_HEADERS_BYTES,
  MAX_ORIGINALS_BYTES,
  MAX_UNPACKED_PROFILE_BYTES,
  MAX_WAIT_MS,
  ORIGINAL_STEP_BYTES,
  SEVERAL_ORIGINALS_BYTES,
  SHARED_BYTES,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
  TINY_ORIGINAL_BYTES,
  TINY_ORIGINALS_BYTES,
} from "./isolate.ts";
import { DEFAULT_ALIKE_BITS, MAX_ALIKE_BITS, REUSE_CLAIM_MS, REUSE_WAIT_MS } from "./reuse.ts";

/** What the platform gives an isolate for everything in it. */
const PLATFORM_BYTES = 128e6;
/** Milliseconds after which most clients give up. */
const CLIENT_MS = 30_000;

/** Milliseconds of the processor that an invocation may take (wrangler.toml). */
const INVOCATION_MS = 60_000;

/** Each as a sentence, and whether it is so. */
export const RELATIONS: Readonly<Record<string, boolean>> = {
  "A job alone fits in the isolate": ISOLATE_BUDGET_BYTES < ISOLATE_BYTES,
  "The isolate fits in what the platform gives": ISOLATE_BYTES < PLATFORM_BYTES,
  "Jobs beside each other hold less than one may alone": SHARED_BYTES < ISOLATE_BUDGET_BYTES,
  "Shared memory and small originals fit in the isolate":
    SHARED_BYTES + SMALL_ORIGINALS_BYTES + TINY_ORIGINALS_BYTES <= ISOLATE_BYTES,
  "Originals leave a job what it leaves others, after an end too":
    MAX_ORIGINALS_BYTES + COMPANY_BYTES < SHARED_BYTES * CAREFUL_SHARE,
  "Idle modules fill less than jobs may share": FILLED_BYTES < SHARED_BYTES,
  "The largest original can be read": MAX_SOURCE_BYTES <= MAX_ORIGINALS_BYTES,
  "Several originals hold no more than one may": SEVERAL_ORIGINALS_BYTES <= MAX_ORIGINALS_BYTES,
  "A step is no larger than a small original": ORIGINAL_STEP_BYTES <= SMALL_ORIGINAL_BYTES,
  "Several small originals have room": 2 * SMALL_ORIGINAL_BYTES <= SMALL_ORIGINALS_BYTES,
  "Several tiny originals have room": 2 * TINY_ORIGINAL_BYTES <= TINY_ORIGINALS_BYTES,
  "The headers of one file have room": MAX_UNPACKED_PROFILE_BYTES <= MAX_HEADERS_BYTES,
  "A request waits less than clients do": MAX_WAIT_MS < CLIENT_MS,
  "Two signs of life of a receipt may be lost": 3 * RECEIPT_RENEWAL_MS < RECEIPT_RUN_MS,
  "A key that is made is known before one that is revoked is forgotten": UNKNOWN_KEY_CACHE_SECONDS <= KEY_CACHE_SECONDS,
  "What is found alike unless told otherwise may be asked for": DEFAULT_ALIKE_BITS <= MAX_ALIKE_BITS,
  "A batch reads on before nothing waits": BATCH_CONCURRENCY < FEW_WAITING_OBJECTS,
  "A part of a list leaves a batch less than it may hold": FEW_WAITING_OBJECTS < MAX_WAITING_OBJECTS,
  "A batch looks often enough to find the dead": BATCH_LOOK_MS < Math.min(OBJECT_TOLD_MS, OBJECT_LEASE_MS),
  "An object outlives whoever works on it": FETCH_TIMEOUT_MS + INVOCATION_MS < OBJECT_LEASE_MS,
  "A store that asks for time gets more of it each time":
    STORE_PAUSE_MS < MAX_STORE_PAUSE_MS && MAX_STORE_PAUSE_MS <= MAX_ASKED_PAUSE_MS,
  "Failures that are shown are kept": SHOWN_FAILURES <= MAX_KEPT_FAILURES,
  "A delivery that says no time to live has one that may be said":
    MIN_DELIVERY_TTL_SECONDS <= DEFAULT_DELIVERY_TTL_SECONDS &&
    DEFAULT_DELIVERY_TTL_SECONDS <= MAX_DELIVERY_TTL_SECONDS,
  "A deployment that says no number of finals makes no more than it may":
    DEFAULT_FINALS_PER_HOUR <= MAX_FINALS_PER_HOUR,
  "A final is looked for several times": 3 * FINAL_LOOK_MS < FINAL_WAIT_MS,
  "A visitor waits less than other clients": MAX_DELIVERY_WAIT_MS < MAX_WAIT_MS && FINAL_WAIT_MS < CLIENT_MS,
  "Whoever waits for equal work waits less than its claim lasts": REUSE_WAIT_MS < REUSE_CLAIM_MS,
};

/** @throws RangeError that names each relation which does not hold */
export function assertRelations(relations: Readonly<Record<string, boolean>>): void {
  const broken = Object.entries(relations).flatMap(([sentence, holds]) => (holds ? [] : [sentence]));
  if (broken.length > 0) throw new RangeError(`Limits contradict each other. Not so: ${broken.join("; ")}`);
}

assertRelations(RELATIONS);
