/** What drawing a document costs: what has no bound is refused, and what is within it is measured. */
import { ApiError } from "../../../errors.ts";
import type { Expansion } from "./counts.ts";
import { expansionOf } from "./expansion.ts";
import { graphOf, type Node } from "./graph.ts";
import { lengthOf } from "./lengths.ts";
import { sizeOf, viewBoxOf } from "./size.ts";
import type { SvgElement } from "./tree.ts";

/** Pixels of all pictures that a document brings along, as often as it shows them: the renderer decodes each use. */
const MAX_IMAGE_PIXELS = 4_000_000;
/** Standard deviations of a blur and radii of a morphology, in units of the document. */
const MAX_BLUR = 500;
const MAX_RADIUS = 50;
const MAX_OCTAVES = 12;
const MAX_KERNEL = 15;
/** Primitives of all filters together, and as often as they are applied. */
const MAX_PRIMITIVES = 200;
const MAX_APPLIED_PRIMITIVES = 2_000;
/** Elements that are drawn; a map of a city has some ten thousands. */
const MAX_DRAWN = 200_000;
/** Points of all paths that are drawn; a document of 4 MiB that uses nothing twice stays below this. */
const MAX_VERTICES = 4_000_000;
/** Dashes of all strokes that are drawn; each becomes a path, which takes up to 10 microseconds where it has round ends. */
const MAX_DASHES = 100_000;
/** Stops of all gradients, for each shape that they paint: the renderer looks through them for each pixel. */
const MAX_STOPS = 20_000;
/** Letters of all texts that are drawn; each becomes a path, which takes about 70 microseconds. */
const MAX_CHARACTERS = 30_000;
/** Letters of lines of text, times their spans: the renderer shapes a line once for each, in 2 microseconds a letter. */
const MAX_SHAPED = 500_000;
/**
 * Elements that are drawn apart. How much of the picture each covers is not known before it is drawn, since drawings have
 * thousands of small ones that must not be refused: what layers of the whole picture take is bounded by fuel alone.
 */
const MAX_LAYERS = 20_000;
/** What is drawn apart within what is drawn apart; each level holds a copy of the picture. */
const MAX_LAYER_DEPTH = 100;
/** Steps of the renderer's searches, which look through the document for each link; about 70 ns each. */
const MAX_STEPS = 25_000_000;
/** Elements times those around them, in which the renderer looks for what they inherit; about a microsecond each. */
const MAX_LEVELS = 3_000_000;

const tooHard = () => new ApiError(422, "The SVG file has filters or pictures that are too large to be drawn");
const tooMuch = () =>
  new ApiError(422, "The SVG file has too much to be drawn once all that it uses is counted as often as it is used");

/** Memory that a picture and its copy need, a layer or a mask besides, and each image that a filter works on. */
const STRIP_PIXEL_BYTES = 12;
const LAYER_PIXEL_BYTES = 8;
const PRIMITIVE_PIXEL_BYTES = 4;
/** Images that a filter holds besides the results of its primitives: what it is of, and a copy of one. */
const FILTER_IMAGES = 3;
/** Of the picture, the part that a filter may cover: what is farther than half the picture from its edges is not drawn. */
const MOST_COVERED = 4;
/** The part of an element's box that filters cover unless they say so, as sides of the box. */
const USUAL_SIDE = 1.2;

export interface Demands {
  /** Bytes that drawing holds at most for each pixel. */
  readonly pixelBytes: number;
  /** Levels of layers, each with a place within the one around it. */
  readonly nesting: number;
  /** Primitives of filters as often as they are applied. A filter draws with what lies around a pixel. */
  readonly primitives: number;
  /** Elements, as often as the renderer has them. */
  readonly nodes: number;
  /** Pixels of embedded pictures. */
  readonly imagePixels: number;
  /** The largest tile of a pattern, as a part of the picture; 1 where it may be as large. */
  readonly tiles: number;
  /** What each strip of the picture takes anew: points, letters and pixels of pictures, in points. */
  readonly repeated: number;
}

/** Work of an element, a letter of text and a dash beside the work of a point. */
const ELEMENT_POINTS = 10;
const CHARACTER_POINTS = 30;
const DASH_POINTS = 5;
const IMAGE_PIXEL_POINTS = 0.1;

/**
 * What drawing costs. References that close circles are taken out of the drawing.
 * @throws ApiError 422 when drawing would have no bound
 */
