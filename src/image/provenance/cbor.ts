/**
 * CBOR (RFC 8949) as manifests use it. The reader is bounded in depth and in the number of values, and makes no copies of byte
 * strings; the writer writes the shortest form of everything, keys in the order in which they are given.
 */
import { MAX_CBOR_BYTES, MAX_CBOR_DEPTH, MAX_CBOR_VALUES, MAX_FILE_VALUES } from "./limits.ts";

export type CborKey = string | number;
export type CborMap = ReadonlyMap<CborKey, Cbor>;
export type Cbor =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Uint8Array
  | readonly Cbor[]
  | CborMap
  | Tagged;

/** A value with a tag that says what it means. */
export class Tagged {
  readonly tag: number;
  readonly value: Cbor;

  constructor(tag: number, value: Cbor) {
    this.tag = tag;
    this.value = value;
  }
}

/** What is not well-formed. */
export class Unreadable extends Error {}

/** What is beyond the bounds: nothing of the whole is read. */
export class TooMuch extends Unreadable {}

/** How much more of something there may be. */
export interface Count {
  left: number;
}

const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6, simple: 7 } as const;
const INDEFINITE = 31;
const BREAK = 0xff;

/**
 * The one value that the bytes hold; zeros behind it are padding.
 * @param values that there may be in all boxes which share the count
 * @throws Unreadable
 */
export function decodeCbor(bytes: Uint8Array, values: Count = { left: MAX_FILE_VALUES }): Cbor {
  if (bytes.length > MAX_CBOR_BYTES) throw new TooMuch("CBOR of too many bytes");
  const reader = new Reader(bytes, values);
  const value = reader.value(0);
  if (bytes.subarray(reader.at).some((byte) => byte !== 0)) throw new Unreadable("more than one value");
  return value;
}

class Reader {
  at = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private values = 0;
  private readonly all: Count;

  constructor(bytes: Uint8Array, all: Count) {
    this.bytes = bytes;
    this.all = all;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  value(depth: number): Cbor {
    if (depth > MAX_CBOR_DEPTH) throw new TooMuch("CBOR that is too deep");
    this.count();
    const head = this.byte();
    const [major, info] = [head >> 5, head & 31];
    if (major === MAJOR.simple) return this.simple(info);
    const isOpen = info === INDEFINITE;
    if (isOpen && (major < MAJOR.bytes || major === MAJOR.tag)) throw new Unreadable("CBOR without a length");
    const argument = isOpen ? Infinity : this.argument(info);
    if (major === MAJOR.unsigned) return argument;
    if (major === MAJOR.negative) return typeof argument === "bigint" ? -1n - argument : -1 - argument;
    if (typeof argument === "bigint") throw new TooMuch("CBOR of too many bytes");
    if (major === MAJOR.bytes) return isOpen ? joinedPieces(this.pieces(MAJOR.bytes)) : this.take(argument);
    if (major === MAJOR.text) return textOf(isOpen ? joinedPieces(this.pieces(MAJOR.text)) : this.take(argument));
    if (major === MAJOR.list) return this.list(argument, depth);
    if (major === MAJOR.map) return this.map(argument, depth);
    return new Tagged(argument, this.value(depth + 1));
  }

  private count(): void {
    if (++this.values > MAX_CBOR_VALUES || --this.all.left < 0) throw new TooMuch("CBOR of too many values");
  }

  private list(length: number, depth: number): Cbor[] {
    const list: Cbor[] = [];
    while (list.length < length && !(length === Infinity && this.ends())) list.push(this.value(depth + 1));
    return list;
  }

  private map(length: number, depth: number): CborMap {
    const map = new Map<CborKey, Cbor>();
    for (let index = 0; index < length && !(length === Infinity && this.ends()); index++) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" && typeof key !== "number") throw new Unreadable("a key that is no text or number");
      if (map.has(key)) throw new Unreadable("a key that stands twice");
      map.set(key, this.value(depth + 1));
    }
    return map;
  }

  private pieces(major: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    while (!this.ends()) {
      this.count();
      const head = this.byte();
      const length = head >> 5 === major && (head & 31) !== INDEFINITE ? this.argument(head & 31) : -1;
      if (typeof length === "bigint" || length < 0) throw new Unreadable("a piece of another kind");
      pieces.push(this.take(length));
    }
    return pieces;
  }

  /** Whether a list, a map or a string without a length ends here; its end is passed by. */
  private ends(): boolean {
    if (this.bytes[this.at] !== BREAK) return false;
    this.at++;
    return true;
  }

