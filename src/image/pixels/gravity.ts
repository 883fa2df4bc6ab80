/** Where a region or a picture is placed: by a direction, by faces, or by what stands out. */
import { decimal, record } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import type { Box, Size } from "./geometry.ts";

export const DIRECTIONS = [
  "center",
  "top-left",
  "top",
  "top-right",
  "right",
  "bottom-right",
  "bottom",
  "bottom-left",
  "left",
] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** A direction, the most prominent face, all faces, or where to look. */
export const GRAVITIES = [...DIRECTIONS, "face", "faces", "auto"] as const;

export type Gravity = (typeof GRAVITIES)[number];

/** A point of a picture: where not said otherwise each coordinate as its share of the whole, 0 to 1. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A request's point. */
export function point() {
  return record({ x: decimal(0, 1), y: decimal(0, 1) });
}

/** How far from where a direction puts it; below 1 a part of the canvas's side, else pixels. */
export function offsets() {
  const distance = decimal(-MAX_SIDE_PIXELS, MAX_SIDE_PIXELS);
  return record({ x: distance, y: distance });
}

/**
 * The top-left corner of a region away from where a direction puts it, as far as the canvas allows: away from the edges
 * that the direction names, else to the right and down. `pixel` is the side of an offset's pixel in the canvas's.
 */
export function placeOff(region: Size, canvas: Size, direction: Direction, offset: Point, pixel = 1): Point {
  const { x, y } = place(region, canvas, direction);
  const across = distance(offset.x, canvas.width, pixel) * (direction.includes("right") ? -1 : 1);
  const down = distance(offset.y, canvas.height, pixel) * (direction.startsWith("bottom") ? -1 : 1);
  return {
    x: Math.max(0, Math.min(x + across, canvas.width - region.width)),
    y: Math.max(0, Math.min(y + down, canvas.height - region.height)),
  };
}

function distance(value: number, side: number, pixel: number): number {
  return Math.abs(value) < 1 ? value * side : value * pixel;
}

/** The top-left corner of a region with a point of the canvas in its middle, as far as the canvas allows. */
export function placeAround(region: Size, canvas: Size, { x, y }: Point): Point {
  return inside(region, canvas, { x: x * canvas.width, y: y * canvas.height });
}

/** The top-left corner of a region in which a point of the canvas has the same share as in the canvas. */
export function placeAtShare(region: Size, canvas: Size, { x, y }: Point): Point {
  return { x: x * (canvas.width - region.width), y: y * (canvas.height - region.height) };
}

function inside(region: Size, canvas: Size, middle: Point): Point {
  const free = { x: canvas.width - region.width, y: canvas.height - region.height };
  const x = Math.min(middle.x - region.width / 2, free.x);
  const y = Math.min(middle.y - region.height / 2, free.y);
  return { x: Math.max(0, x), y: Math.max(0, y) };
}

/** Whether the picture must be looked at to follow this gravity. */
export function isSought(gravity: Gravity | undefined): gravity is "face" | "faces" | "auto" {
  return gravity === "face" || gravity === "faces" || gravity === "auto";
}

/** What is found by looking at a picture, when it is asked for. */
export interface RegionsOfInterest {
  readonly faces: () => Promise<readonly Box[]>;
  /** @param part shares of the sides of the part that is to hold what there is to look at */
  readonly focus: (part: Size) => Promise<Point>;
}

/** The top-left corner of a region that is pulled in a direction inside (or beyond) a canvas; may be fractional. */
export function place(region: Size, canvas: Size, direction: Direction): Pick<Box, "x" | "y"> {
  const free = { x: canvas.width - region.width, y: canvas.height - region.height };
  const x = direction.includes("left") ? 0 : direction.includes("right") ? free.x : free.x / 2;
  const y = direction.startsWith("top") ? 0 : direction.startsWith("bottom") ? free.y : free.y / 2;
  return { x, y };
}

/**
 * The top-left corner of a region inside a canvas: pulled in a direction, or with faces in its middle as far as the
 * canvas allows, or what there is to look at; without any face, in the middle. Nothing is asked for that is not needed.
 */
export async function placeInside(
  region: Size,
  canvas: Size,
  gravity: Gravity,
  { faces, focus: lookedFor }: RegionsOfInterest,
): Promise<Pick<Box, "x" | "y">> {
  if (!isSought(gravity)) return place(region, canvas, gravity);
  if (gravity === "auto") {
    const part = { width: region.width / canvas.width, height: region.height / canvas.height };
    return placeAround(region, canvas, await lookedFor(part));
  }
  const found = await faces();
  const focus = enclosing(gravity === "face" ? found.slice(0, 1) : found);
  if (!focus) return place(region, canvas, "center");
  return inside(region, canvas, { x: focus.x + focus.width / 2, y: focus.y + focus.height / 2 });
}

/** The smallest box around boxes; undefined when there are none. */
export function enclosing(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
