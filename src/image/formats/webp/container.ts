/** The WebP container (RFC 9649, section 2): which bytes hold which picture, without decoding any. */
import { ApiError } from "../../../errors.ts";

/** The payloads that hold one picture, and where it lies on the canvas. */
export interface WebpFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The payload of the `VP8 ` or `VP8L` chunk. */
  readonly data: Uint8Array;
  readonly lossless: boolean;
  /** The payload of the `ALPH` chunk. */
  readonly alpha: Uint8Array | undefined;
  /** The bitstream says that it may hold alpha. */
  readonly translucent: boolean;
  readonly delayMs: number;
  /** Drawn over the canvas instead of in place of it. */
  readonly blend: boolean;
  /** Its rectangle becomes transparent before the next frame. */
  readonly dispose: boolean;
}

export interface WebpFile {
  /** The size of the canvas in pixels. */
  readonly width: number;
  readonly height: number;
  /** One in a still picture. */
  readonly frames: readonly WebpFrame[];
  /** 0 is for ever; 1 in a still picture. */
  readonly loops: number;
  readonly animated: boolean;
  readonly profile: Uint8Array | undefined;
  readonly exif: Uint8Array | undefined;
}

interface Chunk {
  readonly id: string;
  readonly payload: Uint8Array;
  /** Header, payload and padding, as they stand in the file. */
  readonly padded: Uint8Array;
  /** The file ends within the chunk. */
  readonly cut: boolean;
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
}

const FLAG_ANIMATION = 0x02;
/** Chunks that a picture does not need: stills are read where one of these is cut short. */
const EXTRAS: ReadonlySet<string> = new Set(["ICCP", "EXIF", "XMP "]);
/** Sizes from here on are no sizes: no file is as long. */
const IMPOSSIBLE_BYTES = 0x8000_0000;
const CHUNK_HEADER_BYTES = 8;
export const RIFF_HEADER_BYTES = 12;
const ANMF_HEADER_BYTES = 16;

export const damaged = (cause?: unknown) => new ApiError(422, "The WebP file is damaged or cut short", { cause });

/** Whether the bytes begin as a WebP file does. */
export function isWebp(head: Uint8Array): boolean {
  return text(head, 0) === "RIFF" && text(head, 8) === "WEBP";
}

/**
 * Reads the container. Unknown chunks are skipped, and so is what follows the end that the RIFF header says; writers
 * get that wrong, and one that cannot be is no end.
 * @throws ApiError 422 when it holds no complete picture, or something is missing between its chunks
 */
export function parseWebp(bytes: Uint8Array): WebpFile {
  if (!isWebp(bytes)) throw damaged();
  const end = riffEnd(bytes);
  const chunks = [...chunksOf(bytes.subarray(RIFF_HEADER_BYTES, end))];
  const [first] = chunks;
  const canvas = first?.id === "VP8X" ? readCanvas(first) : undefined;
  requireAll(bytes, end, chunks, canvas?.animated ?? false);
  const found = collect(chunks);
  const stills = canvas?.animated ? [] : [stillFrame(found.still, canvas)];
  const frames = canvas?.animated ? found.frames.map((chunk) => animationFrame(chunk, canvas)) : stills;
  const shape = canvas ?? frames[0];
  if (!shape || frames.length === 0) throw damaged();
  return {
    width: shape.width,
    height: shape.height,
    frames,
    loops: canvas?.animated ? found.loops : 1,
    animated: canvas?.animated ?? false,
    profile: found.profile,
    exif: found.exif,
  };
}

/** Where the file ends by its RIFF header; undefined where that says nothing. */
function riffEnd(bytes: Uint8Array): number | undefined {
  const size = view(bytes).getUint32(4, true);
  return size === 0 || size >= IMPOSSIBLE_BYTES ? undefined : size + CHUNK_HEADER_BYTES;
}

/** Refuses a file that has lost something between its chunks: what follows a gap does not begin with a chunk. */
function requireAll(bytes: Uint8Array, end: number | undefined, chunks: readonly Chunk[], animated: boolean): void {
  // Some writers count the header of RIFF too. Nothing else says how many frames an animation has.
  if (animated && end !== undefined && end > bytes.length + CHUNK_HEADER_BYTES) throw damaged();
  // Without an end, bytes behind the last chunk are no part of the file.
  if (end === undefined && !animated) return;
  if (chunks.some(({ id, cut }) => cut && (animated || !EXTRAS.has(id)))) throw damaged();
}

