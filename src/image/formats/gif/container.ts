/** The GIF container (GIF89a specification, 31 July 1990): which bytes hold which frame, without decoding any. */
import { ApiError } from "../../../errors.ts";
import { MAX_UNPACKED_PROFILE_BYTES } from "../../../limits/isolate.ts";
import { PARTS } from "../../../limits/parts.ts";
import { MAX_FRAMES } from "../../../limits/pictures.ts";
import { tooManyParts, Walk } from "../../containers/walk.ts";
import type { Disposal } from "./blocks.ts";

export interface GifFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly interlaced: boolean;
  /** RGB of each index: of the frame, or else of the file. */
  readonly palette: Uint8Array;
  /** The palette is the frame's own. */
  readonly local: boolean;
  /** The index that is not drawn, or -1. */
  readonly transparent: number;
  readonly delayMs: number;
  readonly disposal: Disposal;
  /** Bits of the LZW codes that stand for indices. */
  readonly minSize: number;
  /** Where the sub-blocks of image data begin in the file. */
  readonly dataOffset: number;
}

export interface GifFile {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly GifFrame[];
  /** Bytes that their pixels are coded in. */
  readonly codedBytes: number;
  /** Of these, what frames after the first take. */
  readonly laterBytes: number;
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  readonly palette: Uint8Array | undefined;
  readonly profile: Uint8Array | undefined;
}

interface GraphicControl {
  readonly delayMs: number;
  readonly disposal: Disposal;
  readonly transparent: number;
}

const HEADER_BYTES = 13;
/** An image before its color table. */
const IMAGE_BYTES = 10;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
const NO_CONTROL: GraphicControl = { delayMs: 0, disposal: "keep", transparent: -1 };
/** The specification advises black and white first where no palette is given (section 18, background). */
const NO_PALETTE = Uint8Array.of(0, 0, 0, 255, 255, 255);

export const damaged = (cause?: unknown) => new ApiError(422, "The GIF file is damaged or cut short", { cause });

/** Whether the bytes begin as a GIF file does. */
export function isGif(head: Uint8Array): boolean {
  const signature = String.fromCharCode(...head.subarray(0, 6));
  return signature === "GIF87a" || signature === "GIF89a";
}

/**
 * Reads the container up to its trailer, or to the only frame of a picture when what follows is no block of GIF. Whether
 * the image data is whole is found out when it is decoded.
 * @throws ApiError 422 when there is no frame with pixels, the file ends within a frame's header, or an animation does not
 *   come to its end
 */
export function parseGif(bytes: Uint8Array): GifFile {
  if (!isGif(bytes) || bytes.length < HEADER_BYTES) throw damaged();
  const flags = bytes[10]!;
  const palette = flags & 0x80 ? paletteAt(bytes, HEADER_BYTES, flags) : undefined;
  const found = readBlocks(bytes, HEADER_BYTES + (palette?.length ?? 0), palette);
  const first = found.frames[0];
  if (!found.frames.some(({ width, height }) => width > 0 && height > 0) || !first) throw damaged();
  return {
    // Browsers let the first frame enlarge the canvas, and clip all others to it.
    width: Math.max(uint16(bytes, 6), first.x + first.width),
    height: Math.max(uint16(bytes, 8), first.y + first.height),
    palette,
    ...found,
  };
}

/** The blocks of a file behind its header and palette, up to its trailer or to what is no block. */
export class Blocks extends Walk {
  constructor(bytes: Uint8Array, from: number) {
    super(bytes, PARTS.blocks, from);
  }

  get isImage(): boolean {
    return this.bytes[this.at] === IMAGE;
  }

  /** What kind of extension it is; undefined for an image. */
  get label(): number | undefined {
    return this.isImage ? undefined : this.bytes[this.at + 1];
  }

  /** No more blocks follow, and the trailer stands where the next one would. */
  get isAtTrailer(): boolean {
    return this.bytes[this.at] === TRAILER;
  }

  /** The end is the end of the file, or lies beyond it. */
  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  protected read(from: number): boolean {
    const { bytes } = this;
    let at = from;
    // Some writers end their blocks twice.
    while (bytes[at] === 0) at++;
    this.at = at;
    this.end = at;
    if (bytes[at] === EXTENSION) this.start = at + 2;
    else if (bytes[at] === IMAGE) this.start = at + IMAGE_BYTES + tableBytes(bytes[at + 9] ?? 0) + 1;
    else return false;
    this.end = skipSubBlocks(bytes, this.start);
    return true;
  }
}

