/** Bytes that several read, the last of whom takes them over. */
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";

export class HeldSource {
  private source: SharedBytes | undefined;

  /** @param source what is held until it is taken over, replaced or closed */
  constructor(source: SharedBytes) {
    this.source = source;
  }

  /** A reference for a reader, who releases it. */
  retain(): SharedBytes {
    return this.held.retain();
  }

  /** The reference that is held here, for the last reader, who releases it. */
  takeOver(): SharedBytes {
    const { held } = this;
    this.source = undefined;
    return held;
  }

  /** Lets go. May be called twice, and after the bytes were taken over. */
  close(): void {
    this.source?.release();
    this.source = undefined;
  }

  private get held(): SharedBytes {
    if (!this.source) throw new Error("bytes are no longer held");
    return this.source;
  }
}
