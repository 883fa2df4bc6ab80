/** Pictures within a drawing: drawings become a part of it, and the kinds of all others are named as they are. */
import type { Size } from "../../pixels/geometry.ts";
import { gif } from "../gif.ts";
import { jpeg } from "../jpeg.ts";
import { png } from "../png.ts";
import { webp } from "../webp.ts";
import { lengthOf } from "./lengths.ts";
import { elementsFrom, hrefOf, type SvgElement } from "./tree.ts";
import type { Warnings } from "./warnings.ts";
import { isWhole } from "./whole-pictures.ts";

const KINDS = [
  { format: png, mime: "image/png" },
  { format: jpeg, mime: "image/jpeg" },
  { format: gif, mime: "image/gif" },
  { format: webp, mime: "image/webp" },
];
type Format = (typeof KINDS)[number]["format"];
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
    const letters = headOf(body);
    const kind = kindOf(letters);
    if (kind === undefined) {
      element.attributes.delete("href");
      element.attributes.delete("xlink:href");
      warnings.add("a picture of a format other than PNG, JPEG, GIF and WebP is not drawn");
      return;
    }
    const bytes = bytesOf(body);
    if (!isWhole(kind.mime, bytes)) warnings.add("a picture that is damaged or cut short is not drawn");
    if (!head.startsWith(`data:${kind.mime};`)) element.attributes.set("href", `data:${kind.mime};base64,${body}`);
    // Headers are read only where EXIF stands at the beginning, as in JPEG.
    if (element.name === "image" && letters.includes("Exif\0\0")) turn(element, kind.format, bytes);
  };
  visit(root);
}

/** Where pixels of a picture of some width and height go by its orientation (EXIF 2.32, tag 0x0112). */
const TURNS: Readonly<Record<number, (width: number, height: number) => readonly number[]>> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (_, height) => [0, 1, -1, 0, height, 0],
  7: (width, height) => [0, -1, -1, 0, height, width],
  8: (width) => [0, -1, 1, 0, 0, width],
};

/** Shows a picture as its orientation says, which the renderer does not read. */
function turn(element: SvgElement, format: Format, bytes: Uint8Array): void {
  const { attributes } = element;
  const { width, height, orientation } = factsOf(format, bytes) ?? { width: 0, height: 0, orientation: 1 };
  const matrix = TURNS[orientation]?.(width, height);
  if (!matrix) return;
  const [across, down] = orientation > 4 ? [height, width] : [width, height];
  const image: SvgElement = { name: "image", attributes: new Map(), children: [] };
  const inner: SvgElement = { name: "svg", attributes: new Map(), children: [image] };
  for (const name of ["href", "xlink:href"]) moveAttribute(name, attributes, image.attributes);
  for (const name of ["x", "y", "preserveAspectRatio"]) moveAttribute(name, attributes, inner.attributes);
  const said = (name: string) => {
    const value = attributes.get(name);
    attributes.delete(name);
    return value === "auto" ? undefined : value;
  };
  const [wide, high] = [said("width"), said("height")];
  const other = (length: string | undefined, ratio: number) => (lengthOf(length) ?? Number.NaN) * ratio;
  inner.attributes.set("width", wide ?? String(other(high, across / down) || across));
  inner.attributes.set("height", high ?? String(other(wide, down / across) || down));
  inner.attributes.set("viewBox", `0 0 ${across} ${down}`);
  image.attributes.set("width", String(width));
  image.attributes.set("height", String(height));
  image.attributes.set("transform", `matrix(${matrix.join(" ")})`);
  Object.assign(element, { name: "g" });
  element.children.splice(0, Infinity, inner);
}

function moveAttribute(name: string, from: SvgElement["attributes"], to: SvgElement["attributes"]): void {
  const value = from.get(name);
  from.delete(name);
  if (value !== undefined) to.set(name, value);
}

/** What the header of a picture says; nothing where it cannot be read. */
function factsOf(format: Format, bytes: Uint8Array) {
  try {
    return format.read.factsOf(bytes);
  } catch {
    return undefined;
  }
}

/** A file that is written in base64; no bytes where that is damaged. */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return new Uint8Array(0);
  }
}

function kindOf(letters: string): (typeof KINDS)[number] | undefined {
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).subarray(0, HEAD_BYTES);
  return KINDS.find(({ format }) => format.signature(bytes));
}

/** The beginning of a file as letters; none where it is not base64. */
function headOf(base64: string): string {
  try {
    const head = base64.slice(0, HEAD_LETTERS + 400).replace(/\s+/g, "");
    return atob(head.slice(0, head.length - (head.length % 4)));
  } catch {
    return "";
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
function rename(root: SvgElement, start: string): void {
  for (const { attributes } of elementsFrom(root)) {
    for (const [name, value] of attributes) {
      if (name === "id") attributes.set(name, start + value);
      else if ((name === "href" || name === "xlink:href") && value.startsWith("#"))
        attributes.set(name, `#${start}${value.slice(1)}`);
      else if (value.includes("url(#")) attributes.set(name, value.replaceAll("url(#", `url(#${start}`));
      else if (value.includes("url('#")) attributes.set(name, value.replaceAll("url('#", `url('#${start}`));
    }
  }
}
