/** Drawings of nothing but their smallest part, as many as fit into their bytes, or as many as are read. */
import { listed, svg, text } from "./framed.ts";

type Family = (bytes: number) => Uint8Array;

/** As many elements as a drawing may have, but for a few. */
const MOST_ELEMENTS = 99_000;

/** A part again and again, in at most so many bytes. */
function upTo(most: number, bytes: number, one: (index: number) => string): string {
  return listed(Math.min(bytes - 300, most * one(0).length), one);
}

const within = (
  before: string,
  most: number,
  one: (index: number) => string,
  after: string,
  attributes = "",
): Family => {
  return (bytes) => svg(attributes, before + upTo(most, bytes, one) + after);
};
const elements = (one: (index: number) => string, before = "", after = "") => within(before, MOST_ELEMENTS, one, after);
const value = (before: string, one: (index: number) => string, after: string) => within(before, Infinity, one, after);

export const DRAWINGS: Readonly<Record<string, Family>> = {
  "SVG, all elements": elements(() => "<g/>"),
  "SVG, names": elements((index) => `<g id="${index}"/>`),
  "SVG, rectangles": elements((index) => `<rect x="${index % 99}" y="1" width="5" height="5"/>`),
  "SVG, groups with something in them": elements(() => "<g> </g>"),
  "SVG, uses": elements(() => '<use href="#a"/>', '<g id="a"/>'),
  "SVG, stops of gradients": elements(() => '<stop offset="0"/>', "<linearGradient>", "</linearGradient>"),
  "SVG, spans of text": elements(() => "<tspan>a</tspan>", "<text>", "</text>"),
  "SVG, letters": value("<text>", () => "letters ", "</text>"),
  "SVG, letters between comments": value("", () => " <!---->", ""),
  "SVG, references to letters": value("<text>", () => "&lt;", "</text>"),
  "SVG, entities that hold elements": (bytes) =>
    text(
      `<!DOCTYPE svg [<!ENTITY a "<g/>">]><svg xmlns="http://www.w3.org/2000/svg">${listed(bytes - 300, () => "&a;")}</svg>`,
    ),
  "SVG, selectors": value("<style>", (index) => `.a${index},`, "b{fill:red}</style>"),
  "SVG, declarations of a rule": value("<style>.a{", () => "fill:red;", "}</style>"),
  "SVG, known declarations": value('<g style="', () => "fill:red;", '"/>'),
  "SVG, custom properties": value('<g style="', (index) => `--a${index}:b;`, `">${"<g/>".repeat(999)}</g>`),
  "SVG, custom properties within others": (bytes) =>
    svg(
      ` style="${upTo(7_000, bytes, (index) => `--a${index}:b;`)}"`,
      upTo(MOST_ELEMENTS, bytes * 0.9, () => '<g style="--c:d"/>'),
    ),
  "SVG, points": value('<polyline points="', () => "1 2 ", '"/>'),
  "SVG, a path with a box": value(
    '<path style="transform-box:fill-box;transform-origin:50%;transform:rotate(9deg)" d="M0 0',
    () => "h1",
    '"/>',
  ),
  "SVG, transforms": value('<g transform="', () => "scale(1) ", '"/>'),
  "SVG, transforms of a style": value('<g style="transform:', () => "scale(1)", '"/>'),
  "SVG, dashes": value('<path stroke-dasharray="', () => "1 ", '" d="M0 0h1"/>'),
  "SVG, colors in a color": value('<path fill="color-mix(in srgb,', () => "red,", 'red)" d="M0 0h1"/>'),
  "SVG, a picture": value('<image href="data:image/png;base64,', () => "AAAA", '"/>'),
  "SVG, a drawing in it": value(
    '<image href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22%3E',
    () => "%3Cg/%3E",
    '%3C/svg%3E"/>',
  ),
};
