/** Manifest stores in JPEG XL files: an outermost box of JUMBF, and hashes of boxes (C2PA 2.3, A.3.9). */
import { joined } from "../../../joined.ts";
import type { FoundStore, ManifestCarrier, NamedPart } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { box } from "../heif/boxes.ts";
import { Boxes, START } from "./container.ts";
import { isCodestream } from "./signature.ts";

/** Where the kind of the outermost box stands in its content: behind the header of its description. */
const KIND_AT = 8;

function isStore({ content }: Boxes): boolean {
  return String.fromCharCode(...content.subarray(KIND_AT, KIND_AT + 4)) === "c2pa";
}

function find(bytes: Uint8Array): FoundStore | undefined {
  if (isCodestream(bytes)) return undefined;
  const boxes = new Boxes(bytes);
  while (boxes.next()) {
    if (!boxes.is("jumb") || !isStore(boxes)) continue;
    const { at, end, whole } = boxes;
    const isRead = whole.length <= MAX_STORE_BYTES && end <= bytes.length;
    return { store: isRead ? whole : null, ranges: [{ start: at, length: whole.length }] };
  }
  return undefined;
}

/** Behind the box that says what the file is. */
function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  if (isCodestream(bytes)) return joined([START, store, box("jxlc", bytes)]);
  const pieces: Uint8Array[] = [];
  const boxes = new Boxes(bytes);
  while (boxes.next()) {
    pieces.push(boxes.whole);
    if (boxes.is("ftyp")) pieces.push(store);
  }
  return joined(pieces);
}

function parts(bytes: Uint8Array): readonly NamedPart[] {
  const found: NamedPart[] = [];
  const boxes = new Boxes(bytes);
  while (boxes.next()) {
    const { type, at, whole } = boxes;
    found.push({ name: type === "jumb" ? "C2PA" : type, start: at, length: whole.length });
  }
  return found;
}

export const manifest: ManifestCarrier = { find, write, parts, binding: "boxes" };
