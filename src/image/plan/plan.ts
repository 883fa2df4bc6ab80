/**
 * Turns operations into steps, and steps into a plan: what the decoder is asked for, and what is done to its rows.
 *
 * Leading turns, crops and one resize are joined into a view of the stored picture. The decoder may then skip what lies
 * outside and decode at a smaller scale, and a turn, which needs the whole picture in memory, happens after the shrink.
 */
import type { Demand, Facts, Resized } from "../codec/format.ts";
import {
  type Box,
  composeOrientations,
  invertOrientation,
  isWhole,
  type Orientation,
  type Size,
  turnBox,
  turnSize,
  whole,
} from "../pixels/geometry.ts";
import type { Kernel, Resize, Step } from "../steps/operation.ts";
import { turnedSize } from "../steps/rotate.ts";

/** The part of a stored picture that is wanted, the size it is wanted at, and how it is to be turned. */
export interface View {
  /** In stored pixels. */
  readonly box: Box;
  /** Applied after the resize. */
  readonly orientation: Orientation;
  /** In upright pixels; absent: the size of the box. */
  readonly target?: Size & { readonly kernel: Kernel; readonly linear?: boolean };
  /** Of a strip, where it is turned by strips; absent: as many as fit beside most work. */
  readonly maxStripBytes?: number | undefined;
}

export interface Plan {
  readonly view: View;
  /** What is done after the view, in order. */
  readonly steps: readonly Step[];
  /** The size of the result. */
  readonly size: Size;
  /** Of the squares that the result is, in a format that holds several; it is planned as the largest. */
  readonly sides?: readonly number[] | undefined;
  /** Some pixel of the result differs from the stored picture. */
  readonly changesPixels: boolean;
}

/** The size of a picture after a step. */
export function sizeAfter(step: Step, size: Size): Size {
  switch (step.kind) {
    case "turn":
      return turnSize(size, step.orientation);
    case "crop":
      return { width: step.box.width, height: step.box.height };
    case "resize":
    case "rotate":
    case "rows":
      return { width: step.width, height: step.height };
  }
}

/** Whether a picture is opaque after a step. */
export function opaqueAfter(step: Step, opaque: boolean): boolean {
  if (step.kind === "rotate") return opaque && step.background[3] === 255;
  return step.kind === "rows" ? step.opaque(opaque) : opaque;
}

/** Joins the leading geometry of `steps` into a view of a stored picture. */
export function planSteps(stored: Size, steps: readonly Step[]): Plan {
  let view: View = { box: whole(stored), orientation: 1 };
  let size = stored;
  let joined = 0;
  for (const step of steps) {
    const next = join(view, size, step);
    if (!next) break;
    view = next;
    size = sizeAfter(step, size);
    joined++;
  }
  const rest = cutWhileResizing(steps.slice(joined).filter((step) => !isIdle(step)));
  const folded = shrinkFirst(view, size, rest) ?? { view, steps: rest };
  for (const step of rest) size = sizeAfter(step, size);
  const changesPixels = rest.length > 0 || !isIdleView(view, stored);
  return { ...folded, size, changesPixels };
}

/** What keeps its size is cut at whole pixels: half a pixel aside it would only be blurred. */
function shifted(box: Box): Box {
  return { ...box, x: Math.floor(box.x), y: Math.floor(box.y) };
}

/** Crops right before a resize become part of it: only there may they be fractional. */
function cutWhileResizing(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const before = joined.at(-1);
    const cut = before?.kind === "crop" ? before.box : undefined;
    if (cut && step.kind === "crop") {
      joined.splice(-1, 1, { kind: "crop", box: { ...step.box, x: cut.x + step.box.x, y: cut.y + step.box.y } });
    } else if (cut && step.kind === "resize") {
      const same = step.width === cut.width && step.height === cut.height;
      joined.splice(-1, 1, same ? { kind: "crop", box: shifted(cut) } : { ...step, box: cut });
    } else {
      joined.push(step);
    }
  }
  return joined;
}

/** How much larger than the result a picture is rotated, so that no interpolation shows. */
const ROTATION_OVERSAMPLING = 2;
/** A saving below this is not worth a second resampling. */
const MIN_ROTATION_SHRINK = 0.75;

/**
 * A rotation and the resize after it, as a shrink that the decoder may do, the rotation of what is left, and the rest
 * of the resize; null when there is too little to be shrunk first. The center of the picture stays the center.
 */
