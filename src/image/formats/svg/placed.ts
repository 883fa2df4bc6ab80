/** Elements with their places among each other, and what comparing them with selectors may take. */
import { ApiError } from "../../../errors.ts";
import { elementsIn, type SvgElement } from "./tree.ts";
import type { Variables } from "./variables.ts";

export const tooStyled = () => new ApiError(422, "The SVG file has too many style rules for so many elements");

/** An element with what is around it, and its place among its siblings. */
export interface Placed {
  readonly element: SvgElement;
  readonly parent: Placed | undefined;
  readonly siblings: readonly Placed[];
  /** The elements in it, once they have their places. */
  children: readonly Placed[];
  readonly index: number;
  /** It is a copy of what is used: selectors see nothing around it. */
  readonly isUsed?: boolean;
  /** What all elements together may still be compared with selectors. */
  readonly steps: { left: number };
  /** Its custom properties and its color, once they are worked out. */
  variables: Variables | undefined;
  color: string | undefined;
}

const NONE: readonly Placed[] = [];

/** What is around an element, as far as selectors see it. */
export function seenAround({ parent, isUsed = false }: Placed): Placed | undefined {
  return isUsed ? undefined : parent;
}

/** Takes from what elements may be compared, and what comes of that. */
export function spend({ steps }: Placed, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw tooStyled();
}

/**
 * A drawing with the places of its elements, in the order of the document.
 * @param steps how often elements may be compared with selectors, before that throws an ApiError 422
 */
export function placedElements(root: SvgElement, steps: { left: number }): Placed[] {
  const all: Placed[] = [];
  const place = (elements: readonly SvgElement[], parent: Placed | undefined) => {
    if (elements.length === 0) return;
    const siblings: Placed[] = [];
    if (parent) parent.children = siblings;
    for (const [index, element] of elements.entries()) {
      siblings.push({
        element,
        parent,
        siblings,
        children: NONE,
        index,
        steps,
        variables: undefined,
        color: undefined,
      });
    }
    for (const placed of siblings) {
      all.push(placed);
      place(elementsIn(placed.element), placed);
    }
  };
  place([root], undefined);
  return all;
}

/**
 * Values of a property that elements inherit.
 * @param all elements, those that are around others first
 * @param said what is said of the element at a place of the list
 */
export function inheritedValues(
  all: readonly Placed[],
  said: (index: number) => string | undefined,
): ReadonlyMap<SvgElement, string> {
  const found = new Map<SvgElement, string>();
  for (const [index, { element, parent }] of all.entries()) {
    const own = said(index)?.trim().toLowerCase();
    const isSaid = own !== undefined && own !== "" && own !== "inherit";
    const value = isSaid ? own : parent && found.get(parent.element);
    if (value !== undefined) found.set(element, value);
  }
  return found;
}
