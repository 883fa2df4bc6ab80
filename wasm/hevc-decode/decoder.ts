/** Decodes still HEVC pictures with libde265. */
import { type CodedPicture, NativeStills } from "../canvas.ts";
import { type Estimate, estimated } from "../estimate.ts";
import { heapOf, native } from "../load.ts";
import type { HevcDecodeExports } from "./exports.ts";
import module from "./hevc-decode.wasm";

/** Linear memory that the idle instance may keep: what grids of any size and single pictures of 12 megapixels need. */
const KEEP_BYTES = 56 << 20;

const hevc = native<HevcDecodeExports>(module, { name: "hevc-decode", keepBytes: KEEP_BYTES });

/** One picture, as its container and its headers describe it. */
export interface HevcPicture {
  /** Parameter sets and slices, without start codes and lengths. */
  readonly units: readonly Uint8Array[];
  /** Pixels that are shown. */
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
  /** Pixels that are coded: whole blocks. */
  readonly codedPixels: number;
  /** Of a picture of alpha, what a message of its own says of its levels; absent: the video signal says it. */
  readonly alphaRange?: "full" | "limited" | undefined;
}

/** The numbers are shared with decode.cc. */
const ALPHA_RANGES = { unsaid: 0, full: 1, limited: 2 } as const;

/** Around every unit: its length before it, a zero behind it. */
const LENGTH_BYTES = 4;
const FRAME_BYTES = LENGTH_BYTES + 1;

/** A decoder for one job, which holds and takes no more than what it decodes should. */
export function openHevcStills(estimate: Estimate): NativeStills<HevcDecodeExports> {
  return new NativeStills(hevc, estimate);
}

export function hevcPicture({ units, width, height, bits, codedPixels, alphaRange }: HevcPicture): CodedPicture {
  return {
    bytes: units.reduce((sum, unit) => sum + FRAME_BYTES + unit.length, 0),
    write: (copy) => writeUnits(copy, units),
    numbers: [width, height, bits, codedPixels, ALPHA_RANGES[alphaRange ?? "unsaid"]],
    nanoseconds: PIXEL_NANOSECONDS,
  };
}

function writeUnits(target: Uint8Array, units: readonly Uint8Array[]): void {
  const view = new DataView(target.buffer, target.byteOffset, target.length);
  let at = 0;
  for (const unit of units) {
    view.setUint32(at, unit.length);
    target.set(unit, at + LENGTH_BYTES);
    at += FRAME_BYTES + unit.length;
    target[at - 1] = 0;
  }
}

/**
 * What reading the data of a pixel takes. The module counts everything else in it: a byte of data as 17 pixels, and
 * each of the passes of the filters between blocks as an eighth of one (libde265.patch).
 */
const PIXEL_NANOSECONDS = 9;
const BYTE_PIXELS = 17;
/** What memory and the filters take for each sample of luma or chroma. */
const FILTER_PIXELS = 1;
/** Bytes of what libde265 knows of each pixel besides its samples, at most. */
const NOTES_BYTES = 1.5;
const DECODER_BYTES = 1 << 20;

/** The estimate of decoding a picture, the samples left out. A payload lies in our memory and, twice, in libde265's. */
export function hevcDecodeEstimate(coded: { pixels: number; samples: number; payloadBytes: number }): Estimate {
  const { pixels, samples, payloadBytes } = coded;
  const work = pixels + samples * FILTER_PIXELS + payloadBytes * BYTE_PIXELS;
  return estimated(pixels * NOTES_BYTES + 3 * payloadBytes + DECODER_BYTES, work, PIXEL_NANOSECONDS);
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function hevcDecodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  return heapOf(hevc, mark);
}
