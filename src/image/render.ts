/**
 * One picture from file to file: identify, plan, decode, work, encode. Everything a job will hold in memory is known
 * before it starts, and is waited for.
 */
import type { Price } from "../../wasm/price.ts";
import { ApiError } from "../errors.ts";
import type { Allowance } from "./allowance.ts";
import { type Breath, UNPAUSED } from "./breath.ts";
import { isolateBudget } from "./budget.ts";
import { checkResult, identify } from "./detect.ts";
import { reported, reportedPoint } from "./faces/report.ts";
import type { Facts, FormatDefinition } from "./format.ts";
import { FORMATS, type FormatName } from "./formats.ts";
import { withoutMemory } from "./formats/guard.ts";
import type { Box, Size } from "./geometry.ts";
import type { Point } from "./gravity.ts";
import { keptMetadata, type Metadata, metadataBytes } from "./metadata.ts";
import type { BoxFinder, OperationRow, Step } from "./operation.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";
import { optimized } from "./optimize/attempts.ts";
import type { Rendition } from "./optimize/rendition.ts";
import { bestOf, outputFormatsOf } from "./output-formats.ts";
import { type Aim, aimOf, type Optimize, type Output, outputFormat } from "./output.ts";
import { firstFrame } from "./picture.ts";
import { pictureOf, type Stored } from "./pipeline.ts";
import { opaqueAfter, type Plan, planSteps, sizeAfter, storedSize } from "./plan.ts";
import { scanOf } from "./scan.ts";
import { SharedBytes } from "./shared-bytes.ts";
import { SIGHT_BYTES_PER_PIXEL, sightMs, sightsOf } from "./sights.ts";
import { lookPrice, smallVersion } from "./small-version.ts";
import type { Stopwatch } from "./stopwatch.ts";

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
  /** What the job may take, and when it ends; absent: anything. */
  readonly allowance?: Allowance | undefined;
}

export interface Rendered {
  readonly input: {
    readonly format: FormatDefinition;
    readonly facts: Facts;
    /** In whole pixels of the upright picture, most prominent first; absent when none were sought. */
    readonly faces?: readonly Box[] | undefined;
    /** Where was looked, in shares of the upright picture; absent when nobody asked. */
    readonly focus?: Point | undefined;
  };
  readonly output: Rendition & { readonly format: FormatDefinition; readonly facts: Facts };
}

/**
 * Carries out an order. The result's bytes are the caller's to release.
 * @param source the bytes of the original, which are released when they will not be read again
 * @throws ApiError 415, 422 or 503; what its allowance ends it with
 */
export async function render(source: SharedBytes, order: Order): Promise<Rendered> {
  let isHandedOver = false;
  try {
    const { allowance, stopwatch } = order;
    const found = identify(source.bytes);
    const stored = { ...found, stopwatch, firstOnly: order.output?.animation === false && found.facts.frames > 1 };
    const { plan, faces, focus } = await planOrder(stored, order);
    const kept = keptOf(stored, order.output);
    const aim = besideMetadata(aimOf(order.output, order.optimize), metadataBytes(kept));
    const encoding = order.output?.encoding;
    const formats = await outputFormatsOf(stored, plan, order);
    const made = await bestOf(formats, aim, (format, rivalBytes) => {
      isHandedOver = format === formats.at(-1);
      const wish = { stored, plan, format, aim, encoding, rivalBytes, isLast: isHandedOver };
      return optimized(wish, isHandedOver ? source : source.retain(), allowance);
    });
    const best = withMetadata(made, kept);
    const facts = best.format.read.probe(best.file.bytes);
    return { input: { ...stored, faces, focus }, output: { ...best, facts } };
  } catch (error) {
    throw withoutMemory(error);
  } finally {
    if (!isHandedOver) source.release();
  }
}

/**
 * What is kept of the original's metadata, which outlives its bytes.
 * @throws ApiError 422 when the format that is named cannot hold any
 */
function keptOf({ bytes, format }: Stored, output: Output | undefined): Metadata {
  const { metadata: wish = "none", format: word } = output ?? {};
  if (wish === "none") return {};
  const named = word === undefined || word === "auto" ? undefined : (FORMATS[outputFormat(word)] as FormatDefinition);
  if (named && !named.metadata?.write) {
    throw new ApiError(422, "output.metadata must be none in this output.format, which cannot hold any");
  }
  return keptMetadata(format.metadata?.read(bytes) ?? {}, wish);
}

