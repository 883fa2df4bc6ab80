/** Decodes AV1 stills and draws them into a band of RGBA rows, by dav1d. */
import { type CanvasExports, NativeCanvas, nativeHeap, type SampleMeaning } from "../canvas.ts";
import { native } from "../load.ts";
import module from "./av1-decode.wasm";

interface Av1Exports extends CanvasExports {
  picture_decode(
    bytes: number,
    size: number,
    width: number,
    height: number,
    bits: number,
    mostPixels: number,
    operatingPoint: number,
  ): number;
}

/** Linear memory that the idle instance may keep: what single pictures of 8 megapixels need. */
const KEEP_BYTES = 24 << 20;

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

/** A band of rows and the decoded pictures that are drawn into it. */
export class Av1Canvas extends NativeCanvas<Av1Exports> {
  /** @throws NativeError when memory does not suffice */
  constructor(width: number, rows: number, peakBytes: number) {
    super(av1, width, rows, peakBytes);
  }

  /** @throws NativeError when the picture is damaged or of another size, or memory does not suffice */
  decodePicture({ units, width, height, bits }: Av1Picture, colors: SampleMeaning | undefined): number {
    const decode = (exports: Av1Exports, copy: number) =>
      exports.picture_decode(copy, units.length, width, height, bits, width * height, 0);
    return this.decode(units.length, (copy) => copy.set(units), decode, colors);
  }
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function av1DecodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  return nativeHeap(av1, mark);
}
