/**
 * Turns operations into steps, and steps into a plan: what the decoder is asked for, and what is done to its rows.
 *
 * Leading turns, crops and one resize are joined into a view of the stored picture. The decoder may then skip what lies
 * outside and decode at a smaller scale, and a turn, which needs the whole picture in memory, happens after the shrink.
 */
import type { Demand, Facts } from "./format.ts";
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
} from "./geometry.ts";
import type { Kernel, Step } from "./operation.ts";

/** The part of a stored picture that is wanted, the size it is wanted at, and how it is to be turned. */
export interface View {
  /** In stored pixels. */
  readonly box: Box;
  /** Applied after the resize. */
  readonly orientation: Orientation;
  /** In upright pixels; absent: the size of the box. */
  readonly target?: Size & { readonly kernel: Kernel };
}

export interface Plan {
  readonly view: View;
  /** What is done after the view, in order. */
  readonly steps: readonly Step[];
  /** The size of the result. */
  readonly size: Size;
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
    case "rows":
      return { width: step.width, height: step.height };
  }
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
  const rest = steps.slice(joined).filter((step) => !isIdle(step));
  for (const step of rest) size = sizeAfter(step, size);
  const changesPixels = rest.length > 0 || !isIdleView(view, stored);
  return { view, steps: rest, size, changesPixels };
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
      if (step.width === size.width && step.height === size.height) return view;
      return { ...view, target: { width: step.width, height: step.height, kernel: step.kernel } };
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

/** What a view asks of the decoder. */
export function demandOf(view: View): Demand {
  const { box, target, orientation } = view;
  const wanted = target ? turnSize(target, orientation) : box;
  return { box, width: wanted.width, height: wanted.height };
}

/** The size at which the picture is stored. */
export function storedSize(facts: Facts): Size {
  return { width: facts.width, height: facts.height };
}
