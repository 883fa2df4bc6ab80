/**
 * Makes the files of results. Several: the shared picture, those of the groups, and their results from the smallest to
 * the largest. One: the file of the original, or its pixels where several formats are searched through.
 */
import type { Estimate } from "../../../../wasm/estimate.ts";
import { isolateBudget } from "../../../scheduler/budget.ts";
import type { JobLimits } from "../../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { FormatDefinition } from "../../codec/format.ts";
import { estimateOfOptions, optimized } from "../../search/attempts.ts";
import type { Start } from "../../search/rendition.ts";
import type { EncodeOptions } from "../../search/task.ts";
import type { Trace } from "../../search/trace.ts";
import { analyze } from "../analyze.ts";
import { type HeldPixels, keep } from "../buffered-picture.ts";
import { type Unpacked, unpackedFor } from "../embedded-file.ts";
import { HeldSource } from "../held-source.ts";
import type { Made, ResultFile, ResultOrder } from "../order.ts";
import { type Origin, originFor } from "../origin.ts";
import { bestOf } from "../output-formats.ts";
import { withStatement } from "../provenance.ts";
import { besideHeld, withResultGainMap } from "../result-gain-map.ts";
import { withMetadata } from "../result-metadata.ts";
import { originOf, pixelsIn, searchKey, unpackingEstimate } from "./group.ts";
import type { Given, Group, Job, Placed, SetWork } from "./parts.ts";

/** What making results needs besides what is to be made. */
export interface Making<Entry> {
  readonly jobLimits: JobLimits;
  readonly trace: Trace | undefined;
  /** Told of every result, as soon as it is there. */
  readonly made: (entry: Entry, result: Made) => void;
  /** An error of one result, as the caller is to see it. */
  readonly refusalOf: (entry: Entry, error: unknown) => unknown;
}

/** What the other results of a request have to do with one. */
interface Beside {
  /** The file that was packed in what it is made from; null where it is not to be made from that. */
  readonly unpacked: (options: EncodeOptions) => Promise<Unpacked | null>;
  /** Pixels of all results in a format. */
  readonly allPixels?: (format: FormatDefinition) => number | undefined;
  /** Where the search is to start, and who is told where it ended. */
  readonly startOf?: (format: FormatDefinition) => Start | undefined;
  readonly ended?: (format: FormatDefinition, start: Start) => void;
}

/** What a result is made from. */
interface OwnOrigin extends Origin, Beside {
  /** No other result is made from this. */
  readonly isLast: boolean;
}

/** Makes the only result there is. @param source of the original */
export async function makeAlone<Entry extends ResultOrder>(
  groups: readonly Group<Entry>[],
  source: HeldSource,
  making: Making<Entry>,
): Promise<void> {
  const [group] = groups;
  const [job] = group?.jobs ?? [];
  if (!group || !job) throw new Error("a request has no result");
  const { jobLimits } = making;
  const { gainMap } = job;
  const file = { stored: group.stored, plan: group.planned.plan, source };
  const origin = await originFor(file, job, jobLimits);
  const stored = besideHeld(origin.stored, gainMap);
  const unpacked = (options: EncodeOptions) => unpackedFor(options.format, options.stored, jobLimits);
  await makeFrom({ ...origin, stored }, [job], () => ({ unpacked }), making);
}

/** Makes results one after the other from the same origin, which is closed. */
async function makeFrom<Entry extends ResultOrder>(
  origin: Origin,
  jobs: readonly Job<Entry>[],
  besideOf: (job: Job<Entry>) => Beside,
  making: Making<Entry>,
): Promise<void> {
  try {
    for (const job of jobs) await make(job, { ...origin, ...besideOf(job), isLast: job === jobs.at(-1) }, making);
  } finally {
    origin.source.close();
  }
}

/** Makes several results, in the time slice of their work. @param source of the original */
export async function makeTogether<Entry extends ResultOrder>(
  given: Given<Entry>,
  work: SetWork<Entry>,
  source: HeldSource,
  making: Making<Entry>,
  timeSlice: TimeSlice,
): Promise<void> {
  const { shared, placed, keepsFile, estimate } = work;
  const { jobLimits } = making;
  // Where searches ended, by what they have in common: qualities of sizes wander more than they drift.
  const starts = new Map<string | undefined, Start>();
  const sharedPixels = shared && (await keep(given.stored, shared.plan, timeSlice));
  if (!keepsFile) source.close();
  try {
    for (const one of placed) {
      const origin = await originPlaced(given, work, one, { source, sharedPixels, timeSlice });
      const besideOf = (job: Job<Entry>): Beside => {
        const keyOf = (format: FormatDefinition) => searchKey(one.group, job, format);
        return {
          unpacked: (options) => unpackedWithin(estimate, options, jobLimits),
          allPixels: (format) => pixelsIn(given.groups, format),
          startOf: (format) => starts.get(keyOf(format)),
          ended: (format, end) => void (keyOf(format) && starts.set(keyOf(format), end)),
        };
      };
      await makeFrom(origin, one.group.jobs, besideOf, making);
    }
  } finally {
    sharedPixels?.bytes.release();
  }
}

