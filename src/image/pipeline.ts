/** Runs a plan: opens the stored picture as its view asks, and hands every frame's rows through the steps. */
import { toSrgb } from "./color/convert.ts";
import type { Facts, FormatDefinition } from "./format.ts";
import { type Box, isWhole, type Size, turnSize, whole } from "./geometry.ts";
import type { Step } from "./operation.ts";
import { firstFrame, type Frame, type Picture } from "./picture.ts";
import { demandOf, opaqueAfter, type Plan, sizeAfter, type View, viewedSize } from "./plan.ts";
import { resample, resamplePeakBytes } from "./resample.ts";
import type { Rows } from "./rows.ts";
import { crop } from "./steps/crop.ts";
import { rotate, rotatePeakBytes } from "./steps/rotate.ts";
import { needsStrips, stripPeakBytes, turnByStrips } from "./steps/turn-strips.ts";
import { turn, turnPeakBytes } from "./steps/turn.ts";
import { clocked, type Stopwatch } from "./stopwatch.ts";

/** A file whose format and facts are known. */
export interface Stored {
  readonly bytes: Uint8Array;
  readonly format: FormatDefinition;
  readonly facts: Facts;
  /** Told how long its pictures take. */
  readonly stopwatch?: Stopwatch | undefined;
}

/** The planned picture; nothing is decoded before its rows are read. */
export function pictureOf(stored: Stored, plan: Plan): Picture {
  const { facts } = stored;
  return {
    ...plan.size,
    opaque: plan.steps.reduce((opaque, step) => opaqueAfter(step, opaque), !facts.alpha),
    frames: facts.frames,
    loops: facts.loops,
    open: () => clocked(() => plannedFrames(stored, plan), "operations", stored.stopwatch),
  };
}

function* plannedFrames(stored: Stored, { view, steps }: Plan): Iterable<Frame> {
  for (const { delayMs, rows: viewed } of viewedFrames(stored, view)) {
    let rows = viewed;
    try {
      for (const step of steps) rows = applied(rows, step);
      yield { delayMs, rows };
    } finally {
      rows.close();
    }
  }
}

/** The frames of a stored picture as a view wants them. */
function* viewedFrames(stored: Stored, view: View): Iterable<Frame> {
  const { facts, format, bytes, stopwatch } = stored;
  if (turnsByStrips(facts, view)) {
    const openRegion = (box: Box) => firstFrame(regionOf(stored, box));
    const rows = turnByStrips(openRegion, { ...view, opaque: !facts.alpha });
    yield { delayMs: 0, rows };
    return;
  }
  for (const decoded of clocked(() => format.open(bytes, facts, demandOf(view)), "decode", stopwatch)) {
    let { rows } = decoded;
    try {
      rows = sized(rows, decoded.box, view);
      rows = toSrgb(rows, facts.profile, facts.colorspace);
      rows = turn(rows, view.orientation);
      yield { delayMs: decoded.delayMs, rows };
    } finally {
      rows.close();
    }
  }
}

/** A still picture that is too large to be turned whole. What is shrunk first is small enough. */
function turnsByStrips({ frames }: Facts, { box, target, orientation }: View): boolean {
  return frames === 1 && !target && needsStrips(box, orientation);
}

/** A region of a stored picture, neither resized nor turned. */
function regionOf(stored: Stored, box: Box): Picture {
  const open = () => viewedFrames(stored, { box, orientation: 1 });
  return { width: box.width, height: box.height, opaque: !stored.facts.alpha, frames: 1, loops: 0, open };
}

/** The most bytes that decoding and the steps hold while the picture is read. */
export function picturePeakBytes(stored: Stored, plan: Plan): number {
  const demand = demandOf(plan.view);
  let bytes = stored.format.decodePeakBytes(stored.facts, demand);
  const viewed = viewedSize(plan.view);
  if (plan.view.target) bytes += resamplePeakBytes(demand.box, viewed);
  const turnBytes = turnsByStrips(stored.facts, plan.view) ? stripPeakBytes : turnPeakBytes;
  bytes += turnBytes(viewed, plan.view.orientation);
  let size = turnSize(viewed, plan.view.orientation);
  let opaque = !stored.facts.alpha;
  for (const step of plan.steps) {
    bytes += stepPeakBytes(step, size, opaque);
    size = sizeAfter(step, size);
    opaque = opaqueAfter(step, opaque);
  }
  return bytes;
}

/** The most bytes that a step on a picture of this size holds. */
export function stepPeakBytes(step: Step, size: Size, opaque: boolean): number {
  switch (step.kind) {
    case "turn":
      return turnPeakBytes(size, step.orientation);
    case "crop":
      return 0;
    case "resize":
      return resamplePeakBytes(step.box ?? size, step);
    case "rotate":
      return rotatePeakBytes(size, opaque, step);
    case "rows":
      return step.peakBytes;
  }
}

/** The wanted region at the wanted size, not yet turned. */
function sized(rows: Rows, box: Box, { target, orientation }: View): Rows {
  if (!target) return isWhole(box, rows) ? rows : crop(rows, box);
  const { kernel, linear = false } = target;
  return resample(rows, { box, ...turnSize(target, orientation), kernel, linear });
}

/** The picture after a step. */
export function applied(rows: Rows, step: Step): Rows {
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
      return step.apply(rows);
  }
}
