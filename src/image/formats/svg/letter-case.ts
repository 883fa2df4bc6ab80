/** Letters as `text-transform` and `font-style` ask for them (CSS Text Level 3, section 2.1; CSS Fonts Level 4, section 2.4). */
import { lengthOf } from "./lengths.ts";
import { TEXT } from "./names.ts";
import { elementsIn, type SvgElement } from "./tree.ts";

const CASES: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
};

/** Changes the letters of texts. @param ways the values of `text-transform` */
export function changeLetters(ways: ReadonlyMap<SvgElement, string>): void {
  for (const [{ name, children }, way] of ways) {
    const change = Object.hasOwn(CASES, way) ? CASES[way] : undefined;
    if (!change || !TEXT.has(name)) continue;
    for (const [place, child] of children.entries()) {
      if (typeof child === "string") children[place] = change(child);
    }
  }
}

/** By how much letters lean for each unit of their height, as browsers have them lean. */
const SLANT = 0.25;

/**
 * Leans texts whose style is italic, for no font here is: those on one line, which lean as a whole.
 * @param styles the values of `font-style`
 */
export function slant(styles: ReadonlyMap<SvgElement, string>): void {
  for (const [element, style] of styles) {
    const { name, attributes } = element;
    const line = lengthOf(attributes.get("y") ?? "0");
    if (name !== "text" || !/^(?:italic|oblique)/.test(style) || line === undefined) continue;
    if (/^(?:tb|vertical)/.test(attributes.get("writing-mode") ?? "")) continue;
    if (attributes.has("rotate") || attributes.has("dy") || !isOnOneLine(element, styles)) continue;
    const before = attributes.get("transform");
    const lean = `matrix(1 0 ${-SLANT} 1 ${Number((SLANT * line).toFixed(6))} 0)`;
    attributes.set("transform", before === undefined ? lean : `${before} ${lean}`);
  }
}

/** Whether what is in a text stands on its line and leans as it does. */
function isOnOneLine(element: SvgElement, styles: ReadonlyMap<SvgElement, string>): boolean {
  return elementsIn(element).every(
    (child) =>
      child.name === "tspan" &&
      !["y", "dy", "rotate", "baseline-shift"].some((name) => child.attributes.has(name)) &&
      styles.get(child) === styles.get(element) &&
      isOnOneLine(child, styles),
  );
}