/** A size that is asked for is that of the file with its metadata. */
function besideMetadata(aim: Aim, bytes: number): Aim {
  return aim.kind === "size" ? { ...aim, bytes: Math.max(1, aim.bytes - bytes) } : aim;
}

function withMetadata<Made extends Rendition & { readonly format: FormatDefinition }>(
  made: Made,
  kept: Metadata,
): Made {
  const { write } = made.format.metadata ?? {};
  if (!write || metadataBytes(kept) === 0) return made;
  const file = SharedBytes.of(write(made.file.bytes, kept));
  made.file.release();
  return { ...made, file };
}

interface Planned {
  readonly plan: Plan;
  readonly faces: readonly Box[] | undefined;
  readonly focus: Point | undefined;
}

/** The steps of an order, every operation planned on the picture as the ones before it leave it. */
async function planOrder(stored: Stored & { name: FormatName }, order: Order): Promise<Planned> {
  const { facts } = stored;
  const written = { ...stored, firstOnly: writtenFrames(stored, order) === 1 };
  const upright: Step = { kind: "turn", orientation: facts.orientation };
  const steps: Step[] = [upright];
  let size = sizeAfter(upright, storedSize(facts));
  let opaque = !facts.alpha;
  let faces: readonly Box[] | undefined;
  let focus: Point | undefined;
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const params = order.operations[name as OperationName];
    if (params === undefined) continue;
    const side = row.looks?.(params as never) ?? 0;
    const small = side > 0 ? smallVersion(stored, steps, side) : undefined;
    const scans = row.scans?.(params as never);
    const scan = scans && scanOf(written, steps, scans);
    const before = { size, opaque, alpha: canHoldAlpha(stored, order), overlay: (id: string) => overlayOf(order, id) };
    const plan = async (breath: Breath): Promise<readonly Step[]> => {
      const look = () => firstFrame(pictureOf(stored, small ?? raise(name)), breath);
      const sights = sightsOf(look, before.size, breath);
      const shown = sizeAfter(upright, storedSize(facts));
      const seek = async () => {
        const found = await sights.faces();
        faces ??= reported(found, steps.slice(1), shown);
        return found;
      };
      const lookFor = async () => {
        const point = await sights.focus();
        focus ??= reportedPoint(point, before.size, steps.slice(1), shown);
        return point;
      };
      const findBox = (finder: BoxFinder) => (scan ?? raise(name)).find(finder, breath);
      return row.plan(params as never, { ...before, breath, look, faces: seek, focus: lookFor, findBox });
    };
    const price = small ? sightPrice(stored, small, row) : scan?.price;
    const planned = price ? await isolateBudget.run(price, plan, order.allowance) : await plan(UNPAUSED);
    for (const step of planned) {
      steps.push(step);
      size = sizeAfter(step, size);
      opaque = opaqueAfter(step, opaque);
      if (step.kind !== "crop") checkResult(size, writtenFrames(stored, order));
    }
  }
  return { plan: planSteps(storedSize(facts), steps), faces, focus };
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
  return seldomSeeksFaces ? width * height * LOOK_NANOSECONDS * 1e-6 : sightMs({ width, height });
}

function overlayOf({ overlays }: Order, id: string): Uint8Array {
  const bytes = overlays.get(id);
  if (!bytes) throw new ApiError(422, "watermark.id is not the id of a saved watermark");
  return bytes;
}

function canHoldAlpha(stored: Stored, { output }: Order): boolean {
  const word = output?.format;
  if (word === "auto") return true;
  if (word === undefined) return stored.format.write ? stored.format.can.alpha : true;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.alpha;
}

/** How many frames are worked on: formats without animation take the first. */
function writtenFrames({ facts, firstOnly }: Stored, { output }: Order): number {
  if (firstOnly) return 1;
  const word = output?.format;
  if (word === undefined || word === "auto") return facts.frames;
  return (FORMATS[outputFormat(word)] as FormatDefinition).can.animation ? facts.frames : 1;
}
