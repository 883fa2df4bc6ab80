/** How several results are made: what is kept for some of them, and the estimate of all of it. */
import { type Estimate, NO_WORK, held, parallel, serial } from "../../../../wasm/estimate.ts";
import { ApiError } from "../../../errors.ts";
import { isolateBudget } from "../../../scheduler/budget.ts";
import type { JobLimits } from "../../../scheduler/job-limits.ts";
import type { FormatDefinition } from "../../codec/format.ts";
import { collectEstimate, pixelBytes } from "../../pixels/buffered.ts";
import { area } from "../../pixels/geometry.ts";
import { type Plan, demandOf, onlyTurns, planSteps, storedSize } from "../../plan/plan.ts";
import {
  type Stored,
  pictureEstimate,
  turnsByStrips,
  withNarrowStrips,
  withSixteenBits,
} from "../../plan/planned-picture.ts";
import { type Coverage, estimateOfOptions } from "../../search/attempts.ts";
import { resultDecodeEstimate } from "../../search/estimates.ts";
import type { Start } from "../../search/rendition.ts";
import { sixteenBitTask, taskOf } from "../../search/task.ts";
import { type HeldPixels, type Origin, bufferedPicture, unpackEstimate } from "../origin.ts";
import {
  type Given,
  type Group,
  type Holding,
  type Job,
  type Kept,
  MAX_SHARED_PIXELS,
  type Placed,
  type SetWork,
  isServed,
  planOnShared,
  sharedSize,
} from "./parts.ts";

/** How refusals begin that are about the results together. */
const ALL = "The outputs together take";

/**
 * The work of several results in the least time that there is memory for.
 * @throws ApiError 422 where there is not enough memory for them at once, or the job may not take so much time
 */
export function affordableWork<Entry>(given: Given<Entry>, jobLimits: JobLimits): SetWork<Entry> {
  const shared = sharedOf(given);
  const works = [...(shared ? [workBy(given, shared)] : []), workBy(given, null)];
  const work = quickest(works.filter((one) => one !== null));
  if (!work) throw new ApiError(422, `${ALL} more memory than there is: ask for fewer pixels, or for fewer at once`);
  if (jobLimits.affords(work.estimate)) return work;
  throw new ApiError(
    422,
    `${ALL} more processor time than one request may have: ask for fewer or smaller ones, for fewer formats, ` +
      "or for output.quality in place of a search for it",
  );
}

/** The first of those that take the least time; null where there are none. */
function quickest<One extends { readonly estimate: Estimate }>(all: readonly One[]): One | null {
  const [first = null] = all.toSorted((one, other) => one.estimate.ms - other.estimate.ms);
  return first;
}

function workBy<Entry>(given: Given<Entry>, shared: Kept | null): SetWork<Entry> | null {
  const ways = divided(given.groups)
    .map((group) => placesOf(given, group, shared))
    .toSorted(([one], [other]) => area(one.group.planned.size) - area(other.group.planned.size));
  const keepsFile = ways.some(([{ onShared }]) => !onShared);
  const fileBytes = given.stored.bytes.length;
  const keeping = shared ? held(pixelBytes(shared)) : NO_WORK;
  const known = new Set<string>();
  const chosen: (Record<Coverage, Estimate> & { readonly placed: Placed<Entry> })[] = [];
  for (const ofGroup of ways) {
    const estimateOf = (placed: Placed<Entry>, coverage: Coverage) =>
      groupEstimate({ ...given, shared, keepsFile }, placed, known, coverage);
    const estimated = ofGroup.flatMap((placed) => {
      const estimate = estimateOf(placed, "most");
      return estimate && isolateBudget.canHold(parallel(keeping, estimate), fileBytes) ? [{ placed, estimate }] : [];
    });
    const best = quickest(estimated);
    if (!best) return null;
    const { placed } = best;
    chosen.push({ placed, most: best.estimate, usual: estimateOf(placed, "usual") ?? best.estimate });
    for (const key of searchKeys(best.placed.group)) known.add(key);
  }
  const making = shared ? parallel(pictureEstimate(given.stored, shared.plan), collectEstimate(shared)) : NO_WORK;
  const whole = (estimates: readonly Estimate[]) => serial(making, parallel(keeping, serial(...estimates)));
  if (!isolateBudget.canHold(whole(chosen.map(({ most }) => most)), fileBytes)) return null;
  const estimate = whole(chosen.map(({ usual }) => usual));
  return { ...given, shared, placed: chosen.map(({ placed }) => placed), keepsFile, estimate };
}

