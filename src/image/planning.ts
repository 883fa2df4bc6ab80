/** Turns the operations of a request into a plan, each planned on the picture as the ones before it leave it. */
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import type { Allowance } from "./allowance.ts";
import { focusMs } from "./analyses/focus-point.ts";
import { type Breath, UNPAUSED } from "./breath.ts";
import { isolateBudget } from "./budget.ts";
import { parseColor } from "./color.ts";
import { colorIn } from "./color/space.ts";
import { checkResult } from "./detect.ts";
import { reported, reportedPoint } from "./faces/report.ts";
import type { FormatDefinition } from "./format.ts";
import { FORMATS } from "./formats.ts";
import type { Box, Size } from "./geometry.ts";
import type { Point } from "./gravity.ts";
import type { BoxFinder, OperationRow, Stage, Step } from "./operation.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";
import { type Output, outputFormat } from "./output.ts";
import { firstFrame } from "./picture.ts";
import { pictureOf, type Stored } from "./pipeline.ts";
import { opaqueAfter, type Plan, planSteps, sizeAfter, storedSize } from "./plan.ts";
import { scanOf } from "./scan.ts";
import { SIGHT_BYTES_PER_PIXEL, sightsOf } from "./sights.ts";
import { lookPrice, smallVersion } from "./small-version.ts";

/** What is to be done with a picture before it is encoded. */
interface Operations {
  readonly operations: { readonly [Name in OperationName]?: unknown };
  /** The files of saved pictures that operations need, by id. */
  readonly overlays: ReadonlyMap<string, Uint8Array>;
  readonly allowance?: Allowance | undefined;
}

/** What results can hold. */
interface Room {
  /** Some format that the picture is written in has alpha. */
  readonly alpha: boolean;
  /** Frames that are worked on. */
  readonly frames: number;
  /** Frames that operations have to see, where those are others. */
  readonly seen?: number;
}

/** A picture after operations, planned. */
export interface Planned {
  /** All that is done with the stored picture. */
  readonly steps: readonly Step[];
  readonly plan: Plan;
  readonly size: Size;
  readonly opaque: boolean;
  /** In whole pixels of the upright picture, most prominent first; absent when none were sought. */
  readonly faces: readonly Box[] | undefined;
  /** Where was looked, in shares of the upright picture; absent when nobody asked. */
  readonly focus: Point | undefined;
}

/** @param before what was planned already; absent: the picture is made upright first */
export async function planOperations(
  stored: Stored,
  order: Operations,
  room: Room,
  before?: Pick<Planned, "steps" | "size" | "opaque">,
): Promise<Planned> {
  const { facts } = stored;
  const written = { ...stored, firstOnly: (room.seen ?? room.frames) === 1 };
  const upright: Step = { kind: "turn", orientation: facts.orientation };
  const steps: Step[] = [...(before?.steps ?? [upright])];
  let size = before?.size ?? sizeAfter(upright, storedSize(facts));
  let opaque = before?.opaque ?? !facts.alpha;
  let faces: readonly Box[] | undefined;
  let focus: Point | undefined;
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const params = order.operations[name as OperationName];
    if (params === undefined) continue;
    const side = row.looks?.(params as never) ?? 0;
    const small = side > 0 ? smallVersion(stored, steps, side) : undefined;
    const scans = row.scans?.(params as never);
    const scan = scans && scanOf(written, steps, scans);
    const stage = { size, opaque, alpha: room.alpha, ...broughtTo(stored, order) };
    const plan = async (breath: Breath): Promise<readonly Step[]> => {
      const look = () => firstFrame(pictureOf(stored, small ?? raise(name)), breath);
      const sights = sightsOf(look, stage.size, breath);
      const shown = sizeAfter(upright, storedSize(facts));
      const seek = async () => {
        const found = await sights.faces();
        faces ??= reported(found, steps.slice(1), shown);
        return found;
      };
      const lookFor = async (part: Size) => {
        const point = await sights.focus(part);
        focus ??= reportedPoint(point, stage.size, steps.slice(1), shown);
        return point;
      };
      const findBox = (finder: BoxFinder) => (scan ?? raise(name)).find(finder, breath);
      return row.plan(params as never, {
        ...stage,
        breath,
        look,
        seen: sights.seen,
        faces: seek,
        focus: lookFor,
        findBox,
      });
    };
    const price = small ? sightPrice(stored, small, row) : scan?.price;
    const planned = price ? await isolateBudget.run(price, plan, order.allowance) : await plan(UNPAUSED);
    for (const step of planned) {
      steps.push(step);
      size = sizeAfter(step, size);
      opaque = opaqueAfter(step, opaque);
      if (step.kind !== "crop") checkResult(size, room.frames);
    }
  }
  return { steps, plan: planSteps(storedSize(facts), steps), size, opaque, faces, focus };
}

function raise(name: string): never {
  throw new Error(`${name} looks at the picture without saying so`);
}

/** The price of what an operation sees in a small version; faces and what stands out are sought in the same pixels. */
function sightPrice(stored: Stored, small: Plan, row: OperationRow): Price {
  const seeks = row.seldomSeeksFaces !== true;
  return lookPrice(stored, small, lookMs(row, small.size), seeks ? SIGHT_BYTES_PER_PIXEL : undefined);
}

/** Nanoseconds that it takes to look at a pixel, for all but faces. */
const LOOK_NANOSECONDS = 8;

/** Milliseconds that an operation looks at a small version. */
function lookMs({ seldomSeeksFaces = false }: OperationRow, { width, height }: Size): number {
  return seldomSeeksFaces ? width * height * LOOK_NANOSECONDS * 1e-6 : focusMs({ width, height });
}

/** What operations bring to a picture, and the colors that it has there. */
function broughtTo({ space }: Stored, order: Operations): Pick<Stage, "space" | "colorOf" | "overlay"> {
  return {
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

/** Whether some format holds alpha and a gain map. */
const ALPHA_BESIDE_GAINS = Object.values<FormatDefinition>(FORMATS).some(
  ({ can, gainMap }) => can.alpha && gainMap?.write !== undefined,
);

/** Whether a picture that is written as a request says can have alpha. */
export function canHoldAlpha(stored: Stored, output: Output | undefined): boolean {
  const word = output?.format;
  if (word === "auto") return !stored.gainMap || ALPHA_BESIDE_GAINS;
  if (word === undefined) return stored.format.write ? stored.format.can.alpha : true;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.alpha;
}

/** How many frames are worked on: formats without animation take the first. */
export function writtenFrames({ facts, firstOnly }: Stored, output: Output | undefined): number {
  if (firstOnly) return 1;
  const word = output?.format;
  if (word === undefined || word === "auto") return facts.frames;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.animation ? facts.frames : 1;
}
