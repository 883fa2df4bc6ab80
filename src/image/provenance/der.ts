/** DER (ITU-T X.690) as certificates and time stamps use it: elements with their bytes, bounded in depth and number. */
import { type Count, TooMuch, Unreadable } from "./cbor.ts";
import { MAX_DER_DEPTH, MAX_DER_ELEMENTS } from "./limits.ts";

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export interface Element {
  /** The first byte: class, kind and number. */
  readonly tag: number;
  readonly content: Uint8Array;
  /** The element with its header. */
  readonly whole: Uint8Array;
  /** Of an element that is made of others. */
  readonly children: readonly Element[];
}

const CONSTRUCTED = 0x20;

/**
 * The element that the bytes begin with.
 * @param elements that there may be in all that share the count
 * @throws Unreadable
 */
export function readDer(bytes: Uint8Array, elements: Count = { left: MAX_DER_ELEMENTS }): Element {
  return elementAt(bytes, 0, 0, elements).element;
}

function elementAt(bytes: Uint8Array, at: number, depth: number, count: Count) {
  if (depth > MAX_DER_DEPTH || --count.left < 0) throw new TooMuch("DER of too many elements");
  const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
  if (at + 2 > bytes.length || (tag & 31) === 31) throw new Unreadable("DER that is cut short");
  const lengthBytes = first & 0x80 ? first & 0x7f : 0;
  if (first === 0x80 || lengthBytes > 4) throw new Unreadable("DER without a length");
  let length = lengthBytes === 0 ? first : 0;
  for (const byte of bytes.subarray(at + 2, at + 2 + lengthBytes)) length = length * 256 + byte;
  const start = at + 2 + lengthBytes;
  const end = start + length;
  if (end > bytes.length) throw new Unreadable("DER that is cut short");
  const content = bytes.subarray(start, end);
  const children: Element[] = [];
  for (let inner = 0; tag & CONSTRUCTED && inner < content.length;) {
    const child = elementAt(content, inner, depth + 1, count);
    children.push(child.element);
    inner = child.end;
  }
  return { element: { tag, content, whole: bytes.subarray(at, end), children }, end };
}

/** An object identifier in its usual form: `2.5.4.3`. */
export function oidOf({ content }: Pick<Element, "content">): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 127);
    if (byte & 128) continue;
    if (numbers.length === 0)
      numbers.push(Math.min(2, Math.floor(number / 40)), number - 40 * Math.min(2, Math.floor(number / 40)));
    else numbers.push(number);
    number = 0;
  }
  return numbers.join(".");
}

/** Milliseconds since 1970 of a moment (RFC 5280, 4.1.2.5). @throws Unreadable */
export function momentOf({ tag, content }: Element): number {
  const text = new TextDecoder("latin1").decode(content);
  const [, century = "", rest = ""] =
    (tag === TAG.utcTime ? /^()(\d{12}Z)$/ : /^(\d\d)(\d{12}(?:\.\d+)?Z)$/).exec(text) ?? [];
  const [, year = "", month, day, hours, minutes, seconds] =
    /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d{1,3})?)/.exec(rest) ?? [];
  const whole = tag === TAG.utcTime ? `${Number(year) < 50 ? 20 : 19}${year}` : `${century}${year}`;
  const moment = Date.parse(`${whole}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
  if (Number.isNaN(moment)) throw new Unreadable("no moment");
  return moment;
}

/** The bytes of a bit string without unused bits. @throws Unreadable */
export function bitsOf({ tag, content }: Element): Uint8Array {
  if (tag !== TAG.bits || content[0] !== 0) throw new Unreadable("no string of whole bytes");
  return content.subarray(1);
}

/** A child by its place. @throws Unreadable where there is none */
export function childOf({ children }: Element, index: number): Element {
  const child = children[index];
  if (!child) throw new Unreadable("DER with too few elements");
  return child;
}
