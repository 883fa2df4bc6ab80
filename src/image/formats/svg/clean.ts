/**
 * A document written anew, with what is drawn and nothing else: no scripts, no handlers, no references to elsewhere, no
 * comments, no editor's data. What is left is drawn as before.
 */
import { type XmlElement, XmlNode, XmlText } from "@rgrove/parse-xml";

import { cleanCss } from "./css.ts";
import { localName } from "./document.ts";

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const DROPPED = new Set(
  "script foreignObject handler listener iframe embed object audio video canvas metadata include".split(" "),
);
const ANIMATIONS = new Set(["animate", "set", "animateTransform", "animateMotion", "discard"]);
/** Elements in which blanks are drawn, or matter to readers. */
const TEXT = new Set(["text", "tspan", "tref", "textPath", "altGlyph", "title", "desc", "style"]);
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z\d+/=\s]*$/i;

type Prefixes = ReadonlyMap<string, string>;

/** The cleaned document as text. */
export function cleanSvg(root: XmlElement): string {
  const prefixes = new Map([["xml", "http://www.w3.org/XML/1998/namespace"]]);
  const prefix = root.name.includes(":") ? root.name.split(":", 1)[0]! : "";
  if (!declares(root, prefix)) prefixes.set(prefix, SVG);
  const parts: string[] = [];
  write(root, prefixes, parts, { root: true, text: false });
  return parts.join("");
}

/** Some drawings forget to say what they are. */
function declares({ attributes }: XmlElement, prefix: string): boolean {
  return (prefix === "" ? "xmlns" : `xmlns:${prefix}`) in attributes;
}

interface Place {
  readonly root: boolean;
  /** Blanks matter. */
  readonly text: boolean;
}

function write(element: XmlElement, outer: Prefixes, parts: string[], place: Place): void {
  const prefixes = declared(element, outer);
  const name = localName(element.name);
  if (namespaceOf(element.name, prefixes) !== SVG || DROPPED.has(name)) return;
  if (ANIMATIONS.has(name) && /href|^on/i.test(element.attributes["attributeName"] ?? "")) return;
  parts.push("<", name, place.root ? ` xmlns="${SVG}" xmlns:xlink="${XLINK}"` : "");
  for (const [key, value] of Object.entries(element.attributes)) {
    const kept = attributeOf(name, key, value, prefixes);
    if (kept) parts.push(" ", kept[0], '="', escaped(kept[1]).replaceAll('"', "&quot;"), '"');
  }
  const start = parts.push(">");
  const text = place.text || TEXT.has(name);
  if (name === "style") parts.push(escaped(cleanCss(element.text)));
  else for (const child of element.children) writeChild(child, prefixes, parts, { root: false, text });
  if (parts.length === start) parts[start - 1] = "/>";
  else parts.push("</", name, ">");
}

function writeChild(child: XmlNode, prefixes: Prefixes, parts: string[], place: Place): void {
  if (child.type === XmlNode.TYPE_ELEMENT) write(child as XmlElement, prefixes, parts, place);
  else if (child instanceof XmlText && (place.text || child.text.trim() !== "")) parts.push(escaped(child.text));
}

function declared({ attributes }: XmlElement, outer: Prefixes): Prefixes {
  const found = Object.entries(attributes).filter(([key]) => key === "xmlns" || key.startsWith("xmlns:"));
  return found.length === 0
    ? outer
    : new Map([...outer, ...found.map(([key, value]) => [key.slice(6), value] as const)]);
}

function namespaceOf(name: string, prefixes: Prefixes): string | undefined {
  return prefixes.get(name.includes(":") ? name.split(":", 1)[0]! : "");
}

/** The attribute as it stays, or null. */
function attributeOf(element: string, key: string, value: string, prefixes: Prefixes): [string, string] | null {
  if (key === "xmlns" || key.startsWith("xmlns:") || /^on/i.test(key)) return null;
  const name = localName(key);
  if (key.includes(":")) {
    if (key === "xml:space" || key === "xml:lang") return [key, value];
    if (namespaceOf(key, prefixes) !== XLINK || name !== "href") return null;
  }
  if (name === "href") return isInside(element, value) ? [key.includes(":") ? "xlink:href" : "href", value] : null;
  if (name === "style") return [name, cleanCss(value)];
  if (/^\s*(?:javascript|vbscript|data)\s*:/i.test(value)) return null;
  return [name, /url|\\/i.test(value) ? cleanCss(value) : value];
}

/** A reference within the document, or pixels that it brings along. */
function isInside(element: string, reference: string): boolean {
  return reference.trim().startsWith("#") || (/^(?:image|feImage)$/.test(element) && RASTER.test(reference.trim()));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
