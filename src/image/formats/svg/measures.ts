/** How much there is to draw in single elements: points of paths, letters of texts, pixels of pictures. */
import { gif } from "../gif.ts";
import { jpeg } from "../jpeg.ts";
import { png } from "../png.ts";
import { webp } from "../webp.ts";
import { hrefOf, type SvgElement } from "./tree.ts";

const EMBEDDED = [gif, jpeg, png, webp];
/** What a signature is looked for in. */
const HEAD_BYTES = 4_096;

/** Numbers that make a segment of a path at least: the flags of an arc may stick to each other and to what follows. */
const ARITY: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 5 };
/** Curves that an arc becomes at most. */
const ARC_CURVES = 4;
/** Points of what has no list of them. */
const FIXED: Readonly<Record<string, number>> = { line: 2, rect: 8, circle: 4, ellipse: 4 };

/** Points of a shape, at least. */
export function verticesOf({ name, attributes }: SvgElement): number {
  if (name === "path") return pathVertices(attributes.get("d") ?? "");
  if (name === "polyline" || name === "polygon") return Math.ceil(numbersIn(attributes.get("points") ?? "") / 2);
  return FIXED[name] ?? 0;
}

/** Each command with its numbers; one that repeats itself without its letter counts as often as it does. */
function pathVertices(data: string): number {
  let vertices = 0;
  for (let at = 0; at < data.length;) {
    const letter = data.charAt(at).toLowerCase();
    const from = ++at;
    if (!isCommand(letter)) continue;
    while (at < data.length && !isCommand(data.charAt(at).toLowerCase())) at++;
    const arity = ARITY[letter];
    const segments = arity === undefined ? 1 : Math.max(1, Math.ceil(numbersIn(data, from, at) / arity));
    vertices += letter === "a" ? segments * ARC_CURVES : segments;
  }
  return vertices;
}

/** Letters, but the one of exponents. */
function isCommand(lower: string): boolean {
  return lower >= "a" && lower <= "z" && lower !== "e";
}

/** Numbers in a part of a list, counted by where they start; flags that stick together count as one. */
function numbersIn(list: string, from = 0, to = list.length): number {
  let count = 0;
  // What of a number has been read: nothing, its whole part, its fraction, its exponent.
  let state: "" | "whole" | "fraction" | "exponent" = "";
  for (let at = from; at < to; at++) {
    const code = list.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      if (state === "") count++;
      if (state === "") state = "whole";
    } else if (code === 0x2e) {
      if (state !== "whole") count++;
      state = "fraction";
    } else if ((code | 0x20) === 0x65 && (state === "whole" || state === "fraction")) {
      state = "exponent";
      const sign = list.charCodeAt(at + 1);
      if (sign === 0x2b || sign === 0x2d) at++;
    } else state = "";
  }
  return count;
}

/** Letters that an element shows itself. */
export function charactersOf({ children }: SvgElement): number {
  return children.reduce((sum, child) => sum + (typeof child === "string" ? child.trim().length : 0), 0);
}

/** Letters of a text, line by line, times the spans of the line; one that says where it begins starts a line. */
export function shapedOf(text: SvgElement): number {
  let shaped = 0;
  let line = { spans: 0, letters: 0 };
  const end = () => {
    shaped += line.spans * line.letters;
    line = { spans: 0, letters: 0 };
  };
  const read = (element: SvgElement): void => {
    if (element.attributes.has("x") || element.attributes.has("y")) end();
    for (const child of element.children) {
      if (typeof child !== "string") read(child);
      else {
        line.spans++;
        line.letters += child.length;
      }
    }
  };
  read(text);
  end();
  return shaped;
}

/** Pixels of a picture that an element brings along; none for what the renderer does not read either. */
export function imagePixelsOf(element: SvgElement): number {
  const href = hrefOf(element) ?? "";
  const comma = href.indexOf(",");
  if (comma < 0 || !href.startsWith("data:")) return 0;
  try {
    const bytes = Uint8Array.from(atob(href.slice(comma + 1)), (letter) => letter.charCodeAt(0));
    const format = EMBEDDED.find((row) => row.signature(bytes.subarray(0, HEAD_BYTES)));
    const facts = format?.read.factsOf(bytes);
    return facts ? facts.width * facts.height : 0;
  } catch {
    return 0;
  }
}
