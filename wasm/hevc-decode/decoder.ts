/** Decodes still HEVC pictures and draws them into a band of RGBA rows. */
import { type CanvasExports, NativeCanvas, nativeHeap, type SampleMeaning } from "../canvas.ts";
import { native } from "../load.ts";
import module from "./hevc-decode.wasm";

interface HevcExports extends CanvasExports {
  picture_decode(bytes: number, size: number, width: number, height: number, bits: number, codedPixels: number): number;
}

/** Linear memory that the idle instance may keep: what grids of any size and single pictures of 12 megapixels need. */
const KEEP_BYTES = 56 << 20;

const hevc = native<HevcExports>(module, { name: "hevc-decode", keepBytes: KEEP_BYTES });

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
}

/** A band of rows and the decoded pictures that are drawn into it. */
export class HevcCanvas extends NativeCanvas<HevcExports> {
  /** @throws NativeError when memory does not suffice */
  constructor(width: number, rows: number, peakBytes: number) {
    super(hevc, width, rows, peakBytes);
  }

  /** @throws NativeError when the picture is damaged or of another size, or memory does not suffice */
  decodePicture({ units, width, height, bits, codedPixels }: HevcPicture, colors: SampleMeaning | undefined): number {
    const size = units.reduce((sum, unit) => sum + 4 + unit.length, 0);
    const decode = (exports: HevcExports, copy: number) =>
      exports.picture_decode(copy, size, width, height, bits, codedPixels);
    return this.decode(size, (copy) => writeUnits(copy, units), decode, colors);
  }
}

function writeUnits(target: Uint8Array, units: readonly Uint8Array[]): void {
  const view = new DataView(target.buffer, target.byteOffset, target.length);
  let at = 0;
  for (const unit of units) {
    view.setUint32(at, unit.length);
    target.set(unit, at + 4);
    at += 4 + unit.length;
  }
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function hevcDecodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  return nativeHeap(hevc, mark);
}
