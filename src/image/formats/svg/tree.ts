/** A cleaned drawing as a tree, and the tree as text. */

export interface SvgElement {
  /** Without a prefix; every element is of SVG. */
  readonly name: string;
  /** By the names they are written with. */
  readonly attributes: Map<string, string>;
  readonly children: (SvgElement | string)[];
}

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
/** The one name of another namespace that a cleaned drawing may have. */
const LINK = "xlink:href";

/**
 * A document as text that means the same to a parser of XML and, within a page, to one of HTML. The namespace of links is
 * named only where one is of it: a drawing without any would be larger than it was.
 */
export function writtenSvg(root: SvgElement): string {
  const parts: string[] = [];
  writeRest(root, parts);
  const links = parts.includes(LINK) ? ` xmlns:xlink="${XLINK}"` : "";
  return `<${root.name} xmlns="${SVG}"${links}${parts.join("")}`;
}

/** What follows the name of an element. */
function writeRest({ name, attributes, children }: SvgElement, parts: string[]): void {
  for (const [key, value] of attributes) parts.push(" ", key, '="', escaped(value).replaceAll('"', "&quot;"), '"');
  if (children.length === 0) {
    parts.push("/>");
    return;
  }
  parts.push(">");
  for (const child of children) {
    if (typeof child === "string") parts.push(escaped(child));
    else {
      parts.push("<", child.name);
      writeRest(child, parts);
    }
  }
  parts.push("</", name, ">");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An element and all in it, in the order of the drawing; whoever goes through them may change what is beyond. */
export function* elementsFrom(root: SvgElement): Generator<SvgElement, void> {
  const left = [root];
  for (let element = left.pop(); element; element = left.pop()) {
    yield element;
    for (const child of elementsIn(element).toReversed()) left.push(child);
  }
}

/** The elements in an element, without text. */
export function elementsIn({ children }: SvgElement): SvgElement[] {
  return children.filter((child) => typeof child !== "string");
}

/** Where an element refers to by its link: the newer spelling wins, as in browsers. */
export function hrefOf({ attributes }: SvgElement): string | undefined {
  return attributes.get("href") ?? attributes.get(LINK);
}

/** The id of the element of the drawing that an element refers to; empty where it refers to none. */
export function linkedId(element: SvgElement): string {
  const href = hrefOf(element) ?? "";
  return href.startsWith("#") ? href.slice(1) : "";
}
