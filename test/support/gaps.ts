/** Files of which a part is missing, and what is shown of them. */
import { ApiError } from "../../src/errors.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { joined } from "../../src/joined.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { digest, drain } from "./rows.ts";

/** The bytes without `size` of them. */
export function without(bytes: Uint8Array, at: number, size: number): Uint8Array {
  return joined([bytes.subarray(0, at), bytes.subarray(at + size)]);
}

/** Places of `count` gaps of a size, evenly from `from` to `to`. */
export function placesOf(from: number, to: number, size: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + Math.floor(((index + 0.5) * (to - from - size)) / count));
}

/** All frames of a file as digests, or the status of the refusal. Any other error fails the test. */
export async function shown(format: FormatDefinition, bytes: Uint8Array): Promise<string> {
  try {
    const facts = format.read.factsOf(bytes);
    const { width, height } = facts;
    const demand = { box: { x: 0, y: 0, width, height }, width, height };
    const frames = [`${width} x ${height}`];
    for await (const { rows, delayMs } of format.read.open(bytes, facts, demand, UNPAUSED)) {
      frames.push(`${delayMs} ${await digest((await drain(rows, 64)).data)}`);
    }
    return frames.join(", ");
  } catch (error) {
    if (error instanceof ApiError) return `${error.status}`;
    throw error;
  }
}
