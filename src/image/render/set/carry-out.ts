/**
 * Does the work of a set: the shared picture, those of the groups, and their results from the smallest to the largest.
 */
import type { Estimate } from "../../../../wasm/estimate.ts";
import type { Allowance } from "../../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { pictureOf } from "../../plan/planned-picture.ts";
import { optimized, estimateOfOptions } from "../../search/attempts.ts";
import type { EncodeOptions } from "../../search/task.ts";
import { type HeldPixels, keep, bufferedPicture } from "../buffered-picture.ts";
import { type Unpacked, unpackedFor } from "../embedded-file.ts";
import type { Origin } from "../origin.ts";
import { bestOf, inTryingOrder } from "../output-formats.ts";
import { withStatement } from "../provenance.ts";
import type { Rendered } from "../render.ts";
import { withResultGainMap } from "../result-gain-map.ts";
import { withMetadata } from "../result-metadata.ts";
import { originOf, pixelsIn, searchKey, unpackingEstimate } from "./group.ts";
import type { Given, Job, Placed, SetWork } from "./parts.ts";
import { Starts } from "./starts.ts";

/** Told of every result, as soon as it is there. */
type Made<Entry> = (job: Job<Entry>, output: Rendered["output"]) => Promise<void>;

/**
 * The file that was packed in what a result is made from, where nothing changes, and what is done with it takes no more
 * memory than the set was given; else null.
 */
async function unpackedWithin(
  { bytes }: Estimate,
  options: EncodeOptions,
  allowance: Allowance,
): Promise<Unpacked | null> {
  const unpacked =
    unpackingEstimate(options.format, options) && (await unpackedFor(options.format, options.stored, allowance));
  if (!unpacked) return null;
  const { stored, source } = unpacked;
  const estimate = estimateOfOptions({ ...options, stored });
  if (estimate && estimate.bytes + source.bytes.length + (stored.bufferedBytes ?? 0) <= bytes) return unpacked;
  source.release();
  return null;
}

export class Carrier {
  private readonly source: SharedBytes;
  private holdsSource = true;

  /** @param source the bytes of the original, which the carrier lets go of when they will not be read again */
  constructor(source: SharedBytes) {
    this.source = source;
  }

  async carryOut<Entry>(
    given: Given<Entry>,
    work: SetWork<Entry>,
    allowance: Allowance,
    timeSlice: TimeSlice,
    made: Made<Entry>,
    refusalOf: (entry: Entry, error: unknown) => unknown,
  ): Promise<void> {
    const { shared, placed, keepsFile } = work;
    const starts = new Starts();
    const sharedPixels = shared && (await keep(given.stored, shared.plan, timeSlice));
    if (!keepsFile) this.close();
    try {
      for (const one of placed) {
        const origin = await this.originOf(given, work, one, sharedPixels, timeSlice);
        try {
          for (const job of one.group.jobs) {
            try {
              await made(job, await this.result(given, work, one, job, origin, starts, allowance));
            } catch (error) {
              throw refusalOf(job.entry, error);
            }
          }
        } finally {
          origin.source.release();
        }
      }
    } finally {
      sharedPixels?.bytes.release();
    }
  }

  /** Lets go of the original. May be called twice. */
  close(): void {
    if (!this.holdsSource) return;
    this.holdsSource = false;
    this.source.release();
  }

  private async originOf<Entry>(
    given: Given<Entry>,
    work: SetWork<Entry>,
    placed: Placed<Entry>,
    shared: HeldPixels | null,
    timeSlice: TimeSlice,
  ): Promise<Origin> {
    const { stored, plan } = originOf(given, work, placed);
    const { group, onShared, kept } = placed;
    const { heldBytes, bufferedBytes } = stored;
    const origin =
      shared && onShared
        ? { stored: bufferedPicture(shared.size, given.stored, stored, shared.pixels), bytes: shared.bytes }
        : { stored: { ...group.stored, heldBytes, bufferedBytes }, bytes: this.source };
    if (!kept) return { stored: origin.stored, plan, source: origin.bytes.retain() };
    const own = await keep(origin.stored, kept.plan, timeSlice);
    return { stored: bufferedPicture(own.size, group.stored, stored, own.pixels), plan, source: own.bytes };
  }

  private async result<Entry>(
    { groups }: Given<Entry>,
    { estimate }: SetWork<Entry>,
    { group }: Placed<Entry>,
    job: Job<Entry>,
    { stored, plan, source }: Origin,
    starts: Starts,
    allowance: Allowance,
  ): Promise<Rendered["output"]> {
    const { formats, aim, encoding, keepsMetadata, kept, gainMap, signing, actions = [] } = job;
    const tried = inTryingOrder(formats, aim, pictureOf(stored, plan));
    const made = await bestOf(tried, aim, async (format, upperBoundBytes, upperBoundSampleBytes) => {
      const isLast = format === tried.at(-1);
      const allPixels = pixelsIn(groups, format);
      const upperBound = { upperBoundBytes, upperBoundSampleBytes };
      const options = { stored, plan, format, aim, encoding, keepsMetadata, ...upperBound, isLast, allPixels };
      const key = searchKey(group, job, format);
      const start = key === undefined ? undefined : starts.of(key, plan.size);
      const unpacked = await unpackedWithin(estimate, options, allowance);
      const own = unpacked ? { ...options, stored: unpacked.stored } : options;
      const rendition = await optimized({ ...own, start }, unpacked?.source ?? source.retain(), allowance);
      if (key !== undefined && rendition?.ended) starts.note(key, plan.size, rendition.ended);
      return rendition;
    });
    const best = await withStatement(withResultGainMap(withMetadata(made, kept), gainMap), signing, actions);
    return { ...best, facts: best.format.read.factsOf(best.file.bytes) };
  }
}
