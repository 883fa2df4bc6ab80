/** Runs a plan: opens the stored picture as its view asks, and hands every frame's rows through the steps. */
import { parallel, NO_WORK, type Estimate, serial, times } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { changesOf, detailOf, textureOf } from "../codec/complexity.ts";
import { conversionEstimate, toSpace } from "../codec/convert-colors.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import { decodedFrames, ownTimeSlice, paced } from "../codec/metered-rows.ts";
import type { ProfileOption } from "../color/profile-option.ts";
import { type Space, spaceOf } from "../color/space.ts";
import type { GainMap } from "../gain-map/gain-map.ts";
import { area, type Box, isWhole, type Size, turnSize, whole } from "../pixels/geometry.ts";
import { firstFrame, type Frame, type Picture, stillPicture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { clocked, type Stopwatch } from "../pixels/stopwatch.ts";
import { crop } from "../steps/crop.ts";
import type { Step } from "../steps/operation.ts";
import { resample, resampleEstimate } from "../steps/resample.ts";
import { rotate, rotateEstimate } from "../steps/rotate.ts";
import { NARROW_STRIP_BYTES, needsStrips, stripEstimate, stripRegions, turnByStrips } from "../steps/turn-strips.ts";
import { turn, turnEstimate } from "../steps/turn.ts";
import { demandOf, opaqueAfter, type Plan, sizeAfter, type View, viewedSize } from "./plan.ts";

/** A file whose format and facts are known. */
export interface Stored {
  readonly bytes: Uint8Array;
  readonly format: FormatDefinition;
  readonly facts: Facts;
  /** Of an animation nothing but the first frame is wanted. */
  readonly firstOnly?: boolean | undefined;
  /** Its pixels are in memory, as they are read. */
  readonly isBuffered?: boolean | undefined;
  /** Bytes of originals that are held while it is worked on; absent: its own. */
  readonly heldBytes?: number | undefined;
  /** Bytes that the work holds besides, in whose estimate they are; absent: none. */
  readonly bufferedBytes?: number | undefined;
  /** What its pictures are brought to; absent: sRGB. */
  readonly space?: Space | undefined;
  /** The gain map that a result is to keep. */
  readonly gainMap?: GainMap | undefined;
  /** Its rows are 16-bit: only by `withSixteenBits`, which knows where they can be. */
  readonly sixteenBit?: true | undefined;
  /** Told how long its pictures take. */
  readonly stopwatch?: Stopwatch | undefined;
}

/** A file that is worked on in the colors that a request wants. */
export function inSpace<Own extends Stored>(stored: Own, options: ProfileOption | undefined): Own {
  const space = spaceOf(stored.facts, options);
  return space ? { ...stored, space } : stored;
}

/** What requests may say of their original. */
export interface InputOptions {
  readonly damaged?: "refuse" | "show" | undefined;
}

/** A file whose damage is shown, where that is asked for and its format can; or else the file as it is. */
export function withInputOptions<Own extends Stored>(stored: Own, options: InputOptions | undefined): Own {
  if (options?.damaged !== "show" || !stored.format.read.showsDamage) return stored;
  return { ...stored, facts: { ...stored.facts, showsDamage: true } };
}

/** A file whose damage is refused. */
export function asWhole<Own extends Stored>(stored: Own): Own {
  const { showsDamage: _, ...facts } = stored.facts;
  return { ...stored, facts };
}

/** What can be done with 16-bit rows. */
const SIXTEEN_BIT_STEPS: ReadonlySet<Step["kind"]> = new Set(["crop", "turn", "resize"]);
/** Bits of a sample that 16-bit rows can hold. */
const MOST_BITS = 16;

/**
 * A file of which the planned picture has 16-bit rows; null where that has no more than 8 bits, or something on the way
 * from the file to it knows no other rows.
 */
export function withSixteenBits<Own extends Stored>(stored: Own, { steps }: Plan): Own | null {
  const { facts, format } = stored;
  const has = (facts.bits ?? 0) > 8 && facts.frames === 1 && format.read.sixteenBit === true;
  return has && steps.every(({ kind }) => SIXTEEN_BIT_STEPS.has(kind)) ? { ...stored, sixteenBit: true } : null;
}

/** The planned picture; nothing is decoded before its rows are read. */
export function pictureOf(stored: Stored, plan: Plan): Picture {
  const { facts, stopwatch, firstOnly = false, sixteenBit } = stored;
  const picture: Picture = {
    ...plan.size,
    opaque: plan.steps.reduce((opaque, step) => opaqueAfter(step, opaque), !facts.alpha),
    frames: facts.frames,
    loops: facts.loops,
    changes: changesOf(facts, plan.size),
    detail: detailOf(facts, plan.size),
    texture: textureOf(facts, plan.size),
    enlarged: enlargementOf(stored, plan),
    space: stored.space,
    bits: sixteenBit && Math.min(MOST_BITS, facts.bits ?? MOST_BITS),
    open: (timeSlice) => clocked(plannedFrames(stored, plan, timeSlice), "operations", timeSlice, stopwatch),
  };
  return firstOnly ? stillPicture(picture, (timeSlice) => firstFrame(picture, timeSlice)) : picture;
}

async function* plannedFrames(stored: Stored, { view, steps }: Plan, timeSlice: TimeSlice): AsyncIterable<Frame> {
  let frame = 0;
  for await (const { delayMs, rows: viewed } of viewedFrames(stored, view, timeSlice)) {
    let rows = viewed;
    try {
      for (const step of steps) {
        const { ms } = stepEstimate(step, rows, rows.opaque, rows.sixteenBit);
        const own = ownTimeSlice(timeSlice);
        rows = paced(applied(rows, step, own, frame), ms, timeSlice, own);
      }
      yield { delayMs, rows };
    } finally {
      rows.close();
    }
    frame++;
  }
}

/** The frames of a stored picture as a view wants them. */
async function* viewedFrames(stored: Stored, view: View, timeSlice: TimeSlice): AsyncIterable<Frame> {
  const { facts, format, bytes, space, stopwatch } = stored;
  if (turnsByStrips(stored, view)) {
    const openRegion = (region: Box) => {
      const open = (own: TimeSlice) => viewedFrames(stored, viewOfRegion(view, region), own);
      return firstFrame({ ...region, opaque: !facts.alpha, frames: 1, loops: 0, open }, timeSlice);
    };
    const rows = turnByStrips(openRegion, { ...turnedIn(stored, view), opaque: !facts.alpha });
    yield { delayMs: 0, rows: paced(rows, turningEstimate(stored, view).ms, timeSlice) };
    return;
  }
  const demand = demandOf(view, stored);
  const decoding = clocked(decodedFrames(format, bytes, facts, demand, timeSlice), "decode", timeSlice, stopwatch);
  for await (const decoded of decoding) {
    let { rows } = decoded;
    try {
      rows = sized(rows, decoded.box, view, timeSlice);
      rows = paced(toSpace(rows, facts, space), conversionEstimate(rows, facts, space).ms, timeSlice);
      rows = paced(turn(rows, view.orientation), turningEstimate(stored, view).ms, timeSlice);
      yield { delayMs: decoded.delayMs, rows };
    } finally {
      rows.close();
    }
  }
}

/** A still picture that is too large to be turned whole. */
export function turnsByStrips({ facts: { frames }, sixteenBit }: Stored, view: View): boolean {
  return frames === 1 && needsStrips({ ...viewedSize(view), sixteenBit }, view.orientation);
}

/** The estimate of turning what a view shows: by strips where it is too large for that at once. */
function turningEstimate(stored: Stored, view: View): Estimate {
  const viewed = { ...viewedSize(view), sixteenBit: stored.sixteenBit };
  const { orientation, maxStripBytes } = view;
  return turnsByStrips(stored, view)
    ? stripEstimate(viewed, orientation, maxStripBytes)
    : turnEstimate(viewed, orientation);
}

/** The same plan, of which what is turned by strips is turned in narrow ones. */
export function withNarrowStrips(plan: Plan): Plan {
  return { ...plan, view: { ...plan.view, maxStripBytes: NARROW_STRIP_BYTES } };
}

/** What is turned of a view: all of it, as it is resized. */
function turnedIn({ sixteenBit }: Stored, view: View) {
  const { box, orientation, maxStripBytes } = view;
  const viewed = viewedSize(view);
  const scale = Math.max(viewed.width / box.width, viewed.height / box.height);
  return { box: whole(viewed), orientation, scale, sixteenBit, maxStripBytes };
}

/** The view of a region of what another shows, not turned: of what is resized, about as much of the stored picture. */
function viewOfRegion(view: View, { x, y, width, height }: Box): View {
  const { box, target } = view;
  const viewed = viewedSize(view);
  const [across, down] = [box.width / viewed.width, box.height / viewed.height];
  return {
    box: { x: box.x + x * across, y: box.y + y * down, width: width * across, height: height * down },
    orientation: 1,
    ...(target && { target: { ...target, width, height } }),
  };
}

/**
 * The estimate of decoding a picture and of its way through the steps, up to its last row; what reads it is not in it.
 */
export function pictureEstimate(stored: Stored, { view, steps }: Plan): Estimate {
  const { facts, firstOnly = false, sixteenBit } = stored;
  const frame: Estimate[] = [viewEstimate(stored, view)];
  let size = turnSize(viewedSize(view), view.orientation);
  let opaque = !facts.alpha;
  for (const step of steps) {
    frame.push(stepEstimate(step, size, opaque, sixteenBit));
    size = sizeAfter(step, size);
    opaque = opaqueAfter(step, opaque);
  }
  return parallel(decodingEstimate(stored, view), times(firstOnly ? 1 : facts.frames, parallel(...frame)));
}

/** The estimate of decoding all frames, as often as a view needs. */
function decodingEstimate(stored: Stored, view: View): Estimate {
  const { format, facts, sixteenBit } = stored;
  const demands = turnsByStrips(stored, view)
    ? stripRegions(turnedIn(stored, view)).map(({ margin }) => demandOf(viewOfRegion(view, margin), { sixteenBit }))
    : [demandOf(view, stored)];
  return serial(...demands.map((demand) => format.read.estimate(facts, demand)));
}

/** The estimate of bringing a decoded frame to the size, the colors and the orientation of a view. */
function viewEstimate(stored: Stored, view: View): Estimate {
  const { format, facts, space, sixteenBit } = stored;
  const { target } = view;
  const viewed = { ...viewedSize(view), sixteenBit };
  return parallel(
    target
      ? resampleEstimate(decodedSize(format, facts, view), viewed, { ...target, opaque: !facts.alpha, sixteenBit })
      : NO_WORK,
    conversionEstimate(viewed, facts, space),
    turningEstimate(stored, view),
  );
}

/** How many pixels of a planned picture show one as it is decoded: where it is enlarged more than one. */
function enlargementOf({ format, facts }: Stored, { view, steps }: Plan): number {
  let size = turnSize(viewedSize(view), view.orientation);
  let enlarged = area(size) / area(decodedSize(format, facts, view));
  for (const step of steps) {
    if (step.kind === "resize") enlarged *= area(step) / area(step.box ?? size);
    size = sizeAfter(step, size);
  }
  return Math.max(1, enlarged);
}

/** The size of the wanted region as the decoder makes it. */
function decodedSize({ read }: FormatDefinition, facts: Facts, view: View): Size {
  const demand = demandOf(view);
  const { width, height } = demand.box;
  const scale = read.scale?.(facts, demand) ?? 1;
  return { width: width * scale, height: height * scale };
}

/** The estimate of one frame of this size on its way through a step. */
export function stepEstimate(step: Step, size: Size, opaque: boolean, sixteenBit?: true): Estimate {
  switch (step.kind) {
    case "turn":
      return turnEstimate({ ...size, sixteenBit }, step.orientation);
    case "crop":
      return NO_WORK;
    case "resize":
      return resampleEstimate(step.box ?? size, step, { ...step, opaque, sixteenBit });
    case "rotate":
      return rotateEstimate(size, opaque, step);
    case "rows":
      return step.estimate;
  }
}

/** The wanted region at the wanted size, not yet turned. */
function sized(rows: Rows, box: Box, { target, orientation }: View, timeSlice: TimeSlice): Rows {
  if (!target) return isWhole(box, rows) ? rows : crop(rows, box);
  const { kernel, linear = false } = target;
  const { opaque, sixteenBit } = rows;
  const size = turnSize(target, orientation);
  const { ms } = resampleEstimate(box, size, { linear, opaque, sixteenBit });
  return paced(resample(rows, { box, ...size, kernel, linear }), ms, timeSlice);
}

/** A frame after a step, by its number in the animation. */
export function applied(rows: Rows, step: Step, timeSlice: TimeSlice, frame = 0): Rows {
  switch (step.kind) {
    case "turn":
      return turn(rows, step.orientation);
    case "crop":
      return crop(rows, step.box);
    case "resize": {
      const { box = whole(rows), width, height, kernel, linear = false } = step;
      return resample(rows, { box, width, height, kernel, linear });
    }
    case "rotate":
      return rotate(rows, step);
    case "rows":
      return step.apply(rows, timeSlice, frame);
  }
}
