/** Manifest stores in PNG files: the chunk caBX (C2PA 2.2, A.3.2). */
import { joined } from "../../../joined.ts";
import type { FoundStore, ManifestCarrier, NamedPart } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { Chunks, makeChunk, SIGNATURE, TYPE } from "./chunks.ts";

/** Signature and IHDR. */
const HEADER_END = 33;

function find(bytes: Uint8Array): FoundStore | undefined {
  const chunks = new Chunks(bytes);
  while (chunks.next()) {
    if (chunks.type !== TYPE.caBX) continue;
    const { at, end, data, isCut } = chunks;
    const isRead = !isCut && data.length <= MAX_STORE_BYTES;
    return { store: isRead ? data : null, ranges: [{ start: at, length: Math.min(end, bytes.length) - at }] };
  }
  return undefined;
}

function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  return joined([bytes.subarray(0, HEADER_END), makeChunk(TYPE.caBX, store), bytes.subarray(HEADER_END)]);
}

/** The signature, and all chunks. */
function parts(bytes: Uint8Array): readonly NamedPart[] {
  const found: NamedPart[] = [{ name: "PNGh", start: 0, length: SIGNATURE.length }];
  const chunks = new Chunks(bytes);
  while (chunks.next()) {
    const { at, end, type } = chunks;
    const letters = [24, 16, 8, 0].map((bits) => (type >>> bits) & 255);
    found.push({ name: type === TYPE.caBX ? "C2PA" : String.fromCharCode(...letters), start: at, length: end - at });
  }
  return found;
}

export const manifest: ManifestCarrier = { find, write, parts };
