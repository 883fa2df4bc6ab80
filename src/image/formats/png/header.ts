/** What a PNG file says before and beside its pixels. */
import { COLOR_TYPE, type ColorType, type PngHeader } from "../../../../wasm/pixels/png-header.ts";
import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";
import { MAX_UNPACKED_PROFILE_BYTES } from "../../../limits/isolate.ts";
import { MAX_FRAMES } from "../../../limits/pictures.ts";
import { type Primaries, profileOfCodePoints, profileOfPrimaries } from "../../color/code-points.ts";
import type { Box } from "../../pixels/geometry.ts";
import { Chunks, damaged, isPng, TYPE, viewOf } from "./chunks.ts";

const MAX_PALETTE_COLORS = 256;

/** What is left of a frame's region when the next one is drawn (fcTL dispose_op). */
export const DISPOSE = { none: 0, background: 1, previous: 2 } as const;
/** Whether a frame replaces the canvas or is laid over it (fcTL blend_op). */
export const BLEND = { source: 0, over: 1 } as const;

export interface FrameHeader {
  /** Where it lies on the canvas. */
  readonly box: Box;
  readonly delayMs: number;
  readonly dispose: number;
  readonly blend: number;
  /** Where the first of its IDAT or fdAT chunks begins. */
  readonly dataOffset: number;
}

export interface PngFile extends PngHeader {
  /** RGB, three bytes per color. */
  readonly palette?: Uint8Array;
  /** The data of tRNS. */
  readonly transparency?: Uint8Array;
  /** The exponent of gAMA, when it alone says what the samples mean. */
  readonly gamma?: number;
  /** The profile that gAMA and cHRM stand for, where they together say what the samples mean. */
  readonly chunkProfile?: Uint8Array;
  /** The data of iCCP, compressed. */
  readonly embeddedProfile?: Uint8Array;
  /** The color primaries and the transfer function that cICP names (ITU-T H.273). */
  readonly codePoints?: readonly [primaries: number, transfer: number];
  /** The data of eXIf: a TIFF header and what follows. */
  readonly exif?: Uint8Array;
  /** Where the first IDAT chunk begins. */
  readonly dataOffset: number;
  /** Bytes of compressed pixels, of all frames. */
  readonly codedBytes: number;
  /** Of these, what frames after the first take. */
  readonly laterBytes: number;
  /** Frames of the animation; empty in a still picture. */
  readonly frames: readonly FrameHeader[];
  /** How often the animation plays; 0 is for ever. */
  readonly loops: number;
}

