/** Conditions of style rules: `@media` (Media Queries Level 4) and `@supports` (CSS Conditional Rules Level 4). */
import type { Size } from "../../pixels/geometry.ts";
import { partedByCommas } from "./commas.ts";
import { PROPERTIES } from "./css-names.ts";
import { lengthOf } from "./lengths.ts";
import { selectorsOf } from "./selectors.ts";

/** What is compared with two sides, or one. */
const COMPARISON = /\(\s*([\w.%-]+)\s*([<>]=?|=)\s*([\w.%-]+)\s*(?:([<>]=?)\s*([\w.%-]+)\s*)?\)/g;
/** How far a side is from one that is not to be reached. */
const NEARLY = 0.01;

/**
 * A condition with the older words in place of comparisons (Media Queries Level 4, section 2.4.3): a parser of HTML could
 * take their signs for others. Null where such a sign is left.
 */
export function withoutComparisons(text: string): string | null {
  const plain = text.replace(
    COMPARISON,
    (_, one: string, sign: string, other: string, more?: string, last?: string) => {
      const first = /^[a-z-]+$/i.test(one) ? bound(one, sign, other) : bound(other, turned(sign), one);
      return more === undefined || last === undefined ? first : `(${first} and ${bound(other, more, last)})`;
    },
  );
  return plain.includes("<") ? null : plain;
}

function turned(sign: string): string {
  return sign.replace(/[<>]/, (letter) => (letter === "<" ? ">" : "<"));
}

function bound(feature: string, sign: string, value: string): string {
  if (sign === "=") return `(${feature}:${value})`;
  const isLeast = sign.startsWith(">");
  const [, number, unit = ""] = /^([\d.]+)(\S*)$/.exec(value) ?? [];
  const near = Number(number) + (isLeast ? NEARLY : -NEARLY);
  const side = sign.endsWith("=") || number === undefined ? value : `${Number(near.toFixed(4))}${unit}`;
  return `(${isLeast ? "min" : "max"}-${feature}:${side})`;
}

/** Whether the condition of a rule holds for a picture at rest, in light surroundings. */
export function holds(condition: string, size: Size): boolean {
  const [, name, text = ""] = /^(\S+)\s*([\s\S]*)$/.exec(condition) ?? [];
  if (name === "layer") return true;
  if (name === "supports") return holdsAll(text.trim(), isSupported, 0);
  return partedByCommas(text).some((query) => {
    const [, not, rest = ""] = /^(not\s+(?!\())?([\s\S]*)$/i.exec(query) ?? [];
    return holdsAll(rest, (part) => holdsPart(part, size), 0) === (not === undefined);
  });
}

/** Brackets in brackets; what has more does not hold. */
const MAX_DEPTH = 8;

/** Whether what stands between `and`, or `or`, holds, in brackets or not. @param test of what has no more of these */
function holdsAll(text: string, test: (part: string) => boolean, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  const parts = partedByWords(text);
  const found = parts.map((part) => holdsOne(part, test, depth));
  return /\sor\s/i.test(text) && partedByWords(text, "and").length === 1 ? found.some(Boolean) : found.every(Boolean);
}

function holdsOne(part: string, test: (part: string) => boolean, depth: number): boolean {
  const [, negated] = /^not\b\s*([\s\S]*)$/i.exec(part) ?? [];
  if (negated !== undefined) return !holdsOne(negated, test, depth);
  const isBracketed = /^\(\s*(?:\(|not\b|selector\()/i.test(part) && part.endsWith(")");
  return isBracketed ? holdsAll(part.slice(1, -1).trim(), test, depth + 1) : test(part);
}

/** Parts of a condition between words that are in no brackets. */
function partedByWords(text: string, words = "and|or"): string[] {
  const parts: string[] = [];
  let [open, start] = [0, 0];
  for (const { 0: found, index } of text.matchAll(new RegExp(String.raw`[()]|(?<=\s|\))(?:${words})(?=\s|\()`, "gi"))) {
    if (found === "(") open++;
    else if (found === ")") open--;
    else if (open === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + found.length;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Whether properties are known that a condition names, or its selector. */
function isSupported(part: string): boolean {
  const [, selector] = /^selector\(([\s\S]*)\)$/i.exec(part) ?? [];
  if (selector !== undefined) return selectorsOf(selector).length > 0;
  const [, property = ""] = /^\(\s*([\w-]+)\s*:[\s\S]*\)$/.exec(part) ?? [];
  return property.startsWith("--") || PROPERTIES.has(property.toLowerCase());
}

/** Features that say the same of every drawing, with what they say. */
const SAME: Readonly<Record<string, string>> = {
  "prefers-color-scheme": "light",
  "prefers-reduced-motion": "no-preference",
  "prefers-reduced-transparency": "no-preference",
  "prefers-reduced-data": "no-preference",
  "prefers-contrast": "no-preference",
  "forced-colors": "none",
  "inverted-colors": "none",
  "color-gamut": "srgb",
  "dynamic-range": "standard",
  "display-mode": "browser",
  scripting: "none",
  update: "fast",
  hover: "hover",
  "any-hover": "hover",
  pointer: "fine",
  "any-pointer": "fine",
  grid: "0",
  monochrome: "0",
  "color-index": "0",
};
/** What a feature without a value asks for is there, but for these. */
const NOTHING = new Set(["none", "0", "no-preference"]);
/** Bits of a color. */
const DEPTH = 8;

function holdsPart(part: string, { width, height }: Size): boolean {
  const lower = part.toLowerCase();
  if (/^(?:only\s+)?(?:all|screen)$/.test(lower) || lower === "") return true;
  const [, name = "", text] = /^\(\s*([\w-]+)\s*(?::([^()]*))?\)$/.exec(lower) ?? [];
  const value = text?.trim();
  const same = Object.hasOwn(SAME, name) ? SAME[name] : undefined;
  if (same !== undefined) return value === undefined ? !NOTHING.has(same) : value === same;
  if (name === "orientation") return value === (width > height ? "landscape" : "portrait");
  const [, side = "", feature = ""] = /^(?:-webkit-)?(?:(min|max)-)?(.*)$/.exec(name) ?? [];
  const wanted = numberOf(feature, value);
  const own = { width, height, "aspect-ratio": width / height, resolution: 1, "device-pixel-ratio": 1, color: DEPTH }[
    feature
  ];
  if (own === undefined) return false;
  if (value === undefined) return side === "" && own > 0;
  if (wanted === undefined) return false;
  return side === "min" ? own >= wanted : side === "max" ? own <= wanted : own === wanted;
}

/** The value of a feature; resolutions in dots for each pixel. */
function numberOf(feature: string, value = ""): number | undefined {
  if (feature === "width" || feature === "height") return lengthOf(value);
  if (feature === "aspect-ratio") {
    const [across = Number.NaN, down = 1] = value.split("/").map(Number);
    return across / down;
  }
  const [, number, unit = ""] = /^([\d.]+)(dppx|x|dpi|dpcm)?$/.exec(value) ?? [];
  const dots = { "": 1, dppx: 1, x: 1, dpi: 1 / 96, dpcm: 2.54 / 96 }[unit];
  return number === undefined || dots === undefined ? undefined : Number(number) * dots;
}
