/** Pictures within a drawing: drawings become a part of it, and the kinds of all others are named as they are. */
import type { Size } from "../../pixels/geometry.ts";
import { gif } from "../gif.ts";
import { jpeg } from "../jpeg.ts";
import { png } from "../png.ts";
import { webp } from "../webp.ts";
import { hrefOf, type SvgElement } from "./tree.ts";
import type { Warnings } from "./warnings.ts";

const KINDS = [
  { format: png, mime: "image/png" },
  { format: jpeg, mime: "image/jpeg" },
  { format: gif, mime: "image/gif" },
  { format: webp, mime: "image/webp" },
];
/** What a signature is looked for in. */
const HEAD_BYTES = 4_096;
/** Letters of base64 that hold them. */
const HEAD_LETTERS = (HEAD_BYTES / 3) * 4;
/** Properties that elements inherit: a drawing of its own has none from where it is shown. */
const INHERITED: Readonly<Record<string, string>> = {
  fill: "black",
  "fill-opacity": "1",
  "fill-rule": "nonzero",
  stroke: "none",
  "stroke-width": "1",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  color: "black",
  "font-size": "16",
  "font-weight": "400",
  "font-style": "normal",
  "text-anchor": "start",
  visibility: "visible",
};

interface NestedDrawing extends Size {
  readonly root: SvgElement;
  /** What all names in it begin with. */
  readonly start: string;
}

/** Reads a drawing within another; nothing where it is none, or one too many. */
export type Nested = (bytes: Uint8Array) => NestedDrawing | undefined;

/** Rewrites the pictures of a drawing. */
export function embed(root: SvgElement, nested: Nested, warnings: Warnings): void {
  const visit = (element: SvgElement): void => {
    for (const child of element.children) if (typeof child !== "string") visit(child);
    if (element.name !== "image" && element.name !== "feImage") return;
    const href = hrefOf(element);
    if (href === undefined || href.startsWith("#")) return;
    const [, head = "", body = ""] = /^(data:[^,]*),([\s\S]*)$/.exec(href) ?? [];
    if (/^data:image\/svg\+xml/i.test(head)) {
      element.attributes.delete("href");
      element.attributes.delete("xlink:href");
      const drawing = element.name === "image" ? read(head, body, nested) : undefined;
      if (drawing) put(drawing, element);
      else warnings.add("a drawing within the drawing is not drawn");
      return;
    }
    const kind = kindOf(body);
    if (kind === undefined) {
      element.attributes.delete("href");
      element.attributes.delete("xlink:href");
      warnings.add("a picture of a format other than PNG, JPEG, GIF and WebP is not drawn");
    } else if (!head.startsWith(`data:${kind};`)) element.attributes.set("href", `data:${kind};base64,${body}`);
  };
  visit(root);
}

function kindOf(base64: string): string | undefined {
  try {
    const head = base64.slice(0, HEAD_LETTERS + 400).replace(/\s+/g, "");
    const text = atob(head.slice(0, head.length - (head.length % 4)));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0)).subarray(0, HEAD_BYTES);
    return KINDS.find(({ format }) => format.signature(bytes))?.mime;
  } catch {
    return undefined;
  }
}

function read(head: string, body: string, nested: Nested) {
  try {
    if (/;base64$/i.test(head)) return nested(Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0)));
    return nested(new TextEncoder().encode(decodeURIComponent(body)));
  } catch {
    return undefined;
  }
}

/** Makes an element that shows a drawing a group that has it. */
function put({ root, width, height, start }: NestedDrawing, element: SvgElement): void {
  const { attributes } = element;
  const inner: SvgElement = { name: "svg", attributes: new Map(Object.entries(INHERITED)), children: root.children };
  for (const [name, value] of root.attributes) inner.attributes.set(name, value);
  rename(inner, start);
  inner.attributes.delete("id");
  for (const name of ["x", "y", "preserveAspectRatio"]) {
    const value = attributes.get(name);
    if (value === undefined) inner.attributes.delete(name);
    else inner.attributes.set(name, value);
    attributes.delete(name);
  }
  inner.attributes.set("width", attributes.get("width") ?? String(width));
  inner.attributes.set("height", attributes.get("height") ?? String(height));
  if (!inner.attributes.has("viewBox")) inner.attributes.set("viewBox", `0 0 ${width} ${height}`);
  attributes.delete("width");
  attributes.delete("height");
  Object.assign(element, { name: "g" });
  element.children.splice(0, Infinity, inner);
}

/** Gives all ids and references of a drawing a beginning of their own. */
function rename(element: SvgElement, start: string): void {
  const { attributes } = element;
  for (const [name, value] of attributes) {
    if (name === "id") attributes.set(name, start + value);
    else if ((name === "href" || name === "xlink:href") && value.startsWith("#"))
      attributes.set(name, `#${start}${value.slice(1)}`);
    else if (value.includes("url(#")) attributes.set(name, value.replaceAll("url(#", `url(#${start}`));
    else if (value.includes("url('#")) attributes.set(name, value.replaceAll("url('#", `url('#${start}`));
  }
  for (const child of element.children) if (typeof child !== "string") rename(child, start);
}
