/** Manifest stores in JPEG files: JUMBF in segments APP11 (ISO/IEC 19566-5, annex D; C2PA 2.2, A.3.1). */
import { joined } from "../../../joined.ts";
import type { FoundStore, ManifestCarrier, NamedPart, Range } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { Segments } from "./segments.ts";

const [APP0, APP1, APP11] = [0xe0, 0xe1, 0xeb];
const EXIF = "Exif\0\0";
/** `JP`, the number of the box, and that of the piece; then the header of the box, which every piece repeats. */
const PIECE_BYTES = 8;
const BOX_BYTES = 8;
/** Where the kind of the outermost box stands in its first piece: behind its header, and that of its description. */
const KIND_AT = PIECE_BYTES + 2 * BOX_BYTES;
/** What a segment holds of a box, beside its length and the header of the piece. */
const PAYLOAD_BYTES = 0xffff - 2 - PIECE_BYTES - BOX_BYTES;
/** The number under which our boxes stand. */
const INSTANCE = 0x0211;

function find(bytes: Uint8Array): FoundStore | undefined {
  const ranges: Range[] = [];
  const pieces: Uint8Array[] = [];
  let instance: number | undefined;
  let [length, next] = [0, 1];
  let isRight = true;
  const segments = new Segments(bytes);
  while (segments.next()) {
    if (segments.code !== APP11 || !segments.begins("JP")) continue;
    const { content, at, end } = segments;
    if (content.length <= PIECE_BYTES + BOX_BYTES) continue;
    const view = new DataView(content.buffer, content.byteOffset, content.length);
    const own = view.getUint16(2);
    const isFirst = instance === undefined && String.fromCharCode(...content.subarray(KIND_AT, KIND_AT + 4)) === "c2pa";
    if (isFirst) instance = own;
    if (instance !== own) continue;
    isRight &&= view.getUint32(4) === next++;
    // The header of a box whose length has 64 bits is repeated as a whole.
    const header = view.getUint32(PIECE_BYTES) === 1 ? 16 : BOX_BYTES;
    const piece = content.subarray(PIECE_BYTES + (isFirst ? 0 : header));
    length += piece.length;
    const last = ranges.at(-1);
    if (last && last.start + last.length === at)
      ranges[ranges.length - 1] = { start: last.start, length: end - last.start };
    else ranges.push({ start: at, length: end - at });
    if (length <= MAX_STORE_BYTES) pieces.push(piece);
  }
  if (instance === undefined) return undefined;
  return { store: isRight && length <= MAX_STORE_BYTES ? joined(pieces) : null, ranges };
}

/** Behind the segments that are to come first: JFIF and EXIF. */
function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  let at = 2;
  const segments = new Segments(bytes);
  while (segments.next()) {
    if (segments.code !== APP0 && !(segments.code === APP1 && segments.begins(EXIF))) break;
    at = segments.end;
  }
  return joined([bytes.subarray(0, at), ...piecesOf(store), bytes.subarray(at)]);
}

function piecesOf(store: Uint8Array): Uint8Array[] {
  const header = store.subarray(0, BOX_BYTES);
  const pieces: Uint8Array[] = [];
  for (let at = BOX_BYTES; at < store.length; at += PAYLOAD_BYTES) {
    const part = store.subarray(at, at + PAYLOAD_BYTES);
    const head = new Uint8Array(4 + PIECE_BYTES);
    const view = new DataView(head.buffer);
    head.set([0xff, APP11]);
    view.setUint16(2, 2 + PIECE_BYTES + BOX_BYTES + part.length);
    head.set(new TextEncoder().encode("JP"), 4);
    view.setUint16(6, INSTANCE);
    view.setUint32(8, pieces.length + 1);
    pieces.push(joined([head, header, part]));
  }
  return pieces;
}

/** Names of markers, by their second bytes, as general box hashes have them. */
const NAMES: Readonly<Record<number, string>> = {
  0xc0: "SOF0",
  0xc1: "SOF1",
  0xc2: "SOF2",
  0xc4: "DHT",
  0xd9: "EOI",
  0xda: "SOS",
  0xdb: "DQT",
  0xdd: "DRI",
  0xfe: "COM",
};

/** All segments; what is coded in a scan belongs to its header. */
function parts(bytes: Uint8Array): readonly NamedPart[] {
  const [store] = find(bytes)?.ranges ?? [];
  const found: NamedPart[] = [{ name: "SOI", start: 0, length: 2 }];
  for (let at = 2; at + 2 <= bytes.length && bytes[at] === 0xff;) {
    if (at === store?.start) {
      found.push({ name: "C2PA", ...store });
      at += store.length;
      continue;
    }
    const code = bytes[at + 1]!;
    const end = code === 0xd9 ? at + 2 : at + 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
    const next = code === 0xda ? scanEnd(bytes, end) : end;
    const application = code >= APP0 && code <= 0xef ? `APP${code - APP0}` : undefined;
    const jpg = code >= 0xf0 && code <= 0xfd ? `JPG${code - 0xf0}` : undefined;
    found.push({ name: NAMES[code] ?? application ?? jpg ?? "", start: at, length: next - at });
    if (code === 0xd9 || found.length > MAX_PARTS) break;
    at = next;
  }
  return found;
}

const MAX_PARTS = 20_000;

/** Where the next marker stands that is neither a restart nor a stuffed byte. */
function scanEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1]!;
    if (code !== 0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at;
  }
  return bytes.length;
}

export const manifest: ManifestCarrier = { find, write, parts };
