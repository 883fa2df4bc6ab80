/**
 * A drawing built anew from what is known to draw: elements, attributes, properties and functions that are listed, under
 * their exact names. Nothing else is kept, whatever it is called: a list of what is dangerous would miss the spellings
 * that a parser of HTML takes for the same, once a page has the text inside it.
 */
import { type XmlElement, XmlNode, XmlText } from "@rgrove/parse-xml";

import { cleanDeclarations, cleanValue, writtenDeclarations } from "./css-values.ts";
import { cleanStyleSheet, type Rule } from "./css.ts";
import { tooLarge } from "./document.ts";
import { ANIMATED, ANIMATIONS, ATTRIBUTES, ELEMENTS, LISTS, STYLED, TEXT, TEXT_ONLY } from "./names.ts";
import type { SvgElement } from "./tree.ts";
import type { Warnings } from "./warnings.ts";

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
/** Letters of all style sheets; those of fonts that a drawing brings along are the longest. */
const MAX_CSS = 2 << 20;
/** Rules of all style sheets: the renderer compares each with those before it. */
const MAX_RULES = 10_000;
/** Pixels that an element brings along. An address of the same document would load the page that has the drawing. */
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp)(?:;charset=[\w-]{1,20})?;base64,[a-z\d+/=\s]*$/i;

/** Drawings that an element brings along. */
const DRAWING = /^data:image\/svg\+xml[;,]/i;
/** Pictures of any kind that an element brings along. */
const ANY_PICTURE =
  /^data:(?:image\/[\w.+-]+|application\/octet-stream|text\/plain)?(?:;charset=[\w-]{1,20})?;base64,/i;

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
 * @param drawn absent: the document is handed on, with no more in it than any reader may have
 * @throws ApiError 422 when it has more style sheets, or more prefixes of namespaces, than are read
 */
export function cleanSvg(root: XmlElement, drawn?: Drawn): Drawing {
  const prefixes = new Map([["xml", "http://www.w3.org/XML/1998/namespace"]]);
  const [prefix] = splitName(root.name);
  // Some drawings forget to say what they are.
  if (!((prefix === "" ? "xmlns" : `xmlns:${prefix}`) in root.attributes)) prefixes.set(prefix, SVG);
  const rules: Rule[] = [];
  let left = MAX_CSS;
  const sheet = (css: string): string => {
    left -= css.length;
    if (left < 0) throw tooLarge();
    if (/@import/i.test(css)) drawn?.warnings.add("style sheets by address are not read");
    if (/@font-face/i.test(css)) drawn?.warnings.add("fonts of the drawing are not read, its text is set in Inter");
    const { text, rules: found } = cleanStyleSheet(css);
    for (const rule of found) rules.push(rule);
    if (rules.length > MAX_RULES) throw tooLarge();
    return text;
  };
  const cleaned = cleanElement(root, prefixes, false, { sheet, drawn });
  return { root: cleaned ?? { name: "svg", attributes: new Map(), children: [] }, rules };
}

function splitName(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(":");
  return colon < 0 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

interface Means {
  /** Cleans a style sheet. */
  readonly sheet: (css: string) => string;
  readonly drawn: Drawn | undefined;
}

function cleanElement(element: XmlElement, outer: Prefixes, inText: boolean, means: Means): SvgElement | null {
  const prefixes = declared(element, outer);
  const [prefix, name] = splitName(element.name);
  if (prefixes.get(prefix) !== SVG) return null;
  if (!ELEMENTS.has(name)) {
    if (name === "foreignObject") means.drawn?.warnings.add("HTML in foreignObject is not drawn");
    return null;
  }
  const attributes = cleanAttributes(name, element, prefixes, means.drawn);
  if (ANIMATIONS.has(name) && name !== "animateMotion" && !ANIMATED.has(attributes.get("attributeName") ?? ""))
    return null;
  const children: SvgElement["children"] = [];
  if (name === "style") {
    if (!/^\s*(?:text\/css\s*)?$/i.test(element.attributes["type"] ?? "")) return null;
    children.push(means.sheet(element.text));
  } else if (TEXT_ONLY.has(name)) children.push(element.text);
  else cleanChildren(element, prefixes, inText || TEXT.has(name), means, children);
  return { name, attributes, children: children.filter((child) => child !== "") };
}

function cleanChildren(
  element: XmlElement,
  prefixes: Prefixes,
  inText: boolean,
  means: Means,
  into: SvgElement["children"],
): void {
  for (const child of element.children) {
    if (child.type === XmlNode.TYPE_ELEMENT) {
      const cleaned = cleanElement(child as XmlElement, prefixes, inText, means);
      if (cleaned) into.push(cleaned);
    } else if (inText && child instanceof XmlText) into.push(child.text);
  }
}

function declared({ attributes }: XmlElement, outer: Prefixes): Prefixes {
  const found = Object.entries(attributes)
    .filter(([key]) => key === "xmlns" || key.startsWith("xmlns:"))
    .map(([key, value]) => [key.slice(6), value] as const)
    .filter(([prefix, value]) => value === SVG || value === XLINK || outer.has(prefix));
  if (found.length === 0) return outer;
  const prefixes = new Map([...outer, ...found]);
  if (prefixes.size > MAX_PREFIXES) throw tooLarge();
  return prefixes;
}

function cleanAttributes(
  name: string,
  element: XmlElement,
  prefixes: Prefixes,
  drawn: Drawn | undefined,
): Map<string, string> {
  const cleaned = new Map<string, string>();
  for (const [key, value] of Object.entries(element.attributes)) {
    const [prefix, local] = splitName(key);
    if (key === "xml:space" || key === "xml:lang") cleaned.set(key, value);
    else if (local === "href" && (prefix === "" || prefixes.get(prefix) === XLINK)) {
      const reference = value.trim();
      if (mayReferTo(name, reference, drawn)) cleaned.set(prefix === "" ? "href" : "xlink:href", reference);
      else if (drawn && reference !== "" && DRAWING_LINKS.has(name))
        drawn.warnings.add(`${name} by address is not drawn`);
    } else if (ATTRIBUTES.has(key)) {
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
