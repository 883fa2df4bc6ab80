/**
 * What style sheets, attributes and variables say of each element, written as attributes: the renderer has no style
 * sheets, and knows the forms of SVG 1.1 only. Elements that are no part of the picture are left out.
 */
import type { Box } from "../../pixels/geometry.ts";
import { boxOf } from "./boxes.ts";
import { withoutCalc } from "./calc.ts";
import type { Drawing } from "./clean.ts";
import { clipShape } from "./clip-shapes.ts";
import { withWrittenColors } from "./colors.ts";
import { PRESENTATION } from "./css-names.ts";
import { cleanDeclarations, type Declaration } from "./css-values.ts";
import type { Rule } from "./css.ts";
import { tooLarge } from "./document.ts";
import { lengthOf } from "./lengths.ts";
import { holds } from "./media.ts";
import { ANIMATIONS, MAX_VALUE_LETTERS } from "./names.ts";
import { type Placed, placedElements, spend, tooStyled } from "./placed.ts";
import { compared, type Selector, selectorsOf } from "./selectors.ts";
import { sizeOf, viewBoxOf } from "./size.ts";
import { around, IDENTITY, type Matrix, matrixOf, multiplied, originOf, writtenMatrix } from "./transforms.ts";
import type { SvgElement } from "./tree.ts";
import { NO_VARIABLES, substituted, within } from "./variables.ts";
import type { Warnings } from "./warnings.ts";
import { expanded, GEOMETRY, isUndrawn, isUnknownColor, nameOf, written } from "./written-values.ts";

const UNDRAWN: ReadonlySet<string> = new Set([...ANIMATIONS, "style", "title", "desc", "view", "mpath"]);
/** Elements that are placed by such properties. */
const BOXES = new Set("svg rect image circle ellipse use symbol".split(" "));
/** Properties that the renderer reads in styles only. */
const STYLES = new Set("mix-blend-mode isolation font-kerning image-rendering font font-variation-settings".split(" "));
/** Properties that are no attributes. */
const STYLES_ALONE = new Set(["mix-blend-mode", "isolation", "font-kerning", "background-color"]);
const TRANSFORMS = ["transform", "translate", "rotate", "scale", "transform-origin", "transform-box"];
/** Elements whose transformation is of their paint or their content. */
const SERVERS = new Set(["linearGradient", "radialGradient", "pattern", "clipPath"]);
/** What a nested drawing is drawn with as a whole. */
const GROUPED = ["id", "transform", "opacity", "mask", "clip-path", "filter", "style"];
const PSEUDO_ELEMENT = "::";

/** Lengths in units that the renderer does not know: within a value, and alone. */
const UNKNOWN_UNITS = /([+-]?(?<![\d.])[\d.]+)(rem|q|ch|vw|vh|vmin|vmax)\b/gi;
const UNKNOWN_UNIT = /^[+-]?[\d.]+(?:rem|q|ch|v[hw]|vmin|vmax)$/i;
const FONT_SIZE = 16;
const UNIT_IN_STYLE = new Set(["stroke-dasharray", "filter", "transform", "font"]);

/** Layers of rules whose order is kept. */
const MAX_LAYERS = 100;
/** Selectors of all rules together, and what each rule adds to that. */
const MAX_SELECTORS = 4_000;
const MAX_SELECTORS_OF_RULES = 2;

/** Values by their properties; of an element. */
type Values = ReadonlyMap<string, string>;
/** Of elements of which nothing is said: there may be a hundred thousand. */
const NO_VALUES: Values = new Map();

interface Entry {
  readonly selector: Selector;
  readonly rule: Rule;
  readonly order: number;
  /** The place of its layer; of rules without one it is behind all. */
  readonly layer: number;
}

/**
 * Writes all styles of a drawing into its attributes.
 * @throws ApiError 422 when it has too many rules for so many elements
 */
export function cascade({ root, rules }: Drawing, means: Means): SvgElement {
  new Cascade(root, rules, means).run();
  return root;
}

