/** How calls into native modules fail. */

/** A C library refused its input or ran out of memory; thrown through the wasm frames by the `fail` import. */
export class NativeError extends Error {
  override name = "NativeError";
}

/** There was no memory left for what had to be allocated. */
export class OutOfMemory extends NativeError {
  override name = "OutOfMemory";

  constructor() {
    super("out of memory");
  }
}

/**
 * The address of what C allocated or opened. Address 0 is writable in linear memory, so it must never be used as one.
 * @throws OutOfMemory when it is 0
 */
export function allocated(address: number): number {
  if (address === 0) throw new OutOfMemory();
  return address;
}

/** The work took more of the processor than it may. */
export class OutOfFuel extends NativeError {
  override name = "OutOfFuel";
}
