/** Decodes still AV1 pictures with dav1d; those of sequences in sequence.ts. */
import { type CanvasExports, type CodedPicture, NativeStills } from "../canvas.ts";
import { heapOf, native } from "../load.ts";
import { type Price, priced, sequence } from "../price.ts";
import module from "./av1-decode.wasm";

/**
 * Linear memory that the idle instance may keep: what single pictures of 12 megapixels need. Less would replace the instance
 * after every such job, and what is replaced is collected late.
 */
const KEEP_BYTES = 56 << 20;

/** The functions of the module. */
export interface Av1Exports extends CanvasExports {
  sequence_open(width: number, height: number, bits: number, mostPixels: number, operatingPoint: number): number;
  /** Decodes a picture from `size` bytes, which it frees. May pause. */
  sequence_next(sequence: number, bytes: number, size: number): number;
  sequence_close(sequence: number): void;
}

const av1 = native<Av1Exports>(module, { name: "av1-decode", keepBytes: KEEP_BYTES });

/** One picture, as its container and its headers describe it. */
export interface Av1Picture {
  /** Open bitstream units that stand for themselves: sequence header and frame. */
  readonly units: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
}

/** A decoder for one job, which holds and takes no more than what it decodes should. */
export function openAv1Stills(price: Price): NativeStills<Av1Exports> {
  return new NativeStills(av1, price);
}

/** A decoder for pictures as they come; it refuses one of another size or kind. */
export function av1Picture({ units, width, height, bits }: Av1Picture): CodedPicture {
  const pixels = width * height;
  const { ms } = workPrice(pixels, units.length);
  return {
    bytes: units.length,
    write: (copy) => copy.set(units),
    numbers: [width, height, bits, pixels, 0],
    nanoseconds: (ms * 1e6) / (pixels * UNITS_PER_PIXEL),
  };
}

/** In which the module counts its work (breaths.c). */
export const UNITS_PER_PIXEL = 4;
/** Measured on photographs, from quality 80 to lossless: a pixel predicted and filtered, and a byte read. */
const PIXEL_NANOSECONDS = 30;
const BYTE_NANOSECONDS = 85;

function workPrice(pixels: number, payloadBytes: number): Price {
  return sequence(priced(0, pixels, PIXEL_NANOSECONDS), priced(0, payloadBytes, BYTE_NANOSECONDS));
}

/** Bytes of what dav1d knows of each pixel besides its samples, at most. */
const NOTES_BYTES = 1;
export const DECODER_BYTES = 2 << 20;

/** The price of decoding a picture, the samples left out. */
export function av1DecodePrice({ pixels, payloadBytes }: { pixels: number; payloadBytes: number }): Price {
  return { ...workPrice(pixels, payloadBytes), bytes: pixels * NOTES_BYTES + payloadBytes + DECODER_BYTES };
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1DecodeHeap(mark = false): ReturnType<typeof heapOf> {
  return heapOf(av1, mark);
}
