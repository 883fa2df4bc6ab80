/** JUMBF boxes (ISO/IEC 19566-5), of which a manifest store consists (C2PA 2.2, section 11.1). */
import { joined } from "../../joined.ts";
import { type Count, TooMuch, Unreadable } from "./cbor.ts";
import { MAX_BOX_DEPTH, MAX_BOXES, MAX_LABEL_BYTES, MAX_STORE_BYTES } from "./limits.ts";

/** The kinds of superboxes, by the first four bytes of their type. */
export const KIND = {
  store: "c2pa",
  manifest: "c2ma",
  update: "c2um",
  assertions: "c2as",
  claim: "c2cl",
  signature: "c2cs",
  cbor: "cbor",
  json: "json",
} as const;

/** What follows the four letters of a type. */
const TYPE_END = Uint8Array.of(0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71);

/** A superbox: a description, and contents. */
export interface Superbox {
  readonly kind: string;
  readonly label: string;
  /** All behind its header, which is what hashes are of. */
  readonly content: Uint8Array;
  /** The box with its header. */
  readonly whole: Uint8Array;
  readonly boxes: readonly Superbox[];
  /** Its boxes that are no superboxes. */
  readonly data: readonly { readonly type: string; readonly bytes: Uint8Array }[];
}

const HAS_LABEL = 2;
const LABELS = new TextDecoder();

/**
 * The superbox that the bytes are; zeros behind it are left out.
 * @throws Unreadable where the boxes are damaged or beyond the bounds
 */
export function readJumbf(bytes: Uint8Array): Superbox {
  if (bytes.length > MAX_STORE_BYTES) throw new TooMuch("a store of too many bytes");
  const count = { left: MAX_BOXES };
  const { type, start, end } = headerAt(bytes, 0);
  if (type !== "jumb") throw new Unreadable("no JUMBF");
  return superbox(bytes.subarray(0, end), start, 0, count);
}

interface Header {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function headerAt(bytes: Uint8Array, at: number): Header {
  if (at + 8 > bytes.length) throw new Unreadable("a box that is cut short");
  const short = numberAt(bytes, at);
  const type = lettersAt(bytes, at + 4);
  if (short === 1 && at + 16 > bytes.length) throw new Unreadable("a box that is cut short");
  const start = at + (short === 1 ? 16 : 8);
  const long = short === 1 ? numberAt(bytes, at + 8) * 2 ** 32 + numberAt(bytes, at + 12) : short;
  const length = short === 0 ? bytes.length - at : long;
  if (length < start - at || at + length > bytes.length) throw new Unreadable("a box of a wrong length");
  return { type, start, end: at + length };
}

/** Views and iterators for each of thousands of small boxes would take more memory than their bytes. */
function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

function lettersAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
}

function superbox(whole: Uint8Array, start: number, depth: number, count: Count): Superbox {
  if (depth > MAX_BOX_DEPTH) throw new TooMuch("boxes that lie too deep");
  const content = whole.subarray(start);
  let described: Pick<Superbox, "kind" | "label"> | undefined;
  const boxes: Superbox[] = [];
  const data: { type: string; bytes: Uint8Array }[] = [];
  for (let at = 0; at < content.length;) {
    if (count.left-- === 0) throw new TooMuch("too many boxes");
    const { type, start: from, end } = headerAt(content, at);
    if (type === "jumd") described ??= description(content.subarray(from, end));
    else if (!described) throw new Unreadable("a superbox without a description");
    else if (type === "jumb") boxes.push(superbox(content.subarray(at, end), from - at, depth + 1, count));
    else data.push({ type, bytes: content.subarray(from, end) });
    at = end;
  }
  if (!described) throw new Unreadable("a superbox without a description");
  return { ...described, content, whole, boxes, data };
}

function description(bytes: Uint8Array): Pick<Superbox, "kind" | "label"> {
  if (bytes.length < 17) throw new Unreadable("a description that is cut short");
  const kind = lettersAt(bytes, 0);
  if ((bytes[16]! & HAS_LABEL) === 0) return { kind, label: "" };
  const end = bytes.indexOf(0, 17);
  if (end < 0) throw new Unreadable("a label without an end");
  if (end - 17 > MAX_LABEL_BYTES) throw new TooMuch("a label that is too long");
  return { kind, label: end === 17 ? "" : LABELS.decode(bytes.subarray(17, end)) };
}

/** The box of a kind and a label, or the first of the kind. */
export function boxIn({ boxes }: Superbox, kind: string, label?: string): Superbox | undefined {
  return boxes.find((box) => box.kind === kind && (label === undefined || box.label === label));
}

/** The bytes of a superbox's first box of a type. */
export function dataIn({ data }: Superbox, type: string): Uint8Array | undefined {
  return data.find((box) => box.type === type)?.bytes;
}

/** A box. */
export function jumbfBox(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = joined(parts);
  const header = new Uint8Array(8);
  new DataView(header.buffer).setUint32(0, header.length + content.length);
  header.set(new TextEncoder().encode(type), 4);
  return joined([header, content]);
}

/** A superbox that can be referred to by its label. */
export function writeSuperbox(kind: string, label: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const type = joined([new TextEncoder().encode(kind), TYPE_END]);
  const described = jumbfBox("jumd", type, Uint8Array.of(1 | HAS_LABEL), new TextEncoder().encode(`${label}\0`));
  return jumbfBox("jumb", described, ...parts);
}
