/** Turns the operations of a request into a plan, each planned on the picture as the ones before it leave it. */
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import { type TimeSlice, UNPAUSED } from "../../scheduler/time-slice.ts";
import { regionEstimate, regionsOfInterest } from "../analyses/region-of-interest.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { parseColor } from "../color/rgba.ts";
import { colorIn } from "../color/space.ts";
import { reported, reportedPoint } from "../faces/report.ts";
import { FORMATS } from "../formats.ts";
import { OPERATIONS, type OperationName } from "../operations.ts";
import { invertOrientation, type Orientation, type Size } from "../pixels/geometry.ts";
import { firstFrame } from "../pixels/picture.ts";
import { checkResult } from "../plan/detect.ts";
import { scanOf, smallVersion } from "../plan/looks.ts";
import { namedFormat, type Output, type Sides, sidesFor, sidesOf } from "../plan/output.ts";
import { opaqueAfter, type Plan, planSteps, sizeAfter, storedSize } from "../plan/plan.ts";
import { pictureOf, type Stored } from "../plan/planned-picture.ts";
import type { BoxFinder, OperationRow, Stage, Step } from "../steps/operation.ts";
import { inSquare } from "../steps/square.ts";
import type { Original, SingleOrder } from "./order.ts";

/** What is to be done with a picture before it is encoded. */
export type Operations = Pick<SingleOrder, "operations" | "overlays" | "jobLimits">;

/** What results can hold. */
export interface Target {
  /** Some format that the picture is written in has alpha. */
  readonly alpha: boolean;
  /** Frames that are worked on. */
  readonly frames: number;
  /** Frames that operations have to see, where those are others. */
  readonly seen?: number;
  readonly sides?: Sides | undefined;
}

/** A picture after operations, planned. */
export interface Planned extends Pick<Original, "faces" | "focus"> {
  /** All that is done with the stored picture. */
  readonly steps: readonly Step[];
  readonly plan: Plan;
  readonly size: Size;
  readonly opaque: boolean;
}

/** @param before what was planned already; absent: the picture is made upright first */
export async function planOperations(
  stored: Stored,
  order: Operations,
  target: Target,
  before?: Pick<Planned, "steps" | "size" | "opaque">,
): Promise<Planned> {
  const { facts } = stored;
  const written = { ...stored, firstOnly: (target.seen ?? target.frames) === 1 };
  const upright: Step = { kind: "turn", orientation: facts.orientation };
  const back = isAsStored(order) ? turnedBack(facts.orientation) : [];
  const steps: Step[] = [...(before?.steps ?? [upright]), ...back];
  let size = back.reduce((each, step) => sizeAfter(step, each), before?.size ?? sizeAfter(upright, storedSize(facts)));
  let opaque = before?.opaque ?? !facts.alpha;
  const add = (step: Step) => {
    steps.push(step);
    size = sizeAfter(step, size);
    opaque = opaqueAfter(step, opaque);
  };
  // What the first operations that asked were told, as answers say it.
  const found: { -readonly [Key in "faces" | "focus"]?: Original[Key] } = {};
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const params = order.operations[name as OperationName];
    if (params === undefined) continue;
    const side = row.looks?.(params as never) ?? 0;
    const small = side > 0 ? smallVersion(stored, steps, side) : undefined;
    const scans = row.scans?.(params as never);
    const scan = scans && scanOf(written, steps, scans);
    const stage = { size, frames: target.frames, opaque, alpha: target.alpha, ...broughtTo(stored, order) };
    const plan = async (timeSlice: TimeSlice): Promise<readonly Step[]> => {
      const look = () => firstFrame(pictureOf(stored, small ?? raise(name)), timeSlice);
      const animation = () => pictureOf(written, small ?? raise(name));
      const shown = sizeAfter(upright, storedSize(facts));
      const regions = regionsOfInterest(look, stage.size, timeSlice, {
        animation,
        most: row.sampledFrames ?? 1,
        foundFaces: (faces) => void (found.faces ??= reported(faces, steps.slice(1), shown)),
        foundFocus: (point) => void (found.focus ??= reportedPoint(point, stage.size, steps.slice(1), shown)),
      });
      const findBox = (finder: BoxFinder) => (scan ?? raise(name)).find(finder, timeSlice);
      return row.plan(params as never, { ...stage, timeSlice, look, ...regions, findBox });
    };
    const estimate = small ? regionEstimate(stored, small, row, written.firstOnly ? 1 : facts.frames) : scan?.estimate;
    const planned = estimate ? await isolateBudget.run(estimate, plan, order.jobLimits) : await plan(UNPAUSED);
    for (const step of planned) {
      add(step);
      if (step.kind !== "crop") checkResult(size, target.frames);
    }
  }
  const sides = target.sides && sidesFor(target.sides, size);
  for (const step of sides ? inSquare(size, Math.max(...sides)) : []) add(step);
  return { steps, plan: { ...planSteps(storedSize(facts), steps), sides }, size, opaque, ...found };
}

/** Whether some operation begins with the picture as it lies in its file. */
function isAsStored({ operations }: Operations): boolean {
  return Object.entries<OperationRow>(OPERATIONS).some(([name, row]) => {
    const params = operations[name as OperationName];
    return params !== undefined && row.asStored?.(params as never) === true;
  });
}

/** What an upright picture is brought back with to how it lies in its file. */
function turnedBack(orientation: Orientation): Step[] {
  return [{ kind: "turn", orientation: invertOrientation(orientation) }];
}

function raise(name: string): never {
  throw new Error(`${name} looks at the picture without saying so`);
}

/** What operations bring to a picture, and the colors that it has there. */
function broughtTo(
  { facts, space }: Stored,
  order: Operations,
): Pick<Stage, "lossless" | "space" | "colorOf" | "overlay"> {
  return {
    lossless: facts.quality === 100,
    space,
    colorOf: (hex, form) => colorIn(space, parseColor(hex, form)),
    overlay: (id) => overlayOf(order, id),
  };
}

function overlayOf({ overlays }: Operations, id: string): Uint8Array {
  const bytes = overlays.get(id);
  if (!bytes) throw new ApiError(422, "watermark.id is not the id of a saved watermark");
  return bytes;
}

/** Whether some format holds alpha and a gain map that browsers show. */
const ALPHA_BESIDE_GAINS = Object.values<FormatDefinition>(FORMATS).some(
  ({ can, gainMap }) => can.alpha && gainMap?.web === true,
);

/** What a result that is written as a request says can hold. */
export function targetOf(stored: Stored, output: Output | undefined): Target {
  return { alpha: canHoldAlpha(stored, output), frames: writtenFrames(stored, output), sides: sidesOf(output) };
}

/** Whether a picture that is written as a request says can have alpha. */
function canHoldAlpha(stored: Stored, output: Output | undefined): boolean {
  if (output?.format === "auto") return !stored.gainMap || ALPHA_BESIDE_GAINS;
  return namedFormat(output)?.can.alpha ?? (stored.format.write ? stored.format.can.alpha : true);
}

/** How many frames are worked on: formats without animation take the first. */
function writtenFrames({ facts, firstOnly }: Stored, output: Output | undefined): number {
  return firstOnly || namedFormat(output)?.can.animation === false ? 1 : facts.frames;
}

/** Whether a result shows the first frame of an animation alone, which is decoded as a still is. */
export function isOfFirstFrame(stored: Stored, output: Output | undefined): boolean {
  return stored.facts.frames > 1 && (output?.animation === false || writtenFrames(stored, output) === 1);
}
