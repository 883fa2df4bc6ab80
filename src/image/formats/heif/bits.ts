/** Bits, the highest of a byte first: read, never beyond where they end, and written. */
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

  /** Bits that are left; none or fewer beyond the end. */
  get left(): number {
    return this.bytes.length * 8 - this.at;
  }

  /** Bits that were read or skipped. */
  get position(): number {
    return this.at;
  }
}

/** Bits as text, a character each, from one place to another. @throws ApiError 422 beyond the end */
export function bitText(bytes: Uint8Array, from: number, end: number): string {
  const bits = new Bits(bytes);
  bits.skip(from);
  return Array.from({ length: end - from }, () => bits.number(1)).join("");
}

/** Bits that are written. */
export class WrittenBits {
  private text = "";

  /** An unsigned number. */
  number(value: number, bits: number): void {
    if (bits > 0) this.text += value.toString(2).padStart(bits, "0");
  }

  /** Bits as text. */
  add(text: string): void {
    this.text += text;
  }

  /** Those after the last bit of the last byte are 0. */
  bytes(): Uint8Array {
    const length = Math.ceil(this.text.length / 8);
    const padded = this.text.padEnd(length * 8, "0");
    return Uint8Array.from({ length }, (_, at) => Number.parseInt(padded.slice(at * 8, at * 8 + 8), 2));
  }
}
