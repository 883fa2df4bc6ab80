/** What the elements of a drawing refer to: by links, by properties, and by the rules of style sheets. */
import { cleanDeclarations, cleanValue, type Declaration } from "./css-values.ts";
import type { Compound, Rule } from "./css.ts";
import { dashDensity } from "./dashes.ts";
import { ANIMATIONS } from "./names.ts";
import { elementsIn, hrefOf, type SvgElement } from "./tree.ts";

/** Properties that elements inherit, and that refer to what is drawn for each shape. */
export const PAINTS = ["fill", "stroke", "marker-start", "marker-mid", "marker-end"] as const;
export type Paint = (typeof PAINTS)[number];

const MARKERS: readonly Paint[] = ["marker-start", "marker-mid", "marker-end"];
/** Elements whose links draw nothing. */
const UNDRAWN: ReadonlySet<string> = new Set(["a", "mpath", ...ANIMATIONS]);
/** Values that say nothing about whether an element has its parent's paint. */
const UNDECIDED = /inherit|unset|revert|var\(|context-/i;
/** What makes the renderer draw an element apart. */
const LAYERED = new Set(["opacity", "mask", "clip-path", "filter", "mix-blend-mode", "isolation"]);
const DASHES = "stroke-dasharray";
/** Elements that are cut off at their edges. */
const CUT = new Set(["svg", "symbol"]);
const FILTER_FUNCTION =
  /(?:blur|drop-shadow|brightness|contrast|grayscale|hue-rotate|invert|opacity|saturate|sepia)\(/g;

/** A reference, and what says so: an attribute by its name, or a style sheet. */
export interface Reference {
  readonly id: string;
  readonly from: "href" | "style" | "sheet" | "attribute";
  readonly property: string;
}

export interface Node {
  readonly element: SvgElement;
  readonly parent: Node | undefined;
  readonly children: readonly Node[];
  /** In the order of the document. */
  readonly index: number;
  /** Elements in the element, itself included. */
  readonly size: number;
  readonly references: readonly Reference[];
  /** Paints that the element may have from its parent. */
  readonly inherits: ReadonlySet<Paint>;
  /** The element is drawn apart and then put where it belongs. */
  readonly layered: boolean;
  /** Filters without an element. */
  readonly filterFunctions: number;
  /** Dashes in a unit of length that strokes may have; none is said where it is undefined. */
  readonly dashes: number | undefined;
  /** The element may have the dashes of those around it, too. */
  readonly inheritsDashes: boolean;
}

export interface Graph {
  readonly root: Node;
  readonly nodes: readonly Node[];
  /** Some strokes may have dashes. */
  readonly isDashed: boolean;
  /** The elements that an id may mean: browsers take the first, the renderer the last for properties. */
  named(id: string): readonly Node[];
}

/**
 * The drawing with everything that its elements refer to. `check` is told how many elements and references there are,
 * and steps of looking for those of style sheets, as they become more.
 */
export function graphOf(
  root: SvgElement,
  rules: readonly Rule[],
  check: (elements: number, references: number, steps: number) => void,
): Graph {
  let references = 0;
  const sheet = new RuleIndex(rules);
  const nodes: Node[] = [];
  const build = (element: SvgElement, parent: Node | undefined): Node => {
    const children: Node[] = [];
    const node = { element, parent, children, index: nodes.length, size: 1, ...stated(element, parent, sheet) };
    nodes.push(node);
    references += node.references.length;
    check(nodes.length, references, sheet.steps);
    for (const child of elementsIn(element)) {
      const built = build(child, node);
      children.push(built);
      node.size += built.size;
    }
    return node;
  };
  const top = build(root, undefined);
  const names = new Map<string, [Node] | [Node, Node]>();
  for (const node of nodes) {
    const id = node.element.attributes.get("id");
    if (id === undefined) continue;
    const first = names.get(id)?.[0];
    names.set(id, first ? [first, node] : [node]);
  }
  const isDashed = nodes.some(({ dashes = 0 }) => dashes > 0);
  return { root: top, nodes, isDashed, named: (id) => names.get(id) ?? [] };
}

type Stated = Pick<Node, "references" | "inherits" | "layered" | "filterFunctions" | "dashes" | "inheritsDashes">;

const ALL: ReadonlySet<Paint> = new Set(PAINTS);

/** What an element says itself, and what style sheets may say of it. */
function stated(element: SvgElement, parent: Node | undefined, sheet: RuleIndex): Stated {
  const { attributes } = element;
  const references: Reference[] = [];
  const decided = new Set<Paint>();
  const undecided = new Set<Paint>();
  const dashed: { dashes: number | undefined; inheritsDashes: boolean } = { dashes: undefined, inheritsDashes: true };
  const seen = { layered: CUT.has(element.name) && parent !== undefined, filterFunctions: 0 };
  const href = hrefOf(element);
  if (href?.startsWith("#") && !UNDRAWN.has(element.name)) {
    references.push({ id: href.slice(1), from: "href", property: "href" });
  }
  const note = ({ property, text, references: ids }: Declaration, from: Reference["from"]) => {
    for (const id of ids) references.push({ id, from, property });
    for (const paint of property === "marker" ? MARKERS : PAINTS.filter((name) => name === property)) {
      if (UNDECIDED.test(text)) undecided.add(paint);
      // Whether a rule of a style sheet is for this element is not certain.
      else if (from !== "sheet") decided.add(paint);
    }
    if (property === DASHES) {
      dashed.dashes = Math.max(dashed.dashes ?? 0, dashDensity(text));
      if (from !== "sheet" && !UNDECIDED.test(text)) dashed.inheritsDashes = false;
    }
    if (LAYERED.has(property) && text !== "none" && text !== "1") seen.layered = true;
    if (property === "filter") seen.filterFunctions += text.match(FILTER_FUNCTION)?.length ?? 0;
  };
  for (const [property, text] of attributes) {
    if (property === "style") for (const declaration of cleanDeclarations(text)) note(declaration, "style");
    else if (LAYERED.has(property) || property === DASHES || ALL.has(property as Paint)) {
      note({ property, text, references: text.includes("(") ? (cleanValue(text)?.references ?? []) : [] }, "attribute");
    }
  }
  for (const declaration of sheet.declarationsFor(element, parent)) note(declaration, "sheet");
  const inherits = new Set(PAINTS.filter((paint) => !decided.has(paint) || undecided.has(paint)));
  return { references, inherits, ...dashed, ...seen };
}

/** Declarations that matter here, found by what the last part of their selector asks for first. */
class RuleIndex {
  /** Elements that were compared with parts of selectors. */
  steps = 0;
  private readonly byKey = new Map<string, { compound: Compound; declarations: readonly Declaration[] }[]>();

  constructor(rules: readonly Rule[]) {
    for (const { compounds, declarations } of rules) {
      const telling = declarations.filter(
        ({ property, text, references }) =>
          references.length > 0 ||
          LAYERED.has(property) ||
          property === DASHES ||
          (UNDECIDED.test(text) && ALL.has(property as Paint)),
      );
      if (telling.length === 0) continue;
      for (const compound of compounds) {
        const [first] = compound.classes;
        const key =
          compound.id !== undefined ? `#${compound.id}` : first !== undefined ? `.${first}` : (compound.name ?? "*");
        const entry = { compound, declarations: telling };
        const there = this.byKey.get(key);
        if (there) there.push(entry);
        else this.byKey.set(key, [entry]);
      }
    }
  }

  /** Declarations that may be for an element within others. */
  declarationsFor(element: SvgElement, parent: Node | undefined): Declaration[] {
    if (this.byKey.size === 0) return [];
    const id = element.attributes.get("id");
    const keys = ["*", element.name, ...classesOf(element).map((one) => `.${one}`)];
    if (id !== undefined) keys.push(`#${id}`);
    const found: Declaration[] = [];
    for (const key of keys) {
      for (const { compound, declarations } of this.byKey.get(key) ?? []) {
        if (fits(element, compound) && this.isWithin(parent, compound.around)) found.push(...declarations);
      }
    }
    return found;
  }

  /** Whether the elements around an element are what a selector asks for, one after the other. */
  private isWithin(parent: Node | undefined, wanted: Compound | undefined): boolean {
    let asked = wanted;
    for (let around = parent; around && asked; around = around.parent) {
      this.steps++;
      if (fits(around.element, asked)) asked = asked.around;
    }
    return asked === undefined;
  }
}

function classesOf({ attributes }: SvgElement): string[] {
  const value = attributes.get("class");
  return value === undefined ? [] : [...new Set(value.split(/\s+/))];
}

function fits(element: SvgElement, { name, id, classes }: Compound): boolean {
  if ((name ?? element.name) !== element.name) return false;
  if (id !== undefined && element.attributes.get("id") !== id) return false;
  if (classes.length === 0) return true;
  const there = classesOf(element);
  return classes.every((one) => there.includes(one));
}