function shrinkFirst(view: View, size: Size, steps: readonly Step[]): Pick<Plan, "view" | "steps"> | null {
  const [rotation, resize, ...rest] = steps;
  if (view.target || rotation?.kind !== "rotate" || resize?.kind !== "resize") return null;
  const box = resize.box ?? whole(rotation);
  const shrink = ROTATION_OVERSAMPLING * Math.max(resize.width / box.width, resize.height / box.height);
  if (shrink > MIN_ROTATION_SHRINK) return null;
  const small = {
    width: Math.max(1, Math.round(size.width * shrink)),
    height: Math.max(1, Math.round(size.height * shrink)),
  };
  const scale = Math.sqrt((small.width * small.height) / (size.width * size.height));
  const fitting = turnedSize(small, rotation.angle);
  const canvas = {
    width: Math.max(fitting.width, Math.ceil(rotation.width * scale)),
    height: Math.max(fitting.height, Math.ceil(rotation.height * scale)),
  };
  const inside = {
    x: canvas.width / 2 + (box.x - rotation.width / 2) * scale,
    y: canvas.height / 2 + (box.y - rotation.height / 2) * scale,
    width: box.width * scale,
    height: box.height * scale,
  };
  return {
    view: { ...view, target: targetOf({ ...resize, ...small }) },
    steps: [{ ...rotation, ...canvas }, { ...resize, box: inside }, ...rest],
  };
}

/** The view with one more step in it, or null when the step has to run on pixels of its own. */
function join(view: View, size: Size, step: Step): View | null {
  switch (step.kind) {
    case "turn": {
      const orientation = composeOrientations(view.orientation, step.orientation);
      if (!view.target) return { ...view, orientation };
      return { ...view, orientation, target: { ...view.target, ...turnSize(view.target, step.orientation) } };
    }
    case "crop": {
      if (view.target) return null;
      const inside = turnBox(step.box, size, invertOrientation(view.orientation));
      return { ...view, box: { ...inside, x: view.box.x + inside.x, y: view.box.y + inside.y } };
    }
    case "resize":
      if (view.target) return null;
      if (step.width === size.width && step.height === size.height) return { ...view, box: shifted(view.box) };
      return { ...view, target: targetOf(step) };
    case "rotate":
    case "rows":
      return null;
  }
}

function isIdle(step: Step): boolean {
  return step.kind === "turn" && step.orientation === 1;
}

function isIdleView(view: View, stored: Size): boolean {
  return view.orientation === 1 && !view.target && isWhole(view.box, stored);
}

function targetOf({ width, height, kernel, linear = false }: Resize): NonNullable<View["target"]> {
  return { width, height, kernel, ...(linear && { linear }) };
}

/** The size of what a view shows, not yet turned. */
export function viewedSize({ box, target, orientation }: View): Size {
  return target ? turnSize(target, orientation) : { width: box.width, height: box.height };
}

/** By how much a plan enlarges what it shows; 1 where it does not. */
export function enlargementOf({ view, steps }: Plan): number {
  const viewed = viewedSize(view);
  let by = Math.max(viewed.width / view.box.width, viewed.height / view.box.height);
  let size = turnSize(viewed, view.orientation);
  for (const step of steps) {
    const next = sizeAfter(step, size);
    if (step.kind === "resize") by *= Math.max(next.width / size.width, next.height / size.height);
    size = next;
  }
  return Math.max(1, by);
}

/** What a view asks of the decoder. Decoders shrink encoded values, so they may not where light is to be filtered. */
export function demandOf(view: View, options: Pick<Demand, "firstOnly" | "sixteenBit"> = {}): Demand {
  const { box, target } = view;
  const { width, height } = viewedSize(view);
  const { firstOnly, sixteenBit } = options;
  if (!target?.linear) return { box, width, height, firstOnly, sixteenBit };
  return { box, width: Math.max(width, box.width), height: Math.max(height, box.height), firstOnly, sixteenBit };
}

/** What a plan wants if it only takes a region of the stored picture to another size, by filtering values as stored. */
export function resizedOnly({ view, steps, size }: Plan): Resized | null {
  const { box, orientation, target } = view;
  if (steps.length > 0 || orientation !== 1 || target?.linear) return null;
  return { box, width: size.width, height: size.height, kernel: target?.kernel ?? "lanczos3" };
}

/** Whether nothing of a stored picture changes but, perhaps, how it lies. */
export function onlyTurns({ view, steps }: Pick<Plan, "view" | "steps">, facts: Facts): boolean {
  return steps.length === 0 && !view.target && isWhole(view.box, storedSize(facts));
}

/** The size at which the picture is stored. */
export function storedSize(facts: Facts): Size {
  return { width: facts.width, height: facts.height };
}
