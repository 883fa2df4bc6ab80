/**
 * Results of one original, from file to files: identify, plan, decode, work, encode. Several share the operations of the
 * request and what else they have in common, and are admitted as a whole; of one alone each attempt waits for its own
 * memory. Several are made of the shared picture and those of the groups, from the smallest to the largest; one of the file of the
 * original, or of its pixels where several formats are searched through.
 */
import type { Estimate } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { JobLimits } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { withoutMemory } from "../codec/guard.ts";
import { readHeaders } from "../plan/detect.ts";
import { withInputOptions } from "../plan/planned-picture.ts";
import { estimateOfOptions, optimized } from "../search/attempts.ts";
import type { Start } from "../search/rendition.ts";
import type { EncodeOptions } from "../search/task.ts";
import type { Trace } from "../search/trace.ts";
import { analyze, analyzePicture } from "./analyze.ts";
import type { Made, Order, Original, Rendered, ResultFile, ResultOrder, SingleOrder } from "./order.ts";
import { type HeldPixels, HeldSource, type Origin, type Unpacked, keep, originFor, unpackedFor } from "./origin.ts";
import { bestOf } from "./output-formats.ts";
import { besideHeld, withResultGainMap } from "./result-gain-map.ts";
import { provenanceOf, withMetadata, withStatement } from "./result-metadata.ts";
import type { Group, Job, Placed, SetWork } from "./results/parts.ts";
import { commonOf, groupsOf, planBase } from "./results/plan.ts";
import { affordableWork, originOf, pixelsIn, searchKey, unpackingEstimate } from "./results/work.ts";

/**
 * Carries out an order.
 * @param source the bytes of the original, which are released when they will not be read again
 * @param made called with each result as soon as it is there, the thread in hand: it must not wait
 * @throws ApiError 415, 422 or 503; what the limits of its job end it with
 */
export async function render<Entry extends ResultOrder>(
  source: SharedBytes,
  order: Order<Entry>,
  made: (entry: Entry, result: Made) => void,
): Promise<Rendered> {
  const { jobLimits = new JobLimits(), stopwatch, refusalOf, trace } = order;
  const held = new HeldSource(source);
  try {
    const found = withInputOptions(await readHeaders(source, jobLimits), order.input);
    const stored = { ...found, stopwatch };
    const { width, height, frames } = found.facts;
    jobLimits.caller.describe({ from: found.format.label, width, height, frames });
    const provenance = await provenanceOf(found, order.provenance);
    const base = await planBase(stored, order);
    const entries = order.entries({ ...base.size, opaque: base.opaque });
    jobLimits.caller.describe({ to: entries.map(({ output }) => output?.format ?? "original") });
    const groups = await groupsOf(stored, base, entries, order, provenance);
    const work = entries.length > 1 ? affordableWork(commonOf(stored, base, groups), jobLimits) : undefined;
    const shown = { stored, steps: base.steps, size: base.size };
    const analysis = order.analyze && (await analyzePicture(shown, order.analyze, jobLimits));
    const planned = [base, ...groups.map((group) => group.planned)];
    const faces = planned.find((one) => one.faces)?.faces;
    const focus = planned.find((one) => one.focus)?.focus;
    const making: Making<Entry> = { jobLimits, trace, made, refusalOf };
    if (work) {
      const together = (timeSlice: TimeSlice) =>
        makeTogether(work, held, { ...making, jobLimits: jobLimits.partOf(timeSlice) }, timeSlice);
      await isolateBudget.run(work.estimate, together, jobLimits);
    } else await makeAlone(groups, held, making);
    return { input: { ...stored, faces, focus, provenance }, analysis };
  } catch (error) {
    throw withoutMemory(error);
  } finally {
    held.close();
  }
}

/**
 * Makes one result, without what else a request may ask for. Its bytes are the caller's to release.
 * @param source as `render`
 * @throws as `render`
 */
export async function renderOne(
  source: SharedBytes,
  { operations, output, optimize, ...order }: SingleOrder,
): Promise<{ readonly input: Original; readonly output: ResultFile }> {
  const entry: ResultOrder = { name: "", operations, output, optimize, analyze: undefined };
  const files: ResultFile[] = [];
  const { input } = await render(
    source,
    { ...order, operations: {}, analyze: undefined, entries: () => [entry], refusalOf: (_, error) => error },
    (_, result) => files.push(result.output),
  );
  const [file] = files;
  if (!file) throw new Error("an order of one result made none");
  return { input, output: file };
}

/** What making results needs besides what is to be made. */
interface Making<Entry> {
  readonly jobLimits: JobLimits;
  readonly trace: Trace | undefined;
  /** Told of every result, as soon as it is there. */
  readonly made: (entry: Entry, result: Made) => void;
  /** An error of one result, as the caller is to see it. */
  readonly refusalOf: (entry: Entry, error: unknown) => unknown;
}

