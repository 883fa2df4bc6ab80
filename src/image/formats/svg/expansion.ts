/**
 * What drawing a document amounts to when everything that is used is counted as often as it is used. Elements are
 * visited once, in one walk along what they hold and what they refer to, so that the answer costs no more than the
 * document is long, however much it multiplies. A reference that closes a circle is taken out, as browsers pass over it.
 */
import { ApiError } from "../../../errors.ts";
import { add, capped, draw, type Expansion, PARSED, ZERO } from "./counts.ts";
import { cleanDeclarations, cleanValue, writtenDeclarations } from "./css-values.ts";
import { outlineOf } from "./dashes.ts";
import { type Graph, type Node, type Paint, PAINTS, type Reference } from "./graph.ts";
import { charactersOf, imagePixelsOf, shapedOf, verticesOf } from "./measures.ts";

/** Elements in elements, along references too; the renderer's stack holds several times as many. */
const MAX_NESTING = 400;
const SHAPES = new Set(["path", "line", "polyline", "polygon", "rect", "circle", "ellipse"]);
const MARKED = new Set(["path", "line", "polyline", "polygon"]);
const TEXTS = new Set(["text", "tspan", "tref", "textPath"]);
/** Elements that are drawn only where they are referred to. */
const HIDDEN = new Set(
  "defs symbol pattern marker mask clipPath filter linearGradient radialGradient style title desc view".split(" "),
);
/** Elements whose content is drawn apart, and has its paints from where it stands, not from where it is used. */
const SERVERS = new Set(["pattern", "marker", "mask", "clipPath", "filter"]);
/** Elements that have their content from another when they have none. */
const TEMPLATES = new Set(["pattern", "filter", "linearGradient", "radialGradient"]);

const tooDeep = () => new ApiError(422, "The SVG file has elements that refer to each other over too many steps");

/**
 * The expansion of a whole drawing, out of which references that close circles have been taken.
 * @throws ApiError 422 when a chain of references is too long
 */
export function expansionOf(graph: Graph): Expansion {
  return new Walk(graph).visit(graph.root, 0);
}

class Walk {
  private readonly found = new Map<Node, Expansion | "open">();
  private readonly graph: Graph;
  /** Steps that the renderer takes to find what the links of all elements before this one refer to. */
  private readonly searches: number[] = [0];

  constructor(graph: Graph) {
    this.graph = graph;
    for (const node of graph.nodes) this.searches.push((this.searches.at(-1) ?? 0) + this.searchOf(node));
  }

  visit(node: Node, nesting: number): Expansion {
    const known = this.found.get(node);
    if (known !== undefined && known !== "open") {
      if (nesting + known.height > MAX_NESTING) throw tooDeep();
      return known;
    }
    if (nesting > MAX_NESTING) throw tooDeep();
    // What no one can refer to is visited once.
    const isTarget = this.graph.isTarget(node);
    if (isTarget) this.found.set(node, "open");
    const sum = own(node, this.graph.isDashed);
    for (const child of node.children) {
      const expansion = this.visit(child, nesting + 1);
      add(sum, expansion, PARSED);
      if (!HIDDEN.has(child.element.name)) draw(sum, expansion);
      sum.height = Math.max(sum.height, expansion.height + 1);
    }
    this.follow(node, sum, nesting);
    // What an element inherits is looked for in all elements around it.
    sum.levels = capped(sum.levels + sum.nodes);
    if (isTarget) this.found.set(node, sum);
    return sum;
  }

  /** Adds what an element refers to: links first, for they bring shapes to be painted. */
  private follow(node: Node, sum: Expansion, nesting: number): void {
    const { name } = node.element;
    const byLink = node.references.filter(({ from }) => from === "href");
    for (const reference of byLink) this.link(node, reference, sum, nesting);
    for (const reference of node.references) {
      if (reference.from === "href") continue;
      for (const target of this.targets(node, reference, nesting, sum)) {
        sum.links = capped(sum.links + target.nodes);
        draw(sum, target, timesOf(reference.property, sum));
      }
    }
    for (const paint of PAINTS) if (!node.inherits.has(paint)) sum[paint] = 0;
    dash(sum, node);
    if (SERVERS.has(name)) this.inherit(node, sum, nesting);
    if (node.layered || SERVERS.has(name)) {
      sum.layers = capped(sum.layers + 1);
      sum.depth++;
    }
    if (node.layered || name === "marker") sum.nesting++;
    if (SERVERS.has(name)) sum.steps = capped(sum.steps + sum.nodes + sum.links);
  }

