/** Inflates zlib data that is neither PNG rows nor small, in pieces, into memory of the caller. */
import { type Estimate, estimated } from "../estimate.ts";
import { NativeError } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { Handle } from "./instance.ts";

/** A byte of the result. */
const NANOSECONDS = 4;
/** What the native side holds: its input, a piece, the history, and tables. */
const HELD_BYTES = 512 << 10;

/** The estimate of inflating so many bytes, of which the caller holds the memory. */
export function inflateEstimate(bytes: number): Estimate {
  return estimated(HELD_BYTES, bytes, NANOSECONDS);
}

/** What inflater_run says when it made nothing. */
const NEEDS_INPUT = 0;
const COMPLETE = -2;

/**
 * Fills `to` with what `from` holds compressed, all of it.
 * @throws NativeError when the data is damaged, or is not as long as `to`
 */
export async function inflateInto(to: Uint8Array, from: Uint8Array, timeSlice: Turns): Promise<void> {
  const handle = new Handle(
    (exports) => exports.inflater_open(),
    (exports, pointer) => exports.inflater_close(pointer),
  );
  let fed = 0;
  let filled = 0;
  try {
    for (;;) {
      const made = handle.call((exports, pointer) => exports.inflater_run(pointer));
      if (made === COMPLETE && filled === to.length) return;
      if (made < 0 || filled + made > to.length) throw new NativeError("the compressed data is damaged");
      if (made === NEEDS_INPUT) {
        fed += feed(handle, from.subarray(fed));
        continue;
      }
      const address = handle.call((exports, pointer) => exports.inflater_output(pointer));
      to.set(handle.bytes(address, made), filled);
      filled += made;
      await timeSlice.spend(inflateEstimate(made).ms);
    }
  } finally {
    handle.close();
  }
}

/** Hands over as much of the input as there is room for; returns how much. */
function feed(handle: Handle, rest: Uint8Array): number {
  const room = handle.call((exports, pointer) => exports.inflater_room(pointer));
  const piece = rest.subarray(0, room);
  const address = handle.call((exports, pointer) => exports.inflater_input(pointer));
  handle.bytes(address, piece.length).set(piece);
  const isLast = piece.length === rest.length ? 1 : 0;
  handle.call((exports, pointer) => exports.inflater_feed(pointer, piece.length, isLast));
  return piece.length;
}
