/**
 * A drawing built anew from what is known to draw: elements, attributes, properties and functions that are listed, under
 * their exact names. Nothing else is kept, whatever it is called: a list of what is dangerous would miss the spellings
 * that a parser of HTML takes for the same, once a page has the text inside it.
 */
import { cleanDeclarations, cleanValue, writtenDeclarations } from "./css-values.ts";
import { cleanStyleSheet, MAX_RULES, type Rule } from "./css.ts";
import { damaged, readDocument, tooLarge } from "./document.ts";
import {
  ANIMATED,
  ANIMATIONS,
  ATTRIBUTES,
  ELEMENTS,
  LISTS,
  LONG,
  MAX_VALUE_LETTERS,
  STYLED,
  TEXT,
  TEXT_ONLY,
} from "./names.ts";
import type { SvgElement } from "./tree.ts";
import type { Warnings } from "./warnings.ts";
import type { XmlHandler } from "./xml.ts";

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
/** Letters of all style sheets; those of fonts that a drawing brings along are the longest. */
const MAX_CSS = 2 << 20;
/** Pixels that an element brings along. An address of the same document would load the page that has the drawing. */
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp)(?:;charset=[\w-]{1,20})?;base64,[a-z\d+/=\s]*$/i;

/** Drawings that an element brings along. */
const DRAWING = /^data:image\/svg\+xml[;,]/i;
/** Pictures of any kind that an element brings along. */
const ANY_PICTURE =
  /^data:(?:image\/[\w.+-]+|application\/octet-stream|text\/plain)?(?:;charset=[\w-]{1,20})?;base64,/i;

