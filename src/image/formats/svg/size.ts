/** The size at which a document wants to be drawn (CSS Images 3, section 5; SVG 2, section 8). */
import type { Size } from "../../geometry.ts";
import type { SvgElement } from "./tree.ts";

/** What browsers take where a document says nothing. */
const DEFAULT: Size = { width: 300, height: 150 };
/** CSS pixels in the units of lengths. */
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  em: 16,
  rem: 16,
  ex: 8,
};

/** In whole pixels; 0 when a side is 0. */
export function sizeOf({ attributes }: SvgElement): Size {
  const width = lengthOf(attributes.get("width"));
  const height = lengthOf(attributes.get("height"));
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

/** Letters of a length or a box; what is longer says nothing. */
const MAX_LETTERS = 200;

/** In pixels; undefined for a percentage, and for what is no length. */
function lengthOf(text: string | undefined): number | undefined {
  if (text === undefined || text.length > MAX_LETTERS) return undefined;
  const [, number, unit = ""] = /^\s*\+?((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (number === undefined || factor === undefined) return undefined;
  const length = Number(number) * factor;
  return Number.isFinite(length) ? length : undefined;
}

function viewBoxOf(text: string | undefined): Size | undefined {
  if (text === undefined || text.length > MAX_LETTERS) return undefined;
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width = 0, height = 0] = numbers;
  return numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0
    ? { width, height }
    : undefined;
}
