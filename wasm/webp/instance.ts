/** The native module of this folder, and the memory that one job may take of it. */
import { native, NativeError, type NativeExports, type NativeInstance } from "../load.ts";
import module from "./webp.wasm";

interface WebpExports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  decoder_open(bytes: number, alphaSize: number, size: number, lossless: number): number;
  decoder_headers(decoder: number): number;
  decoder_width(decoder: number): number;
  decoder_height(decoder: number): number;
  decoder_start(
    decoder: number,
    left: number,
    top: number,
    width: number,
    height: number,
    scaledWidth: number,
    scaledHeight: number,
  ): number;
  decoder_rows(decoder: number): number;
  decoder_band(decoder: number): number;
  decoder_close(decoder: number): void;
  encoder_open(
    width: number,
    height: number,
    opaque: number,
    lossless: number,
    quality: number,
    method: number,
    alphaQuality: number,
    nearLossless: number,
    exact: number,
  ): number;
  encoder_band(encoder: number): number;
  encoder_rows(encoder: number, rows: number): void;
  encoder_finish(encoder: number, limit: number, lean: number): number;
  encoder_close(encoder: number): void;
  canvas_open(width: number, height: number): number;
  canvas_close(canvas: number): void;
  canvas_draw(
    canvas: number,
    canvasWidth: number,
    x: number,
    y: number,
    width: number,
    rows: number,
    from: number,
    blend: number,
  ): void;
  canvas_clear(canvas: number, canvasWidth: number, x: number, y: number, width: number, height: number): void;
  canvas_difference(before: number, after: number, width: number, height: number, box: number): void;
  canvas_blendable(
    before: number,
    after: number,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    boxHeight: number,
  ): number;
  canvas_copy(
    before: number,
    after: number,
    width: number,
    x: number,
    y: number,
    boxWidth: number,
    rows: number,
    to: number,
  ): void;
}

export type WebpInstance = NativeInstance<WebpExports>;

/**
 * Linear memory that the idle instance may keep: what lossy pictures up to 12 megapixels and lossless ones up to 1 need.
 * Less would replace the instance after every such job, and what is replaced is collected late.
 */
const KEEP_BYTES = 52 << 20;
const NO_LIMIT = 0xffff_ffff;

/** What the encoder that is running has written; its RIFF header tells how long the file will be. */
let written = { file: new Uint8Array(0), length: 0 };

function write(piece: Uint8Array): void {
  // The first piece is, or begins with, the RIFF header, whose size leaves out its own 8 bytes.
  if (written.length === 0)
    written.file = new Uint8Array(8 + new DataView(piece.slice(4, 8).buffer).getUint32(0, true));
  written.file.set(piece, written.length);
  written.length += piece.length;
}

const webpModule = native<WebpExports>(module, {
  name: "webp",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    // Nothing: the encoder starts over.
    write: (from = 0, length = 0) => {
      if (length === 0) written = { file: new Uint8Array(0), length: 0 };
      else write(instance.bytes(from, length));
    },
  }),
});

/**
 * Runs an encoder and returns the file that it wrote.
 * @throws NativeError when it is not complete
 */
export function collect(work: () => void): Uint8Array {
  written = { file: new Uint8Array(0), length: 0 };
  try {
    work();
    if (written.length !== written.file.length) throw new NativeError("the encoder wrote less than it announced");
    return written.file;
  } finally {
    written = { file: new Uint8Array(0), length: 0 };
  }
}

/**
 * A job in the native module. It holds the instance until it is closed, and its allocations fail when they would exceed
 * the bytes it declared.
 */
export class Job {
  readonly instance: WebpInstance = webpModule.acquire();
  private readonly peakBytes: number;
  private heldBytes = 0;
  private closed = false;
  private readonly frees: ((exports: WebpExports) => void)[] = [];

  constructor(peakBytes: number) {
    this.peakBytes = peakBytes;
  }

  /**
   * Calls C within the declared memory.
   * @throws NativeError when the job is closed or the code trapped
   */
  call<T>(work: (exports: WebpExports, limit: number) => T): T {
    if (this.closed) throw new NativeError("the job is closed");
    return this.instance.run((exports) => {
      const before = exports.heap_used();
      const limit = Math.min(NO_LIMIT, before - this.heldBytes + this.peakBytes);
      exports.heap_limit(limit);
      try {
        return work(exports, limit);
      } finally {
        exports.heap_limit(NO_LIMIT);
        this.heldBytes += exports.heap_used() - before;
      }
    });
  }

  /** Makes an allocation part of the job: `free` runs when the job is closed, the last one first. */
  own(pointer: number, free: (exports: WebpExports, pointer: number) => void): number {
    if (pointer === 0) throw new NativeError("out of memory");
    this.frees.push((exports) => free(exports, pointer));
    return pointer;
  }

  /** Frees everything. May be called twice. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      for (const free of this.frees.reverse()) {
        if (!this.instance.broken) this.instance.run(free);
      }
    } finally {
      webpModule.release(this.instance);
    }
  }
}

/** Bytes that jobs hold now, and the most they held since `mark`, for tests and benchmarks. */
export function webpHeap(mark = false): { readonly used: number; readonly peak: number; readonly memory: number } {
  const instance = webpModule.acquire();
  try {
    return instance.run((exports) => {
      if (mark) exports.heap_mark();
      return { used: exports.heap_used(), peak: exports.heap_peak(), memory: exports.memory.buffer.byteLength };
    });
  } finally {
    webpModule.release(instance);
  }
}