/** Chunks whose damage cannot be ignored. */
const CRITICAL: ReadonlySet<number> = new Set([TYPE.IHDR, TYPE.PLTE, TYPE.acTL, TYPE.fcTL]);
/** Samples may have these depths. */
const DEPTHS: Readonly<Record<ColorType, readonly number[]>> = {
  [COLOR_TYPE.gray]: [1, 2, 4, 8, 16],
  [COLOR_TYPE.rgb]: [8, 16],
  [COLOR_TYPE.palette]: [1, 2, 4, 8],
  [COLOR_TYPE.grayAlpha]: [8, 16],
  [COLOR_TYPE.rgba]: [8, 16],
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
interface Reading extends Mutable<Partial<PngFile>> {
  /** What cHRM says. */
  primaries?: Primaries;
  animated: boolean;
  /** How many frames the file says it has. */
  declaredFrames: number;
  /** Whether the file has its last chunk. */
  ended: boolean;
  /** Chunks of frames so far, which are numbered; -1 once one was missing or damaged. */
  numbered: number;
  /** How many headers of frames there were, whether or not a frame followed. */
  announced: number;
  hasSrgb: boolean;
  pending: Omit<FrameHeader, "dataOffset"> | null;
  frames: FrameHeader[];
  codedBytes: number;
  laterBytes: number;
}

/**
 * Reads every chunk but the pixels, text and what else does not matter; compressed chunks are left compressed.
 * @throws ApiError 422
 */
export function readFile(bytes: Uint8Array): PngFile {
  if (!isPng(bytes)) throw damaged("it has no signature");
  const header = readHeader(bytes);
  const file: Reading = {
    ...header,
    frames: [],
    codedBytes: 0,
    laterBytes: 0,
    loops: 0,
    animated: false,
    declaredFrames: 0,
    ended: false,
    numbered: 0,
    announced: 0,
    hasSrgb: false,
    pending: null,
  };
  const chunks = new Chunks(bytes);
  while (chunks.next()) {
    const { type } = chunks;
    file.ended = type === TYPE.IEND;
    if (file.ended) break;
    if (type === TYPE.fcTL || type === TYPE.fdAT) noteNumber(file, chunks);
    const known = READERS[type];
    if (known) {
      if (chunks.isIntact) known(file, chunks);
      else if (CRITICAL.has(type)) throw damaged("a header is incomplete or has a wrong checksum");
    } else if (type === TYPE.IDAT || type === TYPE.fdAT) {
      noteData(file, type, chunks.at);
      file.codedBytes += chunks.dataBytes;
      if (file.frames.length > 1) file.laterBytes += chunks.dataBytes;
    }
  }
  const { dataOffset, embeddedProfile } = file;
  if (dataOffset === undefined) throw damaged("it has no pixels");
  if (header.type === COLOR_TYPE.palette && !file.palette) throw damaged("its palette is missing");
  const frames = file.animated ? file.frames : [];
  // The number of a file that is whole otherwise, or that is more than any file has, was never filled in: browsers play what is
  // there.
  const isCut = (!file.ended || file.numbered < 0) && file.declaredFrames <= MAX_FRAMES;
  if (frames.length < file.declaredFrames && isCut) throw damaged("frames are missing");
  const { pending: _, animated: _a, declaredFrames: _d, ended: _e, numbered: _s, announced: _n, ...known } = file;
  const { hasSrgb, gamma, primaries, ...rest } = known;
  const isAlone = gamma !== undefined && gamma > 0 && !hasSrgb && !embeddedProfile;
  const chunkProfile = isAlone && primaries && !isGray(header) && profileOfPrimaries(primaries, 1 / gamma);
  return {
    ...rest,
    ...header,
    dataOffset,
    frames,
    loops: file.loops ?? 0,
    ...(chunkProfile ? { chunkProfile } : isAlone && { gamma }),
  };
}

function readHeader(bytes: Uint8Array): PngHeader {
  const chunks = new Chunks(bytes);
  if (!chunks.next() || chunks.type !== TYPE.IHDR || chunks.dataBytes !== 13) throw damaged("its header is missing");
  const { data } = chunks;
  const view = viewOf(data);
  const type = data[9] as ColorType;
  const depth = data[8]!;
  const header = { width: view.getUint32(0), height: view.getUint32(4), depth, type, interlaced: data[12] === 1 };
  if (!DEPTHS[type]?.includes(depth)) throw damaged("its color type and depth do not exist");
  if (data[10] || data[11] || data[12]! > 1) throw damaged("its compression does not exist");
  if (header.width === 0 || header.height === 0) throw new ApiError(422, "The image has no pixels");
  if (header.width > 0x7fffffff || header.height > 0x7fffffff) throw damaged("its size is impossible");
  return header;
}

/** Chunks of frames begin with their number, counted from 0 (APNG, "Sequence Numbers"). The data of frames is checked when read. */
function noteNumber(file: Reading, chunk: Chunks): void {
  const isNext = chunk.dataBytes >= 4 && viewOf(chunk.data).getUint32(0) === file.numbered;
  file.numbered = isNext && (chunk.type === TYPE.fdAT || chunk.isIntact) ? file.numbered + 1 : -1;
}

/** Notes where the pixels of the picture, or of the frame that was announced last, begin. */
function noteData(file: Reading, type: number, offset: number): void {
  if (type === TYPE.IDAT) file.dataOffset ??= offset;
  if (!file.pending) return;
  file.frames.push({ ...file.pending, dataOffset: offset });
  file.pending = null;
  if (file.frames.length > MAX_FRAMES) throw tooManyFrames();
}

function tooManyFrames(): ApiError {
  return new ApiError(422, `The animation must have at most ${MAX_FRAMES} frames`);
}

/** How each chunk is taken up. They stand where the specification wants them: what comes too late is ignored. */
const READERS: Readonly<Record<number, (file: Reading, chunk: Pick<Chunks, "data">) => void>> = {
  [TYPE.IHDR]: () => {},
  [TYPE.PLTE](file, { data }) {
    if (data.length === 0 || data.length % 3 || data.length > MAX_PALETTE_COLORS * 3) throw damaged("its palette");
    file.palette ??= data;
  },
  [TYPE.tRNS](file, { data }) {
    const least = file.type === COLOR_TYPE.rgb ? 6 : file.type === COLOR_TYPE.gray ? 2 : 1;
    if (data.length >= least && data.length <= MAX_PALETTE_COLORS) file.transparency ??= data;
  },
  [TYPE.gAMA](file, { data }) {
    if (data.length === 4) file.gamma = viewOf(data).getUint32(0) / 100_000;
  },
  [TYPE.cHRM](file, { data }) {
    if (data.length !== 32) return;
    const numbers = Array.from({ length: 8 }, (_, index) => viewOf(data).getUint32(index * 4) / 100_000);
    const at = (index: number) => [numbers[index] ?? 0, numbers[index + 1] ?? 0] as const;
    file.primaries ??= { white: at(0), red: at(2), green: at(4), blue: at(6) };
  },
  [TYPE.sRGB](file) {
    file.hasSrgb = true;
  },
  [TYPE.cICP](file, { data }) {
    file.hasSrgb = true;
    // 11.3.2.6: RGB, so no matrix; samples of less than the full range are not understood.
    if (data.length === 4 && data[2] === 0 && data[3] === 1) file.codePoints ??= [data[0]!, data[1]!];
  },
  [TYPE.iCCP](file, { data }) {
    file.embeddedProfile ??= data;
  },
  [TYPE.eXIf](file, { data }) {
    file.exif ??= data;
  },
  [TYPE.acTL](file, { data }) {
    if (data.length !== 8 || file.dataOffset !== undefined) return;
    file.animated = true;
    file.declaredFrames = viewOf(data).getUint32(0);
    file.loops = viewOf(data).getUint32(4);
  },
  [TYPE.fcTL](file, { data }) {
    if (++file.announced > MAX_FRAMES + 1) throw tooManyFrames();
    if (file.animated) file.pending = readFrameHeader(data, file as PngHeader);
  },
};

function readFrameHeader(data: Uint8Array, canvas: PngHeader): Omit<FrameHeader, "dataOffset"> {
  if (data.length !== 26) throw damaged("a frame's header has the wrong length");
  const view = viewOf(data);
  const box = { width: view.getUint32(4), height: view.getUint32(8), x: view.getUint32(12), y: view.getUint32(16) };
  if (box.width === 0 || box.height === 0) throw damaged("a frame has no pixels");
  if (box.x + box.width > canvas.width || box.y + box.height > canvas.height)
    throw damaged("a frame leaves the canvas");
  // APNG: a denominator of 0 stands for 100.
  const delayMs = Math.round((view.getUint16(20) * 1000) / (view.getUint16(22) || 100));
  return { box, delayMs, dispose: data[24]!, blend: data[25]! };
}

/**
 * The ICC profile of a file: what cICP stands for, which takes precedence (4.3), or else the one that is embedded, or what
 * gAMA and cHRM say together.
 */
export function readProfile(file: PngFile): Uint8Array | undefined {
  const { codePoints, embeddedProfile, chunkProfile } = file;
  const named = codePoints && profileOfCodePoints(...codePoints, isGray(file));
  if (named) return named === "srgb" ? undefined : named;
  return embeddedProfile ? inflateProfile(embeddedProfile) : chunkProfile;
}

function isGray({ type }: PngHeader): boolean {
  return type === COLOR_TYPE.gray || type === COLOR_TYPE.grayAlpha;
}

/** The ICC profile of an iCCP chunk; undefined when it is damaged or too large to be one. */
function inflateProfile(data: Uint8Array | undefined): Uint8Array | undefined {
  const nameEnd = data?.indexOf(0) ?? -1;
  if (!data || nameEnd < 1 || nameEnd > 79) return undefined;
  try {
    return new Uint8Array(
      zlib().inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: MAX_UNPACKED_PROFILE_BYTES }),
    );
  } catch {
    return undefined;
  }
}