/** A mask that is no element. */
const MASK_IMAGE = /(?:^|[\s;{-])mask-image\s*:/i;

/** Of namespaces, by what they stand for. Only those count that stand for one that is drawn, or hide one that does. */
type Prefixes = ReadonlyMap<string, string>;
const MAX_PREFIXES = 32;

export interface Drawing {
  readonly root: SvgElement;
  /** Of all style sheets, in order. */
  readonly rules: readonly Rule[];
}

/** How a document is cleaned that is drawn and not handed on. */
export interface Drawn {
  readonly warnings: Warnings;
}

/**
 * What of a document is drawn.
 * @param file compressed or not
 * @param drawn absent: the document is handed on, with no more in it than any reader may have
 * @throws ApiError 422 when it is not well-formed or beyond the limits, or is no drawing
 */
export function cleanSvg(file: Uint8Array, drawn?: Drawn): Drawing {
  const cleaner = new Cleaner(drawn);
  readDocument(file, cleaner);
  return cleaner.finished();
}

function splitName(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(":");
  return colon < 0 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

/** An element that is open. */
interface Open {
  /** Absent where it is left out with all that it holds. */
  readonly element: SvgElement | undefined;
  readonly prefixes: Prefixes;
  /** What becomes of text in it. */
  readonly takes: "nothing" | "text" | "all text" | "a style sheet";
}

/** Builds a drawing from a document while that is read. */
class Cleaner implements XmlHandler {
  private readonly drawn: Drawn | undefined;
  private readonly rules: Rule[] = [];
  private readonly opened: Open[] = [];
  private root: SvgElement | undefined;
  private cssLeft = MAX_CSS;
  /** Text since the last mark. */
  private letters: string[] = [];

  constructor(drawn: Drawn | undefined) {
    this.drawn = drawn;
  }

  finished(): Drawing {
    if (!this.root) throw damaged();
    return { root: this.root, rules: this.rules };
  }

  open(fullName: string, said: ReadonlyMap<string, string>): void {
    const around = this.opened.at(-1);
    // A title has the text of whatever is in it, and no elements.
    if (around?.takes === "all text" || around?.takes === "a style sheet") {
      this.opened.push(around);
      return;
    }
    this.flush();
    this.opened.push(around && !around.element ? around : this.begun(fullName, said, around));
  }

  text(text: string): void {
    if (this.opened.at(-1)?.takes !== "nothing") this.letters.push(text);
  }

  close(): void {
    const ended = this.opened.pop();
    if (ended && ended === this.opened.at(-1)) return;
    this.flush(ended);
  }

  private begun(fullName: string, said: ReadonlyMap<string, string>, around: Open | undefined): Open {
    const [prefix, name] = splitName(fullName);
    if (!around && name !== "svg") throw damaged();
    const prefixes = declared(said, around?.prefixes ?? outermost(prefix, said));
    const leftOut: Open = { element: undefined, prefixes, takes: "nothing" };
    if (prefixes.get(prefix) !== SVG) {
      if (!around) this.root = { name: "svg", attributes: new Map(), children: [] };
      return leftOut;
    }
    if (!ELEMENTS.has(name)) {
      if (name === "foreignObject") this.drawn?.warnings.add("HTML in foreignObject is not drawn");
      return leftOut;
    }
    if (name === "style" && !/^\s*(?:text\/css\s*)?$/i.test(said.get("type") ?? "")) return leftOut;
    if (ANIMATIONS.has(name))
      this.drawn?.warnings.add("animations are left out: what they animate is as it is without them");
    if (MASK_IMAGE.test(said.get("style") ?? "")) this.drawn?.warnings.add("mask-image does not mask");
    const attributes = cleanAttributes(name, said, prefixes, this.drawn);
    const isOfAnimation = ANIMATIONS.has(name) && name !== "animateMotion";
    if (isOfAnimation && !ANIMATED.has(attributes.get("attributeName") ?? "")) return leftOut;
    const element: SvgElement = { name, attributes, children: [] };
    if (around) around.element?.children.push(element);
    else this.root = element;
    return { element, prefixes, takes: textIn(name, around) };
  }

  /** Puts text where it was read: in the element that is open, or has just been closed. */
  private flush(at = this.opened.at(-1)): void {
    const text = this.letters.join("");
    this.letters = [];
    if (text === "" || !at?.element) return;
    const kept = at.takes === "a style sheet" ? this.styleSheet(text) : text;
    if (kept !== "") at.element.children.push(kept);
  }

  private styleSheet(css: string): string {
    this.cssLeft -= css.length;
    if (this.cssLeft < 0) throw tooLarge();
    const warnings = this.drawn?.warnings;
    if (/@import/i.test(css)) warnings?.add("style sheets by address are not read");
    if (MASK_IMAGE.test(css)) warnings?.add("mask-image does not mask");
    if (/@font-face/i.test(css)) warnings?.add("fonts of the drawing are not read, its text is set in Inter");
    const { text, rules, leftOut } = cleanStyleSheet(css, MAX_RULES - this.rules.length);
    for (const what of leftOut) this.drawn?.warnings.add(what);
    for (const rule of rules) this.rules.push(rule);
    return text;
  }
}

function textIn(name: string, around: Open | undefined): Open["takes"] {
  if (name === "style") return "a style sheet";
  if (TEXT_ONLY.has(name)) return "all text";
  return TEXT.has(name) || around?.takes === "text" ? "text" : "nothing";
}

/** Prefixes around a root of that prefix. Some drawings forget to say what they are. */
function outermost(prefix: string, said: ReadonlyMap<string, string>): Prefixes {
  const prefixes = new Map([["xml", "http://www.w3.org/XML/1998/namespace"]]);
  if (!said.has(prefix === "" ? "xmlns" : `xmlns:${prefix}`)) prefixes.set(prefix, SVG);
  return prefixes;
}

function declared(said: ReadonlyMap<string, string>, outer: Prefixes): Prefixes {
  let prefixes: Map<string, string> | undefined;
  for (const [key, value] of said) {
    if (key !== "xmlns" && !key.startsWith("xmlns:")) continue;
    const prefix = key.slice(6);
    if ((value !== SVG && value !== XLINK && !outer.has(prefix)) || outer.get(prefix) === value) continue;
    prefixes ??= new Map(outer);
    prefixes.set(prefix, value);
    if (prefixes.size > MAX_PREFIXES) throw tooLarge();
  }
  return prefixes ?? outer;
}

function cleanAttributes(
  name: string,
  said: ReadonlyMap<string, string>,
  prefixes: Prefixes,
  drawn: Drawn | undefined,
): Map<string, string> {
  const cleaned = new Map<string, string>();
  for (const [key, value] of said) {
    const [prefix, local] = splitName(key);
    if (key === "xml:space" || key === "xml:lang") cleaned.set(key, value);
    else if (local === "href" && (prefix === "" || prefixes.get(prefix) === XLINK)) {
      const reference = value.trim();
      if (mayReferTo(name, reference, drawn)) cleaned.set(prefix === "" ? "href" : "xlink:href", reference);
      else if (drawn && reference !== "" && DRAWING_LINKS.has(name))
        drawn.warnings.add(`${name} by address is not drawn`);
    } else if (ATTRIBUTES.has(key) || (drawn && key.startsWith("data-"))) {
      if (value.length > MAX_VALUE_LETTERS && !LONG.has(key)) throw tooLarge();
      const kept = cleanAttribute(key, value);
      if (kept !== null) cleaned.set(key, kept);
    }
  }
  return cleaned;
}

/** A place in the document, or pixels that the drawing brings along. */
function mayReferTo(element: string, reference: string, drawn: Drawn | undefined): boolean {
  const isPlace = /^#[^\s#]+$/.test(reference);
  const isPicture = RASTER.test(reference) || (drawn && (DRAWING.test(reference) || ANY_PICTURE.test(reference)));
  if (element === "image") return isPicture ?? false;
  return isPlace || (element === "feImage" && (isPicture ?? false));
}

/** Elements that draw what they refer to. */
const DRAWING_LINKS = new Set("image feImage use tref textPath linearGradient radialGradient pattern".split(" "));

/** The value as it stays, or null. */
function cleanAttribute(name: string, value: string): string | null {
  if (name === "style") return writtenDeclarations(cleanDeclarations(value)) || null;
  if (!STYLED.has(name) || !/[\\(]/.test(value)) return value;
  const cleaned = cleanValue(value, { semicolons: LISTS.has(name) });
  return cleaned ? cleaned.text : null;
}
