/** A picture in the middle of a square. */
import { TRANSPARENT } from "../color/rgba.ts";
import type { Size } from "../pixels/geometry.ts";
import { extend } from "./extend.ts";
import type { Step } from "./operation.ts";

/** Takes a picture to a square of so many pixels a side: as large as it fits, on transparency. */
export function inSquare(size: Size, side: number): readonly Step[] {
  const scale = side / Math.max(size.width, size.height);
  const width = Math.max(1, Math.round(size.width * scale));
  const height = Math.max(1, Math.round(size.height * scale));
  const resize: Step = { kind: "resize", width, height, kernel: "lanczos3" };
  if (width === height) return [resize];
  const offset = { x: Math.floor((side - width) / 2), y: Math.floor((side - height) / 2) };
  return [resize, extend({ width, height }, { width: side, height: side }, offset, TRANSPARENT)];
}