/** What the results of a group are made from. */
async function originPlaced<Entry>(
  given: Given<Entry>,
  work: SetWork<Entry>,
  placed: Placed<Entry>,
  from: { readonly source: HeldSource; readonly sharedPixels: HeldPixels | null; readonly timeSlice: TimeSlice },
): Promise<Origin> {
  const { kept: planned, ...unkept } = placed;
  const { source, sharedPixels: shared, timeSlice } = from;
  const kept = planned && (await keep(originOf(given, work, unkept, { shared }).stored, planned.plan, timeSlice));
  const bytes = kept?.bytes ?? (shared && placed.onShared ? shared.bytes : source).retain();
  return { ...originOf(given, work, placed, { shared, kept }), source: new HeldSource(bytes) };
}

/**
 * The file that was packed in what a result is made from, where nothing changes, and what is done with it takes no more
 * memory than the results together were given; else null.
 */
async function unpackedWithin(
  { bytes }: Estimate,
  options: EncodeOptions,
  jobLimits: JobLimits,
): Promise<Unpacked | null> {
  const unpacked =
    unpackingEstimate(options.format, options) && (await unpackedFor(options.format, options.stored, jobLimits));
  if (!unpacked) return null;
  const { stored, source } = unpacked;
  const estimate = estimateOfOptions({ ...options, stored });
  if (estimate && estimate.bytes + source.bytes.length + (stored.bufferedBytes ?? 0) <= bytes) return unpacked;
  source.release();
  return null;
}

/** Makes a result, and says what it is. */
async function make<Entry extends ResultOrder>(
  job: Job<Entry>,
  origin: OwnOrigin,
  { jobLimits, trace, made, refusalOf }: Making<Entry>,
): Promise<void> {
  const { entry } = job;
  try {
    trace?.({ kind: "result", name: entry.name });
    const output = await fileOf(job, origin, jobLimits, trace);
    const { bytes } = output.file;
    // What nothing more is made from does not lie beside the analysis.
    if (origin.isLast) origin.source.close();
    // What waits for its own memory is held meanwhile; what is a part of admitted work is in the estimate of that.
    const memory = entry.analyze && !jobLimits.within ? isolateBudget.keep(bytes.length) : undefined;
    const analyzing = entry.analyze && analyze(bytes, entry.analyze, jobLimits);
    const analysis = await analyzing?.finally(() => memory?.release());
    made(entry, { output, analysis });
  } catch (error) {
    throw refusalOf(entry, error);
  }
}

/** The file of a result: the best that its formats make of it, with all that it has besides its picture. */
async function fileOf<Entry>(
  { formats, objective, encoding, keepsMetadata, kept, gainMap, signing, actions = [] }: Job<Entry>,
  { stored, plan, source, isLast: isLastResult, unpacked: unpack, allPixels, startOf, ended }: OwnOrigin,
  jobLimits: JobLimits,
  trace: Trace | undefined,
): Promise<ResultFile> {
  const made = await bestOf(formats, objective, async (format, upperBoundBytes, upperBoundSampleBytes) => {
    const isLast = format === formats.at(-1);
    const options: EncodeOptions = {
      stored,
      plan,
      format,
      objective,
      encoding,
      keepsMetadata,
      upperBoundBytes,
      upperBoundSampleBytes,
      isLast,
      allPixels: allPixels?.(format),
      start: startOf?.(format),
      trace,
    };
    const unpacked = await unpack(options);
    const read = () => (isLast && isLastResult ? source.takeOver() : source.retain());
    const own = unpacked ? { ...options, stored: unpacked.stored } : options;
    const rendition = await optimized(own, unpacked?.source ?? read(), jobLimits);
    if (rendition?.ended) ended?.(format, rendition.ended);
    return rendition;
  });
  const best = await withStatement(withResultGainMap(withMetadata(made, kept), gainMap), signing, actions);
  return { ...best, facts: best.format.read.factsOf(best.file.bytes) };
}
