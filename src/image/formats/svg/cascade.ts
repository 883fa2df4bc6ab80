/**
 * What style sheets, attributes and variables say of each element, written as attributes: the renderer has no style
 * sheets, and knows the forms of SVG 1.1 only. Elements that are no part of the picture are left out.
 */
import { Boxed, PAINTS, TRANSFORMS } from "./boxed.ts";
import { isCalculated, withoutCalc } from "./calc.ts";
import type { Drawing } from "./clean.ts";
import { withWrittenColors } from "./colors.ts";
import { PRESENTATION } from "./css-names.ts";
import type { Declaration } from "./css-values.ts";
import type { Rule } from "./css.ts";
import { tooLarge } from "./document.ts";
import { lengthOf } from "./lengths.ts";
import { changeLetters, slant } from "./letter-case.ts";
import { ANIMATIONS, MAX_VALUE_LETTERS } from "./names.ts";
import { inheritedValues, type Placed, placedElements } from "./placed.ts";
import { sizeOf, viewBoxOf } from "./size.ts";
import { type Means, StyleRules } from "./style-rules.ts";
import type { SvgElement } from "./tree.ts";
import { copyUsed } from "./used-copies.ts";
import { NO_VARIABLES, substituted, within } from "./variables.ts";
import { expanded, GEOMETRY, INITIAL_VALUES, isUnknownColor, undrawn, written } from "./written-values.ts";

const UNDRAWN: ReadonlySet<string> = new Set([...ANIMATIONS, "style", "title", "desc", "view", "mpath"]);
/** Elements that are placed by such properties. */
const BOXES = new Set("svg rect image circle ellipse use symbol".split(" "));
/** Properties that the renderer reads in styles only. */
const STYLES = new Set("mix-blend-mode isolation font-kerning image-rendering font font-variation-settings".split(" "));
/** Properties that are no attributes. */
const STYLES_ALONE = new Set(["mix-blend-mode", "isolation", "font-kerning", "background-color"]);
/** Attributes that are lengths, and may be calculated as such. */
const LENGTHS = new Set([...GEOMETRY, ..."x1 y1 x2 y2".split(" ")]);
/** What a nested drawing is drawn with as a whole. */
const GROUPED = ["id", "transform", "opacity", "mask", "clip-path", "filter", "style"];

/** Lengths in units that the renderer does not know: within a value, and alone. */
const UNKNOWN_UNITS = /([+-]?(?<![\d.])[\d.]+)(rem|q|ch|vw|vh|vmin|vmax)\b/gi;
const UNKNOWN_UNIT = /^[+-]?[\d.]+(?:rem|q|ch|v[hw]|vmin|vmax)$/i;
const FONT_SIZE = 16;
/** Properties whose percentages are of the box of their element, which is not known yet. */
const BOXED = new Set([...TRANSFORMS, "clip-path"]);
const UNIT_IN_STYLE = new Set(["stroke-dasharray", "filter", "transform", "font"]);

/** Values by their properties; of an element. */
type Values = ReadonlyMap<string, string>;
/** Of elements of which nothing is said: there may be a hundred thousand. */
const NO_VALUES: Values = new Map();

/**
 * Writes all styles of a drawing into its attributes.
 * @throws ApiError 422 when it has too many rules for so many elements
 */
export function cascade({ root, rules }: Drawing, means: Means): SvgElement {
  new Cascade(root, rules, means).run();
  return root;
}

class Cascade {
  private readonly root: SvgElement;
  private readonly means: Means;
  private readonly styles: StyleRules;

  constructor(root: SvgElement, rules: readonly Rule[], means: Means) {
    this.root = root;
    this.means = means;
    this.styles = new StyleRules(rules, sizeOf(root), means);
  }

  run(): void {
    const all = placedElements(this.root, this.means.steps);
    const values = all.map((placed) => this.valuesOf(placed));
    copyUsed(this.root, all, this.styles, (placed) => values.push(this.valuesOf(placed)));
    for (const [index, { element }] of all.entries()) {
      write(element, values[index]!);
      for (const [name, value] of element.attributes) {
        if (UNKNOWN_UNIT.test(value) && name !== "id") element.attributes.set(name, this.measured(value));
        else if (LENGTHS.has(name) && isCalculated(value)) set(element, name, this.calculated(name, value));
      }
    }
    const inherited = (name: string) => inheritedValues(all, (index) => values[index]?.get(name));
    changeLetters(inherited("text-transform"));
    // Boxes are those of what all styles made of shapes.
    const boxed = new Boxed(this.root, this.means);
    for (const [index, placed] of [...all.entries()].reverse()) boxed.write(placed, values[index]!);
    for (const placed of all) boxed.inherit(placed);
    slant(inherited("font-style"));
    for (const { element, parent } of all) {
      element.children.splice(0, Infinity, ...element.children.filter(isDrawn));
      if (element.name === "svg" && parent) group(element);
    }
    const background = values[0]?.get("background-color");
    if (background) this.root.children.unshift(backdrop(background, this.root));
    this.root.children.unshift(...boxed.clips);
  }

