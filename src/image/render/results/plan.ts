/** What results of one original are made of: each is planned, those whose pixels are the same once. */
import type { ProfileOption } from "../../color/profile-option.ts";
import type { Space } from "../../color/space.ts";
import { metadataBytes } from "../../metadata/blocks.ts";
import { checkResult } from "../../plan/detect.ts";
import { objectiveOf } from "../../plan/output.ts";
import { type Stored, inSpace, pictureOf } from "../../plan/planned-picture.ts";
import type { VerifiedStore } from "../../provenance/verify.ts";
import type { OperationParams, Order, ResultOrder } from "../order.ts";
import { inTryingOrder, outputFormatsOf } from "../output-formats.ts";
import {
  type Operations,
  type Planned,
  type Target,
  isOfFirstFrame,
  planOperations,
  targetOf,
} from "../plan-operations.ts";
import { besideGainMap, inOwnRange, resultGainMap, withGainMap } from "../result-gain-map.ts";
import {
  type KnownMetadata,
  type ProvenanceMeans,
  actionsFor,
  besideMetadata,
  keptOf,
  signingFor,
  statedSourceType,
} from "../result-metadata.ts";
import { type Given, type Group, type Job, wantedOf } from "./parts.ts";

/** A group whose jobs are not all known yet. */
type OpenGroup<Entry> = Group<Entry> & { readonly jobs: Job<Entry>[] };

/** The results in groups: those whose pixels are the same are planned once. */
export async function groupsOf<Entry extends ResultOrder>(
  stored: Stored,
  base: Planned,
  entries: readonly Entry[],
  order: Order<Entry>,
  provenance: VerifiedStore | undefined,
): Promise<Group<Entry>[]> {
  const groups = new Map<string, OpenGroup<Entry>>();
  const inSpaceOf = once(async (option: ProfileOption) => {
    const own = inSpace(stored, option);
    // A color in an operation has other numbers in each space.
    return { stored: own, base: own.space ? await planBase(own, order) : base };
  });
  const keptByOption: KnownMetadata = new Map();
  const means = order.provenance && askedOnce(order.provenance);
  const readGainMap = once(() => stored.format.gainMap?.read(stored.bytes));
  for (const entry of entries) {
    try {
      const { output, optimize, operations } = entry;
      const firstOnly = isOfFirstFrame(stored, output);
      const begin = await inSpaceOf(output?.profile ?? "srgb");
      const own = withGainMap({ ...begin.stored, firstOnly }, output, () => readGainMap(undefined));
      const target = targetOf(own, output);
      const keys = [target, { frames: target.frames, sides: target.sides }].map((of) =>
        JSON.stringify([operations, of, firstOnly, own.space && output?.profile]),
      );
      const known = keys.map((key) => groups.get(key)).find((one) => one !== undefined);
      const group = known ?? (await groupOf(own, begin.base, operations, target, order));
      const [ofTarget = "", ofAll = ""] = keys;
      groups.set(changesShapeOnly(group.planned) ? ofAll : ofTarget, group);
      const kept = keptOf(stored, output, keptByOption, statedSourceType(provenance));
      const options = { output, accept: order.accept, jobLimits: order.jobLimits };
      const encoding = output?.encoding;
      const signing = await signingFor(stored, provenance, output, means);
      const besides = metadataBytes(kept) + (signing?.bytes ?? 0);
      const objective = besideMetadata(objectiveOf(output, optimize), besides);
      const { steps, plan } = group.planned;
      const formats = inTryingOrder(await outputFormatsOf(own, plan, options), objective, pictureOf(own, plan));
      const ranged = inOwnRange(own, plan, formats, output);
      const map = await resultGainMap(ranged, { steps, formats, objective, encoding }, order.jobLimits);
      const { jobs } =
        ranged === own ? group : inRange(groups, `${ofTarget} in its own range`, { ...group, stored: ranged });
      jobs.push({
        entry,
        formats,
        objective: besideGainMap(objective, map),
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
  return [...groups.values()].filter(({ jobs }) => jobs.length > 0);
}

/** The group of results that keep the range of their original, which are of the same plan as another. */
function inRange<Entry>(groups: Map<string, OpenGroup<Entry>>, key: string, alike: OpenGroup<Entry>): OpenGroup<Entry> {
  const group = groups.get(key) ?? { ...alike, jobs: [] };
  groups.set(key, group);
  return group;
}

/** Every signer is opened once for all results. */
function askedOnce(means: ProvenanceMeans): ProvenanceMeans {
  const { signer } = means;
  const opened = signer && once((id: string | undefined) => signer(id));
  return { ...means, signer: opened && ((id) => opened(id)) };
}

/** What is made for each key, once for all who ask for it. */
function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: make(key) };
    known.set(key, found);
    return found.value;
  };
}

/** The picture after the operations of the request, with all that any result may have. */
export function planBase(stored: Stored, order: Operations): Promise<Planned> {
  return planOperations(stored, order, { alpha: true, frames: 1, seen: stored.facts.frames });
}

/** What is known of all results. A version that groups share is in the color space that most results have. */
export function commonOf<Entry>(stored: Stored, base: Planned, groups: readonly Group<Entry>[]): Given<Entry> {
  const counts = new Map<Space | undefined, number>();
  const alike = groups.filter(({ stored: own }) => !own.sixteenBit);
  for (const { stored: own, jobs } of alike) counts.set(own.space, (counts.get(own.space) ?? 0) + jobs.length);
  const [[space] = []] = [...counts].toSorted(([, one], [, other]) => other - one);
  const group = alike.find(({ stored: own }) => own.space === space);
  const shared = group?.stored ?? stored;
  return { stored: { ...shared, firstOnly: false }, base: group?.base ?? base, groups };
}

/**
 * Whether a group's own operations only move and filter pixels, which then come out the same with alpha and without.
 */
function changesShapeOnly({ steps }: Planned): boolean {
  return steps.every(({ kind }) => kind === "turn" || kind === "crop" || kind === "resize");
}

async function groupOf<Entry extends ResultOrder>(
  stored: Stored,
  base: Planned,
  operations: OperationParams,
  target: Target,
  { overlays, jobLimits }: Order<Entry>,
): Promise<OpenGroup<Entry>> {
  checkResult(base.size, target.frames);
  const planned = await planOperations(stored, { operations, overlays, jobLimits }, target, base);
  const wanted = wantedOf(base.size, planned.steps.slice(base.steps.length));
  return { stored, base, planned, wanted, jobs: [] };
}
