/** Manifest stores in AVIF and HEIC files: a box of its own type behind the first (C2PA 2.2, A.5). */
import { joined } from "../../../joined.ts";
import { isSame } from "../../../same.ts";
import type { FoundStore, ManifestCarrier } from "../../provenance/carrier.ts";
import { type FileBox, topBoxes } from "../../provenance/file-boxes.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { box } from "./boxes.ts";

const TYPE = Uint8Array.fromHex("d8fec3d61b0e483c92975828877ec481");
/** Version and flags, what the box is for, and where one of another kind lies: nowhere. */
const PURPOSE = Uint8Array.of(0, 0, 0, 0, ...new TextEncoder().encode("manifest\0"), 0, 0, 0, 0, 0, 0, 0, 0);
const FLAGS_BYTES = 4;
const PLACE_BYTES = 8;

function isOfManifest(bytes: Uint8Array, { type, start }: FileBox): boolean {
  return type === "uuid" && isSame(bytes.subarray(start - TYPE.length, start), TYPE);
}

function find(bytes: Uint8Array): FoundStore | undefined {
  for (const one of topBoxes(bytes)) {
    if (!isOfManifest(bytes, one)) continue;
    const end = bytes.indexOf(0, one.start + FLAGS_BYTES);
    const purpose =
      end < 0 ? "" : new TextDecoder().decode(bytes.subarray(one.start + FLAGS_BYTES, Math.min(end, one.end)));
    if (purpose !== "manifest" && purpose !== "update" && purpose !== "original") continue;
    const store = bytes.subarray(end + 1 + PLACE_BYTES, one.end);
    return {
      store: store.length <= MAX_STORE_BYTES ? store : null,
      ranges: [{ start: one.at, length: one.end - one.at }],
    };
  }
  return undefined;
}

/** Behind the box that says what the file is; what lies behind moves, and so do the numbers that say where it lies. */
function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  const added = box("uuid", TYPE, PURPOSE, store);
  const boxes = topBoxes(bytes);
  const [first] = boxes;
  const at = first?.type === "ftyp" ? first.end : 0;
  const file = joined([bytes.subarray(0, at), added, bytes.subarray(at)]);
  for (const one of topBoxes(file)) {
    const below = one.type === "meta" || one.type === "moov" ? descendants(one) : [];
    for (const inner of below) movePlaces(file, inner, added.length);
  }
  return file;
}

function descendants(of: FileBox): FileBox[] {
  return of.inner().flatMap((inner) => [inner, ...descendants(inner)]);
}

function movePlaces(file: Uint8Array, { type, start }: FileBox, by: number): void {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (type === "iloc") moveItems(view, start, by);
  if (type !== "stco" && type !== "co64") return;
  const count = view.getUint32(start + 4);
  for (let index = 0; index < count; index++) {
    if (type === "stco") add(view, start + 8 + index * 4, 4, by);
    else add(view, start + 8 + index * 8, 8, by);
  }
}

/** The places of items that lie in the file (ISO/IEC 14496-12, 8.11.3). */
function moveItems(view: DataView, start: number, by: number): void {
  const version = view.getUint8(start);
  const sizes = view.getUint16(start + 4);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const idBytes = version < 2 ? 2 : 4;
  let at = start + 6;
  const count = version < 2 ? view.getUint16(at) : view.getUint32(at);
  at += idBytes;
  for (let item = 0; item < count; item++) {
    at += idBytes;
    const method = version === 0 ? 0 : view.getUint16(at) & 15;
    at += (version === 0 ? 0 : 2) + 2;
    const base = numberOf(view, at, baseBytes);
    const isBased = base > 0n;
    if (method === 0 && isBased) add(view, at, baseBytes, by);
    at += baseBytes;
    const extents = view.getUint16(at);
    at += 2;
    for (let extent = 0; extent < extents; extent++) {
      at += indexBytes;
      if (method === 0 && !isBased) add(view, at, offsetBytes, by);
      at += offsetBytes + lengthBytes;
    }
  }
}

function numberOf(view: DataView, at: number, bytes: number): bigint {
  return bytes === 8 ? view.getBigUint64(at) : bytes === 4 ? BigInt(view.getUint32(at)) : 0n;
}

function add(view: DataView, at: number, bytes: number, by: number): void {
  if (bytes === 8) view.setBigUint64(at, view.getBigUint64(at) + BigInt(by));
  else if (bytes === 4) view.setUint32(at, view.getUint32(at) + by);
}

export const manifest: ManifestCarrier = { find, write, binding: "bmff" };
