/** Where a region or a picture is placed: by a direction, or by faces. */
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

/** A direction, the most prominent face, or all faces. */
export const GRAVITIES = [...DIRECTIONS, "face", "faces"] as const;

export type Gravity = (typeof GRAVITIES)[number];

/** Whether faces must be sought to follow this gravity. */
export function seeksFaces(gravity: Gravity | undefined): gravity is "face" | "faces" {
  return gravity === "face" || gravity === "faces";
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
 * canvas allows; without any face, in the middle. `faces` are asked for when they are needed.
 */
export async function placeInside(
  region: Size,
  canvas: Size,
  gravity: Gravity,
  faces: () => Promise<readonly Box[]>,
): Promise<Pick<Box, "x" | "y">> {
  if (!seeksFaces(gravity)) return place(region, canvas, gravity);
  const found = await faces();
  const focus = enclosing(gravity === "face" ? found.slice(0, 1) : found);
  if (!focus) return place(region, canvas, "center");
  const free = { x: canvas.width - region.width, y: canvas.height - region.height };
  const x = focus.x + focus.width / 2 - region.width / 2;
  const y = focus.y + focus.height / 2 - region.height / 2;
  return { x: Math.max(0, Math.min(x, free.x)), y: Math.max(0, Math.min(y, free.y)) };
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
