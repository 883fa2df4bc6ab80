/** The owner of a file's bytes. */
import type { Reservation } from "./held-bytes.ts";

/** The bytes of a file that several parts of a job hold: they die when the last of them lets go, and no earlier. */
export class SharedBytes {
  private readonly file: Uint8Array;
  /** Shares the memory of this one, and keeps it alive. */
  private readonly parent: SharedBytes | undefined;
  private readonly memory: Reservation | undefined;
  private readonly attached: Reservation[] = [];
  private references = 1;

  private constructor(file: Uint8Array, parent?: SharedBytes, memory?: Reservation) {
    this.file = file;
    this.parent = parent;
    this.memory = memory;
  }

  /**
   * Takes bytes over from whoever read or made them: nobody else may keep a view of them.
   * @param memory what was set aside for them, to be given back with the last reference
   */
  static of(file: Uint8Array, memory?: Reservation): SharedBytes {
    return new SharedBytes(file, undefined, memory);
  }

  /** @throws Error when everybody has let go */
  get bytes(): Uint8Array {
    if (this.references === 0) throw new Error("bytes were read after they were released");
    return this.file;
  }

  /** One reference more. */
  retain(): this {
    if (this.references === 0) throw new Error("bytes were retained after they were released");
    this.references++;
    return this;
  }

  /** Bytes made of these, which may be a view of the same memory or stand on their own. */
  derived(file: Uint8Array): SharedBytes {
    return file.buffer === this.file.buffer ? new SharedBytes(file, this.retain()) : new SharedBytes(file);
  }

  /** Memory that is given back with the last reference, besides what was set aside for the bytes. */
  attach(memory: Reservation): void {
    if (this.references === 0) throw new Error("memory was attached to bytes that are released");
    this.attached.push(memory);
  }

  /** One reference less. The memory goes with the last at once: it may be a quarter of what there is. */
  release(): void {
    if (this.references === 0) throw new Error("bytes were released more often than they were held");
    this.references--;
    if (this.references > 0) return;
    if (this.parent) this.parent.release();
    else if (this.file.buffer instanceof ArrayBuffer) this.file.buffer.transfer(0);
    this.memory?.release();
    for (const memory of this.attached) memory.release();
  }
}
