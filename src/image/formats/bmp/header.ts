/** Headers of device-independent bitmaps, as BMP and icon files hold them: Windows 2 to 5 and OS/2 1 and 2. */
import { ApiError } from "../../../errors.ts";

/** Which bits of a pixel are which sample. */
export interface Masks {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0 when there is no alpha. */
  readonly alpha: number;
}

export interface Bitmap {
  readonly width: number;
  /** Rows of pixels; in an icon those of the mask are not counted. */
  readonly height: number;
  readonly topDown: boolean;
  /** Per pixel: 1, 2, 4, 8, 16, 24 or 32. */
  readonly bits: number;
  readonly runLength: boolean;
  /** Of 16 and 32 bits. */
  readonly masks: Masks;
  /** RGBA of every index, as 32-bit numbers in this machine's order of bytes; black beyond the file's palette. */
  readonly palette: Uint32Array;
  /** Where pixels begin. */
  readonly dataOffset: number;
  /** Bytes of the pixels as the file says, or 0. */
  readonly dataBytes: number;
  readonly profile: Uint8Array | undefined;
}

const CORE_BYTES = 12;
export const INFO_BYTES = 40;
const OS2_BYTES = 64;
const V4_BYTES = 108;
export const V5_BYTES = 124;
export const FILE_HEADER_BYTES = 14;
export const COMPRESSION = { none: 0, rle8: 1, rle4: 2, bitfields: 3, rle24: 4, alphaBitfields: 6 } as const;
const RUN_LENGTHS: ReadonlySet<number> = new Set([COMPRESSION.rle8, COMPRESSION.rle4, COMPRESSION.rle24]);
export const EMBEDDED_PROFILE = 0x4d424544;
/** As a number in the order of bytes of this machine, as colors of palettes are. */
export const OPAQUE_BLACK = 0xff000000;
const DEPTHS = new Set([1, 2, 4, 8, 16, 24, 32]);
const MASKS_16: Masks = { red: 0x7c00, green: 0x3e0, blue: 0x1f, alpha: 0 };
const MASKS_32: Masks = { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: 0 };

export const damaged = (cause?: unknown) => new ApiError(422, "The BMP file is damaged or cut short", { cause });
const unsupported = () => new ApiError(422, "The BMP file has a depth or compression that is not supported");

/** Whether the bytes begin as a BMP file does, up to the size of the second header. */
export function isBmp(head: Uint8Array): boolean {
  if (head.length < 18 || head[0] !== 0x42 || head[1] !== 0x4d) return false;
  const size = head[14]! | (head[15]! << 8) | (head[16]! << 16) | (head[17]! << 24);
  return size >= CORE_BYTES && size <= V5_BYTES;
}

/** Sizes of headers that programs write where the one of the file is missing. */
const BARE_HEADERS: ReadonlySet<number> = new Set([INFO_BYTES, V4_BYTES, V5_BYTES]);

/**
 * Whether the bytes begin as a bitmap without the header of a file does (.dib, the clipboard of Windows). There is no
 * signature: all fields that could say otherwise have to agree.
 */
export function isBareBitmap(head: Uint8Array): boolean {
  if (head.length < CORE_BYTES + 8) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const size = view.getUint32(0, true);
  const { width, height, bits, compression } = infoFields(view, 0, CORE_BYTES + 8);
  const hasPlane = view.getUint16(12, true) === 1;
  const hasPixels = width > 0 && width <= MAX_BARE_SIDE && height !== 0 && Math.abs(height) <= MAX_BARE_SIDE;
  return BARE_HEADERS.has(size) && hasPlane && hasPixels && DEPTHS.has(bits) && isSupported(compression, bits, size);
}

/** Pixels; more than any picture has that can be read. */
const MAX_BARE_SIDE = 1 << 20;

/** Reads the headers of a BMP file, or of one without that of the file. @throws ApiError 422 */
export function parseBmp(bytes: Uint8Array): Bitmap {
  if (isBareBitmap(bytes)) {
    const bare = parseBitmap(bytes, 0, "bare");
    if (!bare.runLength && dataEnd(bare) > bytes.length) throw damaged();
    return bare;
  }
  if (!isBmp(bytes)) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const bitmap = parseBitmap(bytes, FILE_HEADER_BYTES, view.getUint32(10, true));
  if (!bitmap.runLength && dataEnd(bitmap) > bytes.length) throw damaged();
  if (isShort(bitmap, view.getUint32(2, true), bytes.length)) throw damaged();
  return bitmap;
}

/**
 * Whether there is less than the file says. Of pixels that are not compressed one of its numbers must be what their size
 * asks for, or both mean nothing; writers of run lengths put that there too, of whose codes nothing can be known then.
 */
function isShort(bitmap: Bitmap, declaredBytes: number, fileBytes: number): boolean {
  const { dataOffset, dataBytes, runLength, height } = bitmap;
  const plainBytes = strideOf(bitmap) * height;
  if (runLength) return dataBytes !== plainBytes && dataOffset + dataBytes > fileBytes;
  const isTold = dataBytes === plainBytes || declaredBytes === dataOffset + plainBytes;
  return isTold && dataOffset + plainBytes > fileBytes;
}

/**
 * Reads the header, masks and palette that begin at `start`.
 * @param place where pixels begin; or `bare`: they follow the palette; or `icon`: they do, and the height counts the mask too
 * @throws ApiError 422
 */