function collect(chunks: readonly Chunk[]) {
  const still: Chunk[] = [];
  const frames: Chunk[] = [];
  let loops = 0;
  let profile: Uint8Array | undefined;
  let exif: Uint8Array | undefined;
  for (const chunk of chunks) {
    if (chunk.id === "VP8 " || chunk.id === "VP8L" || chunk.id === "ALPH") still.push(chunk);
    else if (chunk.id === "ANMF") frames.push(chunk);
    else if (chunk.id === "ANIM" && chunk.payload.length >= 6) loops = view(chunk.payload).getUint16(4, true);
    else if (chunk.id === "ICCP" && !chunk.cut) profile ??= chunk.payload;
    else if (chunk.id === "EXIF" && !chunk.cut) exif ??= chunk.payload;
  }
  return { still, frames, loops, profile, exif };
}

function readCanvas({ payload }: Chunk): Canvas {
  if (payload.length < 10) throw damaged();
  const width = uint24(payload, 4) + 1;
  const height = uint24(payload, 7) + 1;
  // RFC 9649, section 2.7: the product must fit 32 bits.
  if (width * height > 0xffff_ffff) throw damaged();
  return { animated: (payload[0]! & FLAG_ANIMATION) !== 0, width, height };
}

function stillFrame(chunks: readonly Chunk[], canvas: Canvas | undefined): WebpFrame {
  const frame = { ...readBitstream(chunks), x: 0, y: 0, delayMs: 0, blend: false, dispose: false };
  if (canvas && (canvas.width !== frame.width || canvas.height !== frame.height)) throw damaged();
  return frame;
}

function animationFrame({ payload, cut }: Chunk, canvas: Canvas): WebpFrame {
  if (cut || payload.length < ANMF_HEADER_BYTES) throw damaged();
  const x = uint24(payload, 0) * 2;
  const y = uint24(payload, 3) * 2;
  const width = uint24(payload, 6) + 1;
  const height = uint24(payload, 9) + 1;
  const bitstream = readBitstream(chunksOf(payload.subarray(ANMF_HEADER_BYTES)));
  const fits = x + width <= canvas.width && y + height <= canvas.height;
  if (!fits || bitstream.width !== width || bitstream.height !== height) throw damaged();
  const flags = payload[15]!;
  const delayMs = uint24(payload, 12);
  return { ...bitstream, x, y, delayMs, blend: (flags & 2) === 0, dispose: (flags & 1) !== 0 };
}

function readBitstream(chunks: Iterable<Chunk>) {
  let alpha: Uint8Array | undefined;
  for (const { id, payload, cut } of chunks) {
    if (cut) throw damaged();
    if (id === "ALPH") alpha ??= payload;
    if (id === "VP8 ") return { ...readLossyHeader(payload), data: payload, alpha, translucent: alpha !== undefined };
    if (id === "VP8L") return { ...readLosslessHeader(payload), data: payload, alpha: undefined };
  }
  throw damaged();
}

/** RFC 6386, section 9.1: frame tag, start code, then 14 bits of width and height, each below 2 bits of scale. */
function readLossyHeader(data: Uint8Array) {
  const keyFrame = data.length >= 10 && (data[0]! & 1) === 0;
  const startCode = data[3] === 0x9d && data[4] === 0x01 && data[5] === 0x2a;
  if (!keyFrame || !startCode) throw damaged();
  const width = view(data).getUint16(6, true) & 0x3fff;
  const height = view(data).getUint16(8, true) & 0x3fff;
  if (width === 0 || height === 0) throw damaged();
  return { width, height, lossless: false };
}

/** RFC 9649, section 3.4: signature, 14 bits each of width - 1 and height - 1, alpha hint, version. */
function readLosslessHeader(data: Uint8Array) {
  if (data.length < 5 || data[0] !== 0x2f) throw damaged();
  const bits = view(data).getUint32(1, true);
  if (bits >>> 29 !== 0) throw damaged();
  const translucent = ((bits >>> 28) & 1) === 1;
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, lossless: true, translucent };
}

/** The chunks of a list, up to the last of which anything is there. */
export function* chunksOf(bytes: Uint8Array): Generator<Chunk, undefined> {
  for (let at = 0; at + CHUNK_HEADER_BYTES <= bytes.length;) {
    const size = view(bytes).getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    const payload = bytes.subarray(start, start + size);
    const end = start + size + (size & 1);
    yield { id: text(bytes, at), payload, padded: bytes.subarray(at, end), cut: payload.length < size };
    at = end;
  }
}

function text(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function uint24(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
