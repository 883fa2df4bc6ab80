/** A picture of a TIFF file, by libtiff: its facts, and its rows in bands. */
import { type Estimate, estimated } from "../estimate.ts";
import { fuelFor } from "../fuel/fuel.ts";
import { allocated, heapOf, native, NativeError, type NativeInstance } from "../load.ts";
import { Numbered } from "../numbered.ts";
import type { Turns } from "../pausing.ts";
import type { TiffExports } from "./exports.ts";
import module from "./tiff.wasm";

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 24 << 20;
/** What libtiff may hold to read the facts of a file; a quarter of a million strips fit. */
export const FACTS_BYTES = 4 << 20;

/** A pixel of a photograph that is compressed by Deflate or LZW, or as JPEG. */
const NANOSECONDS = 25;
/** What reader_read says when it decoded so many pixels, none of them wanted yet, and wants to be called again. */
const PAUSED = -1;
const CALL_PIXELS = 1 << 20;

/** The estimate of reading so many pixels; the memory is in the facts. */
export function readEstimate(pixels: number): Estimate {
  return estimated(0, pixels, NANOSECONDS);
}

/**
 * What libtiff may read of a file to find its facts, as a part of it, and however small it is: a directory of 4,096
 * entries that all have the same megabytes for a value would have it copy them as often.
 */
const MAX_READINGS = 2;
const FREE_READING_BYTES = 1 << 20;

function mostReadings({ length }: Uint8Array): number {
  return Math.max(MAX_READINGS * length, FREE_READING_BYTES);
}

/** Samples of a pixel that is stored as it is: four of floating point. */
const MOST_PIXEL_BYTES = 16;

/** What a reader says of such a file. */
export const SHARED_VALUES = "the values of the TIFF file share too many bytes";

/** Where a picture is in a file. */
export interface PicturePlace {
  /** Where its directory lies; 0 for the first one. */
  readonly at: number;
  /** Bytes that are read in place of those of the file. */
  readonly mended?: { readonly at: number; readonly bytes: Uint8Array } | undefined;
}

interface Source extends Pick<PicturePlace, "mended"> {
  readonly bytes: Uint8Array;
  /** Bytes that may still be read of it. */
  left: number;
}

/** The files of open readers, by the number under which C asks for their bytes. */
const sources = new Numbered<Source>();

const tiff = native<TiffExports>(module, {
  name: "tiff",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    pull(source = 0, from = 0, to = 0, length = 0) {
      const file = sources.get(instance.exports, source);
      const piece = file?.bytes.subarray(from, from + length);
      if (!file || !piece) return 0;
      file.left -= piece.length;
      // libtiff would go on with the next entry.
      if (file.left < 0) throw new NativeError(SHARED_VALUES);
      const target = instance.bytes(to, piece.length);
      target.set(piece);
      mend(target, from, file.mended);
      return piece.length;
    },
  }),
});

/** Puts other bytes into a piece of a file that begins at `from`, as far as they lie in it. */
function mend(piece: Uint8Array, from: number, mended: PicturePlace["mended"]): void {
  if (!mended) return;
  for (const [index, byte] of mended.bytes.entries()) {
    const at = mended.at + index - from;
    if (at >= 0 && at < piece.length) piece[at] = byte;
  }
}

/** What the first directory says; numbers as TIFF 6.0 defines them. */
export interface TiffFacts {
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
  readonly samples: number;
  readonly photometric: number;
  readonly compression: number;
  readonly orientation: number;
  readonly alpha: boolean;
  readonly profile: Uint8Array | undefined;
  readonly subsampling: readonly [number, number];
  /** Quantization and Huffman tables that the strips of a JPEG-compressed picture share. */
  readonly tables: Uint8Array | undefined;
  /** Memory that reading to four bytes a pixel will hold at most. */
  readonly workingBytes: number;
  /** Bits of a sample in 16-bit rows; 0 where there are none for them. */
  readonly sixteenBitBits: number;
  /** Rows that are held at a time. */
  readonly bandRows: number;
}

/** By the numbers of tiff.h. */
const OUTPUTS = ["rgba", "cmyk", "sixteenBit"] as const;
/**
 * `cmyk`: four bytes a pixel, 255 for full ink; only of pictures with inks. `sixteenBit`: RGBA16; only of those that
 * have more bits.
 */
