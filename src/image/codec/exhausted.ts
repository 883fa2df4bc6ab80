/**
 * Originals whose decoding has used up the work that it may take: whatever is tried next with them would end as late, and as
 * often as there are ways to a file.
 */
import { OutOfFuel } from "../../../wasm/load.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Decoded } from "./format.ts";

interface Exhausted {
  /** The fewest pixels for which decoding has ended so. */
  readonly pixels: number;
  readonly error: unknown;
}

/** By the bytes of the original. */
const found = new WeakMap<Uint8Array, Exhausted>();

/**
 * Hands on frames as they are decoded, and remembers what used up the work of that, while they are opened or read.
 * @param size at which they are decoded
 * @throws at once what decoding has ended with before, where it was for as many pixels or fewer
 */
export async function* unlessExhausted(
  bytes: Uint8Array,
  { width, height }: Size,
  frames: () => AsyncIterable<Decoded>,
): AsyncGenerator<Decoded, void> {
  const pixels = width * height;
  const known = found.get(bytes);
  if (known && pixels >= known.pixels) throw known.error;
  const note = (error: unknown): never => {
    const isExhausted = error instanceof OutOfFuel || (error instanceof Error && error.cause instanceof OutOfFuel);
    if (isExhausted && pixels < (found.get(bytes)?.pixels ?? Infinity)) found.set(bytes, { pixels, error });
    throw error;
  };
  try {
    for await (const { rows, ...frame } of frames()) {
      const read = (max: number) => rows.read(max).catch(note);
      const skip = async (count: number) => rows.skip?.(count).catch(note);
      yield { ...frame, rows: { ...rows, read, ...(rows.skip && { skip }), close: () => rows.close() } };
    }
  } catch (error) {
    note(error);
  }
}
