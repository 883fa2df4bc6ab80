/** Puts operators into functions, and says which of the branches among them are hardly ever taken. */
import { joined, text, unsigned } from "./binary.ts";

/** What stands in place of the bytes from `start` to `end` of the binary, or before `start` where both are the same. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: readonly number[];
  /** Where in them the branch is that is hardly ever taken, if there is one. */
  readonly unlikely?: number;
}

/** A function that was changed, and the places in it of branches that are hardly ever taken. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly unlikely: readonly number[];
}

/**
 * A function with its edits, which are in the order of their places.
 * @param head its locals
 * @param from where its operators begin in `body`, which begins at `offset` of the binary
 */
export function edited(
  head: Uint8Array,
  { body, from, offset }: { readonly body: Uint8Array; readonly from: number; readonly offset: number },
  edits: readonly Edit[],
): Body {
  const parts: (Uint8Array | readonly number[])[] = [head];
  const places: number[] = [];
  let length = head.length;
  let read = from;
  for (const { start, end, bytes, unlikely } of edits) {
    const before = body.subarray(read, start - offset);
    parts.push(before, bytes);
    length += before.length;
    if (unlikely !== undefined) places.push(length + unlikely);
    length += bytes.length;
    read = end - offset;
  }
  return { bytes: joined([...parts, body.subarray(read)]), unlikely: places };
}

const HINTS = "metadata.code.branch_hint";
const HINT_BYTES = 1;
const IS_UNLIKELY = 0;

/**
 * What a custom section says of branches, for engines that read it: what is done behind them then takes nothing from
 * what is done otherwise, above all no registers.
 * @param first the index of the first function
 */
export function hints(bodies: readonly Body[], first: number): Uint8Array {
  const functions = bodies.flatMap(({ unlikely }, index) => {
    if (unlikely.length === 0) return [];
    const places = unlikely.flatMap((place) => [...unsigned(place), HINT_BYTES, IS_UNLIKELY]);
    return [[...unsigned(first + index), ...unsigned(unlikely.length), ...places]];
  });
  return joined([text(HINTS), unsigned(functions.length), ...functions]);
}
