/** What is laid a picture: where it comes, and the work of laying it. */
import { beside, FREE, type Price } from "../../wasm/price.ts";
import type { Breath } from "./breath.ts";
import { rowStep } from "./effect.ts";
import type { Box, Size } from "./geometry.ts";
import { type Direction, place, type Point } from "./gravity.ts";
import { collectPixels, collectPrice, pixelBytes, type Pixels, rowsOfPixels } from "./kept.ts";
import type { Step } from "./operation.ts";
import type { Rows } from "./rows.ts";
import { lay, layPrice } from "./steps/overlay.ts";

/** What takes no more, as it is laid on another, is made once for all frames of an animation. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** What requests say of the place of something that is laid on a picture. */
interface Placing {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly gravity?: Direction | undefined;
  /** Pixels from the edges that the direction names. */
  readonly padding: number;
}

/** The top-left corner of what is laid on a picture, in its pixels; may be outside. */
export function laidAt({ x, y, gravity = "center", padding }: Placing, laid: Size, picture: Size): Point {
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0 };
  const corner = place(laid, picture, gravity);
  const right = gravity.includes("left") ? padding : gravity.includes("right") ? -padding : 0;
  const down = gravity.startsWith("top") ? padding : gravity.startsWith("bottom") ? -padding : 0;
  return { x: Math.round(corner.x) + right, y: Math.round(corner.y) + down };
}

/** The part of what is laid at a corner that lies on the picture, in its own pixels; empty where none does. */
export function overlap(at: Point, laid: Size, picture: Size): Box {
  const [x, y] = [Math.max(0, -at.x), Math.max(0, -at.y)];
  const width = Math.min(laid.width, picture.width - at.x) - x;
  const height = Math.min(laid.height, picture.height - at.y) - y;
  return { x, y, width: Math.max(0, width), height: Math.max(0, height) };
}

/** What is laid on a picture, inside it. */
export interface Laid {
  readonly size: Size;
  readonly at: Point;
  /** 0 to 1. */
  readonly opacity: number;
  /** Of opening it and of reading it to its end. */
  readonly price: Price;
  readonly open: (breath: Breath) => Promise<Rows>;
}

export function laidStep(picture: Size, { size, at, opacity, price, open }: Laid): Step {
  const extent = { ...size, opaque: false };
  const isSmall = pixelBytes(extent) <= MAX_KEPT_BYTES;
  const opened = isSmall ? keptRows(open) : open;
  const whole = beside(price, layPrice(picture, extent), isSmall ? collectPrice(extent) : FREE);
  return rowStep(picture, whole, (rows, breath) => lay(rows, { ...extent, open: () => opened(breath) }, at, opacity));
}

/** Rows that are made once and handed out as often as they are opened. */
function keptRows(open: (breath: Breath) => Promise<Rows>): (breath: Breath) => Promise<Rows> {
  let pixels: Pixels | undefined;
  return async (breath) => {
    pixels ??= await collectPixels(await open(breath), breath);
    return rowsOfPixels(pixels);
  };
}
