/** Pseudo-classes of Selectors Level 4 that take nothing, as a drawing at rest has them. */
import { type Placed, spend } from "./placed.ts";

/** Says whether an element has what a part of a selector asks for. */
export type Test = (placed: Placed) => boolean;

/** Whether an element is of a pseudo-class; undefined for one that is not known. */
export function pseudoClass(name: string): Test | undefined {
  if (Object.hasOwn(PSEUDO_CLASSES, name)) return PSEUDO_CLASSES[name];
  return NEVER.has(name) ? () => false : undefined;
}

const PSEUDO_CLASSES: Readonly<Record<string, Test>> = {
  root: ({ parent }) => parent === undefined,
  "first-child": ({ index }) => index === 0,
  "last-child": ({ index, siblings }) => index === siblings.length - 1,
  "only-child": ({ siblings }) => siblings.length === 1,
  "first-of-type": (placed) => ofType(placed)[0] === placed,
  "last-of-type": (placed) => ofType(placed).at(-1) === placed,
  "only-of-type": (placed) => ofType(placed).length === 1,
  empty: ({ element }) => element.children.length === 0,
  link: ({ element }) => element.name === "a",
  "any-link": ({ element }) => element.name === "a",
};

/** What people do with a drawing, such as pointing at it, they do not do here; nor has it fields. */
const NEVER = new Set(
  `hover active focus focus-visible focus-within visited target target-within checked disabled enabled read-only
  read-write required optional valid invalid default indeterminate placeholder-shown autofill fullscreen modal
  picture-in-picture playing paused past current future popover-open open defined local-link user-invalid user-valid
  before after first-line first-letter`.split(/\s+/),
);

function ofType(placed: Placed): Placed[] {
  const { element, siblings } = placed;
  spend(placed, siblings.length);
  return siblings.filter((other) => other.element.name === element.name);
}
