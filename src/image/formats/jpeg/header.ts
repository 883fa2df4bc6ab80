/** What a JPEG file's markers say, read without decoding: ITU-T T.81, with JFIF, EXIF, ICC and Adobe segments. */
import { ApiError } from "../../../errors.ts";

export interface Component {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly h: number;
  readonly v: number;
  /** The quantization table it uses. */
  readonly table: number;
}

export interface JpegHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly precision: number;
  readonly progressive: boolean;
  readonly components: readonly Component[];
  /** In natural (row) order, by table number. */
  readonly quantization: ReadonlyMap<number, Uint16Array>;
  /** The color transform that an Adobe segment names. */
  readonly adobe: number | undefined;
  readonly jfif: boolean;
  readonly exif: Uint8Array | undefined;
  readonly profile: Uint8Array | undefined;
}

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DNL = 0xdc;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
/** Frame headers: C0 to CF but for DHT (C4), JPG (C8) and DAC (CC). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const isProgressive = (marker: number) => [0xc2, 0xc6, 0xca, 0xce].includes(marker);

/** The order in which a table's 64 values are stored, as indices into rows of 8 (T.81, figure A.6). */
export const ZIGZAG = Uint8Array.of(
  0,
  1,
  8,
  16,
  9,
  2,
  3,
  10,
  17,
  24,
  32,
  25,
  18,
  11,
  4,
  5,
  12,
  19,
  26,
  33,
  40,
  48,
  41,
  34,
  27,
  20,
  13,
  6,
  7,
  14,
  21,
  28,
  35,
  42,
  49,
  56,
  57,
  50,
  43,
  36,
  29,
  22,
  15,
  23,
  30,
  37,
  44,
  51,
  58,
  59,
  52,
  45,
  38,
  31,
  39,
  46,
  53,
  60,
  61,
  54,
  47,
  55,
  62,
  63,
);

export function damaged(cause?: unknown): ApiError {
  return new ApiError(422, "The JPEG file is damaged or cut short", { cause });
}

export function isJpeg(head: Uint8Array): boolean {
  return head[0] === 0xff && head[1] === SOI && head[2] === 0xff;
}

interface Draft {
  frame?: Pick<JpegHeader, "width" | "height" | "precision" | "progressive" | "components">;
  quantization: Map<number, Uint16Array>;
  adobe?: number;
  jfif: boolean;
  exif?: Uint8Array;
  icc: { readonly part: number; readonly data: Uint8Array }[];
}

/** @throws ApiError 422 when the headers before the first scan are not all there */
export function parseHeader(bytes: Uint8Array): JpegHeader {
  const draft: Draft = { quantization: new Map(), jfif: false, icc: [] };
  for (const { marker, data } of segments(bytes)) take(draft, marker, data);
  const { frame } = draft;
  if (!frame) throw damaged();
  const height = frame.height || heightAfterScan(bytes);
  if (frame.width === 0 || height === 0) throw damaged();
  const { quantization, adobe, jfif, exif } = draft;
  return { ...frame, height, quantization, adobe, jfif, exif, profile: profileOf(draft.icc) };
}

/** The segments up to the first scan. */
function* segments(bytes: Uint8Array): Generator<{ marker: number; data: Uint8Array }> {
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) {
      at++; // Padding between segments, as some writers leave it.
      continue;
    }
    const marker = bytes[at + 1]!;
    if (marker === 0xff || marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= SOI)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === EOI || marker === SOS) return;
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    if (length < 2 || at + 2 + length > bytes.length) throw damaged();
    yield { marker, data: bytes.subarray(at + 4, at + 2 + length) };
    at += 2 + length;
  }
}

function take(draft: Draft, marker: number, data: Uint8Array): void {
  if (isFrame(marker)) draft.frame ??= frameOf(marker, data);
  else if (marker === DQT) takeTables(draft.quantization, data);
  else if (marker === APP0 && startsWith(data, "JFIF\0")) draft.jfif = true;
  else if (marker === APP1 && startsWith(data, "Exif\0\0")) draft.exif ??= data;
  else if (marker === APP2 && startsWith(data, "ICC_PROFILE\0"))
    draft.icc.push({ part: data[12]!, data: data.subarray(14) });
  else if (marker === APP14 && startsWith(data, "Adobe") && data.length >= 12) draft.adobe ??= data[11]!;
}

function startsWith(data: Uint8Array, text: string): boolean {
  return data.length >= text.length && [...text].every((letter, at) => data[at] === letter.charCodeAt(0));
}

function frameOf(marker: number, data: Uint8Array): NonNullable<Draft["frame"]> {
  const count = data[5] ?? 0;
  if (data.length < 6 + count * 3 || count === 0 || count > 4) throw damaged();
  const components = Array.from({ length: count }, (_, index) => {
    const at = 6 + index * 3;
    return { id: data[at]!, h: data[at + 1]! >> 4, v: data[at + 1]! & 15, table: data[at + 2]! };
  });
  if (components.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4)) throw damaged();
  return {
    precision: data[0]!,
    height: (data[1]! << 8) | data[2]!,
    width: (data[3]! << 8) | data[4]!,
    progressive: isProgressive(marker),
    components,
  };
}

function takeTables(tables: Map<number, Uint16Array>, data: Uint8Array): void {
  for (let at = 0; at < data.length;) {
    const wide = data[at]! >> 4;
    const size = wide ? 2 : 1;
    if (at + 1 + 64 * size > data.length) return;
    const table = new Uint16Array(64);
    for (let index = 0; index < 64; index++) {
      const from = at + 1 + index * size;
      table[ZIGZAG[index]!] = wide ? (data[from]! << 8) | data[from + 1]! : data[from]!;
    }
    tables.set(data[at]! & 15, table);
    at += 1 + 64 * size;
  }
}

/** The ICC profile from its numbered parts (ICC.1:2022, B.4); undefined when one is missing. */
function profileOf(parts: Draft["icc"]): Uint8Array | undefined {
  if (parts.length === 0) return undefined;
  const sorted = parts.toSorted((a, b) => a.part - b.part);
  if (sorted.some(({ part }, index) => part !== index + 1)) return undefined;
  const profile = new Uint8Array(sorted.reduce((sum, { data }) => sum + data.length, 0));
  let at = 0;
  for (const { data } of sorted) {
    profile.set(data, at);
    at += data.length;
  }
  return profile;
}

/** The height that a DNL segment gives after the first scan, where the frame header leaves it open (T.81, B.2.5). */
function heightAfterScan(bytes: Uint8Array): number {
  for (let at = 2; at + 6 <= bytes.length; at++) {
    if (bytes[at] === 0xff && bytes[at + 1] === DNL && bytes[at + 2] === 0 && bytes[at + 3] === 4) {
      return (bytes[at + 4]! << 8) | bytes[at + 5]!;
    }
  }
  return 0;
}
