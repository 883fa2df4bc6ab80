/** What needs the boxes of shapes, which all styles have made by then: transformations, and shapes that cut off. */
import type { Box } from "../../pixels/geometry.ts";
import { boxOf } from "./boxes.ts";
import { withoutCalc } from "./calc.ts";
import { clipShape } from "./clip-shapes.ts";
import { lengthOf } from "./lengths.ts";
import { measureDashes } from "./outline-length.ts";
import type { Placed } from "./placed.ts";
import { sizeOf, viewBoxOf } from "./size.ts";
import type { Means } from "./style-rules.ts";
import { around, IDENTITY, type Matrix, matrixOf, multiplied, originOf, writtenMatrix } from "./transforms.ts";
import { elementsFrom, linkedId, type SvgElement } from "./tree.ts";
import { nameOf } from "./written-values.ts";

export const TRANSFORMS = ["transform", "translate", "rotate", "scale", "transform-origin", "transform-box"];
/** Elements that are paint, with the attributes that transform it. */
export const PAINTS: ReadonlyMap<string, string> = new Map([
  ["linearGradient", "gradientTransform"],
  ["radialGradient", "gradientTransform"],
  ["pattern", "patternTransform"],
]);

/** Those of the properties that move something by themselves. */
const MOVES = TRANSFORMS.slice(0, 4);
/** The box of what is painted, in the units of its paint. */
const UNIT: Box = { x: 0, y: 0, width: 1, height: 1 };

/** Paint that refers to paint. */
const MAX_PAINTS = 16;

/** Whether an element is a gradient whose units are the box of what it paints. */
function isOfBoxes({ name, attributes }: SvgElement): boolean {
  return PAINTS.get(name) === "gradientTransform" && attributes.get("gradientUnits") !== "userSpaceOnUse";
}

type BoxMeans = Pick<Means, "warnings" | "pathLetters">;

export class Boxed {
  /** What the drawing cuts off by, to be put into it. */
  readonly clips: SvgElement[] = [];
  private readonly root: SvgElement;
  private readonly means: BoxMeans;
  /** Elements by their ids, once one is asked for. */
  private ids: ReadonlyMap<string, SvgElement> | undefined;

  constructor(root: SvgElement, means: BoxMeans) {
    this.root = root;
    this.means = means;
  }

