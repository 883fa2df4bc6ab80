/** Big-endian fields and boxes (ISO/IEC 14496-12, section 4), never read beyond where they end. */
import { ApiError } from "../../../errors.ts";

export const damaged = (cause?: unknown) => new ApiError(422, "The image is damaged or cut short", { cause });
export const unsupported = (what: string) => new ApiError(422, `The image cannot be read: ${what}`);

export interface Box {
  /** Four characters. */
  readonly type: string;
  readonly payload: Uint8Array;
  /** The bytes end within the box. */
  readonly cut: boolean;
}

/** Reads fields one after the other. */
export class Fields {
  private at = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** An unsigned number of 0 to 8 bytes; of 0 bytes it is 0. */
  number(bytes: number): number {
    const from = this.take(bytes);
    let value = 0;
    for (let index = from; index < this.at; index++) value = value * 256 + this.bytes[index]!;
    if (value > Number.MAX_SAFE_INTEGER) throw damaged();
    return value;
  }

  /** A signed number of 4 bytes. */
  signed(): number {
    return this.view.getInt32(this.take(4));
  }

  type(): string {
    return String.fromCharCode(...this.piece(4));
  }

  /** Up to a zero byte, which is skipped, or to the end. */
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    const text = this.bytes.subarray(this.at, end < 0 ? this.bytes.length : end);
    this.at = end < 0 ? this.bytes.length : end + 1;
    return new TextDecoder().decode(text);
  }

  piece(bytes: number): Uint8Array {
    const from = this.take(bytes);
    return this.bytes.subarray(from, this.at);
  }

  rest(): Uint8Array {
    return this.piece(this.left);
  }

  private take(bytes: number): number {
    const from = this.at;
    if (bytes > this.left) throw damaged();
    this.at += bytes;
    return from;
  }
}

/** The boxes that follow one another in `bytes`. The last one may be cut short only where `lenient`. */
export function* boxesOf(bytes: Uint8Array, lenient = false): Generator<Box, undefined> {
  for (let at = 0; at < bytes.length;) {
    const fields = new Fields(bytes.subarray(at));
    if (lenient && fields.left < 8) return;
    const declared = fields.number(4);
    const type = fields.type();
    const headerBytes = declared === 1 ? 16 : 8;
    const size = declared === 1 ? fields.number(8) : declared === 0 ? bytes.length - at : declared;
    if (size < headerBytes || (size > bytes.length - at && !lenient)) throw damaged();
    yield { type, payload: bytes.subarray(at + headerBytes, at + size), cut: size > bytes.length - at };
    at += size;
  }
}

/** The version and the 24 bits of flags that full boxes begin with, and the fields after them. */
export function fullBox(payload: Uint8Array): { readonly version: number; readonly flags: number; fields: Fields } {
  const fields = new Fields(payload);
  return { version: fields.number(1), flags: fields.number(3), fields };
}
