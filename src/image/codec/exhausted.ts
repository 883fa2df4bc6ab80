/**
 * Originals whose decoding has used up the work that it may take: whatever is tried next with them would end as late, and as
 * often as there are ways to a file.
 */
import { OutOfFuel } from "../../../wasm/load.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";

interface Exhausted {
  /** The fewest pixels for which decoding has ended so. */
  readonly pixels: number;
  readonly error: unknown;
}

/** By the bytes of the original. */
const found = new WeakMap<Uint8Array, Exhausted>();

/** @throws what decoding has ended with before, where it was for as many pixels or fewer */
export function refuseExhausted(bytes: Uint8Array, { width, height }: Size): void {
  const known = found.get(bytes);
  if (known && width * height >= known.pixels) throw known.error;
}

/**
 * Remembers what used up the work of decoding.
 * @throws the error itself
 */
export function noteExhausted(bytes: Uint8Array, { width, height }: Size, error: unknown): never {
  const isExhausted = error instanceof OutOfFuel || (error instanceof Error && error.cause instanceof OutOfFuel);
  const pixels = width * height;
  if (isExhausted && pixels < (found.get(bytes)?.pixels ?? Infinity)) found.set(bytes, { pixels, error });
  throw error;
}

/** Rows whose reading may use up the work of decoding. */
export function notingExhausted(rows: Rows, bytes: Uint8Array, size: Size): Rows {
  const note = (error: unknown) => noteExhausted(bytes, size, error);
  return {
    ...rows,
    read: (max) => rows.read(max).catch(note),
    ...(rows.skip && { skip: async (count) => rows.skip?.(count).catch(note) }),
    close: () => rows.close(),
  };
}