/** What working out styles may take, of a document with all drawings in it. */
export interface Means {
  readonly warnings: Warnings;
  /** Comparisons of elements with selectors, and declarations that come of them. */
  readonly steps: { left: number };
  /** Letters of values that rules say: those of each element that they are said of, for each works them out anew. */
  readonly valueLetters: { left: number };
  /** Letters that variables may become. */
  readonly variableLetters: { left: number };
  /** Letters of paths that are looked through for boxes. */
  readonly pathLetters: { left: number };
}

class Cascade {
  private readonly byKey = new Map<string, Entry[]>();
  private readonly clips: SvgElement[] = [];
  private readonly root: SvgElement;
  private readonly means: Means;

  constructor(root: SvgElement, rules: readonly Rule[], means: Means) {
    this.root = root;
    this.means = means;
    const size = sizeOf(root);
    const layers: string[] = [];
    const layerOf = (conditions: readonly string[]): number => {
      const names = conditions.filter((condition) => condition.startsWith("layer ")).join(".");
      if (names === "") return Infinity;
      if (!layers.includes(names) && layers.length < MAX_LAYERS) layers.push(names);
      return layers.indexOf(names);
    };
    let order = 0;
    let selectorsLeft = MAX_SELECTORS + rules.length * MAX_SELECTORS_OF_RULES;
    for (const rule of rules) {
      if (!rule.conditions.every((condition) => holds(condition, size))) continue;
      if (rule.selector.includes(PSEUDO_ELEMENT)) continue;
      const selectors = selectorsOf(rule.selector);
      if (selectors.length === 0) means.warnings.add("style rules whose selectors are not known are left out");
      for (const selector of selectors) {
        if (--selectorsLeft < 0) throw tooStyled();
        const entry = { selector, rule, order: order++, layer: layerOf(rule.conditions) };
        const there = this.byKey.get(selector.key);
        if (there) there.push(entry);
        else this.byKey.set(selector.key, [entry]);
      }
    }
  }

  run(): void {
    const all = placedElements(this.root, this.means.steps);
    const values = all.map((placed) => this.valuesOf(placed));
    for (const [index, { element }] of all.entries()) {
      write(element, values[index]!);
      for (const [name, value] of element.attributes) {
        if (UNKNOWN_UNIT.test(value) && name !== "id") element.attributes.set(name, this.measured(value));
      }
    }
    // Boxes are those of what all styles made of shapes.
    for (const [index, placed] of [...all.entries()].reverse()) this.finish(placed, values[index]!);
    for (const { element, parent } of all) {
      element.children.splice(0, Infinity, ...element.children.filter(isDrawn));
      if (element.name === "svg" && parent) group(element);
    }
    const background = values[0]?.get("background-color");
    if (background) this.root.children.unshift(backdrop(background, this.root));
    this.root.children.unshift(...this.clips);
  }