export function demandsOf(root: SvgElement): Demands {
  const graph = graphOf(root);
  const { primitives, filterPixelBytes } = filtersOf(graph.nodes);
  const expansion = expansionOf(graph);
  checkExpansion(expansion);
  const { nodes, elements, vertices, characters, dashes, imagePixels } = expansion;
  return {
    nodes,
    pixelBytes:
      STRIP_PIXEL_BYTES +
      expansion.depth * LAYER_PIXEL_BYTES +
      (expansion.primitives > 0 || primitives > 0 ? Math.max(LEAST_FILTER_BYTES, filterPixelBytes) : 0),
    primitives: Math.max(expansion.primitives, primitives > 0 ? 1 : 0),
    imagePixels,
    tiles: graph.nodes.reduce((most, { element }) => Math.max(most, tileOf(element, root)), 0),
    nesting: expansion.nesting,
    repeated:
      vertices +
      dashes * DASH_POINTS +
      elements * ELEMENT_POINTS +
      characters * CHARACTER_POINTS +
      imagePixels * IMAGE_PIXEL_POINTS,
  };
}

/** Of filters that are written as functions, whose region is twice as wide and as high as the element. */
const LEAST_FILTER_BYTES = (FILTER_IMAGES + 2) * PRIMITIVE_PIXEL_BYTES * MOST_COVERED;

/** The filters that a document declares, whether it applies them or not, and what the largest holds for each pixel. */
function filtersOf(nodes: readonly Node[]): { primitives: number; filterPixelBytes: number } {
  let primitives = 0;
  let filterPixelBytes = 0;
  for (const { element, children } of nodes) {
    const { name, attributes } = element;
    checkPrimitive(name, attributes);
    if (name.startsWith("fe") && ++primitives > MAX_PRIMITIVES) throw tooHard();
    if (name !== "filter") continue;
    const bytes = (FILTER_IMAGES + children.length) * PRIMITIVE_PIXEL_BYTES * coveredBy(attributes);
    filterPixelBytes = Math.max(filterPixelBytes, bytes);
  }
  return { primitives, filterPixelBytes };
}

/** What part of the picture the tile of a pattern is at most. */
function tileOf({ name, attributes }: SvgElement, root: SvgElement): number {
  if (name !== "pattern") return 0;
  const isInUnits = attributes.get("patternUnits") === "userSpaceOnUse" && !attributes.has("patternTransform");
  const box = viewBoxOf(root.attributes.get("viewBox")) ?? sizeOf(root);
  const whole = isInUnits ? box : { width: 1, height: 1 };
  const share = (side: "width" | "height") =>
    (lengthOf(attributes.get(side), whole[side]) ?? whole[side]) / whole[side];
  return Math.min(1, Math.max(0, share("width") * share("height")) || 1);
}

/** How much of the picture a filter covers whose element fills it. */
function coveredBy(attributes: ReadonlyMap<string, string>): number {
  const side = (name: string) => {
    const text = attributes.get(name);
    if (text === undefined) return USUAL_SIDE;
    return lengthOf(text, 1) ?? MOST_COVERED;
  };
  if (attributes.get("filterUnits") === "userSpaceOnUse") return MOST_COVERED;
  return Math.min(MOST_COVERED, Math.max(1, side("width") * side("height")));
}

function checkExpansion(expansion: Expansion): void {
  if (expansion.imagePixels > MAX_IMAGE_PIXELS || expansion.primitives > MAX_APPLIED_PRIMITIVES) throw tooHard();
  const { nodes, levels, elements, vertices, characters, layers, depth, steps } = expansion;
  if (nodes > MAX_DRAWN || elements > MAX_DRAWN || vertices > MAX_VERTICES || characters > MAX_CHARACTERS)
    throw tooMuch();
  if (expansion.shaped > MAX_SHAPED) throw tooMuch();
  if (expansion.dashes > MAX_DASHES || expansion.stops > MAX_STOPS) throw tooMuch();
  if (layers > MAX_LAYERS || depth > MAX_LAYER_DEPTH || levels > MAX_LEVELS || steps > MAX_STEPS) throw tooMuch();
}

function checkPrimitive(name: string, attributes: ReadonlyMap<string, string>): void {
  const largest = (key: string) => Math.max(0, ...numbers(attributes.get(key)));
  if (name === "feGaussianBlur" || name === "feDropShadow") {
    if (largest("stdDeviation") > MAX_BLUR) throw tooHard();
  } else if (name === "feMorphology") {
    if (largest("radius") > MAX_RADIUS) throw tooHard();
  } else if (name === "feTurbulence") {
    if (largest("numOctaves") > MAX_OCTAVES) throw tooHard();
  } else if (name === "feConvolveMatrix" && largest("order") > MAX_KERNEL) throw tooHard();
}

function numbers(text: string | undefined): number[] {
  const found = (text ?? "").split(/[\s,]+/, 10).map(Number);
  return found.filter((number) => !Number.isNaN(number));
}
