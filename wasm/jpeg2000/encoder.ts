/** A JPEG 2000 codestream from rows of pixels, by OpenJPEG. */
import { allocated } from "../failures.ts";
import type { Turns } from "../pausing.ts";
import { WritingJob } from "./instance.ts";

export interface WriterSettings {
  readonly width: number;
  readonly height: number;
  /** 3 for color, 4 for color and alpha. */
  readonly components: 3 | 4;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Reversible: the same pixels come back. */
  readonly lossless: boolean;
  /** Packets by position first, and not by resolution. */
  readonly byPosition: boolean;
  /**
   * Quantization steps of luma, then of chroma, in levels of a sample: the lowest band, then three bands (horizontal,
   * vertical, diagonal detail) for every level, the coarsest first. Alpha is kept exactly.
   */
  readonly steps: (levels: number) => Float32Array;
}

export const BAND_ROWS = 32;

export class CodestreamWriter {
  private readonly job: WritingJob;
  private readonly stride: number;
  private readonly bandAddress: number;

  /** @throws NativeError when memory does not suffice */
  constructor(settings: WriterSettings, peakBytes: number) {
    const { width, height, components, tileWidth, tileHeight, lossless, byPosition } = settings;
    this.stride = width * 4;
    this.job = new WritingJob(peakBytes, (exports, sink) =>
      exports.writer_new(sink, width, height, components, tileWidth, tileHeight),
    );
    try {
      const steps = settings.steps(this.job.call((exports, pointer) => exports.writer_levels(pointer)));
      const at = allocated(this.job.call((exports) => exports.malloc(steps.byteLength)));
      this.job.bytes(at, steps.byteLength).set(new Uint8Array(steps.buffer));
      this.job.call((exports, pointer) => exports.writer_start(pointer, lossless ? 1 : 0, byPosition ? 1 : 0, at));
      this.job.call((exports) => exports.free(at));
      this.bandAddress = this.job.call((exports, pointer) => exports.writer_band(pointer));
    } catch (error) {
      this.job.close();
      throw error;
    }
  }

  /**
   * Takes whole rows of RGBA, at most `BAND_ROWS`. They are copied before anything else happens.
   * @throws NativeError when memory does not suffice
   */
  write(rows: Uint8Array, timeSlice: Turns): Promise<void> {
    this.job.bytes(this.bandAddress, rows.length).set(rows);
    return this.job.callPausing(timeSlice, "writer_rows", rows.length / this.stride);
  }

  /** The codestream, in pieces. */
  finish(): readonly Uint8Array[] {
    this.job.call((exports, pointer) => exports.writer_finish(pointer));
    return this.job.pieces;
  }

  /** May be called twice and at any time. */
  close(): void {
    this.job.close();
  }
}
