/** What drawing a document costs: effects without bound are refused, pictures within it are measured. */
import { XmlElement } from "@rgrove/parse-xml";

import { ApiError } from "../../../errors.ts";
import type { Facts } from "../../format.ts";
import { gif } from "../gif.ts";
import { jpeg } from "../jpeg.ts";
import { png } from "../png.ts";
import { webp } from "../webp.ts";
import { localName } from "./document.ts";

/** Pixels of all pictures that a document brings along; the renderer decodes each whole. */
const MAX_IMAGE_PIXELS = 4_000_000;
/** Standard deviations of a blur and radii of a morphology, in units of the document. */
const MAX_BLUR = 500;
const MAX_RADIUS = 50;
const MAX_OCTAVES = 12;
const MAX_KERNEL = 15;
/** Primitives of all filters together. */
const MAX_PRIMITIVES = 200;
/** Deeper nesting of layers than of elements there is not. */
const MAX_LAYERS = 200;

const EMBEDDED = { gif, jpeg, png, webp };

const tooHard = () => new ApiError(422, "The SVG file has filters or pictures that are too large to be drawn");

/** Memory that a picture and its copy need, a layer besides, and the result of each primitive of a filter. */
const STRIP_PIXEL_BYTES = 16;
const LAYER_PIXEL_BYTES = 8;
const PRIMITIVE_PIXEL_BYTES = 8;
/** Filters without an element. */
const FILTER_FUNCTION = /(?:blur|drop-shadow)\s*\(/;
/** What makes the renderer draw an element apart. */
const LAYERED = /opacity|mask|clip|filter|blend|isolation/;

export interface Demands {
  /** Bytes that drawing holds at most for each pixel. */
  readonly pixelBytes: number;
  /** A filter draws with what lies around a pixel. */
  readonly filters: boolean;
  /** Pixels of embedded pictures. */
  readonly imagePixels: number;
}

/** @throws ApiError 422 when drawing would have no bound */
export function demandsOf(root: XmlElement): Demands {
  let imagePixels = 0;
  let primitives = 0;
  // How deep layers lie in each other cannot be seen where elements are used elsewhere: all may.
  let layers = 0;
  let styled = false;
  let longestFilter = 1;
  let functions = false;
  const open = [root];
  for (let element = open.pop(); element; element = open.pop()) {
    const name = localName(element.name);
    const { attributes } = element;
    if (name.startsWith("fe") && ++primitives > MAX_PRIMITIVES) throw tooHard();
    checkPrimitive(name, attributes);
    if (name === "image" || name === "feImage") imagePixels += pixelsOf(attributes);
    if (imagePixels > MAX_IMAGE_PIXELS) throw tooHard();
    if (name === "filter") longestFilter = Math.max(longestFilter, element.children.length);
    functions ||= FILTER_FUNCTION.test(
      name === "style" ? element.text : (attributes["filter"] ?? attributes["style"] ?? ""),
    );
    if (name === "style" && LAYERED.test(element.text)) styled = true;
    if (isLayered(attributes) || (styled && "class" in attributes)) layers++;
    // In the order of the document, so that a style sheet comes before what it is for.
    for (const child of element.children.toReversed()) if (child instanceof XmlElement) open.push(child);
  }
  const pixelBytes =
    STRIP_PIXEL_BYTES + Math.min(MAX_LAYERS, layers) * LAYER_PIXEL_BYTES + longestFilter * PRIMITIVE_PIXEL_BYTES;
  return { pixelBytes, filters: primitives > 0 || functions, imagePixels };
}

function isLayered(attributes: Readonly<Record<string, string>>): boolean {
  return Object.entries(attributes).some(([key, value]) => LAYERED.test(key === "style" ? value : key));
}

function checkPrimitive(name: string, attributes: Readonly<Record<string, string>>): void {
  const largest = (key: string) => Math.max(0, ...numbers(attributes[key]));
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

function pixelsOf(attributes: Readonly<Record<string, string>>): number {
  const reference = Object.entries(attributes).find(([key]) => localName(key) === "href")?.[1] ?? "";
  const [, data] = /^\s*data:[^,]{0,100};base64,(.*)$/s.exec(reference) ?? [];
  if (!data) return 0;
  const facts = embeddedFacts(data);
  return facts ? facts.width * facts.height : 0;
}

/** The facts of a picture in Base64; undefined for what the renderer will not read either. */
function embeddedFacts(base64: string): Facts | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    const format = Object.values(EMBEDDED).find((row) => row.signature(bytes.subarray(0, 4096)));
    return format?.read.probe(bytes);
  } catch {
    return undefined;
  }
}
