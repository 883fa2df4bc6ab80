/** The WebP container (RFC 9649, section 2): which bytes hold which picture, without decoding any. */
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { MAX_FRAMES } from "../../../limits/pictures.ts";
import { Walk } from "../../containers/walk.ts";

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

interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
  /** Some picture has alpha. */
  readonly alpha: boolean;
}

const FLAG_ANIMATION = 0x02;
const FLAG_ALPHA = 0x10;
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
  const head = chunksOf(bytes, end);
  const canvas = head.next() && head.is("VP8X") ? readCanvas(head.payload) : undefined;
  const animated = canvas?.animated ?? false;
  // Some writers count the header of RIFF too. Nothing else says how many frames an animation has.
  if (animated && end !== undefined && end > bytes.length + CHUNK_HEADER_BYTES) throw damaged();
  // Without an end, bytes behind the last chunk are no part of the file.
  const found = readChunks(chunksOf(bytes, end), animated ? canvas : undefined, animated || end !== undefined);
  const frames = animated ? found.frames : [stillFrame(found.still, canvas)];
  const shape = canvas ?? frames[0];
  if (!shape || frames.length === 0) throw damaged();
  return {
    width: shape.width,
    height: shape.height,
    frames,
    loops: animated ? found.loops : 1,
    animated,
    profile: found.profile,
    exif: found.exif,
  };
}

/** Where the file ends by its RIFF header; undefined where that says nothing. */
function riffEnd(bytes: Uint8Array): number | undefined {
  const size = view(bytes).getUint32(4, true);
  return size === 0 || size >= IMPOSSIBLE_BYTES ? undefined : size + CHUNK_HEADER_BYTES;
}

/**
 * What the chunks of a file hold. Of frames beyond those that an animation may have one is read, so that whoever counts
 * them can refuse the file.
 * @param canvas of an animation
 * @param isWhole no chunk that the picture needs may be cut short: what follows a gap does not begin with a chunk
 */
function readChunks(chunks: Chunks, canvas: Canvas | undefined, isWhole: boolean) {
  const still = new BitstreamReader();
  const frames: WebpFrame[] = [];
  let loops = 0;
  let profile: Uint8Array | undefined;
  let exif: Uint8Array | undefined;
  while (frames.length <= MAX_FRAMES && chunks.next()) {
    const { payload, isShort } = chunks;
    if (isWhole && isShort && (canvas || !EXTRAS.has(chunks.id))) throw damaged();
    if (!canvas) still.take(chunks);
    else if (chunks.is("ANMF")) frames.push(animationFrame(chunks, canvas));
    if (chunks.is("ANIM") && payload.length >= 6) loops = view(payload).getUint16(4, true);
    else if (chunks.is("ICCP") && !isShort) profile ??= payload;
    else if (chunks.is("EXIF") && !isShort) exif ??= payload;
  }
  return { still, frames, loops, profile, exif };
}

function readCanvas(payload: Uint8Array): Canvas {
  if (payload.length < 10) throw damaged();
  const width = uint24(payload, 4) + 1;
  const height = uint24(payload, 7) + 1;
  // RFC 9649, section 2.7: the product must fit 32 bits.
  if (width * height > 0xffff_ffff) throw damaged();
  const [flags = 0] = payload;
  return { animated: (flags & FLAG_ANIMATION) !== 0, alpha: (flags & FLAG_ALPHA) !== 0, width, height };
}

function stillFrame(still: BitstreamReader, canvas: Canvas | undefined): WebpFrame {
  const frame = { ...withAlpha(still.bitstream, canvas), x: 0, y: 0, delayMs: 0, blend: false, dispose: false };
  if (canvas && (canvas.width !== frame.width || canvas.height !== frame.height)) throw damaged();
  return frame;
}

function animationFrame({ payload, isShort }: Chunks, canvas: Canvas): WebpFrame {
  if (isShort || payload.length < ANMF_HEADER_BYTES) throw damaged();
  const x = uint24(payload, 0) * 2;
  const y = uint24(payload, 3) * 2;
  const width = uint24(payload, 6) + 1;
  const height = uint24(payload, 9) + 1;
  const reader = new BitstreamReader();
  const chunks = new Chunks(payload.subarray(ANMF_HEADER_BYTES));
  while (!reader.isDone && chunks.next()) reader.take(chunks);
  const { bitstream } = reader;
  const fits = x + width <= canvas.width && y + height <= canvas.height;
  if (!fits || bitstream.width !== width || bitstream.height !== height) throw damaged();
  const flags = payload[15]!;
  const delayMs = uint24(payload, 12);
  return { ...withAlpha(bitstream, canvas), x, y, delayMs, blend: (flags & 2) === 0, dispose: (flags & 1) !== 0 };
}

/**
 * Without loss alpha is coded where the header of the picture says so, or that of the file: browsers show what either
 * says.
 */
function withAlpha(bitstream: Bitstream, canvas: Canvas | undefined): Bitstream {
  return { ...bitstream, translucent: bitstream.translucent || (bitstream.lossless && canvas?.alpha === true) };
}

type Bitstream = Pick<WebpFrame, "width" | "height" | "data" | "lossless" | "alpha" | "translucent">;

/** Finds the coded picture among chunks: the first one, and the alpha before it. */
class BitstreamReader {
  private alpha: Uint8Array | undefined;
  private found: Bitstream | undefined;

  get isDone(): boolean {
    return this.found !== undefined;
  }

  /** @throws ApiError 422 where there was no picture */
  get bitstream(): Bitstream {
    if (!this.found) throw damaged();
    return this.found;
  }

  /** Takes up a chunk, if it is one of the picture's. */
  take(chunk: Chunks): void {
    const [isAlpha, isLossy, isLossless] = [chunk.is("ALPH"), chunk.is("VP8 "), chunk.is("VP8L")];
    if (this.found || !(isAlpha || isLossy || isLossless)) return;
    const { payload, isShort } = chunk;
    if (isShort) throw damaged();
    const { alpha } = this;
    if (isAlpha) this.alpha ??= payload;
    else if (isLossless) this.found = { ...readLosslessHeader(payload), data: payload, alpha: undefined };
    else this.found = { ...readLossyHeader(payload), data: payload, alpha, translucent: alpha !== undefined };
  }
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
export class Chunks extends Walk {
  private size = 0;

  constructor(bytes: Uint8Array) {
    super(bytes, PARTS.webpChunks);
  }

  get id(): string {
    return this.textAt(this.at);
  }

  is(id: string): boolean {
    return this.isAt(this.at, id);
  }

  get payload(): Uint8Array {
    return this.bytes.subarray(this.start, this.start + this.size);
  }

  /** The file ends within the payload; the byte behind one of an odd size may be missing. */
  get isShort(): boolean {
    return this.start + this.size > this.bytes.length;
  }

  protected read(at: number): boolean {
    if (at + CHUNK_HEADER_BYTES > this.bytes.length) return false;
    this.size = view(this.bytes).getUint32(at + 4, true);
    this.start = at + CHUNK_HEADER_BYTES;
    this.end = this.start + this.size + (this.size & 1);
    return true;
  }
}

/** The chunks of a file behind its header. @param end where the file ends by its header */
export function chunksOf(file: Uint8Array, end?: number): Chunks {
  return new Chunks(file.subarray(RIFF_HEADER_BYTES, end));
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