/** The bytes of the color table that a packed field announces. */
export function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function readBlocks(bytes: Uint8Array, start: number, palette: Uint8Array | undefined) {
  const frames: GifFrame[] = [];
  let repeated: number | undefined;
  let profile: Uint8Array | undefined;
  let control = NO_CONTROL;
  let codedBytes = 0;
  let firstBytes = 0;
  const blocks = new Blocks(bytes, start);
  while (blocks.next()) {
    const { at, label } = blocks;
    if (blocks.isImage) {
      const frame = frameAt(bytes, at, palette, control);
      frames.push(frame);
      if (frames.length > MAX_FRAMES) throw tooManyFrames();
      control = NO_CONTROL;
      codedBytes += blocks.end - frame.dataOffset;
      if (frames.length === 1) firstBytes = codedBytes;
    } else if (label === GRAPHIC_CONTROL) control = controlAt(bytes, at + 2) ?? control;
    else if (label === APPLICATION) {
      repeated = loopsAt(bytes, at + 2) ?? repeated;
      profile ??= profileAt(bytes, at + 2);
    }
  }
  // Nothing but its trailer says that an animation has lost no frames, of which only the first may be left.
  const isAnimation = repeated !== undefined || frames.length > 1;
  const mayHaveBeen = blocks.at !== bytes.length && frames.some(({ delayMs }) => delayMs > 0);
  if ((isAnimation || mayHaveBeen) && !blocks.isAtTrailer) throw damaged();
  // Without an extension that says otherwise an animation plays once.
  return { frames, codedBytes, laterBytes: codedBytes - firstBytes, loops: repeated ?? 1, profile };
}

function tooManyFrames(): ApiError {
  return new ApiError(422, `The animation must have at most ${MAX_FRAMES} frames`);
}

function frameAt(bytes: Uint8Array, at: number, global: Uint8Array | undefined, control: GraphicControl): GifFrame {
  if (at + 10 >= bytes.length) throw damaged();
  const flags = bytes[at + 9]!;
  const local = flags & 0x80 ? paletteAt(bytes, at + 10, flags) : undefined;
  const codeAt = at + 10 + (local?.length ?? 0);
  const minSize = bytes[codeAt] ?? 0;
  // Up to 8 make sense; writers that say more exist, and 12 bits are the most that codes have.
  if (minSize < 1 || minSize > 11) throw damaged();
  return {
    x: uint16(bytes, at + 1),
    y: uint16(bytes, at + 3),
    width: uint16(bytes, at + 5),
    height: uint16(bytes, at + 7),
    interlaced: (flags & 0x40) !== 0,
    palette: local ?? global ?? NO_PALETTE,
    local: local !== undefined,
    minSize,
    dataOffset: codeAt + 1,
    ...control,
  };
}

function controlAt(bytes: Uint8Array, at: number): GraphicControl | undefined {
  if (at + 5 > bytes.length || bytes[at]! < 4) return undefined;
  const flags = bytes[at + 1]!;
  const method = (flags >> 2) & 7;
  return {
    // As the file says: what browsers make of 10 ms and less (100 ms) they also make of it in other formats.
    delayMs: uint16(bytes, at + 2) * 10,
    // Some writers say 4 where they mean 3, and browsers know it.
    disposal: method === 2 ? "clear" : method === 3 || method === 4 ? "restore" : "keep",
    transparent: flags & 1 ? bytes[at + 4]! : -1,
  };
}

/** Netscape's extension counts repetitions: an animation plays once more than it says. */
function loopsAt(bytes: Uint8Array, at: number): number | undefined {
  const isKnown = LOOPS.some((name) => isApplication(bytes, at, name));
  if (!isKnown || bytes[at + 12]! < 3 || bytes[at + 13] !== 1) return undefined;
  const repetitions = uint16(bytes, at + 14);
  return repetitions === 0 ? 0 : repetitions + 1;
}

const LOOPS = ["NETSCAPE2.0", "ANIMEXTS1.0"] as const;
const PROFILE = "ICCRGBG1012";

function profileAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  if (!isApplication(bytes, at, PROFILE)) return undefined;
  let length = 0;
  const counted = new SubBlocks(bytes, at + 12);
  while (counted.next()) length += counted.contentBytes;
  if (length > MAX_UNPACKED_PROFILE_BYTES) return undefined;
  const profile = new Uint8Array(length);
  const pieces = new SubBlocks(bytes, at + 12);
  // Byte by byte: a view of each piece would take a hundred times its memory where pieces have one byte.
  for (let to = 0; pieces.next();) {
    for (let from = pieces.start; from < pieces.start + pieces.contentBytes; from++) profile[to++] = bytes[from]!;
  }
  return profile;
}

/** Whether an extension of an application has this name of eleven letters. */
function isApplication(bytes: Uint8Array, at: number, name: string): boolean {
  if (bytes[at] !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (bytes[at + 1 + index] !== name.charCodeAt(index)) return false;
  return true;
}

/** Where the sub-blocks that begin at `at` end. @throws ApiError 422 where there are more than there may be */
export function skipSubBlocks(bytes: Uint8Array, at: number): number {
  let end = at;
  let left: number = PARTS.subBlocks.most;
  while (end < bytes.length && bytes[end] !== 0) {
    if (left-- === 0) throw tooManyParts(PARTS.subBlocks);
    end += bytes[end]! + 1;
  }
  return end + 1;
}

/** The sub-blocks from a place on; the last may be cut short. */
export class SubBlocks extends Walk {
  constructor(bytes: Uint8Array, from: number) {
    super(bytes, PARTS.subBlocks, from);
  }

  protected read(at: number): boolean {
    this.start = at + 1;
    this.end = this.start + this.bytes[at]!;
    return this.bytes[at] !== 0;
  }
}

function paletteAt(bytes: Uint8Array, at: number, flags: number): Uint8Array {
  const length = tableBytes(flags);
  if (at + length > bytes.length) throw damaged();
  return bytes.subarray(at, at + length);
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}
