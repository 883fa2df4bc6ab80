/** What drawing a document costs: what has no bound is refused, and what is within it is measured. */
import { ApiError } from "../../../errors.ts";
import type { Drawing } from "./clean.ts";
import type { Expansion } from "./counts.ts";
import { expansionOf } from "./expansion.ts";
import { graphOf, type Node } from "./graph.ts";

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
/** References of elements and of the style rules that may be for them. */
const MAX_REFERENCES = 400_000;
/** Elements times those around them, in which the renderer looks for what they inherit; about a microsecond each. */
const MAX_LEVELS = 3_000_000;
/** Selectors times elements: the renderer tries each on each. */
const MAX_MATCHES = 20_000_000;

const tooHard = () => new ApiError(422, "The SVG file has filters or pictures that are too large to be drawn");
const tooMuch = () =>
  new ApiError(422, "The SVG file has too much to be drawn once all that it uses is counted as often as it is used");
const tooStyled = () => new ApiError(422, "The SVG file has too many style rules for so many elements");

/** Memory that a picture and its copy need, a layer besides, and the result of each primitive of a filter. */
const STRIP_PIXEL_BYTES = 16;
const LAYER_PIXEL_BYTES = 8;
const PRIMITIVE_PIXEL_BYTES = 8;

export interface Demands {
  /** Bytes that drawing holds at most for each pixel. */
  readonly pixelBytes: number;
  /** Levels of layers, each with a place within the one around it. */
  readonly nesting: number;
  /** Primitives of filters as often as they are applied. A filter draws with what lies around a pixel. */
  readonly primitives: number;
  /** Pixels of embedded pictures. */
  readonly imagePixels: number;
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
export function demandsOf({ root, rules }: Drawing): Demands {
  const selectors = rules.reduce((sum, { compounds }) => sum + compounds.length, 0);
  const graph = graphOf(root, rules, (elements, references, steps) => {
    if (selectors * elements > MAX_MATCHES || steps > MAX_MATCHES || references > MAX_REFERENCES) throw tooStyled();
  });
  const { primitives, longestFilter } = filtersOf(graph.nodes);
  const expansion = expansionOf(graph);
  checkExpansion(expansion);
  if (selectors * expansion.nodes > MAX_MATCHES) throw tooStyled();
  const { elements, vertices, characters, dashes, imagePixels } = expansion;
  return {
    pixelBytes:
      STRIP_PIXEL_BYTES + expansion.depth * LAYER_PIXEL_BYTES + Math.max(1, longestFilter) * PRIMITIVE_PIXEL_BYTES,
    primitives: Math.max(expansion.primitives, primitives > 0 ? 1 : 0),
    imagePixels,
    nesting: expansion.nesting,
    repeated:
      vertices +
      dashes * DASH_POINTS +
      elements * ELEMENT_POINTS +
      characters * CHARACTER_POINTS +
      imagePixels * IMAGE_PIXEL_POINTS,
  };
}

/** The filters that a document declares, whether it applies them or not. */
function filtersOf(nodes: readonly Node[]): { primitives: number; longestFilter: number } {
  let primitives = 0;
  let longestFilter = 0;
  for (const { element, children } of nodes) {
    const { name, attributes } = element;
    checkPrimitive(name, attributes);
    if (name.startsWith("fe") && ++primitives > MAX_PRIMITIVES) throw tooHard();
    if (name === "filter") longestFilter = Math.max(longestFilter, children.length);
  }
  return { primitives, longestFilter };
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
