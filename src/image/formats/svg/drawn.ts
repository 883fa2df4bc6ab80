/** A document as the renderer draws it: cleaned, with its styles as attributes and the drawings in it. */
import { metricsOf } from "../../text/metrics.ts";
import { cascade } from "./cascade.ts";
import { cleanSvg } from "./clean.ts";
import { plainSvg } from "./document.ts";
import { embed, type Nested } from "./embedded.ts";
import { noteFocalCircles } from "./focal-circles.ts";
import { FAMILIES } from "./fonts.ts";
import { TEXT } from "./names.ts";
import { cutOffsets } from "./offsets.ts";
import { sizeOf } from "./size.ts";
import { elementsFrom, linkedId, type SvgElement } from "./tree.ts";
import { Warnings } from "./warnings.ts";
import { LEAST_READING_BYTES, marksOf, readingEstimate } from "./weight.ts";

/** Drawings in drawings. */
const MAX_DEPTH = 2;
/** Drawings within a document, and what reading all of them may hold: that is in no estimate. */
const MAX_DRAWINGS = 50;
const MAX_READING_BYTES = 8 << 20;
/** Comparisons of elements with selectors take some tens of nanoseconds each. */
const MAX_STEPS = 2_000_000;
const MAX_LETTERS = 4 << 20;

export interface DrawnSvg {
  readonly root: SvgElement;
  /** What is not drawn as the document says. */
  readonly warnings: readonly string[];
}

/** @throws ApiError 422 when the document is damaged or beyond the limits */
export function drawnSvg(bytes: Uint8Array): DrawnSvg {
  const reader = new Reader();
  const root = reader.read(bytes, 0);
  link(root);
  forgetFeatures(root);
  leaveOutFilters(root);
  cutOffsets(root);
  sizeUses(root);
  noteFocalCircles(root, reader.warnings);
  if (hasUnknownLetters(root)) reader.warnings.add("letters that no font here has are not drawn");
  return { root, warnings: reader.warnings.all() };
}

/** Reads a document with the drawings in it. */
class Reader {
  readonly warnings = new Warnings();
  private readonly means = {
    warnings: this.warnings,
    steps: { left: MAX_STEPS },
    valueLetters: { left: MAX_LETTERS },
    variableLetters: { left: MAX_LETTERS },
    pathLetters: { left: MAX_LETTERS },
  };
  private drawings = 0;
  private readingLeft = MAX_READING_BYTES;

  read(bytes: Uint8Array, depth: number): SvgElement {
    const root = cascade(cleanSvg(bytes, this), this.means);
    embed(root, (inner) => this.nested(inner, depth + 1), this.warnings);
    return root;
  }

  private nested(bytes: Uint8Array, depth: number): ReturnType<Nested> {
    if (depth > MAX_DEPTH || ++this.drawings > MAX_DRAWINGS) return undefined;
    const plain = plainSvg(bytes);
    const marks = marksOf(plain);
    // A part of each is constant, and not held by all at once.
    this.readingLeft -= readingEstimate(marks).bytes - LEAST_READING_BYTES;
    if (this.readingLeft < 0) return undefined;
    const start = `drawing-${this.drawings}-`;
    const root = this.read(plain, depth);
    return { root, ...sizeOf(root), start };
  }
}

/** Letters that every font here has, blanks, and signs that are not drawn by themselves. */
const PLAIN = /^[ -\u017f\p{Z}\p{C}\p{M}]*$/u;

function hasUnknownLetters(root: SvgElement): boolean {
  const isUnknown = (child: SvgElement | string): boolean => {
    if (typeof child !== "string" || PLAIN.test(child)) return false;
    const { has } = metricsOf(FAMILIES.sans.files[400]);
    return [...child].some((letter) => !PLAIN.test(letter) && !has(letter.codePointAt(0) ?? 0));
  };
  return elementsFrom(root).some(({ name, children }) => TEXT.has(name) && children.some(isUnknown));
}

/** Gives what uses a symbol its size where it says none itself (SVG 2, section 5.5): the renderer takes that of the whole. */
function sizeUses(root: SvgElement): void {
  const sizes = new Map<string, SvgElement["attributes"]>();
  const uses: SvgElement[] = [];
  for (const element of elementsFrom(root)) {
    const { name, attributes } = element;
    const id = attributes.get("id");
    const isSized = attributes.has("width") || attributes.has("height");
    if (name === "symbol" && id !== undefined && isSized && !sizes.has(id)) sizes.set(id, attributes);
    if (name === "use") uses.push(element);
  }
  if (sizes.size === 0) return;
  for (const use of uses) {
    const size = sizes.get(linkedId(use));
    for (const side of ["width", "height"] as const) {
      const length = size?.get(side);
      if (length !== undefined && !use.attributes.has(side)) use.attributes.set(side, length);
    }
  }
}

const FILTER_LINK = /url\(\s*(["']?)#(.*?)\1\s*\)/g;

/** Leaves filters out that are not there: browsers draw what they would be for as it is, the renderer not at all. */
function leaveOutFilters(root: SvgElement): void {
  const filters = new Set<string>();
  const filtered: SvgElement["attributes"][] = [];
  for (const { name, attributes } of elementsFrom(root)) {
    const id = attributes.get("id");
    if (name === "filter" && id !== undefined) filters.add(id);
    if (attributes.has("filter")) filtered.push(attributes);
  }
  for (const attributes of filtered) {
    const links = (attributes.get("filter") ?? "").matchAll(FILTER_LINK);
    if ([...links].some(([, , id = ""]) => !filters.has(id))) attributes.delete("filter");
  }
}

/** Leaves of two links the one that counts. */
function link(root: SvgElement): void {
  for (const { attributes } of elementsFrom(root)) if (attributes.has("href")) attributes.delete("xlink:href");
}

/** Leaves conditions out that are not of SVG 2, section 5.7, and that browsers do not look at. */
function forgetFeatures(root: SvgElement): void {
  for (const { attributes } of elementsFrom(root)) attributes.delete("requiredFeatures");
}