  /** Writes transformations and shapes that cut off into an element. @param values what is said of it, by property */
  write(placed: Placed, values: ReadonlyMap<string, string>): void {
    const { element } = placed;
    const paint = PAINTS.get(element.name);
    const own = paint === undefined ? undefined : element.attributes.get(paint);
    const said = (name: string) => values.get(name) ?? (name === "transform" ? own : undefined);
    const clip = said("clip-path");
    if (clip !== undefined && /^(?!url)[a-z-]+\(/i.test(clip)) {
      element.attributes.delete("clip-path");
      const shape = clipShape(clip, (name) => this.referenceBox(placed, name ?? "border-box"));
      if (shape) {
        const id = `clip-${this.clips.length}-of-the-renderer`;
        this.clips.push({ name: "clipPath", attributes: new Map([["id", id]]), children: [shape] });
        element.attributes.set("clip-path", `url(#${id})`);
      } else this.means.warnings.add(`clip-path: ${nameOf(clip)}() does not cut off`);
    }
    measureDashes(placed, this.means.pathLetters);
    if (!TRANSFORMS.some((name) => values.has(name))) return;
    const isPaintAlone = paint !== undefined && MOVES.every((name) => said(name) === undefined);
    // Nothing moves it, unless the paint that it refers to says so.
    if (isPaintAlone) return void element.attributes.delete("transform-origin");
    if (paint !== undefined || !isPlain(said)) {
      const matrix = this.matrixOf(placed, said);
      if (matrix) element.attributes.set(paint ?? "transform", writtenMatrix(matrix));
      else {
        element.attributes.delete("transform");
        this.means.warnings.add("a transformation out of the plane is left out");
      }
    }
    if (paint !== undefined) element.attributes.delete("transform");
    element.attributes.delete("transform-origin");
  }

  /** Writes into paint without a transformation that of the paint which it refers to: the renderer takes all else of it. */
  inherit({ element }: Placed): void {
    const { name, attributes } = element;
    const paint = PAINTS.get(name);
    if (paint === undefined || attributes.has(paint)) return;
    let reference = linkedId(element);
    for (let steps = 0; reference !== "" && steps < MAX_PAINTS; steps++) {
      const at = this.named(reference);
      if (at === undefined || PAINTS.get(at.name) !== paint) return;
      const said = at.attributes.get(paint);
      if (said !== undefined) return void attributes.set(paint, said);
      reference = linkedId(at);
    }
  }

  private matrixOf(placed: Placed, said: (name: string) => string | undefined): Matrix | undefined {
    const box = isOfBoxes(placed.element) ? UNIT : this.referenceBox(placed, said("transform-box") ?? "view-box");
    const origin = said("transform-origin");
    const at = origin === undefined ? ([box?.x ?? 0, box?.y ?? 0] as const) : box && originOf(origin, box);
    if (!at) {
      this.means.warnings.add("a transformation about the box of letters is left out");
      return undefined;
    }
    const [x, y] = at;
    const one = (name: string, call: (value: string) => string): Matrix | undefined => {
      const value = said(name);
      if (value === undefined || value === "none" || value === "") return IDENTITY;
      const plain = withoutCalc(call(value), (before) => box && (isAcross(before) ? box.width : box.height));
      return plain === undefined ? undefined : matrixOf(plain, box);
    };
    const parts = [
      one("translate", (value) => `translate(${value})`),
      one("rotate", (value) => `rotate(${withoutAxis(value)})`),
      one("scale", (value) => `scale(${value})`),
      one("transform", (value) => value),
    ];
    let matrix = IDENTITY;
    for (const part of parts) {
      if (!part) return undefined;
      matrix = multiplied(matrix, part);
    }
    return around(matrix, x, y);
  }

  /** The place of a drawing within the drawing, in units of what is around it. */
  private viewportOf({ element: { attributes } }: Placed): Box {
    const size = sizeOf(this.root);
    const length = (key: string, whole: number, otherwise: number) => lengthOf(attributes.get(key), whole) ?? otherwise;
    return {
      x: length("x", size.width, 0),
      y: length("y", size.height, 0),
      width: length("width", size.width, size.width),
      height: length("height", size.height, size.height),
    };
  }

  private named(id: string): SvgElement | undefined {
    if (!this.ids) {
      const ids = new Map<string, SvgElement>();
      for (const element of elementsFrom(this.root)) {
        const own = element.attributes.get("id");
        if (own !== undefined && !ids.has(own)) ids.set(own, element);
      }
      this.ids = ids;
    }
    return this.ids.get(id);
  }

  private referenceBox(placed: Placed, name: string) {
    if (name !== "view-box") {
      if (placed.element.name === "svg" && placed.parent) return this.viewportOf(placed);
      const box = boxOf(placed.element, { letters: this.means.pathLetters, named: (id) => this.named(id) });
      return box && /^(?:stroke|border|margin)-box$/.test(name) ? widened(box, placed) : box;
    }
    let view = placed.parent;
    while (view && view.element.name !== "svg" && view.element.name !== "symbol") view = view.parent;
    const { attributes } = (view ?? placed).element;
    const box = viewBoxOf(attributes.get("viewBox"));
    if (box) return { ...box, x: 0, y: 0 };
    const size = sizeOf(this.root);
    const width = lengthOf(attributes.get("width"), size.width) ?? size.width;
    return { x: 0, y: 0, width, height: lengthOf(attributes.get("height"), size.height) ?? size.height };
  }
}

/** A box with the stroke around it, as wide as the element or one around it says. */
function widened({ x, y, width, height }: Box, placed: Placed): Box {
  const said = (name: string) => {
    for (let at: Placed | undefined = placed; at; at = at.parent) {
      const value = at.element.attributes.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  if ((said("stroke") ?? "none") === "none") return { x, y, width, height };
  const stroke = lengthOf(said("stroke-width")) ?? 1;
  return { x: x - stroke / 2, y: y - stroke / 2, width: width + stroke, height: height + stroke };
}

/** Whether a transformation is one of SVG 1.1 alone, which the renderer reads. */
function isPlain(said: (name: string) => string | undefined): boolean {
  return (
    TRANSFORMS.slice(1).every((name) => said(name) === undefined) &&
    !/calc|[a-z]\s*[,)]|%|\d(?:deg|px|turn|rad|grad|em)|none|3d|[xyz]\(/i.test(
      (said("transform") ?? "").replace(/skew[xy]/gi, ""),
    )
  );
}

/** Whether what stands behind this in a transformation is across: the first value of a function that is not of y. */
function isAcross(before: string): boolean {
  const call = before.slice(before.lastIndexOf("(", before.length - 1));
  return !call.includes(",") && !/y\s*\($/i.test(before);
}

/** What `rotate` says without the name of the axis on which a flat picture turns anyway. */
function withoutAxis(value: string): string {
  const words = value.split(/\s+/);
  return words.filter((word) => word.toLowerCase() !== "z").join(" ");
}