export function parseBitmap(bytes: Uint8Array, start: number, place: number | "bare" | "icon"): Bitmap {
  const dataOffset = typeof place === "number" ? place : undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (start + CORE_BYTES > bytes.length) throw damaged();
  const size = view.getUint32(start, true);
  if (size !== CORE_BYTES && (size < 16 || size > V5_BYTES)) throw damaged();
  if (start + size > bytes.length) throw damaged();
  const fields = size === CORE_BYTES ? coreFields(view, start) : infoFields(view, start, size);
  const { width, bits, compression } = fields;
  const height = Math.abs(fields.height) / (place === "icon" ? 2 : 1);
  if (width < 1 || height < 1 || height !== Math.floor(height)) throw damaged();
  if (!DEPTHS.has(bits) || !isSupported(compression, bits, size)) throw unsupported();

  const separate = size === INFO_BYTES ? (compression === 3 ? 12 : compression === 6 ? 16 : 0) : 0;
  const paletteStart = start + size + separate;
  if (paletteStart > bytes.length) throw damaged();
  const entryBytes = size === CORE_BYTES ? 3 : 4;
  const declared = fields.colors || (bits <= 8 ? 1 << bits : 0);
  // Some writers leave the palette out of the place of pixels: it is there all the same, for without it all would be black.
  const isUncounted = bits <= 8 && dataOffset === paletteStart;
  const pixelsStart = isUncounted ? undefined : dataOffset;
  const most = Math.floor(((pixelsStart ?? Infinity) - paletteStart) / entryBytes);
  const colors = bits <= 8 ? Math.max(0, Math.min(declared, 256, most)) : 0;
  return {
    width,
    height,
    topDown: fields.height < 0,
    bits,
    runLength: RUN_LENGTHS.has(compression),
    masks: masksOf(view, start, size, fields),
    palette: paletteAt(bytes, paletteStart, colors, entryBytes),
    dataOffset: pixelsStart ?? paletteStart + declared * entryBytes,
    dataBytes: fields.dataBytes,
    profile: size >= V5_BYTES ? profileOf(bytes, view, start) : undefined,
  };
}

/** Bytes of a row that is not compressed, padding included. */
export function strideOf({ width, bits }: Pick<Bitmap, "width" | "bits">): number {
  return Math.floor((width * bits + 31) / 32) * 4;
}

/** Where pixels end that are not compressed; the last row may lack its padding. */
export function dataEnd(bitmap: Bitmap): number {
  const { width, height, bits, dataOffset } = bitmap;
  return dataOffset + strideOf(bitmap) * (height - 1) + Math.ceil((width * bits) / 8);
}

interface Fields {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly compression: number;
  readonly dataBytes: number;
  readonly colors: number;
}

function coreFields(view: DataView, start: number): Fields {
  return {
    width: view.getUint16(start + 4, true),
    height: view.getUint16(start + 6, true),
    bits: view.getUint16(start + 10, true),
    compression: COMPRESSION.none,
    dataBytes: 0,
    colors: 0,
  };
}

/** OS/2 lets writers leave out the end of its header. */
function infoFields(view: DataView, start: number, size: number): Fields {
  return {
    width: view.getInt32(start + 4, true),
    height: view.getInt32(start + 8, true),
    bits: view.getUint16(start + 14, true),
    compression: size >= 20 ? view.getUint32(start + 16, true) : COMPRESSION.none,
    dataBytes: size >= 24 ? view.getUint32(start + 20, true) : 0,
    colors: size >= 36 ? view.getUint32(start + 32, true) : 0,
  };
}

function isSupported(compression: number, bits: number, size: number): boolean {
  // In OS/2's own header the numbers from 3 on mean something else.
  const windows = size >= INFO_BYTES && size !== OS2_BYTES;
  switch (compression) {
    case COMPRESSION.none:
      return true;
    case COMPRESSION.rle8:
      return bits === 8;
    case COMPRESSION.rle4:
      return bits === 4;
    case COMPRESSION.rle24:
      // OS/2 wrote it in headers of its own and of Windows, where the number means a JPEG file, which has 0 bits.
      return bits === 24 && size <= OS2_BYTES;
    case COMPRESSION.bitfields:
    case COMPRESSION.alphaBitfields:
      return windows && (bits === 16 || bits === 32);
    default:
      return false;
  }
}

function masksOf(view: DataView, start: number, size: number, { bits, compression }: Fields): Masks {
  const mask = (index: number) => {
    const at = start + INFO_BYTES + index * 4;
    return at + 4 <= view.byteLength ? view.getUint32(at, true) : 0;
  };
  if (compression !== COMPRESSION.bitfields && compression !== COMPRESSION.alphaBitfields) {
    if (bits === 16) return MASKS_16;
    // Of the masks in headers from version 4 on the one of alpha holds without bit fields, too, as in browsers.
    return size >= V4_BYTES && bits === 32 ? { ...MASKS_32, alpha: mask(3) } : MASKS_32;
  }
  const alpha = size >= 56 || compression === COMPRESSION.alphaBitfields ? mask(3) : 0;
  return { red: mask(0), green: mask(1), blue: mask(2), alpha };
}

function paletteAt(bytes: Uint8Array, start: number, colors: number, entryBytes: number): Uint32Array {
  if (start + colors * entryBytes > bytes.length) throw damaged();
  const palette = new Uint32Array(256).fill(OPAQUE_BLACK);
  const samples = new Uint8Array(palette.buffer);
  for (let index = 0; index < colors; index++) {
    const at = start + index * entryBytes;
    samples[index * 4] = bytes[at + 2]!;
    samples[index * 4 + 1] = bytes[at + 1]!;
    samples[index * 4 + 2] = bytes[at]!;
  }
  return palette;
}

function profileOf(bytes: Uint8Array, view: DataView, start: number): Uint8Array | undefined {
  if (view.getUint32(start + 56, true) !== EMBEDDED_PROFILE) return undefined;
  const from = start + view.getUint32(start + 112, true);
  const length = view.getUint32(start + 116, true);
  return length > 0 && from + length <= bytes.length ? bytes.subarray(from, from + length) : undefined;
}
