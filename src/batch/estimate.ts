/** What a batch would take: of all that a dry run has listed, by some objects that it has worked on without writing. */
import { SAMPLED_OBJECTS } from "../limits/batch.ts";
import { PRICES } from "../limits/prices.ts";
import { type BatchRules, type Counts, IN_PLACE, type ObjectOutcome, type Sample } from "./rules.ts";

/** A listed object. */
interface Listed {
  readonly key: string;
  readonly bytes: number;
}

export const NO_SAMPLE: Sample = { objects: 0, failed: 0, bytes: 0, bytesAfter: 0, ms: 0 };

/**
 * What an object takes beside processor time: its message, written, read and deleted; its invocation; the calls that say that it
 * is begun and over, and take its credit and spend it; the rows of the batch and the meter; and its store's answers, at R2's
 * prices: the original, and the result.
 */
const EACH = { requests: 1, operations: 3, calls: 4, objectRows: 7, reads: 1, writes: 1 } as const;

/** Elsewhere a look shows whether the result is there; in place, what an original has besides its bytes is read in two answers. */
export function workOfObject({ target }: Pick<BatchRules, "target">): Readonly<Record<keyof typeof EACH, number>> {
  return { ...EACH, reads: EACH.reads + (target === IN_PLACE ? 2 : 1) };
}

/**
 * Some objects of a list, each with the same chance, however long the list turns out to be: Vitter, "Random Sampling with a
 * Reservoir" (1985), algorithm R.
 * @param before objects of the list that came earlier
 */
export function picked(
  known: readonly Listed[],
  part: readonly Listed[],
  { before, random }: { readonly before: number; readonly random: () => number },
): Listed[] {
  const picks = [...known];
  for (const [at, { key, bytes }] of part.entries()) {
    const place = picks.length < SAMPLED_OBJECTS ? picks.length : Math.floor(random() * (before + at + 1));
    if (place < SAMPLED_OBJECTS) picks[place] = { key, bytes };
  }
  return picks;
}

/** The sample with one more object; the same, where that is to be tried again. */
export function withOutcome(sample: Sample, bytes: number, outcome: ObjectOutcome): Sample {
  const objects = sample.objects + 1;
  if (outcome.kind === "failed" || outcome.kind === "halt") return { ...sample, objects, failed: sample.failed + 1 };
  if (outcome.kind !== "done" && outcome.kind !== "skipped") return sample;
  const after = outcome.kind === "done" ? outcome.after : bytes;
  const ms = sample.ms + (outcome.ms ?? 0);
  return { ...sample, objects, bytes: sample.bytes + bytes, bytesAfter: sample.bytesAfter + after, ms };
}

/** The estimate as answers have it. All figures grow with the bytes of the list, but for what each object takes alike. */
export function estimateOf(
  rules: Pick<BatchRules, "target">,
  { found, foundBytes, others }: Counts,
  sample: Sample,
  listParts: number,
) {
  const share = sample.bytes > 0 ? foundBytes / sample.bytes : 0;
  const ms = sample.ms * share;
  const work = workOfObject(rules);
  const each = Object.entries(work).reduce((sum, [piece, many]) => sum + many * PRICES[piece as keyof typeof work], 0);
  const dollars = (found * each + ms * PRICES.cpuMs + listParts * PRICES.writes) / 1e6;
  return {
    objects: found,
    bytes: foundBytes,
    credits: found,
    dollars: Math.ceil(dollars * 1e6) / 1e6,
    bytes_saved: Math.round((sample.bytes - sample.bytesAfter) * share),
    rests_on: {
      listed: found + others,
      sampled: sample.objects,
      sampled_bytes: sample.bytes,
      sampled_failed: sample.failed,
      sampled_ms: Math.round(sample.ms),
      requests: work.requests,
      queue_operations: work.operations,
      calls: work.calls,
      rows: work.objectRows,
      reads: work.reads,
      writes: work.writes,
    },
  };
}
