/**
 * Several results of one original: its operations run once, and what results have in common is computed once. The
 * estimate of all of it is known before it starts, and admitted as a whole.
 */
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { Allowance } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { AnalysisName } from "../analyses.ts";
import { withoutMemory } from "../codec/guard.ts";
import type { ProfileOption } from "../color/profile-option.ts";
import type { Space } from "../color/space.ts";
import type { GainMap } from "../gain-map/gain-map.ts";
import { metadataBytes } from "../metadata/blocks.ts";
import type { Size } from "../pixels/geometry.ts";
import { checkResult, readHeaders } from "../plan/detect.ts";
import { aimOf, type Optimize, type Output } from "../plan/output.ts";
import { withInputOptions, inSpace, type Stored } from "../plan/planned-picture.ts";
import type { VerifiedStore } from "../provenance/verify.ts";
import { LEAST_SAVING_BYTES } from "../search/memory-tiers.ts";
import { analyze, analyzePicture, type Answers } from "./analyze.ts";
import { outputFormatsOf } from "./output-formats.ts";
import { isOfFirstFrame, planOperations, type Planned, type Target, targetOf } from "./plan-operations.ts";
import { actionsFor, type ProvenanceMeans, provenanceOf, signingFor, statedSourceType } from "./provenance.ts";
import type { Order, Rendered } from "./render.ts";
import { besideGainMap, resultGainMap, withGainMap } from "./result-gain-map.ts";
import { besideMetadata, keptOf, type KnownMetadata } from "./result-metadata.ts";
import { Carrier } from "./set/carry-out.ts";
import type { Given, Group, Job } from "./set/parts.ts";
import { wantedOf } from "./set/shared.ts";
import { workOf } from "./set/work.ts";

/** One of several results. */
export interface SetEntry {
  readonly name: string;
  /** Done with the picture after the operations of the set. */
  readonly operations: Order["operations"];
  readonly output: Output | undefined;
  readonly optimize: Optimize | undefined;
  readonly analyze: readonly AnalysisName[] | undefined;
}

/** What a set begins with: the picture after its own operations. */
export interface Base extends Size {
  readonly opaque: boolean;
}

export interface SetOrder<Entry extends SetEntry> extends Omit<Order, "output" | "optimize"> {
  readonly entries: (base: Base) => readonly Entry[];
  /** What is to be said of what the set begins with. */
  readonly analyze: readonly AnalysisName[] | undefined;
  /** An error of one result, as the caller is to see it. */
  readonly refusalOf: (entry: Entry, error: unknown) => unknown;
}

/** A result; its bytes are the caller's to release. */
export interface MadeEntry {
  readonly output: Rendered["output"];
  readonly analysis: Answers | undefined;
}

export interface RenderedSet {
  readonly input: Rendered["input"];
  readonly analysis: Answers | undefined;
}

/**
 * Carries out an order for several results.
 * @param source the bytes of the original, which are released when they will not be read again
 * @param made called with each result as soon as it is there, the thread in hand: it must not wait
 * @throws ApiError 415, 422 or 503; what its allowance ends it with
 */
export async function renderSet<Entry extends SetEntry>(
  source: SharedBytes,
  order: SetOrder<Entry>,
  made: (entry: Entry, result: MadeEntry) => void,
): Promise<RenderedSet> {
  const { allowance = new Allowance(), stopwatch } = order;
  const carrier = new Carrier(source);
  try {
    const found = withInputOptions(await readHeaders(source, allowance), order.input);
    const stored = { ...found, stopwatch };
    const provenance = await provenanceOf(found, order.provenance);
    const base = await planBase(stored, order);
    const entries = order.entries({ ...base.size, opaque: base.opaque });
    const groups = await groupsOf(stored, base, entries, order, provenance);
    const given = commonOf(stored, base, groups);
    const work = workOf(given);
    if (!work) throw new ApiError(422, `${ALL} more memory than there is: ask for fewer pixels, or for fewer at once`);
    if (!allowance.affords(work.estimate)) throw tooLong();
    const shown = { stored, steps: base.steps, size: base.size };
    const analysis = order.analyze && (await analyzePicture(shown, order.analyze, allowance));
    const looked = [base, ...groups.map(({ planned }) => planned)];
    const faces = looked.find((one) => one.faces)?.faces;
    const focus = looked.find((one) => one.focus)?.focus;
    const { estimate, leanEstimate } = work;
    await isolateBudget.runIn(
      [estimate, ...(leanEstimate.bytes + LEAST_SAVING_BYTES <= estimate.bytes ? [leanEstimate] : [])],
      async (timeSlice, tier) => {
        const part = allowance.partOf(timeSlice, tier > 0);
        await carrier.carryOut(
          given,
          tier > 0 ? { ...work, estimate: leanEstimate } : work,
          part,
          timeSlice,
          async ({ entry }, output) => {
            const analysis = entry.analyze && (await analyze(output.file.bytes, entry.analyze, part));
            made(entry, { output, analysis });
          },
          order.refusalOf,
        );
      },
      allowance,
    );
    return { input: { ...stored, faces, focus, provenance }, analysis };
  } catch (error) {
    throw withoutMemory(error);
  } finally {
    carrier.close();
  }
}

const ALL = "The outputs together take";

function tooLong(): ApiError {
  return new ApiError(
    422,
    `${ALL} more processor time than one request may have: ask for fewer or smaller ones, for fewer formats, ` +
      "or for output.quality in place of a search for it",
  );
}

