/**
 * One picture from file to file: identify, plan, decode, work, encode. Everything a job will hold in memory is known
 * before it starts, and is waited for.
 */
import { ApiError } from "../errors.ts";
import { isolateBudget } from "./budget.ts";
import { checkResult, identify } from "./detect.ts";
import { findFaces } from "./faces/detect.ts";
import { enlarged, reported } from "./faces/report.ts";
import type { Facts, FormatDefinition } from "./format.ts";
import { FORMATS, type FormatName } from "./formats.ts";
import type { Box } from "./geometry.ts";
import { LOOK_BYTES_PER_PIXEL, type OperationRow, type Stage, type Step } from "./operation.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";
import { encodeFor, type Optimized } from "./optimize/encode.ts";
import { aimOf, type Optimize, type Output, outputFormat } from "./output.ts";
import { firstFrame } from "./picture.ts";
import { pictureOf, picturePeakBytes, type Stored } from "./pipeline.ts";
import { opaqueAfter, type Plan, planSteps, sizeAfter, storedSize } from "./plan.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { bestOf, targetsOf } from "./targets.ts";

/** What to do with a picture, as requests say it. */
export interface Order {
  readonly operations: { readonly [Name in OperationName]?: unknown };
  readonly output: Output | undefined;
  readonly optimize: Optimize | undefined;
  /** The files of saved pictures that operations need, by id. */
  readonly overlays: ReadonlyMap<string, Uint8Array>;
  /** Media types that the client takes, for `output.format: "auto"`; absent: what the open web takes. */
  readonly accept: string | undefined;
  /** Told how long decoding and operations take. */
  readonly stopwatch?: Stopwatch | undefined;
  /** Called when nothing will read the file again, where that is long before the end. */
  readonly whenRead?: (() => void) | undefined;
}

export interface Rendered {
  readonly input: {
    readonly format: FormatDefinition;
    readonly facts: Facts;
    /** In whole pixels of the upright picture, most prominent first; absent when none were sought. */
    readonly faces?: readonly Box[] | undefined;
  };
  readonly output: Optimized & { readonly format: FormatDefinition; readonly facts: Facts };
}

/**
 * Carries out an order.
 * @throws ApiError 415, 422 or 503
 */
export async function render(bytes: Uint8Array, order: Order): Promise<Rendered> {
  const stored = { ...identify(bytes), stopwatch: order.stopwatch };
  const { plan, faces } = await planOrder(stored, order);
  const aim = aimOf(order.output, order.optimize);
  const progressive = order.output?.encoding !== "baseline";
  const targets = await targetsOf(stored, plan, order);
  const best = await bestOf(targets, aim, (target, rivalBytes) => {
    const whenRead = target === targets.at(-1) ? order.whenRead : undefined;
    return encodeFor({ stored, plan, target, aim, progressive, rivalBytes, whenRead });
  });
  const facts = best.bytes === bytes ? stored.facts : best.format.probe(best.bytes);
  return { input: { ...stored, faces }, output: { ...best, facts } };
}

interface Planned {
  readonly plan: Plan;
  readonly faces: readonly Box[] | undefined;
}

/** The steps of an order, every operation planned on the picture as the ones before it leave it. */
async function planOrder(stored: Stored & { name: FormatName }, order: Order): Promise<Planned> {
  const { facts } = stored;
  const upright: Step = { kind: "turn", orientation: facts.orientation };
  const steps: Step[] = [upright];
  let size = sizeAfter(upright, storedSize(facts));
  let opaque = !facts.alpha;
  let faces: readonly Box[] | undefined;
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const params = order.operations[name as OperationName];
    if (params === undefined) continue;
    const side = row.looks?.(params as never) ?? 0;
    const small = side > 0 ? smallVersion(stored, steps, side) : undefined;
    const look = () => {
      if (!small) throw new Error(`${name} looks at the picture without saying so`);
      return firstFrame(pictureOf(stored, small));
    };
    const stage: Stage = {
      size,
      opaque,
      alpha: canHoldAlpha(stored, order),
      look,
      faces: () => {
        const rows = look();
        const found = enlarged(findFaces(rows), rows, stage.size);
        faces ??= reported(found, steps.slice(1), sizeAfter(upright, storedSize(facts)));
        return found;
      },
      overlay: (id) => overlayOf(order, id),
    };
    const plan = () => row.plan(params as never, stage);
    for (const step of small ? await isolateBudget.run(lookPeakBytes(stored, small), plan) : plan()) {
      steps.push(step);
      size = sizeAfter(step, size);
      opaque = opaqueAfter(step, opaque);
      if (step.kind !== "crop") checkResult(size, writtenFrames(stored, order));
    }
  }
  return { plan: planSteps(storedSize(facts), steps), faces };
}

/** The picture that `steps` make of a file, reduced until no side is longer than `maxSide`. */
function smallVersion(stored: Stored, steps: readonly Step[], maxSide: number): Plan {
  const { size } = planSteps(storedSize(stored.facts), steps);
  const factor = Math.min(1, maxSide / Math.max(size.width, size.height));
  const width = Math.max(1, Math.round(size.width * factor));
  const height = Math.max(1, Math.round(size.height * factor));
  const small = [...steps, { kind: "resize", width, height, kernel: "linear" } as const];
  return planSteps(storedSize(stored.facts), small);
}

/** The most bytes that looking at a small version holds, its pixels included. */
function lookPeakBytes(stored: Stored, small: Plan): number {
  return picturePeakBytes(stored, small) + small.size.width * small.size.height * LOOK_BYTES_PER_PIXEL;
}

function overlayOf({ overlays }: Order, id: string): Uint8Array {
  const bytes = overlays.get(id);
  if (!bytes) throw new ApiError(422, "watermark.id is not the id of a saved watermark");
  return bytes;
}

function canHoldAlpha(stored: Stored, { output }: Order): boolean {
  const word = output?.format;
  if (word === "auto") return true;
  if (word === undefined) return stored.format.encode ? stored.format.can.alpha : true;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.alpha;
}

/** How many frames are worked on: formats without animation take the first. */
function writtenFrames({ facts }: Stored, { output }: Order): number {
  const word = output?.format;
  if (word === undefined || word === "auto") return facts.frames;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.animation ? facts.frames : 1;
}
