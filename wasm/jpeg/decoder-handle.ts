/** What decoders of rows and of planes share: a job in the native module, and the coefficients that it holds. */
import { type Estimate, estimated } from "../estimate.ts";
import type { Pieces } from "../pieces.ts";
import { blockBytesOf, blockNanoseconds, blocksIn, type Layout, scanNanoseconds } from "./blocks.ts";
import type { JpegExports } from "./exports.ts";
import { closeSource, jpegModule, openSource, type JpegInstance } from "./instance.ts";

/** In pixels of the scaled picture. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const WHOLE: Region = { x: 0, y: 0, width: 0, height: 0 };
/** Where the facts of a decoder lie, as 32-bit integers. */
export const FACT = { width: 0, height: 1, band: 2, rowBytes: 4, planes: 5, size: 26 } as const;

/** Blocks that are read, or passed over, at a time. */
const PIECE_BLOCKS = 30_000;

/** A job in the native module: its handle, its input, and the duty to free both once. */
export class DecoderHandle {
  private readonly instance: JpegInstance = jpegModule.acquire();
  private readonly source: number;
  private pointer = 0;
  private closed = false;

  constructor(bytes: Uint8Array, start: (exports: JpegExports, pointer: number) => void) {
    this.source = openSource(this.instance, bytes);
    this.call((exports) => {
      this.pointer = exports.decoder_new(this.source);
      start(exports, this.pointer);
    });
  }

  /**
   * Does what comes before the first row; where that is not finished, the job is over and freed.
   * @param blockBytes bytes that a block is coded in
   */
  *prepared<Decoder>(open: () => Decoder, blockBytes?: number): Pieces<Decoder> {
    const pieceMs = (PIECE_BLOCKS * scanNanoseconds(blockBytes)) / 1e6;
    let ready = false;
    try {
      while (this.call((exports, pointer) => exports.decoder_prepare(pointer, PIECE_BLOCKS)) !== 0) yield pieceMs;
      ready = true;
      return open();
    } finally {
      if (!ready) this.close();
    }
  }

  facts(): Uint32Array {
    const { exports } = this.instance;
    return new Uint32Array(exports.memory.buffer, exports.decoder_facts(this.pointer), FACT.size);
  }

  /** Runs native code; whatever it throws, the job is over and freed. */
  call<T>(work: (exports: JpegExports, pointer: number) => T): T {
    if (this.closed) throw new Error("the decoder is closed");
    try {
      return this.instance.run((exports) => work(exports, this.pointer));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  bytes(address: number, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSource(this.instance, this.source);
    try {
      if (this.pointer && !this.instance.broken) this.instance.run((exports) => exports.decoder_close(this.pointer));
    } finally {
      jpegModule.release(this.instance);
    }
  }
}

/** Structures, input window, tables. */
export const DECODER_BYTES = 220_000;
/** The C code keeps this many bytes of coefficients; beyond that it drops high frequencies of chroma (`store.c`). */
const LARGE_STORE_BYTES = 32 << 20;
/** Pointers to a row of blocks, and what allocating it costs. */
const STORE_ROW_BYTES = 24;

/** The coefficients of every block that scaling to these sizes needs, and a map of the others (`store.c`). */
export function storeBytes(
  { width, height, components }: Pick<Layout, "width" | "height" | "components">,
  sizes: readonly number[],
  least: number,
) {
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const unitsX = Math.ceil(width / (8 * maxH));
  const unitsY = Math.ceil(height / (8 * maxV));
  let most = 8;
  const held = () =>
    components.reduce((sum, { h, v }, index) => {
      const kept = Math.min(most, sizes[index] ?? 8);
      return sum + unitsY * v * unitsX * h * (8 + 2 * kept * kept);
    }, 0);
  while (held() > LARGE_STORE_BYTES && most > least) most--;
  return held() + unitsY * components.reduce((sum, { v }) => sum + v, 0) * STORE_ROW_BYTES;
}

/** The estimate of reading what is coded, all of the picture. */
export function codedEstimate(layout: Layout): Estimate {
  const reading = blockNanoseconds(layout.multipleScans ? "readScans" : "read", blockBytesOf(layout));
  return estimated(0, blocksIn(layout), reading);
}
