/** What the markers of a JPEG file say before its first scan, without native code (ITU-T T.81 annex B). */
import { NativeError } from "../load.ts";
import { JpegMetadata } from "./metadata.ts";

export interface JpegComponent {
  readonly id: number;
  /** Sampling factors. */
  readonly h: number;
  readonly v: number;
  /** Index of the quantization table. */
  readonly table: number;
}

type JpegColors = "Gray" | "YCbCr" | "RGB" | "CMYK" | "YCCK";

export interface JpegHeader {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly precision: number;
  readonly components: readonly JpegComponent[];
  readonly colors: JpegColors;
  readonly progressive: boolean;
  readonly arithmetic: boolean;
  readonly lossless: boolean;
  /** The picture comes in several scans, so that decoding holds its coefficients. */
  readonly multipleScans: boolean;
  /** Bytes from the first scan to the end of the file. */
  readonly codedBytes: number;
  /**
   * The color transform of the Adobe marker. Samples of CMYK are taken as 255 - ink with and without the marker: no
   * program in use shows them otherwise.
   */
  readonly adobeTransform?: number;
  /** Quantization tables in natural order, by index. */
  readonly tables: readonly (Uint16Array | undefined)[];
  /** The payload of the EXIF segment, which begins with `Exif\0\0`. */
  readonly exif?: Uint8Array;
  /** The ICC profile, if all its pieces are there. */
  readonly profile?: Uint8Array;
}

const MARKER = { sof0: 0xc0, dht: 0xc4, jpg: 0xc8, dac: 0xcc, soi: 0xd8, eoi: 0xd9, sos: 0xda, dqt: 0xdb };
const NATURAL_ORDER = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
];

interface Frame {
  readonly code: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
}

interface Segment {
  readonly code: number;
  readonly payload: Uint8Array;
  /** Where the next marker is looked for. */
  readonly end: number;
}

/** What `readHeader` says of a file of more segments than it may have. */
export const TOO_MANY_SEGMENTS = "the JPEG file has too many segments";

/**
 * @param mostSegments before the first scan
 * @throws NativeError when the bytes have no frame header, or none that could be decoded
 */
export function readHeader(bytes: Uint8Array, mostSegments = Infinity): JpegHeader {
  if (bytes[0] !== 0xff || bytes[1] !== MARKER.soi) throw new NativeError("not a JPEG file");
  const tables: (Uint16Array | undefined)[] = [];
  const metadata = new JpegMetadata();
  let frame: Frame | undefined;
  let count = 0;
  for (let segment = nextSegment(bytes, 2); segment; segment = nextSegment(bytes, segment.end)) {
    const { code, payload } = segment;
    if (++count > mostSegments) throw new NativeError(TOO_MANY_SEGMENTS);
    if (code === MARKER.dqt) readTables(payload, tables);
    else if (isFrame(code)) frame ??= readFrame(code, payload);
    else if (code === MARKER.sos) {
      return { ...assemble(payload, frame, tables, metadata), codedBytes: bytes.length - segment.end };
    } else metadata.add(code, payload);
  }
  throw new NativeError("the JPEG file has no picture");
}

/** The next marker segment at or behind `from`; undefined at the end of the file or of the picture. */
function nextSegment(bytes: Uint8Array, from: number): Segment | undefined {
  let at = from;
  for (;;) {
    while (at < bytes.length && bytes[at] !== 0xff) at++;
    while (bytes[at] === 0xff) at++;
    const code = bytes[at++];
    if (code === undefined || code === MARKER.eoi) return undefined;
    // A stuffed byte, or a marker without parameters.
    if (code === 0 || code === 1 || (code >= 0xd0 && code <= MARKER.soi)) continue;
    const length = (bytes[at]! << 8) | bytes[at + 1]!;
    const end = at + Math.max(2, length);
    return { code, payload: bytes.subarray(at + 2, end), end };
  }
}

function isFrame(code: number): boolean {
  return code >= MARKER.sof0 && code <= 0xcf && code !== MARKER.dht && code !== MARKER.jpg && code !== MARKER.dac;
}

/** Adds the quantization tables of a DQT segment, in natural order: of several with one index the last. */
export function readTables(payload: Uint8Array, tables: (Uint16Array | undefined)[]): void {
  // A segment may hold a thousand, which are not all to be kept in the meantime.
  const places: number[] = [];
  for (let at = 0; at < payload.length;) {
    const [place, index] = [at, payload[at]! & 15];
    at += 1 + NATURAL_ORDER.length * (payload[at]! >> 4 === 0 ? 1 : 2);
    if (at <= payload.length && index < 4) places[index] = place;
  }
  places.forEach((place, index) => (tables[index] = tableAt(payload, place)));
}

function tableAt(payload: Uint8Array, place: number): Uint16Array {
  const wide = payload[place]! >> 4 !== 0;
  const table = new Uint16Array(NATURAL_ORDER.length);
  let at = place + 1;
  for (const position of NATURAL_ORDER) {
    table[position] = wide ? (payload[at]! << 8) | payload[at + 1]! : payload[at]!;
    at += wide ? 2 : 1;
  }
  return table;
}

function readFrame(code: number, payload: Uint8Array): Frame {
  const count = payload[5] ?? 0;
  if (payload.length < 6 + 3 * count) throw new NativeError("the frame header of the JPEG file is cut short");
  const components = Array.from({ length: count }, (_, index) => {
    const at = 6 + 3 * index;
    return { id: payload[at]!, h: payload[at + 1]! >> 4, v: payload[at + 1]! & 15, table: payload[at + 2]! };
  });
  const height = (payload[1]! << 8) | payload[2]!;
  const width = (payload[3]! << 8) | payload[4]!;
  return { code, precision: payload[0]!, width, height, components };
}

function assemble(
  scan: Uint8Array,
  frame: Frame | undefined,
  tables: readonly (Uint16Array | undefined)[],
  metadata: JpegMetadata,
): Omit<JpegHeader, "codedBytes"> {
  if (!frame) throw new NativeError("the JPEG file has no frame header");
  const { code, precision, width, height, components } = frame;
  const sampled = components.every(({ h, v }) => h >= 1 && h <= 4 && v >= 1 && v <= 4);
  if (width < 1 || height < 1 || ![1, 3, 4].includes(components.length) || !sampled) {
    throw new NativeError("the frame header of the JPEG file is wrong");
  }
  const kind = code & 3;
  const { adobeTransform, exif } = metadata;
  const profile = metadata.profile();
  return {
    width,
    height,
    precision,
    components,
    colors: colorsOf(frame, metadata),
    progressive: kind === 2,
    arithmetic: code >= 0xc9,
    lossless: kind === 3,
    multipleScans: kind === 2 || (scan[0] ?? 0) < components.length,
    tables,
    ...(adobeTransform === undefined ? {} : { adobeTransform }),
    ...(exif ? { exif } : {}),
    ...(profile ? { profile } : {}),
  };
}

/** The guess that libjpeg makes, and with it most programs. */
function colorsOf({ code, components }: Frame, { jfif, adobeTransform }: JpegMetadata): JpegColors {
  if (components.length === 1) return "Gray";
  if (components.length === 4) return adobeTransform === undefined || adobeTransform === 0 ? "CMYK" : "YCCK";
  if (jfif) return "YCbCr";
  if (adobeTransform !== undefined) return adobeTransform === 0 ? "RGB" : "YCbCr";
  const ids = String.fromCharCode(...components.map(({ id }) => id));
  return ids === "RGB" || (code & 3) === 3 ? "RGB" : "YCbCr";
}
