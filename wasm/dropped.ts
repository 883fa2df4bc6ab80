/** Memories of native modules that were given up: the engine collects them late, and until then they are in the way. */

/** A memory that was given up, until it is collected. */
interface Dropped {
  readonly bytes: number;
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
  dropped.set(id, { bytes: memory.buffer.byteLength, at: performance.now() });
  collections.register(memory, id);
}

/** Bytes of memories that were given up and are not collected yet; what is older than `withinMs` does not count. */
export function droppedNativeBytes(withinMs = DROPPED_MS): number {
  const since = performance.now() - withinMs;
  return [...dropped.values()].reduce((sum, { bytes, at }) => (at < since ? sum : sum + bytes), 0);
}
