/** Memories of native modules that were given up: the engine collects them late, and until then they are in the way. */

/** A memory that was given up, until it is collected. */
interface Dropped {
  readonly bytes: number;
  readonly memory: WeakRef<WebAssembly.Memory>;
  /** By the clock of `performance`. */
  readonly at: number;
}

/** How long a memory counts that was given up, where the engine does not say that it was collected. */
const DROPPED_MS = 5_000;

const dropped = new Map<number, Dropped>();
let drops = 0;
const collections = new FinalizationRegistry<number>((id) => void dropped.delete(id));

/** Counts a memory that nobody uses any more until it is collected. */
export function countDropped(memory: WebAssembly.Memory): void {
  const id = ++drops;
  dropped.set(id, { bytes: memory.buffer.byteLength, memory: new WeakRef(memory), at: performance.now() });
  collections.register(memory, id);
}

/** Bytes of memories that were given up of late and of which the engine has not said that they are collected. */
export function droppedNativeBytes(): number {
  const since = performance.now() - DROPPED_MS;
  return [...dropped.values()].reduce((sum, { bytes, at }) => (at < since ? sum : sum + bytes), 0);
}

/**
 * Bytes of memories that were given up and are not collected at this moment, whatever the engine has said: it says so
 * late. For a monitor alone: what is looked at so is not collected before the caller's turn ends.
 */
export function uncollectedNativeBytes(): number {
  return [...dropped.values()].reduce((sum, { bytes, memory }) => (memory.deref() ? sum + bytes : sum), 0);
}
