/** What an isolate holds, as the platform counts it. */
import { lentBytes } from "../../src/http/lending.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { nativeMemoryBytes } from "../../wasm/load.ts";
import type { Around } from "../support/around.ts";

export const ISOLATE_BYTES = 128 * 1024 * 1024;

/** Bytes that are known to be held: linear memories, buffers of originals and results on their way out. */
export function heldBytes(): number {
  return nativeMemoryBytes() + isolateBudget.held.originals + lentBytes();
}

export class IsolateMemory {
  peakBytes = 0;
  private readonly bytes: () => number;

  /** @param bytes what is held now */
  constructor(bytes: () => number = heldBytes) {
    this.bytes = bytes;
  }

  /** Whether the platform would end the isolate. */
  get isCondemned(): boolean {
    return this.peakBytes > ISOLATE_BYTES;
  }

  /** Looks whenever a binding is called: that is where stretches of work begin and end. */
  watching(): Around {
    return async (_, go) => {
      this.look();
      try {
        return await go();
      } finally {
        this.look();
      }
    };
  }

  private look(): void {
    this.peakBytes = Math.max(this.peakBytes, this.bytes());
  }
}
