/** Manifest stores in GIF files: an extension of an application, in sub-blocks (C2PA 2.2, A.3.3). */
import { joined } from "../../../joined.ts";
import { standsAt } from "../../../same.ts";
import type { FoundStore, ManifestCarrier } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { Blocks, SubBlocks, tableBytes } from "./container.ts";

const HEADER_BYTES = 13;
const SIGNATURE_BYTES = 6;
/** An extension of an application, the length of its name, the name and a number that goes with it. */
const HEAD = Uint8Array.of(0x21, 0xff, 11, ...new TextEncoder().encode("C2PA_GIF"), 1, 0, 0);
/** Of the head, what every writer has. */
const NAME = HEAD.subarray(0, 11);
const MAX_SUB_BLOCK_BYTES = 255;

function blocksOf(bytes: Uint8Array): Blocks {
  return new Blocks(bytes, HEADER_BYTES + tableBytes(bytes[10] ?? 0));
}

function find(bytes: Uint8Array): FoundStore | undefined {
  const blocks = blocksOf(bytes);
  while (blocks.next()) {
    const { at, end } = blocks;
    if (!standsAt(bytes, at, NAME)) continue;
    const ranges = [{ start: at, length: Math.min(end, bytes.length) - at }];
    return { store: end > bytes.length ? null : storeAt(bytes, at + HEAD.length), ranges };
  }
  return undefined;
}

function storeAt(bytes: Uint8Array, from: number): Uint8Array | null {
  let length = 0;
  const counted = new SubBlocks(bytes, from);
  while (counted.next()) length += counted.contentBytes;
  if (length > MAX_STORE_BYTES) return null;
  const store = new Uint8Array(length);
  const pieces = new SubBlocks(bytes, from);
  for (let to = 0; pieces.next();) {
    for (let at = pieces.start; at < pieces.start + pieces.contentBytes; at++) store[to++] = bytes[at]!;
  }
  return store;
}

/** Behind the header and its colors. Extensions came with the version of 1989. */
function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  const at = HEADER_BYTES + tableBytes(bytes[10] ?? 0);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < store.length; from += MAX_SUB_BLOCK_BYTES) {
    const piece = store.subarray(from, from + MAX_SUB_BLOCK_BYTES);
    pieces.push(Uint8Array.of(piece.length), piece);
  }
  const signature = new TextEncoder().encode("GIF89a");
  return joined([
    signature,
    bytes.subarray(SIGNATURE_BYTES, at),
    HEAD,
    ...pieces,
    Uint8Array.of(0),
    bytes.subarray(at),
  ]);
}

export const manifest: ManifestCarrier = { find, write };
