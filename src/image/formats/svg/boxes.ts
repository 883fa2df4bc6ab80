/** Boxes that shapes and groups fill (SVG 2, section 8.10), without their strokes, in units of their own. */
import type { Box } from "../../pixels/geometry.ts";
import { lengthOf } from "./lengths.ts";
import { IDENTITY, type Matrix, matrixOf, multiplied, placeOf } from "./transforms.ts";
import { elementsIn, linkedId, type SvgElement } from "./tree.ts";

/** Elements that are drawn only where they are referred to. */
const HIDDEN = new Set("defs symbol pattern marker mask clipPath filter linearGradient radialGradient".split(" "));
const GROUPS = new Set(["g", "a", "svg", "switch"]);
/** What an element takes besides its path. */
const ELEMENT_LETTERS = 20;
/** Points that stand for a curve. */
const CURVE_STEPS = 16;

/** Letters of paths that are looked through for boxes, in all. */
export interface Letters {
  left: number;
}

class Bounds {
  private left = Infinity;
  private top = Infinity;
  private right = -Infinity;
  private bottom = -Infinity;

  add(x: number, y: number): void {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    this.left = Math.min(this.left, x);
    this.right = Math.max(this.right, x);
    this.top = Math.min(this.top, y);
    this.bottom = Math.max(this.bottom, y);
  }

  box(): Box | undefined {
    if (this.left > this.right) return undefined;
    return { x: this.left, y: this.top, width: this.right - this.left, height: this.bottom - this.top };
  }
}

/** What boxes are looked for with. */
export interface Means {
  readonly letters: Letters;
  /** The element of an id. */
  readonly named: (id: string) => SvgElement | undefined;
}

/** Uses of uses. */
const MAX_USES = 8;

/** The box of an element; none where it has no shape, or one that is not known before it is drawn, as letters have. */
export function boxOf(element: SvgElement, means: Means): Box | undefined {
  const bounds = new Bounds();
  collect(element, IDENTITY, bounds, means, 0);
  return means.letters.left > 0 ? bounds.box() : undefined;
}

function collect(element: SvgElement, matrix: Matrix, bounds: Bounds, means: Means, uses: number): void {
  const { name, attributes } = element;
  means.letters.left -= ELEMENT_LETTERS + (attributes.get("d") ?? attributes.get("points") ?? "").length;
  if (means.letters.left <= 0) return;
  const within = (child: SvgElement, around: Matrix, more: number) => {
    const own = matrixOf(child.attributes.get("transform") ?? "");
    collect(child, own ? multiplied(around, own) : around, bounds, means, more);
  };
  const value = (key: string) => lengthOf(attributes.get(key)) ?? 0;
  if (GROUPS.has(name)) {
    for (const child of elementsIn(element)) if (!HIDDEN.has(child.name)) within(child, matrix, uses);
    return;
  }
  if (name === "use") {
    const used = means.named(linkedId(element));
    // The box of a symbol is that of what it shows, which its own box scales.
    if (!used || uses === MAX_USES || used.name === "symbol" || used.name === "svg") return;
    within(used, multiplied(matrix, [1, 0, 0, 1, value("x"), value("y")]), uses + 1);
    return;
  }
  const add = (x: number, y: number) => bounds.add(...placeOf(matrix, x, y));
  if (name === "rect" || name === "image") corners(value("x"), value("y"), value("width"), value("height"), add);
  else if (name === "circle") round(value("cx"), value("cy"), value("r"), value("r"), add);
  else if (name === "ellipse") {
    const [rx, ry] = [lengthOf(attributes.get("rx")), lengthOf(attributes.get("ry"))];
    round(value("cx"), value("cy"), rx ?? ry ?? 0, ry ?? rx ?? 0, add);
  } else if (name === "line") {
    add(value("x1"), value("y1"));
    add(value("x2"), value("y2"));
  } else if (name === "polyline" || name === "polygon") pathPoints(`M${attributes.get("points") ?? ""}`, add);
  else if (name === "path") pathPoints(attributes.get("d") ?? "", add);
}

/** Takes points of an outline; at the first of each part that hangs together that is said. */
type Add = (x: number, y: number, isStart?: boolean) => void;

/** Points along the outline of a path, a line or lines. */
export function outlinePoints({ name, attributes }: SvgElement, letters: Letters, add: Add): void {
  const value = (key: string) => lengthOf(attributes.get(key)) ?? 0;
  const points = attributes.get(name === "path" ? "d" : "points") ?? "";
  letters.left -= ELEMENT_LETTERS + points.length;
  if (letters.left <= 0) return;
  if (name === "path") pathPoints(points, add);
  else if (name === "polyline") pathPoints(`M${points}`, add);
  else if (name === "polygon") pathPoints(`M${points}Z`, add);
  else if (name === "line") {
    add(value("x1"), value("y1"), true);
    add(value("x2"), value("y2"));
  }
}

function corners(x: number, y: number, width: number, height: number, add: Add): void {
  if (width <= 0 || height <= 0) return;
  for (const [dx, dy] of [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ] as const)
    add(x + dx, y + dy);
}

function round(cx: number, cy: number, rx: number, ry: number, add: Add): void {
  if (rx <= 0 || ry <= 0) return;
  const steps = 4 * CURVE_STEPS;
  for (let step = 0; step < steps; step++) {
    const turn = (step * 2 * Math.PI) / steps;
    add(cx + rx * Math.cos(turn), cy + ry * Math.sin(turn));
  }
}

const ARITY: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 };

