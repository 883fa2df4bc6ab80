/** Bits, the highest of a byte first, never read beyond where they end. */
import { damaged } from "./bytes.ts";

export class Bits {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** An unsigned number of up to 32 bits. @throws ApiError 422 beyond the end */
  number(bits: number): number {
    let value = 0;
    for (let read = 0; read < bits; read++, this.at++) {
      const byte = this.bytes[this.at >> 3];
      if (byte === undefined) throw damaged();
      value = value * 2 + ((byte >> (7 - (this.at & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.number(1) === 1;
  }

  skip(bits: number): void {
    this.at += bits;
  }
}
