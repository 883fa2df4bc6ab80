/** Letters as `text-transform` asks for them (CSS Text Level 3, section 2.1). */
import { TEXT } from "./names.ts";
import type { Placed } from "./placed.ts";
import type { SvgElement } from "./tree.ts";

const CASES: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
};

/**
 * Changes the letters of a drawing's texts.
 * @param all elements, those that are around others first
 * @param said what is said of the element at a place of the list
 */
export function changeLetters(all: readonly Placed[], said: (index: number) => string | undefined): void {
  const found = new Map<SvgElement, string>();
  for (const [index, { element, parent }] of all.entries()) {
    const own = said(index)?.trim().toLowerCase();
    const way = own === undefined || own === "" || own === "inherit" ? parent && found.get(parent.element) : own;
    if (way === undefined) continue;
    found.set(element, way);
    const change = Object.hasOwn(CASES, way) ? CASES[way] : undefined;
    if (!change || !TEXT.has(element.name)) continue;
    for (const [place, child] of element.children.entries()) {
      if (typeof child === "string") element.children[place] = change(child);
    }
  }
}
