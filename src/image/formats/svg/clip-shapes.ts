/** Basic shapes of CSS (CSS Shapes Level 1, and `shape()` of Level 2) as shapes of SVG. */
import type { Box } from "../../pixels/geometry.ts";
import { measured } from "./calc.ts";
import { partedByCommas, wordsOf } from "./commas.ts";
import { shapePath } from "./shape-path.ts";
import type { SvgElement } from "./tree.ts";

/**
 * The shape that a `clip-path` says, in units of the element that it is for; nothing where it is not known.
 * @param boxOf the box of that element by its name, or the usual one
 */
export function clipShape(value: string, boxOf: (name: string | undefined) => Box | undefined): SvgElement | undefined {
  const [, name = "", inner = "", word] =
    /^(circle|ellipse|inset|polygon|path|rect|xywh|shape)\(([\s\S]*)\)\s*([a-z-]*)$/i.exec(value.trim()) ?? [];
  if (name === "") return undefined;
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
    const [across = "closest-side", down = "closest-side"] = wordsOf(size);
    const rx = radiusOf(across, box.width, [cx - box.x, box.x + box.width - cx]);
    const ry = radiusOf(down, box.height, [cy - box.y, box.y + box.height - cy]);
    return rx === undefined || ry === undefined ? undefined : shape("ellipse", { cx, cy, rx, ry });
  },
  inset(text, box) {
    const [sides = "", round] = text.split(/\bround\b/i);
    const [top, right, bottom, left] = fourOf(sides, [box.height, box.width, box.height, box.width]);
    if (top === undefined || right === undefined || bottom === undefined || left === undefined) return undefined;
    return rectangle(box.x + left, box.y + top, box.width - left - right, box.height - top - bottom, round, box);
  },
  xywh(text, box) {
    const [place = "", round] = text.split(/\bround\b/i);
    const [x, y, width, height] = fourOf(place, [box.width, box.height, box.width, box.height]);
    if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
    return rectangle(box.x + x, box.y + y, width, height, round, box);
  },
  rect(text, box) {
    const [sides = "", round] = text.split(/\bround\b/i);
    const whole = [0, box.width, box.height, 0];
    const [top, right, bottom, left] = wordsOf(sides).map((end, index) =>
      end === "auto" ? whole[index] : measured(end, index % 2 === 0 ? box.height : box.width),
    );
    if (top === undefined || right === undefined || bottom === undefined || left === undefined) return undefined;
    return rectangle(box.x + left, box.y + top, right - left, bottom - top, round, box);
  },
  polygon(text, box) {
    const [, rule = "nonzero", list = ""] = /^(?:(nonzero|evenodd)\s*,)?([\s\S]*)$/i.exec(text) ?? [];
    const points = partedByCommas(list).map((pair) => {
      const [x, y] = wordsOf(pair);
      return [measured(x, box.width), measured(y, box.height)] as const;
    });
    if (points.some(([x, y]) => x === undefined || y === undefined)) return undefined;
    const written = points.map(([x = 0, y = 0]) => `${box.x + x},${box.y + y}`).join(" ");
    return shape("polygon", { points: written, "clip-rule": rule });
  },
  path(text, box) {
    const [, rule = "nonzero", , data] = /^(?:(nonzero|evenodd)\s*,\s*)?(["'])([\s\S]*)\2$/i.exec(text) ?? [];
    if (data === undefined) return undefined;
    return shape("path", { d: data, "clip-rule": rule, transform: `translate(${box.x} ${box.y})` });
  },
  shape(text, box) {
    const [, rule = "nonzero", list = ""] = /^(nonzero\s|evenodd\s)?([\s\S]*)$/i.exec(text) ?? [];
    const d = shapePath(list, box);
    return d === undefined ? undefined : shape("path", { d, "clip-rule": rule.trim() });
  },
};

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SvgElement {
  const written = Object.entries(attributes).map(([key, value]) => [key, String(value)] as const);
  return { name, attributes: new Map(written), children: [] };
}

/** A rectangle whose corners may be round (CSS Backgrounds 3, section 4), each with radii of its own. */
function rectangle(x: number, y: number, wide: number, high: number, round: string | undefined, box: Box): SvgElement {
  const [width, height] = [Math.max(0, wide), Math.max(0, high)];
  const [across = "", down = across] = (round ?? "0").split("/");
  const radii = (text: string, whole: number) => cornersOf(text).map((word) => Math.max(0, measured(word, whole) ?? 0));
  const [rx, ry] = [radii(across, box.width), radii(down, box.height)];
  const [a = 0, b = 0, c = 0, d = 0] = rx;
  const [e = 0, f = 0, g = 0, h = 0] = ry;
  // Corners that would meet all shrink alike.
  const fit = Math.min(1, width / (a + b), width / (d + c), height / (e + h), height / (f + g));
  const factor = Number.isNaN(fit) ? 0 : fit;
  const corner = (index: number, toX: number, toY: number) =>
    `A${(rx[index] ?? 0) * factor} ${(ry[index] ?? 0) * factor} 0 0 1 ${toX} ${toY}`;
  const [right, bottom] = [x + width, y + height];
  const path = [
    `M${x + a * factor} ${y}H${right - b * factor}`,
    corner(1, right, y + f * factor),
    `V${bottom - g * factor}`,
    corner(2, right - c * factor, bottom),
    `H${x + d * factor}`,
    corner(3, x, bottom - h * factor),
    `V${y + e * factor}`,
    corner(0, x + a * factor, y),
    "Z",
  ];
  return shape("path", { d: path.join("") });
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
  const words = wordsOf(place.toLowerCase());
  if (/^(?:top|bottom)$/.test(words[0] ?? "")) words.reverse();
  const [across = "50%", down = "50%"] = words;
  const x = measured(PLACES[across] ?? across, box.width) ?? box.width / 2;
  const y = measured(PLACES[down] ?? down, box.height) ?? box.height / 2;
  return [box.x + x, box.y + y];
}

function radiusOf(text: string, whole: number, sides: readonly number[]): number | undefined {
  const distances = sides.map(Math.abs);
  if (text === "closest-side") return Math.min(...distances);
  if (text === "farthest-side") return Math.max(...distances);
  return measured(text, whole);
}

/** One to four words as margins are written: those of all sides, or corners. */
function cornersOf(text: string): readonly string[] {
  const [one = "", two = one, three = one, four = two] = wordsOf(text);
  return [one, two, three, four];
}

function fourOf(text: string, wholes: readonly number[]): (number | undefined)[] {
  return cornersOf(text).map((word, index) => measured(word, wholes[index]));
}
