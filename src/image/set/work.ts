/** What a set is made by: its results in groups that share a picture, and the price of all of it. */
import { beside, FREE, held, type Price, sequence } from "../../../wasm/price.ts";
import { isolateBudget } from "../budget.ts";
import type { FormatDefinition } from "../format.ts";
import { isWhole, type Size } from "../geometry.ts";
import { keptPicture } from "../kept-picture.ts";
import { collectPrice, pixelBytes } from "../kept.ts";
import type { Metadata } from "../metadata.ts";
import { pricedWish } from "../optimize/attempts.ts";
import { resultDecodePrice } from "../optimize/prices.ts";
import type { Start } from "../optimize/rendition.ts";
import type { Wish } from "../optimize/task.ts";
import type { Aim } from "../output.ts";
import { picturePrice, type Stored } from "../pipeline.ts";
import { demandOf, type Plan, planSteps } from "../plan.ts";
import type { Planned } from "../planning.ts";
import { isServed, MAX_SHARED_PIXELS, planOnShared, sharedSize, type Wanted } from "./shared.ts";

/** A result that is to be made of a group's picture. */
export interface Job<Entry> {
  readonly entry: Entry;
  /** The formats to try, of which the best is taken. */
  readonly formats: readonly FormatDefinition[];
  readonly aim: Aim;
  /** What its file has of the original's metadata. */
  readonly kept: Metadata;
  readonly encoding: Wish["encoding"];
  readonly keepsMetadata: boolean;
  readonly analyzes: boolean;
}

/** Results of the same pixels. */
export interface Group<Entry> {
  readonly stored: Stored;
  /** The picture after the request's own operations, in the color space of the group. */
  readonly base: Planned;
  readonly planned: Planned;
  readonly wanted: Wanted;
  readonly jobs: readonly Job<Entry>[];
}

/** A picture that is computed once and kept. */
export interface Kept extends Size {
  readonly opaque: boolean;
  /** Of what it is made from. */
  readonly plan: Plan;
}

/** A group, and where its picture comes from. */
export interface Placed<Entry> {
  readonly group: Group<Entry>;
  /** Absent: from the file. */
  readonly onShared?: Plan;
  /** Kept for all jobs of the group. */
  readonly kept?: Kept;
}

export interface SetWork<Entry> {
  readonly shared: Kept | null;
  /** From the smallest to the largest: the next search starts where the one before ended. */
  readonly placed: readonly Placed<Entry>[];
  /** Something is made from the file once the shared picture is there. */
  readonly keepsFile: boolean;
  readonly price: Price;
}

/** What is known before the work begins. */
export interface Given<Entry> {
  /** In the color space of what is shared. */
  readonly stored: Stored;
  /** The picture after the request's own operations, in that space. */
  readonly base: Planned;
  readonly groups: readonly Group<Entry>[];
}

/** How much is kept to save time, the most first. */
const WAYS = [
  { shares: true, keepsGroups: true },
  { shares: true, keepsGroups: false },
  { shares: false, keepsGroups: false },
] as const;

/** The work of a set, with as much kept as there is memory for; null where there is not enough even for the least. */
export function workOf<Entry>(given: Given<Entry>): SetWork<Entry> | null {
  for (const way of WAYS) {
    const work = workBy(given, way);
    if (work && isolateBudget.canHold(work.price, given.stored.bytes.length)) return work;
  }
  return null;
}

function workBy<Entry>(given: Given<Entry>, way: (typeof WAYS)[number]): SetWork<Entry> | null {
  const shared = way.shares ? sharedOf(given) : null;
  const placed = divided(given.groups)
    .map((group) => place(given, group, shared, way.keepsGroups))
    .toSorted((one, other) => area(one.group.planned.size) - area(other.group.planned.size));
  const keepsFile = placed.some(({ onShared }) => !onShared);
  const work = { shared, placed, keepsFile };
  const seen = new Set<string>();
  const prices: Price[] = [];
  for (const one of placed) {
    const price = groupPrice(given, work, one, seen);
    if (!price) return null;
    prices.push(price);
  }
  const making = shared ? beside(picturePrice(given.stored, shared.plan), collectPrice(shared)) : FREE;
  const keeping = shared ? held(pixelBytes(shared)) : FREE;
  return { ...work, price: sequence(making, beside(keeping, sequence(...prices))) };
}

function area({ width, height }: Size): number {
  return width * height;
}

/** The picture that groups share; null where none is worth keeping. Animations are not kept. */
function sharedOf<Entry>({ stored, base, groups }: Given<Entry>): Kept | null {
  if (stored.facts.frames > 1) return null;
  const served = divided(groups).filter((group) => !isOwn(group, stored));
  const jobs = served.flatMap((group) => group.jobs.map(() => group.wanted));
  const size = sharedSize(base.size, jobs);
  if (!size) return null;
  const { width, height } = size;
  const isWhole = width === base.size.width && height === base.size.height;
  const steps = isWhole ? base.steps : [...base.steps, { kind: "resize", width, height, kernel: "lanczos3" } as const];
  return { width, height, opaque: base.opaque, plan: planSteps(storedSizeOf(stored), steps) };
}

function storedSizeOf({ facts: { width, height } }: Stored): Size {
  return { width, height };
}

