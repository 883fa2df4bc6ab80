/**
 * Memories of native modules that were given up: the engine collects them late, and until then they are in the way. It feels
 * no pressure from them, but can be made to collect.
 */

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

/**
 * Counts a memory that nobody uses any more until it is collected.
 * @param weak made when the memory was: a new one keeps it until the caller's turn ends
 */
export function countDropped(memory: WebAssembly.Memory, weak: WeakRef<WebAssembly.Memory>): void {
  const id = ++drops;
  dropped.set(id, { bytes: memory.buffer.byteLength, memory: weak, at: performance.now() });
  collections.register(memory, id);
}

/** More bytes than any machine has, and no more than an array may be said to have. */
const REFUSED_BYTES = 2 ** 45;

/**
 * Has the engine collect what was given up, at once. There is no call for that, but before V8 refuses a buffer for want of
 * memory it collects all that it can (`Heap::AllocateExternalBackingStore`): so it is asked for one that no machine has. That
 * takes about 30 ms of processor time for a heap of 12 MB. An engine that refuses by the length alone collects nothing.
 * @returns bytes that were collected
 */
export function collectDropped(): number {
  const before = droppedNativeBytes();
  try {
    void new ArrayBuffer(REFUSED_BYTES);
  } catch {
    // As was wished.
  }
  for (const [id, { memory }] of dropped) if (!memory.deref()) dropped.delete(id);
  return before - droppedNativeBytes();
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
