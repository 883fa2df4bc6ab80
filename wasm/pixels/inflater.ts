/** Inflates zlib data that is neither PNG rows nor small, in pieces, into memory of the caller. */
import type { Turns } from "../instance.ts";
import { NativeError } from "../load.ts";
import { type Price, priced } from "../price.ts";
import { Handle } from "./instance.ts";

/** A byte of the result. */
const NANOSECONDS = 4;
/** What the native side holds: its input, a piece, the history, and tables. */
const HELD_BYTES = 512 << 10;

/** Of inflating so many bytes, of which the caller holds the memory. */
export function inflatePrice(bytes: number): Price {
  return priced(HELD_BYTES, bytes, NANOSECONDS);
}

/**
 * Fills `to` with what `from` holds compressed; what would not fit is left.
 * @throws NativeError when the data is damaged or ends before `to` is full
 */
export async function inflateInto(to: Uint8Array, from: Uint8Array, breath: Turns): Promise<void> {
  const handle = new Handle(
    (exports) => exports.inflater_open(),
    (exports, pointer) => exports.inflater_close(pointer),
  );
  let fed = 0;
  const feed = () => {
    const room = handle.call((exports, pointer) => exports.inflater_room(pointer));
    const piece = from.subarray(fed, fed + room);
    const address = handle.call((exports, pointer) => exports.inflater_input(pointer));
    handle.bytes(address, piece.length).set(piece);
    fed += piece.length;
    const isLast = fed === from.length ? 1 : 0;
    handle.call((exports, pointer) => exports.inflater_feed(pointer, piece.length, isLast));
  };
  try {
    for (let filled = 0; filled < to.length;) {
      const made = handle.call((exports, pointer) => exports.inflater_run(pointer));
      if (made < 0) throw new NativeError("the compressed data is damaged");
      if (made === 0) feed();
      const count = Math.min(made, to.length - filled);
      const address = handle.call((exports, pointer) => exports.inflater_output(pointer));
      to.set(handle.bytes(address, count), filled);
      filled += count;
      await breath.spend(inflatePrice(count).ms);
    }
  } finally {
    handle.close();
  }
}