  private link(node: Node, reference: Reference, sum: Expansion, nesting: number): void {
    const { name } = node.element;
    const [found] = this.graph.named(reference.id);
    for (const target of this.targets(node, reference, nesting, sum)) {
      if (TEMPLATES.has(name) && node.children.length > 0) continue;
      draw(sum, target);
      if (name !== "use" || !found) continue;
      add(sum, target, PARSED);
      const within = (this.searches[found.index + found.size] ?? 0) - (this.searches[found.index] ?? 0);
      sum.steps = capped(sum.steps + found.index + found.size + within);
    }
  }

  /** Paints that the content of a pattern, marker, mask or clip path has from the elements around it. */
  private inherit(node: Node, sum: Expansion, nesting: number): void {
    for (let around = node.parent; around; around = around.parent) dash(sum, around);
    sum.undashed = 0;
    for (const paint of PAINTS) {
      const shapes = sum[paint];
      sum[paint] = 0;
      if (shapes === 0) continue;
      for (let around = node.parent; around; around = around.inherits.has(paint) ? around.parent : undefined) {
        for (const reference of around.references) {
          if (!covers(reference.property, paint)) continue;
          const inherited = { ...reference, from: "inherited", property: paint } as const;
          for (const target of this.targets(node, inherited, nesting, sum)) draw(sum, target, shapes);
        }
      }
    }
  }

  /** The expansions of what a reference is to; none when it closes a circle, and then the reference is taken out. */
  private targets(node: Node, reference: Reference | InheritedReference, nesting: number, sum: Expansion): Expansion[] {
    const named = this.graph.named(reference.id);
    if (named.some((target) => this.found.get(target) === "open")) {
      cut(node, reference);
      return [];
    }
    return named.map((target) => {
      const expansion = this.visit(target, nesting + 1);
      sum.height = Math.max(sum.height, expansion.height + 1);
      return expansion;
    });
  }

  private searchOf({ element, references }: Node): number {
    if (element.name !== "use") return 0;
    const link = references.find(({ from }) => from === "href");
    return link ? (this.graph.named(link.id)[0]?.index ?? this.graph.nodes.length) : 0;
  }
}

interface InheritedReference extends Omit<Reference, "from"> {
  readonly from: "inherited";
}

/** Counts the dashes of outlines that may have those of this element. */
function dash(sum: Expansion, { dashes = 0, inheritsDashes }: Node): void {
  sum.dashes = capped(sum.dashes + sum.undashed * dashes);
  if (!inheritsDashes) sum.undashed = 0;
}

/** An element without what is in it. */
function own({ element, filterFunctions, children }: Node, isDashed: boolean): Expansion {
  const sum = { ...ZERO, nodes: 1, primitives: filterFunctions };
  const { name } = element;
  if (!HIDDEN.has(name)) sum.elements = 1;
  if (name === "stop") sum.stops = 1;
  if (name === "filter") sum.primitives += children.length;
  if (name === "image" || name === "feImage") sum.imagePixels = imagePixelsOf(element);
  if (TEXTS.has(name)) sum.characters = charactersOf(element);
  if (name === "text") sum.shaped = shapedOf(element);
  if (SHAPES.has(name) || TEXTS.has(name)) {
    sum.fill = 1;
    sum.stroke = 1;
    sum.vertices = verticesOf(element);
    if (isDashed) sum.undashed = capped(outlineOf(element));
  }
  if (MARKED.has(name)) {
    sum["marker-start"] = 1;
    sum["marker-mid"] = sum.vertices;
    sum["marker-end"] = 1;
  }
  return sum;
}

function isPaint(property: string): boolean {
  return property === "marker" || (PAINTS as readonly string[]).includes(property);
}

/** Whether a property says what a paint is. */
function covers(property: string, paint: Paint): boolean {
  return property === paint || (property === "marker" && paint.startsWith("marker-"));
}

/** How often what a property refers to is drawn: for each shape that has it. */
function timesOf(property: string, sum: Expansion): number {
  if (property === "marker") return capped(sum["marker-start"] + sum["marker-mid"] + sum["marker-end"]);
  return isPaint(property) ? sum[property as Paint] : 1;
}

/** Takes a reference out of the element that has it. */
function cut({ element: { attributes } }: Node, { id, from, property }: Reference | InheritedReference): void {
  const allowed = (other: string) => other !== id;
  if (from === "href") {
    attributes.delete("href");
    attributes.delete("xlink:href");
  } else if (from === "inherited") attributes.set(property, "none");
  else if (from === "style") {
    attributes.set("style", writtenDeclarations(cleanDeclarations(attributes.get("style") ?? "", allowed)));
  } else attributes.set(property, cleanValue(attributes.get(property) ?? "", { allowed })?.text ?? "none");
}
