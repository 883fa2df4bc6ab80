/** Transformations of CSS (CSS Transforms Level 1 and 2) as matrices. */
import type { Box } from "../../pixels/geometry.ts";
import { measured } from "./calc.ts";
import { wordsOf } from "./commas.ts";
import { lengthOf } from "./lengths.ts";

/** `a b c d e f` of `matrix()`. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

export function multiplied([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

export function placeOf([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function writtenMatrix(matrix: Matrix): string {
  return `matrix(${matrix.map((value) => Number(value.toFixed(9))).join(" ")})`;
}

/** Functions of one value; an attribute holds a few, and more than this no one writes. */
const MAX_FUNCTIONS = 1_000;

/**
 * The matrix of a list of functions; undefined for what is none, and for what leaves the plane.
 * @param box what percentages are of
 */
export function matrixOf(text: string, box?: Box): Matrix | undefined {
  let matrix = IDENTITY;
  let left = MAX_FUNCTIONS;
  const rest = text.replace(/(?<![a-z\d])([a-z\d]+)\s*\(([^()]*)\)[\s,]*/gi, (_, name: string, list: string) => {
    const parts = list.trim().split(/[\s,]+/);
    const next = left-- > 0 ? functionOf(name.toLowerCase(), parts, box) : undefined;
    if (!next) return "?";
    matrix = multiplied(matrix, next);
    return "";
  });
  return rest.trim() === "" && matrix.every(Number.isFinite) ? matrix : undefined;
}

function functionOf(name: string, parts: readonly string[], box: Box | undefined): Matrix | undefined {
  const number = (index: number, otherwise?: number) => {
    const text = parts[index];
    if (text === undefined || text === "") return otherwise;
    const percent = /^([+-]?[\d.]+)%$/.exec(text);
    const value = Number(percent ? percent[1] : text) / (percent ? 100 : 1);
    return Number.isFinite(value) ? value : undefined;
  };
  const length = (index: number, whole: number | undefined) => {
    const text = parts[index];
    return text === undefined || text === "" ? 0 : lengthOf(text, whole);
  };
  const angle = (index: number) => angleOf(parts[index]);
  switch (name) {
    case "matrix": {
      const values = parts.map(Number);
      return values.length === 6 && values.every(Number.isFinite) ? (values as unknown as Matrix) : undefined;
    }
    case "translate":
    case "translate3d":
      return moved(length(0, box?.width), length(1, box?.height));
    case "translatex":
      return moved(length(0, box?.width), 0);
    case "translatey":
      return moved(0, length(0, box?.height));
    case "scale":
      return scaled(number(0), number(1, number(0)));
    case "scale3d":
      return scaled(number(0), number(1));
    case "scalex":
      return scaled(number(0), 1);
    case "scaley":
      return scaled(1, number(0));
    case "rotate":
    case "rotatez":
      return turned(angle(0), length(1, undefined), length(2, undefined));
    case "skew":
      return skewed(angle(0), parts.length > 1 ? angle(1) : 0);
    case "skewx":
      return skewed(angle(0), 0);
    case "skewy":
      return skewed(0, angle(0));
    case "translatez":
      return IDENTITY;
    default:
      return undefined;
  }
}

/** In radians; numbers without a unit are degrees. */
function angleOf(text: string | undefined): number | undefined {
  const [, number, unit = ""] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(deg|grad|rad|turn)?$/i.exec(text ?? "") ?? [];
  const factor = { "": Math.PI / 180, deg: Math.PI / 180, grad: Math.PI / 200, rad: 1, turn: 2 * Math.PI }[
    unit.toLowerCase()
  ];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

type Maybe = number | undefined;

function moved(x: Maybe, y: Maybe): Matrix | undefined {
  return x === undefined || y === undefined ? undefined : [1, 0, 0, 1, x, y];
}

function scaled(x: Maybe, y: Maybe): Matrix | undefined {
  return x === undefined || y === undefined ? undefined : [x, 0, 0, y, 0, 0];
}

function turned(angle: Maybe, x: Maybe, y: Maybe): Matrix | undefined {
  if (angle === undefined || x === undefined || y === undefined) return undefined;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return around([cos, sin, -sin, cos, 0, 0], x, y);
}

function skewed(x: Maybe, y: Maybe): Matrix | undefined {
  return x === undefined || y === undefined ? undefined : [1, Math.tan(y), Math.tan(x), 1, 0, 0];
}

/** A transformation about a point. */
export function around(matrix: Matrix, x: number, y: number): Matrix {
  return multiplied(multiplied([1, 0, 0, 1, x, y], matrix), [1, 0, 0, 1, -x, -y]);
}

const SIDES: Readonly<Record<string, string>> = { left: "0%", top: "0%", center: "50%", right: "100%", bottom: "100%" };

/** The point that `transform-origin` says, in units of the element. */
export function originOf(text: string, box: Box): readonly [x: number, y: number] | undefined {
  const words = wordsOf(text.toLowerCase()).slice(0, 2);
  if (/^(?:top|bottom)$/.test(words[0] ?? "") || /^(?:left|right)$/.test(words[1] ?? "")) words.reverse();
  const [across = "50%", down = "50%"] =
    words.length === 1 && /^(?:top|bottom)$/.test(text.trim()) ? ["50%", words[0]] : words;
  const x = measured(SIDES[across] ?? across, box.width);
  const y = measured(SIDES[down] ?? down, box.height);
  return x === undefined || y === undefined ? undefined : [box.x + x, box.y + y];
}
