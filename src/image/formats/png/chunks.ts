/** The container of PNG: a signature, then chunks of length, type, data and CRC-32 (PNG specification, 5.3). */
import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { PARTS } from "../../../limits/parts.ts";
import { Walk } from "../../containers/walk.ts";

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
  /** A manifest store. */
  caBX: 0x63614258,
  /** Our own: ancillary, private, not to be copied by those who change pixels. */
  drKM: 0x64724b4d,
} as const;

/** Length and type. */
const HEADER_BYTES = 8;
/** Those, and the CRC-32. */
const OVERHEAD_BYTES = 12;

export function isPng(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => head[index] === byte);
}

/** The chunks of a file, one after the other. A chunk that is cut short has what there is of it. */
export class Chunks extends Walk {
  /** @param from where the first of them begins */
  constructor(bytes: Uint8Array, from: number = SIGNATURE.length) {
    super(bytes, PARTS.pngChunks, from);
  }

  /** See TYPE. */
  get type(): number {
    return this.numberAt(this.at + 4);
  }

  get data(): Uint8Array {
    return this.bytes.subarray(this.start, this.start + this.length);
  }

  /** Bytes of its data as far as they are there. */
  get dataBytes(): number {
    return Math.min(this.length, this.bytes.length - this.start);
  }

  /** The chunk is all there and its CRC is right. */
  get isIntact(): boolean {
    if (this.isCut) return false;
    const covered = this.bytes.subarray(this.at + 4, this.end - 4);
    return zlib().crc32(covered) === this.numberAt(this.end - 4);
  }

  protected read(at: number): boolean {
    if (at + HEADER_BYTES > this.bytes.length) return false;
    this.start = at + HEADER_BYTES;
    this.end = at + this.length + OVERHEAD_BYTES;
    return true;
  }

  private get length(): number {
    return this.numberAt(this.at);
  }
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
