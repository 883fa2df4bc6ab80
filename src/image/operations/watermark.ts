/** Saved pictures laid on others. */
import * as v from "valibot";

import { beside, FREE } from "../../../wasm/price.ts";
import { ApiError } from "../../errors.ts";
import { decimal, flag, integer, lenientInteger, oneOf, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import type { Breath } from "../breath.ts";
import { identify } from "../detect.ts";
import { rowStep } from "../effect.ts";
import { type Box, isWhole, type Size, turnSize } from "../geometry.ts";
import { DIRECTIONS, place } from "../gravity.ts";
import { collectPixels, collectPrice, pixelBytes, type Pixels, rowsOfPixels } from "../kept.ts";
import { operation, type Step } from "../operation.ts";
import { firstFrame } from "../picture.ts";
import { pictureOf, picturePrice, type Stored } from "../pipeline.ts";
import { type Plan, planSteps, storedSize } from "../plan.ts";
import type { Rows } from "../rows.ts";
import { lay, layPrice } from "../steps/overlay.ts";

const MAX_PADDING_PIXELS = 10_000;
/** A watermark that takes no more, as it is laid on the picture, is decoded once for all frames of an animation. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
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
  plan(params, { size, overlay }) {
    const bytes = overlay(params.id);
    const stored = identified(bytes);
    const upright = turnSize(storedSize(stored.facts), stored.facts.orientation);
    const shown = shownSize(params, upright, size);
    const at = placed(params, shown, size);
    const visible = overlap(at, shown, size);
    if (visible.width <= 0 || visible.height <= 0) return [];
    const steps: Step[] = [
      { kind: "turn", orientation: stored.facts.orientation },
      { kind: "resize", ...shown, kernel: "lanczos3" },
      ...(isWhole(visible, shown) ? [] : [{ kind: "crop", box: visible } as const]),
    ];
    const plan = planSteps(storedSize(stored.facts), steps);
    const extent = { width: visible.width, height: visible.height, opaque: false };
    const small = pixelBytes(extent) <= MAX_KEPT_BYTES;
    const open = small ? keptRows(stored, plan) : (breath: Breath) => opened(stored, plan, breath);
    const price = beside(picturePrice(stored, plan), layPrice(size, extent), small ? collectPrice(extent) : FREE);
    const corner = { x: at.x + visible.x, y: at.y + visible.y };
    return [
      rowStep(size, price, (rows, breath) => {
        const over = { ...extent, open: () => open(breath) };
        return lay(rows, over, corner, params.opacity);
      }),
    ];
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

function placed({ x, y, gravity = "center", padding }: Watermark, shown: Size, size: Size): Pick<Box, "x" | "y"> {
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0 };
  const corner = place(shown, size, gravity);
  const right = gravity.includes("left") ? padding : gravity.includes("right") ? -padding : 0;
  const down = gravity.startsWith("top") ? padding : gravity.startsWith("bottom") ? -padding : 0;
  return { x: Math.round(corner.x) + right, y: Math.round(corner.y) + down };
}

/** The part of the watermark that lies on the picture, in pixels of the watermark. */
function overlap(at: Pick<Box, "x" | "y">, shown: Size, size: Size): Box {
  const [x, y] = [Math.max(0, -at.x), Math.max(0, -at.y)];
  const width = Math.min(shown.width, size.width - at.x) - x;
  const height = Math.min(shown.height, size.height - at.y) - y;
  return { x, y, width, height };
}

/** The watermark's first frame. */
async function opened(stored: Stored, plan: Plan, breath: Breath): Promise<Rows> {
  try {
    const rows = await firstFrame(pictureOf(stored, plan), breath);
    return {
      ...rows,
      read: (max) => rows.read(max).catch(refuse),
    };
  } catch (error) {
    return refuse(error);
  }
}

/** The watermark's first frame, decoded once. */
function keptRows(stored: Stored, plan: Plan): (breath: Breath) => Promise<Rows> {
  let pixels: Pixels | undefined;
  return async (breath) => {
    pixels ??= await collectPixels(await opened(stored, plan, breath), breath);
    return rowsOfPixels(pixels);
  };
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
