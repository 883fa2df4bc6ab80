/** Basic shapes of CSS (CSS Shapes Level 1) as shapes of SVG. */
import type { Box } from "../../pixels/geometry.ts";
import { lengthOf } from "./lengths.ts";
import type { SvgElement } from "./tree.ts";

/**
 * The shape that a `clip-path` says, in units of the element that it is for; nothing where it is not known.
 * @param boxOf the box of that element by its name, or the usual one
 */
export function clipShape(value: string, boxOf: (name: string | undefined) => Box | undefined): SvgElement | undefined {
  const [, name = "", inner = "", word] =
    /^(circle|ellipse|inset|polygon|path|rect|xywh)\(([\s\S]*)\)\s*([a-z-]*)$/i.exec(value.trim()) ?? [];
  if (name === "") return undefined;
  if (name.toLowerCase() === "path") return pathOf(inner);
  const box = boxOf(word || undefined);
  return box && SHAPES[name.toLowerCase()]?.(inner.trim(), box);
}

const SHAPES: Readonly<Record<string, (text: string, box: Box) => SvgElement | undefined>> = {
  circle(text, box) {
    const [size = "", place = ""] = splitAt(text);
    const [cx, cy] = centerOf(place, box);
    const diagonal = Math.hypot(box.width, box.height) / Math.SQRT2;
    const r = radiusOf(size || "closest-side", diagonal, [
      cx - box.x,
      box.x + box.width - cx,
      cy - box.y,
      box.y + box.height - cy,
    ]);
    return r === undefined ? undefined : shape("circle", { cx, cy, r });
  },
  ellipse(text, box) {
    const [size = "", place = ""] = splitAt(text);
    const [cx, cy] = centerOf(place, box);
    const [across = "closest-side", down = "closest-side"] = size.split(/\s+/).filter(Boolean);
    const rx = radiusOf(across, box.width, [cx - box.x, box.x + box.width - cx]);
    const ry = radiusOf(down, box.height, [cy - box.y, box.y + box.height - cy]);
    return rx === undefined || ry === undefined ? undefined : shape("ellipse", { cx, cy, rx, ry });
  },
  inset(text, box) {
    const [sides = "", round = ""] = text.split(/\bround\b/i);
    const [top, right, bottom, left] = fourOf(sides, [box.height, box.width, box.height, box.width]);
    if (top === undefined || right === undefined || bottom === undefined || left === undefined) return undefined;
    return rectangle(box.x + left, box.y + top, box.width - left - right, box.height - top - bottom, round, box);
  },
  xywh(text, box) {
    const [place = "", round = ""] = text.split(/\bround\b/i);
    const [x, y, width, height] = fourOf(place, [box.width, box.height, box.width, box.height]);
    if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
    return rectangle(box.x + x, box.y + y, width, height, round, box);
  },
  rect(text, box) {
    const [sides = "", round = ""] = text.split(/\bround\b/i);
    const ends = sides.trim().split(/\s+/);
    const whole = [0, box.width, box.height, 0];
    const [top, right, bottom, left] = ends.map((end, index) =>
      end === "auto" ? whole[index] : lengthOf(end, index % 2 === 0 ? box.height : box.width),
    );
    if (top === undefined || right === undefined || bottom === undefined || left === undefined) return undefined;
    return rectangle(box.x + left, box.y + top, right - left, bottom - top, round, box);
  },
  polygon(text, box) {
    const [, rule = "nonzero", list = ""] = /^(?:(nonzero|evenodd)\s*,)?([\s\S]*)$/i.exec(text) ?? [];
    const points = list.split(",").map((pair) => {
      const [x = "", y = ""] = pair.trim().split(/\s+/);
      return [lengthOf(x, box.width), lengthOf(y, box.height)] as const;
    });
    if (points.some(([x, y]) => x === undefined || y === undefined)) return undefined;
    const written = points.map(([x = 0, y = 0]) => `${box.x + x},${box.y + y}`).join(" ");
    return shape("polygon", { points: written, "clip-rule": rule });
  },
};

function pathOf(text: string): SvgElement | undefined {
  const [, rule = "nonzero", , data] = /^(?:(nonzero|evenodd)\s*,\s*)?(["'])([\s\S]*)\2$/i.exec(text.trim()) ?? [];
  return data === undefined ? undefined : shape("path", { d: data, "clip-rule": rule });
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SvgElement {
  const written = Object.entries(attributes).map(([key, value]) => [key, String(value)] as const);
  return { name, attributes: new Map(written), children: [] };
}

function rectangle(x: number, y: number, width: number, height: number, round: string, box: Box): SvgElement {
  const [across = "", down = across] = round.split("/");
  const rx = lengthOf(across.trim().split(/\s+/)[0], box.width) ?? 0;
  const ry = lengthOf(down.trim().split(/\s+/)[0], box.height) ?? rx;
  return shape("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), rx, ry });
}

/** A size and a place that stands behind `at`. */
function splitAt(text: string): string[] {
  return text.split(/(?:^|\s)at(?:\s|$)/i).map((part) => part.trim());
}

const PLACES: Readonly<Record<string, string>> = {
  left: "0%",
  top: "0%",
  center: "50%",
  right: "100%",
  bottom: "100%",
};

function centerOf(place: string, box: Box): readonly [x: number, y: number] {
  const words = place.toLowerCase().split(/\s+/).filter(Boolean);
  if (/^(?:top|bottom)$/.test(words[0] ?? "")) words.reverse();
  const [across = "50%", down = "50%"] = words;
  const x = lengthOf(PLACES[across] ?? across, box.width) ?? box.width / 2;
  const y = lengthOf(PLACES[down] ?? down, box.height) ?? box.height / 2;
  return [box.x + x, box.y + y];
}

function radiusOf(text: string, whole: number, sides: readonly number[]): number | undefined {
  const distances = sides.map(Math.abs);
  if (text === "closest-side") return Math.min(...distances);
  if (text === "farthest-side") return Math.max(...distances);
  return lengthOf(text, whole);
}

/** One to four lengths, as margins are written. */
function fourOf(text: string, wholes: readonly number[]): (number | undefined)[] {
  const words = text.trim().split(/\s+/);
  const [one = "", two = one, three = one, four = two] = words;
  return [one, two, three, four].map((word, index) => lengthOf(word, wholes[index]));
}