/** What results that are made together have in common. */
interface Together<Entry> extends SetWork<Entry> {
  /** Where searches ended, by what they have in common: qualities of sizes wander more than they drift. */
  readonly starts: Map<string | undefined, Start>;
}

/** Makes the only result there is. @param source of the original */
async function makeAlone<Entry extends ResultOrder>(
  groups: readonly Group<Entry>[],
  source: HeldSource,
  making: Making<Entry>,
): Promise<void> {
  const [group] = groups;
  const [job] = group?.jobs ?? [];
  if (!group || !job) throw new Error("a request has no result");
  const origin = await originFor({ stored: group.stored, plan: group.planned.plan, source }, job, making.jobLimits);
  await makeFrom({ ...origin, stored: besideHeld(origin.stored, job.gainMap) }, group, making);
}

/** Makes several results, in the time slice of their work. @param source of the original */
async function makeTogether<Entry extends ResultOrder>(
  work: SetWork<Entry>,
  source: HeldSource,
  making: Making<Entry>,
  timeSlice: TimeSlice,
): Promise<void> {
  const { stored, shared, placed, keepsFile } = work;
  const together = { ...work, starts: new Map() };
  const sharedPixels = shared && (await keep(stored, shared.plan, timeSlice));
  if (!keepsFile) source.close();
  try {
    for (const one of placed) {
      const origin = await originPlaced(work, one, { source, sharedPixels, timeSlice });
      await makeFrom(origin, one.group, making, together);
    }
  } finally {
    sharedPixels?.bytes.release();
  }
}

/** What the results of a group are made from. */
async function originPlaced<Entry>(
  work: SetWork<Entry>,
  placed: Placed<Entry>,
  from: { readonly source: HeldSource; readonly sharedPixels: HeldPixels | null; readonly timeSlice: TimeSlice },
): Promise<Origin> {
  const { kept: planned, ...unkept } = placed;
  const { source, sharedPixels: shared, timeSlice } = from;
  const kept = planned && (await keep(originOf(work, unkept, { shared }).stored, planned.plan, timeSlice));
  const bytes = kept?.bytes ?? (shared && placed.onShared ? shared.bytes : source).retain();
  return { ...originOf(work, placed, { shared, kept }), source: new HeldSource(bytes) };
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

/** Makes results of a group one after the other from the same origin, which is closed, and says what each of them is. */
async function makeFrom<Entry extends ResultOrder>(
  origin: Origin,
  group: Group<Entry>,
  making: Making<Entry>,
  together?: Together<Entry>,
): Promise<void> {
  const { jobLimits, trace, made, refusalOf } = making;
  for (const job of group.jobs) {
    const { entry } = job;
    const isLast = job === group.jobs.at(-1);
    try {
      trace?.({ kind: "result", name: entry.name });
      const output = await fileOf(job, { ...origin, group, isLast }, making, together);
      const { bytes } = output.file;
      // What nothing more is made from does not lie beside the analysis.
      if (isLast) origin.source.close();
      // What waits for its own memory is held meanwhile; what is a part of admitted work is in the estimate of that.
      const memory = entry.analyze && !jobLimits.within ? isolateBudget.keep(bytes.length) : undefined;
      const analyzing = entry.analyze && analyze(bytes, entry.analyze, jobLimits);
      const analysis = await analyzing?.finally(() => memory?.release());
      made(entry, { output, analysis });
    } catch (error) {
      origin.source.close();
      throw refusalOf(entry, error);
    }
  }
}

/** The file of a result: the best that its formats make of it, with all that it has besides its picture. */
async function fileOf<Entry>(
  job: Job<Entry>,
  { stored, plan, source, group, isLast: isLastResult }: Origin & { group: Group<Entry>; isLast: boolean },
  { jobLimits, trace }: Making<Entry>,
  together: Together<Entry> | undefined,
): Promise<ResultFile> {
  const { formats, objective, encoding, keepsMetadata, kept, gainMap, signing, actions = [] } = job;
  const made = await bestOf(formats, objective, async (format, upperBoundBytes, upperBoundSampleBytes) => {
    const isLast = format === formats.at(-1);
    const key = searchKey(group, job, format);
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
      allPixels: together && pixelsIn(together.groups, format),
      start: together?.starts.get(key),
      trace,
    };
    const unpacked = await (together
      ? unpackedWithin(together.estimate, options, jobLimits)
      : unpackedFor(format, stored, jobLimits));
    const rendition = await optimized(
      { ...options, stored: unpacked?.stored ?? stored },
      unpacked?.source ?? (isLast && isLastResult ? source.takeOver() : source.retain()),
      jobLimits,
    );
    if (key !== undefined && rendition?.ended) together?.starts.set(key, rendition.ended);
    return rendition;
  });
  const best = await withStatement(withResultGainMap(withMetadata(made, kept), gainMap), signing, actions);
  return { ...best, facts: best.format.read.factsOf(best.file.bytes) };
}
