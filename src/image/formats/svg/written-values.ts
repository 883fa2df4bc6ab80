/** Values of properties as the renderer reads them, and those that it does not know. */
import { withWrittenColors, writtenColor } from "./colors.ts";

/** Properties whose values are colors. */
const COLORS = new Set(["color", "stop-color", "flood-color", "lighting-color", "background-color"]);
const OF_FILTERS = new Set(["flood-color", "lighting-color"]);
const PAINTS = new Set(["fill", "stroke"]);
const PAINT_WORDS = new Set("none currentcolor context-fill context-stroke inherit".split(" "));
/** Attributes that a style sheet may set (SVG 2, section 8.1), and that have the same names as its properties. */
export const GEOMETRY = new Set("x y cx cy r rx ry width height".split(" "));
const MARKERS = ["marker-start", "marker-mid", "marker-end"];

/** A value as the renderer reads it; nothing where it is none, and no letters where the property is to be left out. */
export function written(property: string, value: string, current: string): string | undefined {
  const lower = value.trim().toLowerCase();
  if (lower === "unset" || lower === "revert" || lower === "revert-layer") return "";
  if (lower === "initial") return INITIAL_VALUES.get(property) ?? "";
  // The renderer takes the color of the filter for that of its parts.
  if (OF_FILTERS.has(property) && lower === "currentcolor") return writtenColor(current, "black");
  if (COLORS.has(property)) return colorOf(lower, value, current);
  if (PAINTS.has(property)) return paintOf(value, current);
  if (property === "d" && lower === "none") return "";
  if (property === "d") return /^path\(\s*(["'])([\s\S]*)\1\s*\)$/i.exec(value)?.[2];
  if (GEOMETRY.has(property) && lower === "auto") return "";
  if (property === "font-size" && Object.hasOwn(FONT_SIZES, lower)) return FONT_SIZES[lower];
  // Of the font's size, where the renderer takes a part of the drawing's (CSS Text Level 4, section 8.2).
  if (property === "letter-spacing" && /^[+-]?[\d.]+%$/.test(lower)) return `${Number.parseFloat(lower) / 100}em`;
  return withWrittenColors(value, current);
}

/** Sizes of fonts that are words (CSS Fonts Level 4, section 2.5). */
const FONT_SIZES: Readonly<Record<string, string>> = {
  "xx-small": "9",
  "x-small": "10",
  small: "13",
  medium: "16",
  large: "18",
  "x-large": "24",
  "xx-large": "32",
  "xxx-large": "48",
};

/** Initial values of properties that elements inherit. */
export const INITIAL_VALUES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    fill: "black",
    stroke: "none",
    color: "black",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-dasharray": "none",
    visibility: "visible",
  }),
);

/** Whether a color is said by a function that is not known. */
export function isUnknownColor(name: string, value: string | undefined): boolean {
  return (COLORS.has(name) || PAINTS.has(name)) && value !== undefined && /^[a-z-]+\(/i.test(value.trim());
}

/** Values that change a drawing in browsers, and are not known to the renderer. */
const UNDRAWN_VALUES: Readonly<Record<string, RegExp>> = {
  all: /^(?:inherit|revert-layer)/i,
  "mix-blend-mode": /^plus-\w+/i,
  "offset-path": /^(?!none)/i,
  animation: /^(?!none)/i,
  "animation-name": /^(?!none)/i,
  "text-shadow": /^(?!none)/i,
  "text-decoration": /\b(?:wavy|dotted|dashed|double)\b/i,
  "text-decoration-style": /^(?:wavy|dotted|dashed|double)/i,
  "text-emphasis": /^(?!none)/i,
  direction: /^rtl/i,
  "font-variant": /small-caps/i,
  "font-variant-caps": /small-caps/i,
};
/** The same of the box around a whole drawing, which nothing within it has. */
const BOX: Readonly<Record<string, RegExp>> = { border: /^(?!none|0)/i, "border-radius": /^(?!0)/, padding: /^(?!0)/ };

/** The word of a value for which a property is not drawn. */
export function undrawn(name: string, value: string | undefined, isWhole: boolean): string | undefined {
  const text = value?.trim() ?? "none";
  const found = (UNDRAWN_VALUES[name] ?? (isWhole ? BOX[name] : undefined))?.exec(text);
  return found ? found[0] || (/^[\w.%-]+/.exec(text)?.[0] ?? "") : undefined;
}

/** The name of a function, or of what a value begins with. */
export function nameOf(value: string): string {
  return /^[\w-]+/.exec(value)?.[0] ?? "";
}

const PREFIXED = new Set(
  "clip-path filter mask transform transform-origin".split(" ").map((name) => `-webkit-${name}`),
);

/** The properties that one stands for. */
export function expanded(property: string, value: string | undefined): (readonly [string, string | undefined])[] {
  if (property === "background") return [["background-color", value]];
  if (property === "marker") return MARKERS.map((name) => [name, value]);
  if (property === "font") return fontOf(value);
  if (property === "text-decoration-line") return [["text-decoration", value]];
  if (PREFIXED.has(property)) return expanded(property.slice("-webkit-".length), value);
  // Of all that a mask may say only an element is drawn, by its light.
  if (property === "mask" && !/\balpha\b/i.test(value ?? "")) {
    return [["mask", /url\([^)]*\)/i.exec(value ?? "")?.[0] ?? value]];
  }
  return [[property, value]];
}

/** What `font` says: words, a size, maybe with the height of lines, and families. */
const FONT =
  /^([\s\S]*?)(?<![^\s])((?:[\d.]+(?:[a-z]+|%)|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger))(?:\s*\/\s*[^\s]+)?\s+([^\s][\s\S]*)$/i;

/** The properties that `font` stands for; itself where it names a font of the system. */
function fontOf(value: string | undefined): (readonly [string, string | undefined])[] {
  const [, words = "", size, family] = FONT.exec((value ?? "").trim()) ?? [];
  if (size === undefined) return [["font", value]];
  const find = (pattern: RegExp) => pattern.exec(words)?.[0] ?? "normal";
  return [
    ["font-style", find(/\b(?:italic|oblique)\b/i)],
    ["font-variant", find(/\bsmall-caps\b/i)],
    ["font-weight", find(/\b(?:bold|bolder|lighter|\d{1,4})\b/i)],
    ["font-stretch", find(/\b(?:(?:ultra|extra|semi)-)?(?:condensed|expanded)\b/i)],
    ["font-size", size],
    ["font-family", family],
  ];
}

function colorOf(lower: string, value: string, current: string): string | undefined {
  if (lower === "currentcolor" || lower === "inherit") return lower === "inherit" ? lower : "currentColor";
  return writtenColor(value, current);
}

function paintOf(value: string, current: string): string | undefined {
  const lower = value.trim().toLowerCase();
  if (PAINT_WORDS.has(lower)) return lower === "currentcolor" ? "currentColor" : lower;
  const [, server, rest = ""] = /^(url\([^)]*\))\s*([\s\S]*)$/i.exec(value.trim()) ?? [];
  if (server === undefined) return writtenColor(value, current);
  if (rest === "") return server;
  const other = paintOf(rest, current);
  return other === undefined ? undefined : `${server} ${other}`;
}
