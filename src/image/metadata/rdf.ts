/** The elements of an XMP packet (ISO 16684-1) in their namespaces. */
import { parseXml, XmlElement } from "@rgrove/parse-xml";

import { withoutEnd } from "../../without-end.ts";

/** A packet; what is larger holds the history of a picture's editing, or thumbnails. */
const MAX_XMP_BYTES = 256 << 10;
const MAX_DEPTH = 40;
const MAX_ELEMENTS = 5_000;
/** Elements around the description of a picture. */
const MAX_WRAPPERS = 3;

export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const XML = "http://www.w3.org/XML/1998/namespace";

/** Namespaces by prefix. */
export type Prefixes = ReadonlyMap<string, string>;

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

interface Found {
  readonly rdf: XmlElement;
  readonly prefixes: Prefixes;
}

/**
 * The element `rdf:RDF` of a packet, which may be the root or in `x:xmpmeta`, and the prefixes that hold in it; null where the
 * packet is damaged or beyond the limits.
 */
export function rdfIn(packet: Uint8Array): Found | null {
  const root = parsed(packet);
  return root && rdfBelow(root, new Map(), 0);
}

/** The root of a packet; null where it is not well-formed or beyond the limits. */
function parsed(packet: Uint8Array): XmlElement | null {
  if (packet.length > MAX_XMP_BYTES) return null;
  try {
    const { root } = parseXml(withoutEnd(new TextDecoder().decode(packet), "\0"));
    return root && isWithinLimits(root) ? root : null;
  } catch {
    return null;
  }
}

function isWithinLimits(root: XmlElement): boolean {
  let level = [root];
  let elements = 0;
  for (let depth = 0; level.length > 0; depth++) {
    elements += level.length;
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) return false;
    level = level.flatMap(elementsOf);
  }
  return true;
}

export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement);
}

function rdfBelow(element: XmlElement, outer: Prefixes, depth: number): Found | null {
  const prefixes = declaredIn(element, outer);
  if (isNamed(element, prefixes, RDF, "RDF")) return { rdf: element, prefixes };
  if (depth === MAX_WRAPPERS) return null;
  for (const child of elementsOf(element)) {
    const found = rdfBelow(child, prefixes, depth + 1);
    if (found) return found;
  }
  return null;
}

export function declaredIn({ attributes }: XmlElement, outer: Prefixes): Prefixes {
  const own = Object.entries(attributes).filter(([name]) => isDeclaration(name));
  return own.length === 0 ? outer : new Map([...outer, ...own.map(([name, uri]) => [name.slice(6), uri] as const)]);
}

export function isDeclaration(name: string): boolean {
  return name === "xmlns" || name.startsWith("xmlns:");
}

/** A name in its namespace; undefined where its prefix is not declared. */
export function resolved(name: string, prefixes: Prefixes): Name | undefined {
  const colon = name.indexOf(":");
  if (colon < 0) return { namespace: "", name };
  const namespace = name.startsWith("xml:") ? XML : prefixes.get(name.slice(0, colon));
  return namespace === undefined ? undefined : { namespace, name: name.slice(colon + 1) };
}

export function isNamed(element: XmlElement, prefixes: Prefixes, namespace: string, name: string): boolean {
  const found = resolved(element.name, prefixes);
  return found?.namespace === namespace && found.name === name;
}

/**
 * The properties of a namespace that a packet has, by name: texts of an attribute or an element, those of a list in their order.
 */
export function propertiesIn(packet: Uint8Array, namespace: string): ReadonlyMap<string, readonly string[]> {
  const found = rdfIn(packet);
  const properties = new Map<string, readonly string[]>();
  for (const description of found ? elementsOf(found.rdf) : []) {
    const prefixes = declaredIn(description, found?.prefixes ?? new Map());
    for (const [name, value] of Object.entries(description.attributes)) {
      const own = resolved(name, prefixes);
      if (own?.namespace === namespace) properties.set(own.name, [value]);
    }
    for (const element of elementsOf(description)) {
      const own = resolved(element.name, declaredIn(element, prefixes));
      if (own?.namespace === namespace) properties.set(own.name, textsOf(element));
    }
  }
  return properties;
}

/** The text of an element, or those of the items of its list. */
function textsOf(element: XmlElement): string[] {
  const [list] = elementsOf(element);
  return list ? elementsOf(list).map(({ text }) => text.trim()) : [element.text.trim()];
}
