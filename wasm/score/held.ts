/** Native memory of jobs that score pictures. */
import { allocated, native, type NativeInstance } from "../load.ts";
import type { ScoreExports } from "./exports.ts";
import module from "./score.wasm";

const scoring = native<ScoreExports>(module, { name: "score", keepBytes: 32 << 20, isCommon: true });

/** Rows that one call may push. */
export const MAX_ROWS = 16;

/** Native memory of one job: what it opened is freed with it. */
export class Held {
  readonly instance: NativeInstance<ScoreExports> = scoring.acquire();
  private readonly frees: (() => void)[] = [];
  private isOpen = true;

  call<T>(work: (exports: ScoreExports) => T): T {
    if (!this.isOpen) throw new RangeError("a comparison was closed");
    return this.instance.run(work);
  }

  /** Makes something that `free` gives back; if that fails, all that was made is given back. */
  make(open: (exports: ScoreExports) => number, free: (exports: ScoreExports, pointer: number) => void): number {
    try {
      const pointer = allocated(this.call(open));
      // A broken instance is not called again: it goes with all it holds.
      this.frees.push(() => this.instance.broken || free(this.instance.exports, pointer));
      return pointer;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Memory for MAX_ROWS rows. */
  band(width: number): number {
    return this.make(
      (exports) => exports.malloc(width * 4 * MAX_ROWS),
      (exports, pointer) => exports.free(pointer),
    );
  }

  /** Copies rows into a band. */
  fill(band: number, rows: Uint8Array): void {
    this.call(() => this.instance.bytes(band, rows.length).set(rows));
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const free of this.frees.toReversed()) free();
    scoring.release(this.instance);
  }
}
