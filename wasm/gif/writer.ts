/** Palette indices to the image data of a GIF frame; see write.c. */
import { type Estimate, estimated } from "../estimate.ts";
import type { Turns } from "../pausing.ts";
import { collect, Handle } from "./instance.ts";

/**
 * A pixel becomes code; where colors may be chosen, a search: of a photograph in 256 colors, and of what is flat, where
 * strings are long.
 */
const NANOSECONDS = { photograph: { exact: 24, choosy: 72 }, flat: { exact: 7, choosy: 14 } } as const;
/** Pixels that are encoded in one call: about 8 ms of the slower kind. */
const CALL_PIXELS = 1 << 17;

export interface EncodeOptions {
  /** Indices to write. */
  readonly count: number;
  /** Bits of an index: 2 to 8. */
  readonly minSize: number;
  /**
   * How long a full code table is kept: while it yields at least this share of the pixels per code that it yielded as
   * it grew. 0 clears it at once.
   */
  readonly patience: number;
  /** The transparent index, or -1. */
  readonly transparent: number;
  /** How far a pixel may be from its color; above 0 the indices are changed to what was written. */
  readonly tolerance: number;
  /** 1 of a photograph, less of what is simpler: what encoding is declared to take depends on it. */
  readonly detail?: number;
}

export class FrameWriter {
  private readonly handle: Handle;
  readonly indicesAddress: number;
  readonly othersAddress: number;
  private readonly hasChoice: boolean;
  private colors = 0;

  /**
   * A writer of frames of at most `pixels` pixels; `choice`: some of which may be one of two colors.
   * @throws NativeError when memory does not suffice
   */
  constructor(pixels: number, choice: boolean) {
    this.hasChoice = choice;
    this.handle = new Handle(
      (exports) => exports.writer_open(pixels, choice ? 1 : 0),
      (exports, pointer) => exports.writer_close(pointer),
    );
    this.indicesAddress = this.handle.call((exports, pointer) => exports.writer_indices(pointer));
    this.othersAddress = this.handle.call((exports, pointer) => exports.writer_others(pointer));
  }

  /** A view of the indices, valid until the next call. */
  indices(from: number, count: number): Uint8Array {
    return this.handle.bytes(this.indicesAddress + from, count);
  }

  /** What the indices look like, three numbers each, for choices of color: distances are those of `tolerance`. */
  setColors(colors: Float32Array): void {
    const address = this.handle.call((exports, pointer) => exports.writer_colors(pointer));
    this.handle
      .bytes(address, colors.byteLength)
      .set(new Uint8Array(colors.buffer, colors.byteOffset, colors.byteLength));
    this.colors = colors.length / 3;
  }

  /** The image data of the first `count` indices, in pieces: code size, sub-blocks and terminator. */
  async encode(
    { count, minSize, patience, transparent, tolerance, detail }: EncodeOptions,
    timeSlice: Turns,
  ): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    const isChoosy = this.hasChoice || tolerance > 0;
    this.handle.call((exports, pointer) =>
      exports.writer_start(pointer, count, minSize, patience, this.colors, transparent, tolerance),
    );
    for (let left = count, isDone = false; !isDone; left -= CALL_PIXELS) {
      await timeSlice.spend(encodeEstimate(Math.min(left, CALL_PIXELS), isChoosy, detail).ms);
      isDone = collect(
        pieces,
        () => this.handle.call((exports, pointer) => exports.writer_encode(pointer, CALL_PIXELS)) === 1,
      );
    }
    return pieces;
  }

  /** Frees everything. May be called twice. */
  close(): void {
    this.handle.close();
  }
}

/** Bytes of native memory that a writer holds: tables, and the indices with their alternatives. */
export function writerBytes(pixels: number, choice: boolean): number {
  return pixels * (choice ? 2 : 1) + 256 * 1024;
}

/**
 * The estimate of encoding so many indices once; `isChoosy` where colors may be chosen. The writer's memory is left
 * out.
 * @param detail 1 of a photograph, less of what is simpler
 */
export function encodeEstimate(pixels: number, isChoosy: boolean, detail = 1): Estimate {
  const kind = isChoosy ? "choosy" : "exact";
  const { photograph, flat } = NANOSECONDS;
  return estimated(0, pixels, flat[kind] + (photograph[kind] - flat[kind]) * detail);
}
