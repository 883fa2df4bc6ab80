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

/** The top-left corner of a region that is pulled in a direction inside (or beyond) a canvas; may be fractional. */
export function place(region: Size, canvas: Size, direction: Direction): Pick<Box, "x" | "y"> {
  const free = { x: canvas.width - region.width, y: canvas.height - region.height };
  const x = direction.includes("left") ? 0 : direction.includes("right") ? free.x : free.x / 2;
  const y = direction.startsWith("top") ? 0 : direction.startsWith("bottom") ? free.y : free.y / 2;
  return { x, y };
}
