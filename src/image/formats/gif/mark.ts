/**
 * The mark of a GIF file: a comment of six bytes before its end, or before a packet of XMP there, with the CRC-32 of all before
 * it. Editors keep comments, but not what is before them.
 */
import { zlib } from "../../../../wasm/zlib.ts";
import { joined } from "../../../joined.ts";
import type { Marker } from "../../codec/format.ts";
import { TRAILER } from "./blocks.ts";
import { manifest } from "./manifest.ts";
import { pictureEnd } from "./packet.ts";

/** An extension, its kind, the length of its data, and a tag. */
const HEAD = [0x21, 0xfe, 6, 0xda] as const;
/** Bytes of the whole block: the head, the score, the checksum and the terminator. */
const BLOCK_BYTES = HEAD.length + 6;

function write(bytes: Uint8Array, score: number): Uint8Array {
  const picture = bytes.subarray(0, -TRAILER.length);
  const block = Uint8Array.of(...HEAD, score, 0, 0, 0, 0, 0);
  new DataView(block.buffer).setUint32(HEAD.length + 1, zlib().crc32(picture));
  return joined([picture, block, TRAILER]);
}

function read(bytes: Uint8Array): number | undefined {
  const at = pictureEnd(bytes) - BLOCK_BYTES;
  return isMark(bytes, at) && bytes.at(-1) === TRAILER[0] ? bytes[at + HEAD.length] : undefined;
}

/** Whether a mark of what lies before it begins at `at`. */
export function isMark(bytes: Uint8Array, at: number): boolean {
  const block = bytes.subarray(Math.max(at, 0), at + BLOCK_BYTES);
  if (block.length < BLOCK_BYTES || !HEAD.every((byte, index) => block[index] === byte)) return false;
  const view = new DataView(block.buffer, block.byteOffset, BLOCK_BYTES);
  return block.at(-1) === 0 && view.getUint32(HEAD.length + 1) === zlib().crc32(withoutManifest(bytes.subarray(0, at)));
}

/** A manifest is put into a file that is marked already, and says nothing of its picture. */
function withoutManifest(bytes: Uint8Array): Uint8Array {
  const [range] = manifest.find(bytes)?.ranges ?? [];
  return range ? joined([bytes.subarray(0, range.start), bytes.subarray(range.start + range.length)]) : bytes;
}

export const mark: Marker = { write, read };
