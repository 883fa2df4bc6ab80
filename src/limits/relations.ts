/** Relations of bounds that others rely on, asserted when the Worker is loaded: a bound is changed without its neighbors once. */
import {
  COMPANY_BYTES,
  FILLED_BYTES,
  ISOLATE_BUDGET_BYTES,
  ISOLATE_BYTES,
  MAX_HEADERS_BYTES,
  MAX_ORIGINALS_BYTES,
  MAX_SOURCE_BYTES,
  MAX_UNPACKED_PROFILE_BYTES,
  MAX_WAIT_MS,
  ORIGINAL_STEP_BYTES,
  RECEIPT_RENEWAL_MS,
  RECEIPT_RUN_MS,
  REUSE_CLAIM_MS,
  REUSE_WAIT_MS,
  SEVERAL_ORIGINALS_BYTES,
  SHARED_BYTES,
  SMALL_ORIGINAL_BYTES,
  SMALL_ORIGINALS_BYTES,
  TINY_ORIGINAL_BYTES,
  TINY_ORIGINALS_BYTES,
} from "../limits.ts";

/** What the platform gives an isolate for everything in it. */
const PLATFORM_BYTES = 128e6;
/** Milliseconds after which most clients give up. */
const CLIENT_MS = 30_000;

/** Each as a sentence, and whether it is so. */
export const RELATIONS: Readonly<Record<string, boolean>> = {
  "A job alone fits in the isolate": ISOLATE_BUDGET_BYTES < ISOLATE_BYTES,
  "The isolate fits in what the platform gives": ISOLATE_BYTES < PLATFORM_BYTES,
  "Jobs beside each other hold less than one may alone": SHARED_BYTES < ISOLATE_BUDGET_BYTES,
  "Shared memory and small originals fit in the isolate":
    SHARED_BYTES + SMALL_ORIGINALS_BYTES + TINY_ORIGINALS_BYTES <= ISOLATE_BYTES,
  "Originals leave a job what it leaves others": MAX_ORIGINALS_BYTES + COMPANY_BYTES < SHARED_BYTES,
  "Idle modules fill less than jobs may share": FILLED_BYTES < SHARED_BYTES,
  "The largest original can be read": MAX_SOURCE_BYTES <= MAX_ORIGINALS_BYTES,
  "Several originals hold no more than one may": SEVERAL_ORIGINALS_BYTES <= MAX_ORIGINALS_BYTES,
  "A step is no larger than a small original": ORIGINAL_STEP_BYTES <= SMALL_ORIGINAL_BYTES,
  "Several small originals have room": 2 * SMALL_ORIGINAL_BYTES <= SMALL_ORIGINALS_BYTES,
  "Several tiny originals have room": 2 * TINY_ORIGINAL_BYTES <= TINY_ORIGINALS_BYTES,
  "The headers of one file have room": MAX_UNPACKED_PROFILE_BYTES <= MAX_HEADERS_BYTES,
  "A request waits less than clients do": MAX_WAIT_MS < CLIENT_MS,
  "Two signs of life of a receipt may be lost": 3 * RECEIPT_RENEWAL_MS < RECEIPT_RUN_MS,
  "Whoever waits for equal work waits less than its claim lasts": REUSE_WAIT_MS < REUSE_CLAIM_MS,
};

/** @throws RangeError that names each relation which does not hold */
export function assertRelations(relations: Readonly<Record<string, boolean>>): void {
  const broken = Object.entries(relations).flatMap(([sentence, holds]) => (holds ? [] : [sentence]));
  if (broken.length > 0) throw new RangeError(`Limits contradict each other. Not so: ${broken.join("; ")}`);
}

assertRelations(RELATIONS);