  private simple(info: number): Cbor {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info === 23) return undefined;
    const at = this.at;
    if (info === 25) return (this.skip(2), halfAt(this.view, at));
    if (info === 26) return (this.skip(4), this.view.getFloat32(at));
    if (info === 27) return (this.skip(8), this.view.getFloat64(at));
    throw new Unreadable("a value without a meaning");
  }

  private argument(info: number): number | bigint {
    if (info < 24) return info;
    const at = this.at;
    if (info === 24) return this.byte();
    if (info === 25) return (this.skip(2), this.view.getUint16(at));
    if (info === 26) return (this.skip(4), this.view.getUint32(at));
    if (info !== 27) throw new Unreadable("a length that is reserved");
    this.skip(8);
    const long = this.view.getBigUint64(at);
    return long <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(long) : long;
  }

  private byte(): number {
    this.skip(1);
    return this.bytes[this.at - 1]!;
  }

  private take(length: number): Uint8Array {
    this.skip(length);
    return this.bytes.subarray(this.at - length, this.at);
  }

  private skip(length: number): void {
    if (length > this.bytes.length - this.at) throw new Unreadable("CBOR that is cut short");
    this.at += length;
  }
}

function joinedPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const TEXTS = new TextDecoder();

function textOf(bytes: Uint8Array): string {
  return TEXTS.decode(bytes);
}

/** A float of 16 bits (RFC 8949, appendix D). */
function halfAt(view: DataView, at: number): number {
  const half = view.getUint16(at);
  const [exponent, mantissa] = [(half >> 10) & 31, half & 1023];
  const size =
    exponent === 0
      ? mantissa * 2 ** -24
      : exponent === 31
        ? mantissa
          ? NaN
          : Infinity
        : (mantissa + 1024) * 2 ** (exponent - 25);
  return half & 0x8000 ? -size : size;
}

/** A value as CBOR. */
export function encodeCbor(value: Cbor): Uint8Array {
  const pieces: Uint8Array[] = [];
  write(value, pieces);
  return joinedPieces(pieces);
}

function write(value: Cbor, pieces: Uint8Array[]): void {
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    pieces.push(value < 0 ? head(MAJOR.negative, -1 - value) : head(MAJOR.unsigned, value));
  } else if (typeof value === "number") {
    const bytes = new Uint8Array(9);
    bytes[0] = 0xfb;
    new DataView(bytes.buffer).setFloat64(1, value);
    pieces.push(bytes);
  } else if (typeof value === "string") {
    const text = new TextEncoder().encode(value);
    pieces.push(head(MAJOR.text, text.length), text);
  } else if (typeof value === "boolean") pieces.push(Uint8Array.of(value ? 0xf5 : 0xf4));
  else if (value === null || value === undefined) pieces.push(Uint8Array.of(value === null ? 0xf6 : 0xf7));
  else if (value instanceof Uint8Array) pieces.push(head(MAJOR.bytes, value.length), value);
  else if (value instanceof Tagged) {
    pieces.push(head(MAJOR.tag, value.tag));
    write(value.value, pieces);
  } else if (value instanceof Map) {
    pieces.push(head(MAJOR.map, value.size));
    for (const [key, member] of value as CborMap) {
      write(key, pieces);
      write(member, pieces);
    }
  } else if (Array.isArray(value)) {
    pieces.push(head(MAJOR.list, value.length));
    for (const member of value as readonly Cbor[]) write(member, pieces);
  } else throw new Error("a value that CBOR is not written of");
}

function head(major: number, argument: number): Uint8Array {
  const first = major << 5;
  if (argument < 24) return Uint8Array.of(first | argument);
  if (argument < 0x100) return Uint8Array.of(first | 24, argument);
  if (argument < 0x10000) return Uint8Array.of(first | 25, argument >> 8, argument & 255);
  const bytes = new Uint8Array(argument < 0x100000000 ? 5 : 9);
  const view = new DataView(bytes.buffer);
  bytes[0] = first | (bytes.length === 5 ? 26 : 27);
  if (bytes.length === 5) view.setUint32(1, argument);
  else view.setBigUint64(1, BigInt(argument));
  return bytes;
}

/** A map of what is given, without members that are undefined. */
export function cborMap(members: Readonly<Record<string, Cbor>>): CborMap {
  return new Map(Object.entries(members).filter(([, member]) => member !== undefined));
}

/** What a map has under a key; undefined where it is no map. */
export function memberOf(value: Cbor, key: CborKey): Cbor {
  return value instanceof Map ? (value as CborMap).get(key) : undefined;
}

export function textIn(value: Cbor, key: CborKey): string | undefined {
  const member = memberOf(value, key);
  return typeof member === "string" ? member : undefined;
}

export function bytesIn(value: Cbor, key: CborKey): Uint8Array | undefined {
  const member = memberOf(value, key);
  return member instanceof Uint8Array ? member : undefined;
}

export function numberIn(value: Cbor, key: CborKey): number | undefined {
  const member = memberOf(value, key);
  return typeof member === "number" ? member : undefined;
}

export function listIn(value: Cbor, key: CborKey): readonly Cbor[] {
  const member = memberOf(value, key);
  return Array.isArray(member) ? (member as readonly Cbor[]) : [];
}