export type TiffOutput = (typeof OUTPUTS)[number];

export class TiffReader {
  readonly facts: TiffFacts;
  private readonly instance: NativeInstance<TiffExports>;
  private readonly source: number;
  private readonly mostBytes: number;
  private pointer = 0;
  private closed = false;
  private started = false;

  /**
   * @param mostBytes of memory that libtiff may hold
   * @param pixels that are read
   * @param place of the picture
   * @throws NativeError when the file is damaged, or stored in a way that is not supported
   */
  constructor(bytes: Uint8Array, mostBytes: number, pixels: number, { at, mended }: PicturePlace = { at: 0 }) {
    this.mostBytes = mostBytes;
    this.instance = tiff.acquireAlone(fuelFor(readEstimate(pixels)));
    const source = { bytes, mended, left: mostReadings(bytes) };
    this.source = sources.add(this.instance.exports, source);
    try {
      this.pointer = this.run((exports) => exports.reader_new(this.source, bytes.length));
      allocated(this.pointer);
      this.run((exports) => exports.reader_open(this.pointer, mostBytes, at));
      this.facts = this.readFacts();
      // Strips may be the same bytes, and no blank one has more than its pixels: the estimate is that of these.
      source.left = mostReadings(bytes) + pixels * MOST_PIXEL_BYTES;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * A file that libtiff refuses takes its instance with it: it is too large to trust it with what earlier files left.
   */
  private run<T>(work: (exports: TiffExports) => T): T {
    try {
      return this.instance.run(work);
    } catch (error) {
      this.instance.broken = true;
      throw error;
    }
  }

  private readFacts(): TiffFacts {
    const { exports } = this.instance;
    const at = exports.reader_facts(this.pointer);
    const [width, height, bits, samples, photometric, compression, orientation, alpha, ...rest] = new Uint32Array(
      exports.memory.buffer,
      at,
      17,
    ) as unknown as [number, number, number, number, number, number, number, number, ...number[]];
    const [profile = 0, profileBytes = 0, h = 1, v = 1, tables = 0, tablesBytes = 0, ...last] = rest;
    const [workingBytes = 0, sixteenBitBits = 0, bandRows = 0] = last;
    const copy = (from: number, length: number) => (length > 0 ? this.instance.bytes(from, length).slice() : undefined);
    return {
      width,
      height,
      bits,
      samples,
      photometric,
      compression,
      orientation,
      workingBytes,
      sixteenBitBits,
      bandRows,
      alpha: alpha !== 0,
      profile: copy(profile, profileBytes),
      subsampling: [h, v],
      tables: copy(tables, tablesBytes),
    };
  }

  /** The next rows, at most `max`, four samples a pixel; a view valid until the next call; null at the end. */
  async read(max: number, output: TiffOutput, timeSlice: Turns, first = 0): Promise<Uint8Array | null> {
    for (;;) {
      if (this.closed) throw new Error("used after it was closed");
      if (!this.started) this.start(output, first);
      const count = this.run((exports) => exports.reader_read(this.pointer, max));
      if (count === 0) return null;
      if (count !== PAUSED) {
        const at = this.instance.exports.reader_rows(this.pointer, count);
        return this.instance.bytes(at, count * this.facts.width * (output === "sixteenBit" ? 8 : 4));
      }
      await timeSlice.spend(readEstimate(CALL_PIXELS).ms);
    }
  }

  /** Alpha of so many rows of inks that were read last, one byte a pixel; a view valid until the next call. */
  alphas(count: number): Uint8Array {
    const at = this.instance.exports.reader_alphas(this.pointer, count);
    return this.instance.bytes(at, at === 0 ? 0 : count * this.facts.width);
  }

  private start(output: TiffOutput, first: number): void {
    this.started = true;
    this.run((exports) => exports.reader_start(this.pointer, first, this.mostBytes, OUTPUTS.indexOf(output)));
  }

  /** May be called twice and at any time. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (this.pointer !== 0 && !this.instance.broken) {
        this.instance.run((exports) => exports.reader_close(this.pointer));
      }
    } finally {
      sources.take(this.instance.exports, this.source);
      tiff.release(this.instance);
    }
  }
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests. */
export function tiffHeap(mark = false): { readonly used: number; readonly peak: number } {
  return heapOf(tiff, mark);
}