  /** What is said of an element, the last word of each property. */
  private valuesOf(placed: Placed): Values {
    const { element, parent } = placed;
    const around = parent?.variables ?? NO_VARIABLES;
    const declared = this.declarationsFor(placed);
    const own = declared.filter(({ property }) => property.startsWith("--"));
    const variables =
      own.length === 0 ? around : within(around, new Map(own.map(({ property, text }) => [property, text] as const)));
    placed.variables = variables;
    const outer = parent?.color ?? "black";
    const values = new Map<string, string>();
    const resolve = ({ property, text }: Pick<Declaration, "property" | "text">, current: string) => {
      if (property.startsWith("--")) return;
      const plain = substituted(text, variables, this.means.variableLetters);
      for (const [name, value] of expanded(property, plain)) {
        if (value !== undefined && value.length > MAX_VALUE_LETTERS && name !== "d") throw tooLarge();
        // Calculations in a color that is told by another one are of its parts.
        const told = value === undefined || !/\(\s*from\s/i.test(value) ? value : withWrittenColors(value, current);
        const calculated = told === undefined ? undefined : this.calculated(name, told);
        const found = calculated === undefined ? "" : written(name, calculated, current);
        // What is no value says nothing, unless it was said by variables: then nothing else is said either.
        if (found !== undefined) values.set(name, UNIT_IN_STYLE.has(name) ? this.measured(found) : found);
        else {
          if (isUnknownColor(name, calculated)) this.means.warnings.add("a color that is not known is left out");
          if (plain !== text) values.set(name, "");
        }
        if (isUndrawn(name, calculated)) this.means.warnings.add(`${name}: ${nameOf(calculated ?? "")} is not drawn`);
      }
    };
    const attributes = [...element.attributes].filter(([name]) => isPresentation(name));
    const said = [...attributes.map(([property, text]) => ({ property, text })), ...declared];
    for (const one of said) if (one.property === "color") resolve(one, outer);
    const color = values.get("color");
    const current = color && !/^(?:inherit|currentcolor)$/i.test(color) ? color : outer;
    placed.color = current;
    for (const one of said) if (one.property !== "color") resolve(one, current);
    return values.size > 0 ? values : NO_VALUES;
  }

  /** The declarations of style sheets and of the element, the weightiest last. */
  private declarationsFor(placed: Placed): Declaration[] {
    const { element } = placed;
    const matched: Entry[] = [];
    if (this.byKey.size > 0) {
      const id = element.attributes.get("id");
      const classes = new Set((element.attributes.get("class") ?? "").split(/\s+/));
      const keys = [
        "*",
        element.name,
        ...[...classes].map((one) => `.${one}`),
        ...(id === undefined ? [] : [`#${id}`]),
      ];
      for (const key of keys) {
        for (const entry of this.byKey.get(key) ?? []) {
          if (!entry.selector.matches(placed)) continue;
          spend(placed, entry.rule.declarations.length);
          this.spendLetters(entry.rule);
          matched.push(entry);
        }
      }
    }
    const byLayer = (a: Entry, b: Entry) => (a.layer === b.layer ? 0 : a.layer - b.layer);
    matched.sort(
      (a, b) => byLayer(a, b) || compared(a.selector.specificity, b.selector.specificity) || a.order - b.order,
    );
    const style = cleanDeclarations(element.attributes.get("style") ?? "");
    const all = [...matched.flatMap(({ rule }) => rule.declarations), ...style];
    const isImportant = ({ text }: Declaration) => /!\s*important\s*$/i.test(text);
    const plain = all.filter((one) => !isImportant(one));
    const important = all
      .filter(isImportant)
      .map((one) => ({ ...one, text: one.text.slice(0, one.text.lastIndexOf("!")).trimEnd() }));
    return [...plain, ...important];
  }

  private spendLetters({ declarations }: Rule): void {
    for (const { text } of declarations) this.means.valueLetters.left -= text.length;
    if (this.means.valueLetters.left < 0) throw tooStyled();
  }

  /** A value without `calc()`; undefined where it cannot be told, which is said. */
  private calculated(name: string, value: string): string | undefined {
    if (!/calc\(/i.test(value) || TRANSFORMS.includes(name)) return value;
    const { width, height } = viewBoxOf(this.root.attributes.get("viewBox")) ?? sizeOf(this.root);
    const isDown = name === "y" || name === "cy" || name === "height" || name === "ry";
    const whole = isDown ? height : /^(?:x|cx|width|rx)$/.test(name) ? width : Math.hypot(width, height) / Math.SQRT2;
    const plain = withoutCalc(value, () => whole);
    if (plain === undefined) this.means.warnings.add(`a calculation of ${name} is left out`);
    return plain;
  }

  /** A value in whose lengths no unit is left that the renderer does not know. */
  private measured(value: string): string {
    const { width, height } = sizeOf(this.root);
    const units: Readonly<Record<string, number>> = {
      rem: lengthOf(this.root.attributes.get("font-size")) ?? FONT_SIZE,
      q: 96 / 101.6,
      vw: width / 100,
      vh: height / 100,
      vmin: Math.min(width, height) / 100,
      vmax: Math.max(width, height) / 100,
    };
    return value.replace(UNKNOWN_UNITS, (text, number: string, unit: string) => {
      if (unit.toLowerCase() === "ch") return `${Number(number) / 2}em`;
      const length = Number(number) * (units[unit.toLowerCase()] ?? Number.NaN);
      return Number.isFinite(length) ? String(length) : text;
    });
  }

  /** Writes what needs boxes: transformations and shapes that cut off. */
  private finish(placed: Placed, values: Values): void {
    const { element } = placed;
    const said = (name: string) => values.get(name);
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
    if (element.attributes.has("pathLength") && (said("stroke-dasharray") ?? "none") !== "none") {
      this.means.warnings.add("pathLength does not measure dashes");
    }
    if (SERVERS.has(element.name) || !TRANSFORMS.some((name) => said(name) !== undefined)) return;
    if (!isPlain(said)) {
      const matrix = this.matrixOf(placed, said);
      if (matrix) element.attributes.set("transform", writtenMatrix(matrix));
      else {
        element.attributes.delete("transform");
        this.means.warnings.add("a transformation out of the plane is left out");
      }
    }
    element.attributes.delete("transform-origin");
  }

  private matrixOf(placed: Placed, said: (name: string) => string | undefined): Matrix | undefined {
    const box = this.referenceBox(placed, said("transform-box") ?? "view-box");
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

  private referenceBox(placed: Placed, name: string) {
    if (name !== "view-box") {
      const box = boxOf(placed.element, this.means.pathLetters);
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

/** What lies behind all of a drawing. */
function backdrop(color: string, root: SvgElement): SvgElement {
  const box = viewBoxOf(root.attributes.get("viewBox"));
  const place = box ? [box.x, box.y, box.width, box.height].map(String) : ["0", "0", "100%", "100%"];
  const [x = "", y = "", width = "", height = ""] = place;
  const said = { x, y, width, height, fill: color, stroke: "none" };
  return { name: "rect", attributes: new Map(Object.entries(said)), children: [] };
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

/** Whether an attribute says what the property of its name says (SVG 2, section 6.6). */
function isPresentation(name: string): boolean {
  return name === "transform" || (PRESENTATION.has(name) && !STYLES_ALONE.has(name));
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

/** Puts the values of an element into its attributes. */
function write({ name, attributes }: SvgElement, values: Values): void {
  const style: string[] = [];
  for (const name of ["style", "class"]) attributes.delete(name);
  for (const [property, value] of values) {
    if (GEOMETRY.has(property) && !BOXES.has(name)) continue;
    if (property === "d" && name !== "path") continue;
    if (value === "") attributes.delete(property);
    else if (STYLES.has(property)) {
      attributes.delete(property);
      style.push(`${property}:${value}`);
    } else if (PRESENTATION.has(property) || GEOMETRY.has(property) || property === "d" || property === "transform")
      attributes.set(property, value);
  }
  if (style.length > 0) attributes.set("style", style.join(";"));
}

function isDrawn(child: SvgElement | string): boolean {
  return typeof child === "string" || !UNDRAWN.has(child.name);
}

/** Puts a group around what a drawing within a drawing has: the renderer would do to it twice what is done to a whole. */
function group(element: SvgElement): void {
  const { attributes } = element;
  const moved = GROUPED.filter((name) => attributes.has(name));
  if (moved.length === 0 || (moved.length === 1 && moved[0] === "id")) return;
  const inner: SvgElement = { name: "svg", attributes: new Map(attributes), children: [...element.children] };
  for (const name of attributes.keys()) if (!GROUPED.includes(name) && !PRESENTATION.has(name)) attributes.delete(name);
  for (const name of moved) inner.attributes.delete(name);
  Object.assign(element, { name: "g" });
  element.children.splice(0, Infinity, inner);
}