/** The results in groups: those whose pixels are the same are planned once. */
async function groupsOf<Entry extends SetEntry>(
  stored: Stored,
  base: Planned,
  entries: readonly Entry[],
  order: SetOrder<Entry>,
  provenance: VerifiedStore | undefined,
): Promise<Group<Entry>[]> {
  const groups = new Map<string, Group<Entry> & { jobs: Job<Entry>[] }>();
  const spaces = new Spaces(stored, base, order);
  const keptByOption: KnownMetadata = new Map();
  const means = order.provenance && askedOnce(order.provenance);
  let gainMap: { readonly found: GainMap | undefined } | undefined;
  const readGainMap = () => (gainMap ??= { found: stored.format.gainMap?.read(stored.bytes) }).found;
  for (const entry of entries) {
    try {
      const { output, optimize, operations } = entry;
      const firstOnly = isOfFirstFrame(stored, output);
      const begin = await spaces.of(output?.profile);
      const own = withGainMap({ ...begin.stored, firstOnly }, output, readGainMap);
      const target = targetOf(own, output);
      const keys = [target, { frames: target.frames, sides: target.sides }].map((of) =>
        JSON.stringify([operations, of, firstOnly, own.space && output?.profile]),
      );
      const known = keys.map((key) => groups.get(key)).find((one) => one !== undefined);
      const group = known ?? (await groupOf(own, begin.base, operations, target, order));
      const [ofTarget = "", ofAll = ""] = keys;
      groups.set(changesShapeOnly(group.planned) ? ofAll : ofTarget, group);
      const kept = keptOf(stored, output, keptByOption, statedSourceType(provenance));
      const options = { output, accept: order.accept, allowance: order.allowance };
      const encoding = output?.encoding;
      const signing = await signingFor(stored, provenance, output, means);
      const besides = metadataBytes(kept) + (signing?.bytes ?? 0);
      const aim = besideMetadata(aimOf(output, optimize), besides);
      const { steps } = group.planned;
      const formats = await outputFormatsOf(own, group.planned.plan, options);
      const map = await resultGainMap(own, { steps, formats, aim, encoding }, order.allowance);
      group.jobs.push({
        entry,
        formats,
        aim: besideGainMap(aim, map),
        kept,
        gainMap: map,
        signing,
        actions: actionsFor(steps, { ...order.operations, ...operations }),
        encoding,
        keepsMetadata: output?.metadata === "all",
        analyzes: entry.analyze !== undefined,
      });
    } catch (error) {
      throw order.refusalOf(entry, error);
    }
  }
  return [...groups.values()];
}

/** The signer is opened once for all results. */
function askedOnce(means: ProvenanceMeans): ProvenanceMeans {
  let found: ReturnType<NonNullable<ProvenanceMeans["signer"]>> | undefined;
  const { signer } = means;
  return { ...means, signer: signer && (() => (found ??= signer())) };
}

/**
 * The picture that results begin with, planned once for each color space: a color in an operation has other numbers in
 * each.
 */
class Spaces {
  private readonly known = new Map<ProfileOption, Pick<Given<never>, "stored" | "base">>();
  private readonly stored: Stored;
  private readonly base: Planned;
  private readonly order: Pick<Order, "operations" | "overlays" | "allowance">;

  /** @param base in sRGB */
  constructor(stored: Stored, base: Planned, order: Pick<Order, "operations" | "overlays" | "allowance">) {
    this.stored = stored;
    this.base = base;
    this.order = order;
  }

  async of(options: ProfileOption = "srgb") {
    const known = this.known.get(options);
    if (known) return known;
    const stored = inSpace(this.stored, options);
    const made = { stored, base: stored.space ? await planBase(stored, this.order) : this.base };
    this.known.set(options, made);
    return made;
  }
}

/** The picture after the operations of a set. */
function planBase(stored: Stored, order: Pick<Order, "operations" | "overlays" | "allowance">): Promise<Planned> {
  return planOperations(stored, order, { alpha: true, frames: 1, seen: stored.facts.frames });
}

/** What is known of a set. A version that groups share is in the color space that most results have. */
function commonOf<Entry>(stored: Stored, base: Planned, groups: readonly Group<Entry>[]): Given<Entry> {
  const counts = new Map<Space | undefined, number>();
  for (const { stored: own, jobs } of groups) counts.set(own.space, (counts.get(own.space) ?? 0) + jobs.length);
  const [[space] = []] = [...counts].toSorted(([, one], [, other]) => other - one);
  const group = groups.find(({ stored: own }) => own.space === space);
  const shared = group?.stored ?? stored;
  return { stored: { ...shared, firstOnly: false }, base: group?.base ?? base, groups };
}

/**
 * Whether a group's own operations only move and filter pixels, which then come out the same with alpha and without.
 */
function changesShapeOnly({ steps }: Planned): boolean {
  return steps.every(({ kind }) => kind === "turn" || kind === "crop" || kind === "resize");
}

async function groupOf<Entry extends SetEntry>(
  stored: Stored,
  base: Planned,
  operations: SetEntry["operations"],
  target: Target,
  { overlays, allowance }: SetOrder<Entry>,
): Promise<Group<Entry> & { jobs: Job<Entry>[] }> {
  checkResult(base.size, target.frames);
  const planned = await planOperations(stored, { operations, overlays, allowance }, target, base);
  const wanted = wantedOf(base.size, planned.steps.slice(base.steps.length));
  return { stored, base, planned, wanted, jobs: [] };
}