function place<Entry>(
  { stored, base }: Given<Entry>,
  group: Group<Entry>,
  shared: Kept | null,
  keepsGroups: boolean,
): Placed<Entry> {
  const { size, opaque, plan } = group.planned;
  const isKept = keepsGroups && group.jobs.length > 1 && area(size) <= MAX_SHARED_PIXELS;
  if (!shared || isOwn(group, stored) || !isServed(group.wanted, base.size, shared)) {
    const mayKeep = isKept && group.stored.facts.frames === 1 && !isUnchanged(group);
    return mayKeep ? { group, kept: { ...size, opaque, plan } } : { group };
  }
  const onShared = planOnShared(group.wanted, base.size, shared);
  const isShared = !onShared.changesPixels;
  if (isShared || !isKept || area(size) > area(shared)) return { group, onShared };
  return { group, onShared, kept: { ...size, opaque, plan: onShared } };
}

/** Whether a group is made from the file, even where there is a version that has all of its pixels. */
function isOwn<Entry>(group: Group<Entry>, { space }: Stored): boolean {
  if (group.stored.space !== space) return true;
  const { format, facts } = group.stored;
  const scale = format.read.scale?.(facts, demandOf(group.planned.plan.view)) ?? 1;
  // What a decoder makes smaller costs little, and looks like nothing else: a result alone would be made of that.
  return scale < 1 || isUnchanged(group);
}

/** Whether the original itself, or a part of its code, may be a result of the group: at most it is turned. */
function isUnchanged<Entry>({ stored, planned, jobs }: Group<Entry>): boolean {
  const { view, steps } = planned.plan;
  if (steps.length > 0 || view.target || !isWhole(view.box, storedSizeOf(stored))) return false;
  return jobs.some(({ formats }) => formats.includes(stored.format));
}

/** Groups of which none has jobs that ask for the original as it is beside others. */
function divided<Entry>(groups: readonly Group<Entry>[]): readonly Group<Entry>[] {
  return groups.flatMap((group) => {
    if (!isUnchanged(group)) return [group];
    const isOfFile = ({ formats }: Job<Entry>) => formats.includes(group.stored.format);
    const others = group.jobs.filter((job) => !isOfFile(job));
    const own = { ...group, jobs: group.jobs.filter(isOfFile) };
    return others.length > 0 ? [own, { ...group, jobs: others }] : [own];
  });
}

/** The file, or the kept picture, that the jobs of a group are made from, and what is to be done with it. */
export function originOf<Entry>(
  { stored }: Pick<Given<Entry>, "stored">,
  { shared, keepsFile }: Pick<SetWork<Entry>, "shared" | "keepsFile">,
  { group, onShared, kept }: Placed<Entry>,
): { readonly stored: Stored; readonly plan: Plan } {
  const file = stored.bytes.length;
  const heldBytes = (shared ? pixelBytes(shared) : 0) + (kept ? pixelBytes(kept) : 0) + (keepsFile ? file : 0);
  if (kept) return { stored: keptPicture(kept, group.stored, heldBytes), plan: planSteps(kept, []) };
  if (!shared || !onShared) return { stored: { ...group.stored, heldBytes }, plan: group.planned.plan };
  return { stored: keptPicture(shared, stored, heldBytes), plan: onShared };
}

/** In the place of what is found out when the work is done. */
const SOME_START: Start = { quality: 80, slope: 1, variant: {} };

/** Pixels of all results in a format. */
export function pixelsIn<Entry>(groups: readonly Group<Entry>[], format: FormatDefinition): number {
  const all = groups.flatMap(({ planned, jobs }) =>
    jobs.map(({ formats }) => (formats.includes(format) ? planned.size : null)),
  );
  return all.reduce((sum, size) => sum + (size ? area(size) : 0), 0);
}

/** @param seen searches that those of larger pictures start from; the group's are added */
function groupPrice<Entry>(
  given: Given<Entry>,
  work: Pick<SetWork<Entry>, "shared" | "keepsFile">,
  placed: Placed<Entry>,
  seen: Set<string>,
): Price | null {
  const { group, onShared, kept } = placed;
  const origin = originOf(given, work, placed);
  const prices: Price[] = [];
  for (const job of group.jobs) {
    for (const format of job.formats) {
      const key = searchKey(group, job, format);
      const start = key !== undefined && seen.has(key) ? SOME_START : undefined;
      const { aim, encoding, keepsMetadata } = job;
      const allPixels = pixelsIn(given.groups, format);
      const price = pricedWish({ ...origin, format, aim, encoding, keepsMetadata, isLast: false, start, allPixels });
      if (!price) return null;
      prices.push(price);
      if (key !== undefined) seen.add(key);
      if (job.analyzes) prices.push(resultDecodePrice(format, { ...group.planned.size, opaque: false, frames: 1 }));
    }
  }
  if (!kept) return sequence(...prices);
  const { stored } = originOf(given, work, { group, ...(onShared && { onShared }) });
  const making = beside(picturePrice(stored, kept.plan), collectPrice(kept));
  return sequence(making, beside(held(pixelBytes(kept)), sequence(...prices)));
}

/** What searches have in common that start where another one ended; undefined where a picture is more than another size. */
export function searchKey<Entry>(
  { wanted }: Group<Entry>,
  { aim }: Pick<Job<Entry>, "aim">,
  { label }: FormatDefinition,
): string | undefined {
  return wanted.isScale ? JSON.stringify([label, aim]) : undefined;
}
