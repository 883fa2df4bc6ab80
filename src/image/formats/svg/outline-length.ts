/** Dashes that are measured by what an outline is said to be long (SVG 2, section 13.5.1, `pathLength`). */
import { type Letters, outlinePoints } from "./boxes.ts";
import { lengthOf } from "./lengths.ts";
import type { Placed } from "./placed.ts";

const DASHES = ["stroke-dasharray", "stroke-dashoffset"] as const;

/**
 * Writes the dashes of a shape in its own units, where it says how long it is.
 * @param letters of paths that may still be looked through
 */
export function measureDashes(placed: Placed, letters: Letters): void {
  const { attributes } = placed.element;
  const told = Number(attributes.get("pathLength") ?? Number.NaN);
  attributes.delete("pathLength");
  if (!(told > 0)) return;
  const values = DASHES.map((name) => [name, inherited(placed, name)] as const);
  if ((values[0]?.[1] ?? "none") === "none") return;
  const length = outlineLength(placed, letters);
  if (length === undefined) return;
  for (const [name, value] of values) {
    if (value !== undefined) attributes.set(name, scaled(value, length / told));
  }
}

function inherited(placed: Placed, name: string): string | undefined {
  for (let at: Placed | undefined = placed; at; at = at.parent) {
    const value = at.element.attributes.get(name);
    if (value !== undefined && value !== "inherit") return value;
  }
  return undefined;
}

/** A list of numbers and lengths, each times a factor; percentages stay what they are. */
function scaled(list: string, factor: number): string {
  const parts = list.trim().split(/[\s,]+/);
  return parts.map((part) => String(timesFactor(lengthOf(part), factor) ?? part)).join(" ");
}

function timesFactor(length: number | undefined, factor: number): number | undefined {
  return length === undefined ? undefined : Number((length * factor).toFixed(4));
}

/** How long an outline is, that of curves along lines between the points that stand for them. */
function outlineLength({ element }: Placed, letters: Letters): number | undefined {
  const { name, attributes } = element;
  const value = (key: string) => lengthOf(attributes.get(key));
  const [rx, ry] = [value("rx") ?? value("ry") ?? 0, value("ry") ?? value("rx") ?? 0];
  if (name === "circle") return ellipseLength(value("r") ?? 0, value("r") ?? 0);
  if (name === "ellipse") return ellipseLength(rx, ry);
  if (name === "rect") {
    const [width, height] = [value("width") ?? 0, value("height") ?? 0];
    const [across, down] = [Math.min(rx, width / 2), Math.min(ry, height / 2)];
    return 2 * (width + height) - 4 * (across + down) + ellipseLength(across, down);
  }
  let length = 0;
  let last: readonly [x: number, y: number] | undefined;
  outlinePoints(element, letters, (x, y, isStart) => {
    if (last && isStart !== true) length += Math.hypot(x - last[0], y - last[1]);
    last = [x, y];
  });
  return length > 0 ? length : undefined;
}

/** Ramanujan's approximation, exact for circles. */
function ellipseLength(rx: number, ry: number): number {
  return Math.PI * (3 * (rx + ry) - Math.sqrt((3 * rx + ry) * (rx + 3 * ry)));
}
