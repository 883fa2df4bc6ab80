/** Decodes still AV1 pictures with dav1d; those of sequences in sequence.ts. */
import { type CodedPicture, NativeStills } from "../canvas.ts";
import { type Estimate, estimated, serial } from "../estimate.ts";
import { heapOf, native } from "../load.ts";
import type { Pace } from "../pausing.ts";
import module from "./av1-decode.wasm";
import type { Av1DecodeExports } from "./exports.ts";

/**
 * Linear memory that the idle instance may keep: what single pictures of 24 megapixels need. Less would replace the instance
 * after every such job, and what is replaced is collected late.
 */
const KEEP_BYTES = 24 << 20;

const av1 = native<Av1DecodeExports>(module, { name: "av1-decode", keepBytes: KEEP_BYTES });

/** One picture, as its container and its headers describe it. */
export interface Av1Picture {
  /** Open bitstream units that stand for themselves: sequence header and frame. */
  readonly units: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
  /** Its rows are decoded as they are wanted, where the module finds that they can be. */
  readonly byRows: boolean;
  /** Pixels of the largest of its layers. */
  readonly codedPixels: number;
  /** The operating point that is decoded, and the spatial layer of it; absent: its last one. */
  readonly point: number;
  readonly layer?: number | undefined;
}

/** Decodes stills, and the rows of those that are not decoded whole. */
class Av1Stills extends NativeStills<Av1DecodeExports> {
  override async reach(pace: Pace, picture: number, y: number, rows: number): Promise<void> {
    await this.callPausing(pace, "picture_reach", picture, y, rows);
  }
}

/** A decoder for one job, which holds and takes no more than what it decodes should. */
export function openAv1Stills(estimate: Estimate): NativeStills<Av1DecodeExports> {
  return new Av1Stills(av1, estimate);
}

/** A decoder for pictures as they come; it refuses one of another size or kind. */
export function av1Picture(picture: Av1Picture): CodedPicture {
  const { units, width, height, bits, byRows, codedPixels: pixels, point, layer = -1 } = picture;
  const { ms } = workEstimate(pixels, units.length);
  return {
    bytes: units.length,
    write: (copy) => copy.set(units),
    numbers: [width, height, bits, pixels, point, byRows ? 1 : 0, layer],
    nanoseconds: (ms * 1e6) / (pixels * UNITS_PER_PIXEL),
  };
}

/** Rows that are held of a picture that is decoded by rows, at most (rows.c). */
export const AV1_WINDOW_ROWS = 176;

/** In which the module counts its work (`breaths.c`). */
export const UNITS_PER_PIXEL = 4;
/** Measured on photographs, from quality 80 to lossless: a pixel predicted and filtered, and a byte read. */
const PIXEL_NANOSECONDS = 30;
const BYTE_NANOSECONDS = 85;

function workEstimate(pixels: number, payloadBytes: number): Estimate {
  return serial(estimated(0, pixels, PIXEL_NANOSECONDS), estimated(0, payloadBytes, BYTE_NANOSECONDS));
}

/** Bytes of what dav1d knows of each pixel besides its samples, at most; lines of samples are a part of that. */
const NOTES_BYTES = { upTo8Bits: 0.7, more: 1 } as const;
export const DECODER_BYTES = 2 << 20;

/** What a picture is decoded from. */
interface Av1Work {
  readonly pixels: number;
  /** Per sample. */
  readonly bits: number;
  readonly payloadBytes: number;
}

/** The estimate of decoding a picture, the samples left out. */
export function av1DecodeEstimate({ pixels, bits, payloadBytes }: Av1Work): Estimate {
  const notes = pixels * (bits > 8 ? NOTES_BYTES.more : NOTES_BYTES.upTo8Bits);
  return { ...workEstimate(pixels, payloadBytes), bytes: Math.ceil(notes) + payloadBytes + DECODER_BYTES };
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1DecodeHeap(mark = false): ReturnType<typeof heapOf> {
  return heapOf(av1, mark);
}
