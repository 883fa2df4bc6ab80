/** Boxes and numbers as they are written (ISO/IEC 14496-12, section 4). */
import { joined } from "../../../joined.ts";

export function fullBox(type: string, version: number, flags: number, ...payload: readonly Uint8Array[]): Uint8Array {
  return box(type, uint8(version), uint8(flags >> 16), uint16(flags & 0xffff), ...payload);
}

export function box(type: string, ...payload: readonly Uint8Array[]): Uint8Array {
  return joined([boxHeader(type, payload), ...payload]);
}

export function boxHeader(type: string, payload: readonly Uint8Array[]): Uint8Array {
  const size = payload.reduce((sum, piece) => sum + piece.length, 8);
  return joined([uint32(size), ascii(type)]);
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function uint8(value: number): Uint8Array {
  return Uint8Array.of(value);
}

export function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255);
}

/** Also of a negative number, in two's complement. */
export function uint32(value: number): Uint8Array {
  return Uint8Array.of((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** Numbers and letters one after the other, for lists of thousands: a view of memory for each would take a hundred times as much. */
export class ByteList {
  private written = new Uint8Array(256);
  private length = 0;

  /** The low bits of a number, in so many bytes. */
  number(value: number, bytes: 1 | 2 | 4): void {
    this.grow(bytes);
    for (let shift = (bytes - 1) * 8; shift >= 0; shift -= 8) this.written[this.length++] = (value >>> shift) & 255;
  }

  /** Letters of ASCII. */
  letters(text: string): void {
    this.grow(text.length);
    for (let index = 0; index < text.length; index++) this.written[this.length++] = text.charCodeAt(index);
  }

  get bytes(): Uint8Array {
    return this.written.subarray(0, this.length);
  }

  private grow(bytes: number): void {
    if (this.length + bytes <= this.written.length) return;
    const larger = new Uint8Array(2 * (this.length + bytes));
    larger.set(this.written);
    this.written = larger;
  }
}

export function uint64(value: bigint): Uint8Array {
  return joined([uint32(Number(value >> 32n)), uint32(Number(value & 0xffff_ffffn))]);
}
