/** Packs JPEG files without loss, by libjxl: the same file can be made of the result. */
import { type Estimate, estimated } from "../estimate.ts";
import { fuelFor } from "../fuel/fuel.ts";
import type { LoneJob } from "../handle.ts";
import { allocated, NativeError } from "../load.ts";
import type { Turns } from "../pausing.ts";
import type { JxlEncodeExports } from "./exports.ts";
import { openJob } from "./instance.ts";

/** What a JPEG file is, as far as packing it goes. */
export interface Packable {
  readonly bytes: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Coefficients for each pixel: 3, or 1.5 where chroma is halved both ways, or 1. */
  readonly samples: number;
}

/** What a packed file consists of. */
export interface Packed {
  readonly codestream: readonly Uint8Array[];
  /** How the JPEG file is made of the codestream. */
  readonly rest: Uint8Array;
  /** What its EXIF segment says, and its XMP segment; empty where there is none. */
  readonly exif: Uint8Array;
  readonly xmp: Uint8Array;
}

/**
 * While coefficients are read and put away: what is held whatever the picture, segments and what compresses them
 * included, a coefficient of two bytes, what is kept of blocks, which comes when the file has gone, and the first of
 * what is put away.
 */
const READING = { fixed: 11 << 20, coefficient: 2, pixel: 0.35, byte: 0.2 };
/**
 * While codes are written: what is kept of blocks; coefficients as they were put away, sections, and the result, which
 * is there in pieces and as a whole.
 */
const WRITING = { fixed: 11 << 20, pixel: 1.8, byte: 4.1 };

/** Nanoseconds for a pixel, and for a byte of the file. */
const PIXEL_NANOSECONDS = 20;
const BYTE_NANOSECONDS = 150;

/** The estimate of packing, the result included. */
export function packEstimate({ bytes, width, height, samples }: Packable): Estimate {
  const pixels = width * height;
  const blocks = Math.max(bytes, pixels * READING.pixel);
  const reading = READING.fixed + pixels * samples * READING.coefficient + blocks + bytes * READING.byte;
  const writing = WRITING.fixed + pixels * WRITING.pixel + bytes * WRITING.byte;
  return estimated(Math.max(reading, writing), 1, pixels * PIXEL_NANOSECONDS + bytes * BYTE_NANOSECONDS);
}

/**
 * Packs a file; null where it is none that can be packed. libjxl is too large to trust an instance that has refused a file
 * with the next one.
 * @param orientation as its EXIF says, 1 to 8
 * @throws NativeError when memory does not suffice, OutOfFuel when it takes too long
 */
export async function pack(
  file: Uint8Array,
  shape: Packable,
  orientation: number,
  timeSlice: Turns,
): Promise<Packed | null> {
  const estimate = packEstimate(shape);
  const codestream: Uint8Array[] = [];
  const job = openJob(estimate.bytes, fuelFor(estimate), codestream);
  let packer = 0;
  try {
    packer = allocated(job.call((exports) => exports.pack_open(file.length, shape.width, shape.height)));
    job
      .bytes(
        job.call((exports) => exports.pack_bytes(packer)),
        file.length,
      )
      .set(file);
    if ((await job.callPausing({ timeSlice }, "pack_read", packer)) === 0) return refused(job);
    const part = (index: number): Uint8Array => {
      const [address, length] = job.call((exports) => partOf(exports, packer, index));
      return length > 0 ? job.bytes(address, length).slice() : new Uint8Array(0);
    };
    const [rest, exif, xmp] = [part(0), part(1), part(2)];
    if ((await job.callPausing({ timeSlice }, "pack_write", packer, orientation)) === 0) return refused(job);
    return { codestream, rest, exif, xmp };
  } catch (error) {
    if (error instanceof NativeError) job.giveUp();
    throw error;
  } finally {
    job.close((exports) => packer !== 0 && exports.pack_close(packer));
  }
}

function refused(job: LoneJob<JxlEncodeExports>): null {
  job.giveUp();
  return null;
}

function partOf(exports: JxlEncodeExports, packer: number, index: number): readonly [address: number, length: number] {
  return [exports.pack_part(packer, index), exports.pack_part_size(packer, index)];
}
