/** Rows that let others have the thread while they are read. */
import { OutOfFuel } from "../../../wasm/load.ts";
import { observed, type TimeSlice } from "../../scheduler/time-slice.ts";
import type { Size } from "../pixels/geometry.ts";
import { bytesPerPixel, type Rows, rowsOf } from "../pixels/rows.ts";
import type { Decoded, Demand, Facts, FormatDefinition } from "./format.ts";

/** Rows that cost more than this are gone past a few at a time. */
const SKIP_MS = 10;

/** The time slice of work that declares a part of its estimate itself, and how much that was. */
interface OwnTimeSlice extends TimeSlice {
  /** Milliseconds that were declared since this was asked for last. */
  readonly taken: () => number;
}

/** A time slice for work whose rows will be paced: what it declares itself is not to be declared again. */
export function ownTimeSlice(timeSlice: TimeSlice): OwnTimeSlice {
  let declaredMs = 0;
  return {
    ...observed(timeSlice, (ms) => (declaredMs += ms)),
    taken() {
      const ms = declaredMs;
      declaredMs = 0;
      return ms;
    },
  };
}

/**
 * Makes rows declare what they take. Every reading declares beforehand what the one before it took: a view is handed on
 * without a pause.
 * @param ms what all the rows take. What their maker has declared itself is a part of it, and the rest is spread over
 *   the rows; what it declares while they are read counts as if the next rows had.
 * @param own what the maker of the rows declares by, where it does
 */
export function paced(rows: Rows, ms: number, timeSlice: TimeSlice, own?: OwnTimeSlice): Rows {
  const { width } = rows;
  const rowMs = Math.max(0, ms - (own?.taken() ?? 0)) / rows.height;
  let owedMs = 0;
  const owe = (count: number) => (owedMs += count * rowMs - (own?.taken() ?? 0));
  const settle = () => {
    if (owedMs <= 0) return undefined;
    const due = owedMs;
    owedMs = 0;
    return timeSlice.spend(due);
  };
  return rowsOf(rows, {
    async read(max) {
      await settle();
      const read = await rows.read(max);
      if (read) owe(read.length / (width * bytesPerPixel(rows)));
      return read;
    },
    ...(rows.skip && {
      async skip(count) {
        for (let left = count; left > 0;) {
          const some = Math.min(left, Math.max(1, Math.floor(SKIP_MS / rowMs)));
          await settle();
          await rows.skip?.(some);
          owe(some);
          left -= some;
        }
      },
    }),
  });
}

/**
 * An original whose decoding has used up the work that it may take: whatever is tried next with it would end as late,
 * and as often as there are ways to a file.
 */
interface Exhausted {
  /** The fewest pixels for which decoding has ended so. */
  readonly pixels: number;
  readonly error: unknown;
}

/** By the bytes of the original. */
const exhausted = new WeakMap<Uint8Array, Exhausted>();

/**
 * Hands on frames as they are decoded, and remembers what used up the work of that, while they are opened or read.
 * @param size at which they are decoded
 * @throws at once what decoding has ended with before, where it was for as many pixels or fewer
 */
async function* unlessExhausted(
  bytes: Uint8Array,
  { width, height }: Size,
  frames: () => AsyncIterable<Decoded>,
): AsyncGenerator<Decoded, void> {
  const pixels = width * height;
  const known = exhausted.get(bytes);
  if (known && pixels >= known.pixels) throw known.error;
  const note = (error: unknown): never => {
    const isExhausted = error instanceof OutOfFuel || (error instanceof Error && error.cause instanceof OutOfFuel);
    if (isExhausted && pixels < (exhausted.get(bytes)?.pixels ?? Infinity)) exhausted.set(bytes, { pixels, error });
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

/**
 * The frames of a file as its decoder gives them, which declare what decoding takes: neither less than it, nor twice.
 * @throws at once what decoding the same file at this size or a smaller one has used up its work with
 */
export async function* decodedFrames(
  { read }: FormatDefinition,
  bytes: Uint8Array,
  facts: Facts,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded, void> {
  const own = ownTimeSlice(timeSlice);
  const { ms } = read.estimate(facts, demand);
  const frames = demand.firstOnly && facts.firstEstimate ? 1 : facts.frames;
  for await (const decoded of unlessExhausted(bytes, demand, () => read.open(bytes, facts, demand, own)))
    yield { ...decoded, rows: paced(decoded.rows, ms / frames, timeSlice, own) };
}
