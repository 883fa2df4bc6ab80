/** The size at which a document wants to be drawn (CSS Images 3, section 5; SVG 2, section 8). */
import type { Box, Size } from "../../pixels/geometry.ts";
import { lengthOf } from "./lengths.ts";
import type { SvgElement } from "./tree.ts";

/** What browsers take where a document says nothing. */
const DEFAULT: Size = { width: 300, height: 150 };
/** In whole pixels; 0 when a side is 0. */
export function sizeOf({ attributes }: SvgElement): Size {
  const width = sideOf(attributes.get("width"));
  const height = sideOf(attributes.get("height"));
  const box = viewBoxOf(attributes.get("viewBox"));
  const ratio = box ? box.width / box.height : undefined;
  return rounded({
    width: width ?? (height !== undefined && ratio ? height * ratio : (box?.width ?? DEFAULT.width)),
    height: height ?? (width !== undefined && ratio ? width / ratio : (box?.height ?? DEFAULT.height)),
  });
}

function rounded({ width, height }: Size): Size {
  const whole = (length: number) => (length === 0 ? 0 : Math.max(1, Math.round(length)));
  return { width: whole(width), height: whole(height) };
}

/** Letters of a box; what is longer says nothing. */
const MAX_LETTERS = 200;

/** A side, which is not below nothing; a percentage says nothing. */
function sideOf(text: string | undefined): number | undefined {
  const length = lengthOf(text);
  return length === undefined || length < 0 ? undefined : length;
}

/** The box that a `viewBox` says; none for what is none. */
export function viewBoxOf(text: string | undefined): Box | undefined {
  if (text === undefined || text.length > MAX_LETTERS) return undefined;
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [x = 0, y = 0, width = 0, height = 0] = numbers;
  return numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0
    ? { x, y, width, height }
    : undefined;
}
