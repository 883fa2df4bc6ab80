/** Big-endian fields and boxes (ISO/IEC 14496-12, section 4), never read beyond where they end. */
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { BoxWalk } from "../../containers/box-walk.ts";
import type { Parts } from "../../containers/walk.ts";

export const damaged = (cause?: unknown) => new ApiError(422, "The image is damaged or cut short", { cause });
export const unsupported = (what: string) => new ApiError(422, `The image cannot be read: ${what}`);

export interface Box {
  /** Four characters. */
  readonly type: string;
  readonly payload: Uint8Array;
  /** The bytes end within the box. */
  readonly cut: boolean;
}

/** Names and kinds have tens of letters, and one that many items share is read for each of them. */
const MAX_TEXT_BYTES = 256;
/** One for all texts: to make one takes more than to use it. */
const DECODER = new TextDecoder();

/** Reads fields one after the other. */
export class Fields {
  private at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
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
    return this.number(4) | 0;
  }

  type(): string {
    const from = this.take(4);
    const { bytes } = this;
    return String.fromCharCode(bytes[from]!, bytes[from + 1]!, bytes[from + 2]!, bytes[from + 3]!);
  }

  /** Up to a zero byte, which is skipped, or to the end. Of a text that is longer than any is the beginning is read. */
  text(): string {
    const text = this.bytes.subarray(this.at, this.at + MAX_TEXT_BYTES);
    const length = text.indexOf(0);
    this.at = length < 0 ? this.bytes.length : this.at + length + 1;
    return DECODER.decode(length < 0 ? text : text.subarray(0, length));
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

/** The boxes that follow one another in `bytes`. */
export class Boxes extends BoxWalk {
  private readonly lenient: boolean;

  /** @param lenient the last box may be cut short, or followed by what is no box */
  constructor(bytes: Uint8Array, { parts = PARTS.boxes, lenient = false }: { parts?: Parts; lenient?: boolean } = {}) {
    super(bytes, parts);
    this.lenient = lenient;
  }

  /** The box itself, to be kept. */
  get box(): Box {
    return { type: this.type, payload: this.content, cut: this.isCut };
  }

  protected read(at: number): boolean {
    const fit = this.readHeader(at);
    if (fit !== "whole" && !this.lenient) throw damaged();
    return fit === "whole" || fit === "cut";
  }
}

function fail(): never {
  throw damaged();
}

/** The payload of the first box of a type; undefined where there is none. */
export function childOf(bytes: Uint8Array, type: string, parts?: Parts): Uint8Array | undefined {
  const boxes = new Boxes(bytes, parts && { parts });
  while (boxes.next()) if (boxes.is(type)) return boxes.content;
  return undefined;
}

/** The payload of the first box of a type. @throws ApiError 422 where there is none */
export function child(bytes: Uint8Array, type: string): Uint8Array {
  return childOf(bytes, type) ?? fail();
}

/** The payloads of the first boxes of some types, found in one walk. */
export function childrenOf<Type extends string>(
  bytes: Uint8Array,
  types: readonly Type[],
): { readonly [Name in Type]?: Uint8Array } {
  const found: { [Name in Type]?: Uint8Array } = {};
  const boxes = new Boxes(bytes);
  while (boxes.next()) {
    const type = types.find((wanted) => boxes.is(wanted));
    if (type !== undefined) found[type] ??= boxes.content;
  }
  return found;
}

/** The version and the 24 bits of flags that full boxes begin with, and the fields after them. */
export function fullBox(payload: Uint8Array): { readonly version: number; readonly flags: number; fields: Fields } {
  const fields = new Fields(payload);
  return { version: fields.number(1), flags: fields.number(3), fields };
}
