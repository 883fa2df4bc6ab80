/** Some frames of an animation, for whoever cannot look at all of them. */
import type { Frame } from "./picture.ts";

/** The numbers of at most so many frames: spread evenly, first and last included. */
export function spreadFrames(frames: number, most: number): number[] {
  const count = Math.min(frames, most);
  return Array.from({ length: count }, (_, index) => Math.round((index * (frames - 1)) / Math.max(1, count - 1)));
}

/** The frames with these numbers, which ascend. */
export async function* numbered(
  frames: AsyncIterable<Frame>,
  numbers: readonly number[],
): AsyncGenerator<[at: number, frame: Frame], undefined> {
  const wanted = new Set(numbers);
  let at = 0;
  for await (const frame of frames) {
    if (wanted.has(at)) yield [at, frame];
    else frame.rows.close();
    at++;
  }
  return undefined;
}
