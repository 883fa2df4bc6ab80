/** Faces between the frames of an animation in which they were sought. */
import type { Box } from "../pixels/geometry.ts";
import { enclosing } from "../pixels/gravity.ts";
import type { Small } from "../steps/analysis.ts";
import type { SampledFrame } from "../steps/operation.ts";

/** Boxes that hold from a frame on, until others do. */
export interface Span {
  /** The number of the frame. */
  readonly from: number;
  /** That frame. */
  readonly seen: Small;
  readonly boxes: readonly Box[];
}

/**
 * How far the middle of a face goes from one sampled frame to the next, in sides of the larger box: one farther away is
 * another face, and what lies between the two is left to be seen.
 */
const MOST_SIDES = 2;

/**
 * Boxes for every frame, from one sampled frame to the next. One that is in both is there a box around both, whatever
 * its way; one that is in a single one of them is there all the time.
 * @param boxOf what becomes of a face
 */
export async function* spansOf(
  sampledFrames: AsyncIterable<SampledFrame>,
  boxOf: (face: Box) => Box,
): AsyncGenerator<Span, void> {
  let last: Span | undefined;
  for await (const { frame, seen, faces } of sampledFrames) {
    const boxes = faces.map(boxOf);
    if (last) yield { ...last, boxes: between(last.boxes, boxes) };
    last = { from: frame, seen, boxes };
  }
  if (last) yield last;
}

/** Pairs of neighbors, the nearest first, as boxes around both, and what has no neighbor as it is. */
function between(before: readonly Box[], after: readonly Box[]): Box[] {
  const pairs = before.flatMap((from) => after.map((to) => ({ from, to, distance: distanceOf(from, to) })));
  const paired = new Set<Box>();
  const joined: Box[] = [];
  for (const { from, to, distance } of pairs.toSorted((a, b) => a.distance - b.distance)) {
    if (distance > MOST_SIDES || paired.has(from) || paired.has(to)) continue;
    paired.add(from).add(to);
    const around = enclosing([from, to]);
    if (around) joined.push(around);
  }
  return [...joined, ...[...before, ...after].filter((box) => !paired.has(box))];
}

/** From middle to middle, in sides of the larger box. */
function distanceOf(a: Box, b: Box): number {
  const across = a.x + a.width / 2 - b.x - b.width / 2;
  const down = a.y + a.height / 2 - b.y - b.height / 2;
  return Math.hypot(across, down) / Math.max(a.width, a.height, b.width, b.height);
}