/** The picture that groups share; null where none is worth keeping. Animations are not kept. */
function sharedOf<Entry>({ stored, base, groups }: Given<Entry>): Kept | null {
  if (stored.facts.frames > 1) return null;
  const served = divided(groups).filter((group) => !isOwn(group, stored));
  const size = sharedSize(
    base.size,
    served.map(({ wanted }) => wanted),
  );
  if (!size) return null;
  const { width, height } = size;
  const isWhole = width === base.size.width && height === base.size.height;
  const steps = isWhole ? base.steps : [...base.steps, { kind: "resize", width, height, kernel: "lanczos3" } as const];
  const planned = planSteps(storedSize(stored.facts), steps);
  return { width, height, opaque: base.opaque, plan: inRoom(stored, base.opaque, planned) };
}

/** A plan of what is kept, which is turned in narrow strips where there is no room for usual ones. */
function inRoom(stored: Stored, opaque: boolean, plan: Plan): Plan {
  if (!turnsByStrips(stored, plan.view)) return plan;
  const collecting = collectEstimate({ ...plan.size, opaque });
  const estimate = parallel(pictureEstimate(stored, plan), collecting);
  return isolateBudget.canHold(estimate, stored.bytes.length) ? plan : withNarrowStrips(plan);
}

/** The ways to come to the picture of a group: with it kept, where that can be worth while, and without. */
function placesOf<Entry>(
  { stored, base }: Given<Entry>,
  group: Group<Entry>,
  shared: Kept | null,
): readonly [Placed<Entry>, ...Placed<Entry>[]] {
  const { size, opaque, plan } = group.planned;
  const mayKeep = group.jobs.length > 1 && area(size) <= MAX_SHARED_PIXELS;
  if (!shared || isOwn(group, stored) || !isServed(group.wanted, base.size, shared)) {
    const isKept = mayKeep && group.stored.facts.frames === 1 && !isUnchanged(group) && !keepsBits(group);
    return isKept ? [{ group, kept: { ...size, opaque, plan } }, { group }] : [{ group }];
  }
  const onShared = planOnShared(group.wanted, base.size, shared);
  const isShared = !onShared.changesPixels;
  if (isShared || !mayKeep || area(size) > area(shared)) return [{ group, onShared }];
  return [
    { group, onShared, kept: { ...size, opaque, plan: onShared } },
    { group, onShared },
  ];
}

/** Whether a group is made from the file, even where there is a version that has all of its pixels. */
function isOwn<Entry>(group: Group<Entry>, { space }: Stored): boolean {
  if (group.stored.space !== space) return true;
  const { format, facts } = group.stored;
  const scale = format.read.scale?.(facts, demandOf(group.planned.plan.view)) ?? 1;
  // What a decoder makes smaller costs little, and looks like nothing else: a result alone would be made of that.
  return scale < 1 || isUnchanged(group) || keepsBits(group);
}

/** Whether a result of the group has more than 8 bits of a sample, which pictures in memory do not have. */
function keepsBits<Entry>(group: Group<Entry>): boolean {
  return group.stored.sixteenBit === true || group.jobs.some((job) => isSixteenBit(job, group));
}

function isSixteenBit<Entry>(job: Job<Entry>, { stored, planned: { plan } }: Group<Entry>): boolean {
  const { formats, objective, encoding } = job;
  if (!withSixteenBits(stored, plan)) return false;
  return formats.some(
    (format) => sixteenBitTask(taskOf({ stored, plan, format, objective, encoding, isLast: false })) !== null,
  );
}

/**
 * Whether the original itself, a part of its code, or the file that was packed in it may be a result of the group: at most
 * it is turned.
 */
function isUnchanged<Entry>({ stored, planned, jobs }: Group<Entry>): boolean {
  return onlyTurns(planned.plan, stored.facts) && jobs.some((job) => isOfFile(job, stored));
}

function isOfFile<Entry>({ formats }: Job<Entry>, stored: Stored): boolean {
  return formats.some((format) => format === stored.format || unpackEstimate(format, stored) !== null);
}

/** Groups of which none has jobs that need the file beside others that do not. */
function divided<Entry>(groups: readonly Group<Entry>[]): readonly Group<Entry>[] {
  return groups.flatMap((group) => {
    const isWhole = isUnchanged(group);
    const needsFile = (job: Job<Entry>) => (isWhole && isOfFile(job, group.stored)) || isSixteenBit(job, group);
    const own = group.jobs.filter(needsFile);
    const others = group.jobs.filter((job) => !own.includes(job));
    return [own, others].filter(({ length }) => length > 0).map((jobs) => ({ ...group, jobs }));
  });
}