  /** What is said of an element, the last word of each property. */
  private valuesOf(placed: Placed): Values {
    const { element, parent } = placed;
    const around = parent?.variables ?? NO_VARIABLES;
    const declared = this.styles.declarationsFor(placed);
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
        const word = undrawn(name, calculated, parent === undefined);
        if (word !== undefined) this.means.warnings.add(`${name}: ${word} is not drawn`);
      }
    };
    const attributes = [...element.attributes].filter(([name]) => isPresentation(name) && !isOther(element, name));
    const all = [...attributes.map(([property, text]) => ({ property, text })), ...declared];
    const reset = all.findLastIndex(isReset);
    const said = all.slice(reset + 1);
    if (reset >= 0) for (const [name, value] of resetValues(element, all[reset]!.text)) values.set(name, value);
    for (const one of said) if (one.property === "color") resolve(one, outer);
    const color = values.get("color");
    const current = color && !/^(?:inherit|currentcolor)$/i.test(color) ? color : outer;
    placed.color = current;
    for (const one of said) if (one.property !== "color") resolve(one, current);
    return values.size > 0 ? values : NO_VALUES;
  }

  /** A value without `calc()`; undefined where it cannot be told, which is said. */
  private calculated(name: string, value: string): string | undefined {
    if (!isCalculated(value) || BOXED.has(name)) return value;
    const { width, height } = viewBoxOf(this.root.attributes.get("viewBox")) ?? sizeOf(this.root);
    const isDown = /^(?:c?y|y[12]|height|ry)$/.test(name);
    const isAcross = /^(?:c?x|x[12]|width|rx)$/.test(name);
    const whole = isDown ? height : isAcross ? width : Math.hypot(width, height) / Math.SQRT2;
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
}

/** Sets an attribute, or takes one without a value away. */
function set({ attributes }: SvgElement, name: string, value: string | undefined): void {
  if (value === undefined) attributes.delete(name);
  else attributes.set(name, value);
}

/** What lies behind all of a drawing: also beside a box of another shape than the drawing. */
function backdrop(color: string, root: SvgElement): SvgElement {
  const box = viewBoxOf(root.attributes.get("viewBox"));
  const size = sizeOf(root);
  const wide = box ? Math.max(1, size.width / size.height / (box.width / box.height)) : 1;
  const high = box ? Math.max(1, size.height / size.width / (box.height / box.width)) : 1;
  // On which side of the box there is more does not matter: what is beyond the drawing is not drawn.
  const place = box && [
    box.x - (wide - 1) * box.width,
    box.y - (high - 1) * box.height,
    box.width * (2 * wide - 1),
    box.height * (2 * high - 1),
  ];
  const [x = "", y = "", width = "", height = ""] = place?.map(String) ?? ["0", "0", "100%", "100%"];
  const said = { x, y, width, height, fill: color, stroke: "none" };
  return { name: "rect", attributes: new Map(Object.entries(said)), children: [] };
}

/** Whether a declaration takes back what is said before it, of all properties (CSS Cascading and Inheritance Level 4, section 3.2). */
function isReset({ property, text }: Pick<Declaration, "property" | "text">): boolean {
  return property === "all" && /^(?:initial|unset|revert)$/i.test(text.trim());
}

/** What an element has then: no attribute is left that is a property as well. */
function resetValues({ name, attributes }: SvgElement, word: string): Values {
  const values = new Map(/^initial$/i.test(word.trim()) ? INITIAL_VALUES : []);
  for (const attribute of attributes.keys()) {
    const isProperty = isPresentation(attribute) || GEOMETRY.has(attribute) || attribute === "d";
    if (isProperty && !isOther({ name }, attribute) && !values.has(attribute)) values.set(attribute, "");
  }
  return values;
}

/** Whether an attribute says what the property of its name says (SVG 2, section 6.6). */
function isPresentation(name: string): boolean {
  return name === "transform" || (PRESENTATION.has(name) && !STYLES_ALONE.has(name));
}

/** Whether an attribute is not the property of its name: paint is transformed by attributes of other names. */
function isOther({ name }: Pick<SvgElement, "name">, attribute: string): boolean {
  return attribute === "transform" && PAINTS.has(name);
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
  // The renderer knows the older way only to keep blanks.
  if (/^(?:pre|break)/i.test(values.get("white-space") ?? "")) attributes.set("xml:space", "preserve");
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
