/** The container of PNG: a signature, then chunks of length, type, data and CRC-32 (PNG specification, 5.3). */
import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";

export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Chunk types that we read or write, as the big-endian number of their four letters. */
export const TYPE = {
  IHDR: 0x49484452,
  PLTE: 0x504c5445,
  IDAT: 0x49444154,
  IEND: 0x49454e44,
  tRNS: 0x74524e53,
  gAMA: 0x67414d41,
  cHRM: 0x6348524d,
  sRGB: 0x73524742,
  iCCP: 0x69434350,
  cICP: 0x63494350,
  mDCV: 0x6d444356,
  cLLI: 0x634c4c49,
  eXIf: 0x65584966,
  tEXt: 0x74455874,
  zTXt: 0x7a545874,
  iTXt: 0x69545874,
  acTL: 0x6163544c,
  fcTL: 0x6663544c,
  fdAT: 0x66644154,
  /** Our own: ancillary, private, not to be copied by those who change pixels. */
  drKM: 0x64724b4d,
} as const;

const OVERHEAD_BYTES = 12;

export interface Chunk {
  /** See TYPE. */
  readonly type: number;
  readonly data: Uint8Array;
  /** Where the next chunk begins; past the file's end when this one is cut short. */
  readonly end: number;
}

export function isPng(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => head[index] === byte);
}

/** The chunk that begins at `offset`; null where the file ends. A chunk that is cut short has what there is of it. */
export function chunkAt(bytes: Uint8Array, offset: number): Chunk | null {
  if (offset + 8 > bytes.length) return null;
  const view = viewOf(bytes);
  const length = view.getUint32(offset);
  return {
    type: view.getUint32(offset + 4),
    data: bytes.subarray(offset + 8, Math.min(bytes.length, offset + 8 + length)),
    end: offset + length + OVERHEAD_BYTES,
  };
}

/** Whether a chunk is all there and its CRC is right; `offset` is where it begins. */
export function isIntact(bytes: Uint8Array, offset: number, { data, end }: Chunk): boolean {
  if (end > bytes.length) return false;
  const covered = bytes.subarray(offset + 4, offset + 8 + data.length);
  return zlib().crc32(covered) === viewOf(bytes).getUint32(end - 4);
}

/** A chunk as it is written. */
export function makeChunk(type: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return joined(chunkParts(type, ...parts));
}

/** The same, of which what it holds is not copied. */
export function chunkParts(type: number, ...parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = new Uint8Array(8);
  viewOf(head).setUint32(0, length);
  viewOf(head).setUint32(4, type);
  const checksum = parts.reduce((crc, part) => zlib().crc32(part, crc), zlib().crc32(head.subarray(4)));
  const tail = new Uint8Array(4);
  viewOf(tail).setUint32(0, checksum);
  return [head, ...parts, tail];
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The file breaks the format's rules. `reason` is ours and public. */
export function damaged(reason: string, cause?: unknown): ApiError {
  return new ApiError(422, `The PNG file is damaged: ${reason}`, { cause });
}