/**
 * The file, or the buffered picture, that the jobs of a group are made from, and what is to be done with it.
 * @param pixels of what is kept, once they are there
 */
export function originOf<Entry>(
  { stored, groups, shared, keepsFile }: Holding<Entry>,
  { group, onShared, kept }: Placed<Entry>,
  pixels: { readonly shared?: HeldPixels | null; readonly kept?: HeldPixels | undefined } = {},
): { readonly stored: Stored; readonly plan: Plan } {
  const keptBytes = (shared ? pixelBytes(shared) : 0) + (kept ? pixelBytes(kept) : 0);
  const holding = { heldBytes: keepsFile ? stored.bytes.length : 0, bufferedBytes: keptBytes + gainMapBytesOf(groups) };
  const buffered = (from: Stored, planned: Kept, there: HeldPixels | null | undefined) =>
    bufferedPicture(there?.size ?? planned, from, holding, there);
  if (kept) return { stored: buffered(group.stored, kept, pixels.kept), plan: planSteps(kept, []) };
  if (!shared || !onShared) return { stored: { ...group.stored, ...holding }, plan: group.planned.plan };
  return { stored: buffered(stored, shared, pixels.shared), plan: onShared };
}

/** Bytes of the gain maps of all results, which are made before their pictures. */
function gainMapBytesOf<Entry>(groups: readonly Group<Entry>[]): number {
  const maps = groups.flatMap(({ jobs }) => jobs.map(({ gainMap }) => gainMap?.file.length ?? 0));
  return maps.reduce((sum, bytes) => sum + bytes, 0);
}

/** The estimate of the file that was packed in what a result is made from, where the result may be made from that. */
export function unpackingEstimate(
  format: FormatDefinition,
  { stored, plan }: Pick<Origin, "stored" | "plan">,
): Estimate | null {
  return onlyTurns(plan, stored.facts) ? unpackEstimate(format, stored) : null;
}

/** In the place of what is found out when the work is done. */
const SOME_START: Start = { quality: 80, variant: {} };

/** Pixels of all results in a format; undefined where it is one result alone. */
export function pixelsIn<Entry>(groups: readonly Group<Entry>[], format: FormatDefinition): number | undefined {
  const all = groups.flatMap(({ planned, jobs }) =>
    jobs.filter(({ formats }) => formats.includes(format)).map(() => area(planned.size)),
  );
  return all.length > 1 ? all.reduce((sum, pixels) => sum + pixels, 0) : undefined;
}

/**
 * The estimate of the results of a group; null where there is not enough memory.
 * @param known searches in smaller pictures, from which those of the group start
 */
function groupEstimate<Entry>(
  holding: Holding<Entry>,
  placed: Placed<Entry>,
  known: ReadonlySet<string>,
  coverage: Coverage,
): Estimate | null {
  const { group, onShared, kept } = placed;
  const origin = originOf(holding, placed);
  const estimates: Estimate[] = [];
  for (const job of group.jobs) {
    for (const format of job.formats) {
      const key = searchKey(group, job, format);
      const start = key !== undefined && known.has(key) ? SOME_START : undefined;
      const { objective, encoding, keepsMetadata } = job;
      const allPixels = pixelsIn(holding.groups, format);
      const options = { ...origin, format, objective, encoding, keepsMetadata, isLast: false, start, allPixels };
      const estimate = estimateOfOptions(options, coverage);
      if (!estimate) return null;
      estimates.push(unpackingEstimate(format, origin) ?? NO_WORK, estimate);
      if (job.analyzes)
        estimates.push(resultDecodeEstimate(format, { ...group.planned.size, opaque: false, frames: 1 }));
    }
  }
  if (!kept) return serial(...estimates);
  const { stored } = originOf(holding, { group, ...(onShared && { onShared }) });
  const making = parallel(pictureEstimate(stored, kept.plan), collectEstimate(kept));
  return serial(making, parallel(held(pixelBytes(kept)), serial(...estimates)));
}

/**
 * What searches have in common that start where another one ended; undefined where a picture is more than another size.
 */
export function searchKey<Entry>(
  { wanted }: Group<Entry>,
  { objective }: Pick<Job<Entry>, "objective">,
  { label }: FormatDefinition,
): string | undefined {
  return wanted.isScale ? JSON.stringify([label, objective]) : undefined;
}

/** What the searches of a group have in common with others. */
function searchKeys<Entry>(group: Group<Entry>): readonly string[] {
  return group.jobs
    .flatMap((job) => job.formats.map((format) => searchKey(group, job, format)))
    .filter((key) => key !== undefined);
}
