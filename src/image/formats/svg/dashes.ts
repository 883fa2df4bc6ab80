/** How many dashes the strokes of shapes have: as many as their length holds, whatever they are enlarged to. */
import type { SvgElement } from "./tree.ts";

/**
 * Dashes in a unit of length, by a value of `stroke-dasharray`; none for one without lengths. Units of lengths are left
 * out: most are longer than that of the drawing.
 */
export function dashDensity(value: string): number {
  const lengths = numbersOf(value).map(Math.abs);
  const period = lengths.reduce((sum, length) => sum + length, 0);
  return period > 0 ? lengths.length / (2 * period) : 0;
}

/** The length of a shape's outline at most, in units of its own; where it depends on other elements, nothing. */
export function outlineOf({ name, attributes }: SvgElement): number {
  const value = (key: string) => Math.abs(numbersOf(attributes.get(key) ?? "")[0] ?? 0);
  if (name === "path") return pathLength(attributes.get("d") ?? "");
  if (name === "polyline" || name === "polygon") return pathLength(`M${attributes.get("points") ?? ""}Z`);
  if (name === "line") return pathLength(`M${["x1", "y1", "x2", "y2"].map((key) => end(attributes, key)).join(" ")}`);
  if (name === "rect") return 2 * (value("width") + value("height"));
  if (name === "circle") return 2 * Math.PI * value("r");
  if (name === "ellipse") return 2 * Math.PI * Math.max(value("rx"), value("ry"));
  return 0;
}

function end(attributes: ReadonlyMap<string, string>, key: string): number {
  return numbersOf(attributes.get(key) ?? "")[0] ?? 0;
}

/** Numbers of a segment by its command; the last two are where it ends, but for those of one number. */
const SEGMENTS: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, t: 2, q: 4, s: 4, c: 6, a: 7 };

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A pen that goes along a path (SVG 2, 9.3). A curve is no longer than the way along its control points. */
class Pen {
  length = 0;
  private at: Point = { x: 0, y: 0 };
  private first: Point = this.at;

  close(): void {
    this.go(this.first);
  }

  segment(letter: string, numbers: readonly number[]): void {
    const command = letter.toLowerCase();
    const origin = letter === command ? this.at : { x: 0, y: 0 };
    const point = (index: number) => ({ x: origin.x + (numbers[index] ?? 0), y: origin.y + (numbers[index + 1] ?? 0) });
    const [number = 0] = numbers;
    if (command === "m") this.at = this.first = point(0);
    else if (command === "h") this.go({ x: origin.x + number, y: this.at.y });
    else if (command === "v") this.go({ x: this.at.x, y: origin.y + number });
    else if (command === "a") {
      this.length += arcExcess(this.at, point(5), numbers.slice(0, 2));
      this.go(point(5));
    } else for (let index = 0; index < numbers.length; index += 2) this.go(point(index));
  }

  private go(to: Point): void {
    this.length += Math.hypot(to.x - this.at.x, to.y - this.at.y);
    this.at = to;
  }
}

function pathLength(data: string): number {
  const pen = new Pen();
  let letter = "";
  let numbers: number[] = [];
  for (const [token] of data.matchAll(/[a-df-z]|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi)) {
    if (/^[a-z]/i.test(token)) {
      if (token === "z" || token === "Z") pen.close();
      [letter, numbers] = [token, []];
      continue;
    }
    numbers.push(Number(token));
    if (numbers.length < (SEGMENTS[letter.toLowerCase()] ?? 8)) continue;
    pen.segment(letter, numbers);
    numbers = [];
    // Further points of a move are lines.
    if (letter === "m" || letter === "M") letter = letter === "m" ? "l" : "L";
  }
  return pen.length;
}

/** By how much an arc is longer than its chord at most: radii that are too small for the chord are enlarged. */
function arcExcess(from: Point, to: Point, radii: readonly number[]): number {
  const chord = Math.hypot(to.x - from.x, to.y - from.y);
  return 2 * Math.PI * Math.max(chord / 2, ...radii.map(Math.abs)) - chord;
}

function numbersOf(text: string): number[] {
  const found = text.match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi) ?? [];
  return found.map(Number).filter(Number.isFinite);
}