/** Points of a path (SVG 2, section 9.3), those of curves close to each other. */
function pathPoints(data: string, add: Add): void {
  let [x, y, startX, startY] = [0, 0, 0, 0];
  let [controlX, controlY] = [0, 0];
  let before = "";
  for (const [, command = "", list = ""] of data.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const letter = command.toLowerCase();
    const arity = ARITY[letter];
    if (arity === undefined) return;
    const values = numbersOf(list, letter === "a");
    const isRelative = command === letter;
    for (let at = 0; at === 0 || (arity > 0 && at + arity <= values.length); at += Math.max(1, arity)) {
      const part = values.slice(at, at + arity);
      if (part.length < arity) return;
      const kind = letter === "m" && at > 0 ? "l" : letter;
      const [fromX, fromY] = [x, y];
      const points = absolute(kind, part, isRelative ? x : 0, isRelative ? y : 0, isRelative);
      if (kind === "z") [x, y] = [startX, startY];
      else if (kind === "h") x = points[0] ?? x;
      else if (kind === "v") y = points[0] ?? y;
      else [x, y] = [points.at(-2) ?? x, points.at(-1) ?? y];
      if (kind === "m") [startX, startY] = [x, y];
      if (kind === "c" || kind === "s") {
        const isSmooth = kind === "s" && /[cs]/.test(before);
        const first =
          kind === "c" ? points.slice(0, 2) : isSmooth ? [2 * fromX - controlX, 2 * fromY - controlY] : [fromX, fromY];
        [controlX, controlY] = [points.at(-4) ?? x, points.at(-3) ?? y];
        curve([fromX, fromY, ...first, controlX, controlY, x, y], add);
      } else if (kind === "q" || kind === "t") {
        if (kind === "q") [controlX, controlY] = [points[0] ?? x, points[1] ?? y];
        else if (/[qt]/.test(before)) [controlX, controlY] = [2 * fromX - controlX, 2 * fromY - controlY];
        else [controlX, controlY] = [fromX, fromY];
        curve([fromX, fromY, controlX, controlY, x, y], add);
      } else if (kind === "a") arc(fromX, fromY, part, x, y, add);
      add(x, y, kind === "m");
      before = kind;
    }
  }
}

function absolute(kind: string, part: readonly number[], x: number, y: number, isRelative: boolean): number[] {
  if (!isRelative) return kind === "a" ? part.slice(5) : [...part];
  if (kind === "h") return part.map((value) => value + x);
  if (kind === "v") return part.map((value) => value + y);
  const ends = kind === "a" ? part.slice(5) : part;
  return ends.map((value, index) => value + (index % 2 === 0 ? x : y));
}

/** Numbers of a list; flags of arcs may stick to what follows. */
function numbersOf(list: string, isArc: boolean): number[] {
  const found: number[] = [];
  const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/giy;
  const flag = /[01]/y;
  let at = 0;
  for (;;) {
    while (/[\s,]/.test(list.charAt(at))) at++;
    const pattern = isArc && [3, 4].includes(found.length % 7) ? flag : number;
    pattern.lastIndex = at;
    const match = pattern.exec(list);
    if (!match) return found;
    found.push(Number(match[0]));
    at = pattern.lastIndex;
  }
}

/** Points on a Bézier curve (de Casteljau). */
function curve(points: readonly number[], add: Add): void {
  for (let step = 1; step < CURVE_STEPS; step++) {
    const part = step / CURVE_STEPS;
    let level = [...points];
    while (level.length > 2) {
      level = level.slice(0, -2).map((value, index) => value + (level[index + 2]! - value) * part);
    }
    add(level[0] ?? 0, level[1] ?? 0);
  }
}

/** Points on an arc (SVG 2, appendix B.2.4). */
function arc(fromX: number, fromY: number, part: readonly number[], x: number, y: number, add: Add): void {
  const [wide = 0, high = 0, degrees = 0, isLarge = 0, isClockwise = 0] = part;
  let [rx, ry] = [Math.abs(wide), Math.abs(high)];
  if (rx === 0 || ry === 0) return;
  const turn = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [dx, dy] = [(fromX - x) / 2, (fromY - y) / 2];
  const [x1, y1] = [cos * dx + sin * dy, cos * dy - sin * dx];
  const excess = (x1 / rx) ** 2 + (y1 / ry) ** 2;
  if (excess > 1) [rx, ry] = [rx * Math.sqrt(excess), ry * Math.sqrt(excess)];
  const over = (rx * ry) ** 2 - (rx * y1) ** 2 - (ry * x1) ** 2;
  const factor = Math.sqrt(Math.max(0, over / ((rx * y1) ** 2 + (ry * x1) ** 2))) * (isLarge === isClockwise ? -1 : 1);
  const [cx1, cy1] = [(factor * rx * y1) / ry, (-factor * ry * x1) / rx];
  const [cx, cy] = [cos * cx1 - sin * cy1 + (fromX + x) / 2, sin * cx1 + cos * cy1 + (fromY + y) / 2];
  const start = Math.atan2((y1 - cy1) / ry, (x1 - cx1) / rx);
  let sweep = Math.atan2((-y1 - cy1) / ry, (-x1 - cx1) / rx) - start;
  if (isClockwise && sweep < 0) sweep += 2 * Math.PI;
  if (!isClockwise && sweep > 0) sweep -= 2 * Math.PI;
  for (let step = 1; step < 2 * CURVE_STEPS; step++) {
    const at = start + (sweep * step) / (2 * CURVE_STEPS);
    const [px, py] = [rx * Math.cos(at), ry * Math.sin(at)];
    add(cos * px - sin * py + cx, sin * px + cos * py + cy);
  }
}
