/** What the elements of a drawing refer to: by links, and by properties. */
import { cleanDeclarations, cleanValue, type Declaration } from "./css-values.ts";
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

/** A reference, and what says so: an attribute by its name, or a style. */
export interface Reference {
  readonly id: string;
  readonly from: "href" | "style" | "attribute";
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
  /** Something may refer to the element. */
  isTarget(node: Node): boolean;
  /** The elements that an id may mean: browsers take the first, the renderer the last for properties. */
  named(id: string): readonly Node[];
}

/** Of the many elements that have nothing in them, and refer to nothing. */
const NO_NODES: Node[] = [];
const NO_REFERENCES: readonly Reference[] = [];

/** The drawing with everything that its elements refer to. */
export function graphOf(root: SvgElement): Graph {
  const nodes: Node[] = [];
  const build = (element: SvgElement, parent: Node | undefined): Node => {
    const within = elementsIn(element);
    const children: Node[] = within.length > 0 ? [] : NO_NODES;
    const node = { element, parent, children, index: nodes.length, size: 1, ...stated(element, parent) };
    nodes.push(node);
    for (const child of within) {
      const built = build(child, node);
      children.push(built);
      node.size += built.size;
    }
    return node;
  };
  const top = build(root, undefined);
  const meant = new Set(nodes.flatMap(({ references }) => references.map(({ id }) => id)));
  const names = new Map<string, [Node] | [Node, Node]>();
  for (const node of nodes) {
    const id = node.element.attributes.get("id");
    if (id === undefined || !meant.has(id)) continue;
    const first = names.get(id)?.[0];
    names.set(id, first ? [first, node] : [node]);
  }
  // Of elements of one name, the first and the last alone can be meant: there may be a hundred thousand.
  const isTarget = (node: Node) =>
    names.get(node.element.attributes.get("id") ?? "")?.some((one) => one === node) === true;
  const isDashed = nodes.some(({ dashes = 0 }) => dashes > 0);
  return { root: top, nodes, isDashed, isTarget, named: (id) => names.get(id) ?? [] };
}

type Stated = Pick<Node, "references" | "inherits" | "layered" | "filterFunctions" | "dashes" | "inheritsDashes">;

const ALL: ReadonlySet<Paint> = new Set(PAINTS);
/** Sets of paints; the bits of a place say which are in it. */
const SETS: readonly ReadonlySet<Paint>[] = Array.from(
  { length: 1 << PAINTS.length },
  (_, bits) => new Set(PAINTS.filter((_paint, at) => ((bits >> at) & 1) === 1)),
);

/** What an element says itself. */
function stated(element: SvgElement, parent: Node | undefined): Stated {
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
      else decided.add(paint);
    }
    if (property === DASHES) {
      dashed.dashes = Math.max(dashed.dashes ?? 0, dashDensity(text));
      if (!UNDECIDED.test(text)) dashed.inheritsDashes = false;
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
  const bits = PAINTS.reduce(
    (sum, paint, at) => (!decided.has(paint) || undecided.has(paint) ? sum + (1 << at) : sum),
    0,
  );
  const inherits = SETS[bits] ?? ALL;
  return { references: references.length > 0 ? references : NO_REFERENCES, inherits, ...dashed, ...seen };
}
