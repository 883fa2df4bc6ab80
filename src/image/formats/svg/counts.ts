/** What an element of a drawing amounts to, in numbers that are added up along the document. */
import { PAINTS } from "./graph.ts";

/** Beyond this, counts need not be exact. */
const ENOUGH = 1e15;

/** Work of the renderer before it draws: elements after reuse, and steps of its searches through them. */
export const PARSED = ["nodes", "levels", "links", "steps"] as const;
const DRAWN = [
  "elements",
  "vertices",
  "characters",
  "shaped",
  "layers",
  "primitives",
  "imagePixels",
  "stops",
  "dashes",
  "undashed",
  ...PAINTS,
] as const;

type Counts = Record<(typeof PARSED)[number] | (typeof DRAWN)[number], number>;

/**
 * Counts of an element with all that it holds and refers to. Those of paints are shapes whose paint is not known yet, and
 * `undashed` is the length of outlines whose dashes are not.
 */
export interface Expansion extends Counts {
  /** Levels of elements. */
  height: number;
  /** Levels of pictures that the renderer holds at once: of elements that are drawn apart, masks and the like. */
  depth: number;
  /** Levels of layers, each with a place within the one around it. */
  nesting: number;
}

export const ZERO: Expansion = {
  nodes: 0,
  levels: 0,
  links: 0,
  steps: 0,
  elements: 0,
  vertices: 0,
  characters: 0,
  shaped: 0,
  layers: 0,
  primitives: 0,
  imagePixels: 0,
  stops: 0,
  dashes: 0,
  undashed: 0,
  fill: 0,
  stroke: 0,
  "marker-start": 0,
  "marker-mid": 0,
  "marker-end": 0,
  height: 1,
  depth: 0,
  nesting: 0,
};

export function capped(count: number): number {
  // What is not a number comes of numbers that are too large, and is enough as well.
  return count < ENOUGH ? count : ENOUGH;
}

export function add(sum: Expansion, more: Expansion, keys: readonly (keyof Counts)[], times = 1): void {
  for (const key of keys) sum[key] = capped(sum[key] + more[key] * times);
}

/** Adds what is drawn, as often as it is; not at all leaves no trace. */
export function draw(sum: Expansion, more: Expansion, times = 1): void {
  if (times === 0) return;
  add(sum, more, DRAWN, times);
  sum.depth = Math.max(sum.depth, more.depth);
  sum.nesting = Math.max(sum.nesting, more.nesting);
}
