/** Saved pictures laid on others. */
import * as v from "valibot";

import { ApiError } from "../../errors.ts";
import { decimal, flag, integer, lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { isWhole, type Size, turnSize } from "../pixels/geometry.ts";
import { DIRECTIONS } from "../pixels/gravity.ts";
import { firstFrame } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { identify } from "../plan/detect.ts";
import { type Plan, planSteps, storedSize } from "../plan/plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import { laidAt, laidStep, overlap } from "../steps/composite.ts";
import { operation, type Step } from "../steps/operation.ts";

const MAX_PADDING_PIXELS = 10_000;
const offset = lenientInteger(-MAX_SIDE_PIXELS, MAX_SIDE_PIXELS);
const side = lenientInteger(1, MAX_SIDE_PIXELS);
const idRule = "must be the id of a saved watermark";

const Watermark = v.pipe(
  record({
    id: v.pipe(v.string(idRule), v.regex(/^[A-Za-z0-9_-]{1,64}$/, idRule)),
    gravity: v.optional(oneOf(DIRECTIONS)),
    padding: v.optional(integer(0, MAX_PADDING_PIXELS), 0),
    x: v.optional(offset),
    y: v.optional(offset),
    opacity: v.optional(decimal(0.01, 1), 1),
    scale: v.optional(decimal(0.01, 1), 1),
    width: v.optional(side),
    height: v.optional(side),
    fit: v.optional(flag(), false),
  }),
  v.check(
    ({ x, y, gravity }) => (x === undefined && y === undefined) || gravity === undefined,
    "must have either gravity or x and y, not both",
  ),
);
type Watermark = v.InferOutput<typeof Watermark>;

export const watermark = operation({
  summary:
    "Lays a saved watermark on the picture: where `gravity` pulls it, `padding` pixels from the edges, or at x and y. It is made smaller by `scale`, then to `width` and `height`, then with `fit` to the picture; never larger.",
  params: Watermark,
  needs: ({ id }) => [id],
  plan(params, { size, space, overlay }) {
    const bytes = overlay(params.id);
    const stored = { ...identified(bytes), space };
    const upright = turnSize(storedSize(stored.facts), stored.facts.orientation);
    const shown = shownSize(params, upright, size);
    const at = laidAt(params, shown, size);
    const visible = overlap(at, shown, size);
    if (visible.width === 0 || visible.height === 0) return [];
    const steps: Step[] = [
      { kind: "turn", orientation: stored.facts.orientation },
      { kind: "resize", ...shown, kernel: "lanczos3" },
      ...(isWhole(visible, shown) ? [] : [{ kind: "crop", box: visible } as const]),
    ];
    const plan = planSteps(storedSize(stored.facts), steps);
    const corner = { x: at.x + visible.x, y: at.y + visible.y };
    const estimate = pictureEstimate(stored, plan);
    const open = (timeSlice: TimeSlice) => opened(stored, plan, timeSlice);
    return [laidStep(size, { size: visible, at: corner, opacity: params.opacity, estimate, open })];
  },
});

/** The size at which a watermark of this size is laid on a picture; smaller or the same. */
function shownSize({ scale, width, height, fit, padding }: Watermark, watermark: Size, picture: Size): Size {
  let factor = scale;
  if (width !== undefined) factor = Math.min(factor, width / watermark.width);
  if (height !== undefined) factor = Math.min(factor, height / watermark.height);
  if (fit) {
    const room = (length: number) => Math.max(1, length - 2 * padding);
    factor = Math.min(factor, room(picture.width) / watermark.width, room(picture.height) / watermark.height);
  }
  const pixels = (length: number) => Math.max(1, Math.round(length * factor));
  return { width: pixels(watermark.width), height: pixels(watermark.height) };
}

/** The watermark's first frame. */
async function opened(stored: Stored, plan: Plan, timeSlice: TimeSlice): Promise<Rows> {
  try {
    const rows = await firstFrame(pictureOf(stored, plan), timeSlice);
    return { ...rows, read: (max) => rows.read(max).catch(refuse) };
  } catch (error) {
    return refuse(error);
  }
}

function identified(bytes: Uint8Array): Stored {
  try {
    return identify(bytes);
  } catch (error) {
    return refuse(error);
  }
}

/** What is wrong with the watermark's file is not wrong with the picture. */
function refuse(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw new ApiError(422, "watermark.id names a picture that cannot be read", { cause: error });
}
