/** The native module of this folder, and the memory that one job may take of it. */
import { Handle } from "../handle.ts";
import { native, type NativeExports } from "../load.ts";
import module from "./jpeg2000.wasm";

export interface Jpeg2000Exports extends NativeExports {
  heap_used(): number;
  heap_peak(): number;
  heap_mark(): void;
  heap_limit(bytes: number): void;
  reader_new(source: number, size: number, reduce: number): number;
  reader_layout(reader: number): number;
  reader_band(reader: number, pixels: number): number;
  reader_area(
    reader: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    at: number,
    stride: number,
  ): void;
  reader_close(reader: number): void;
  writer_new(width: number, height: number, components: number, tileWidth: number, tileHeight: number): number;
  writer_levels(writer: number): number;
  writer_start(writer: number, lossless: number, byPosition: number, steps: number): void;
  writer_band(writer: number): number;
  writer_rows(writer: number, count: number): void;
  writer_finish(writer: number): void;
  writer_close(writer: number): void;
}

/** Linear memory that the idle instance may keep: what pictures up to 2 megapixels need, and rows of larger ones. */
const KEEP_BYTES = 48 << 20;
const NO_LIMIT = 0xffff_ffff;

const sources = new Map<number, Uint8Array>();
let lastSource = 0;
/** What the encoder that is running has written. */
let pieces: Uint8Array[] | undefined;

const jpeg2000 = native<Jpeg2000Exports>(module, {
  name: "jpeg2000",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    pull(source = 0, from = 0, to = 0, length = 0) {
      const piece = sources.get(source)?.subarray(from, from + length);
      if (!piece) return 0;
      instance.bytes(to, piece.length).set(piece);
      return piece.length;
    },
    write(from = 0, length = 0) {
      pieces?.push(instance.bytes(from, length).slice());
    },
  }),
});

/** Something opened in the module, whose allocations fail when they would exceed the bytes it declared. */
export class Job {
  private readonly handle: Handle<Jpeg2000Exports>;
  private readonly peakBytes: number;
  private heldBytes = 0;

  constructor(peakBytes: number, open: (exports: Jpeg2000Exports) => number, close: "reader_close" | "writer_close") {
    this.peakBytes = peakBytes;
    this.handle = new Handle(
      jpeg2000,
      (exports) => this.limited(exports, () => open(exports)),
      (exports, pointer) => exports[close](pointer),
    );
  }

  /** @throws NativeError when OpenJPEG refuses its input or memory does not suffice */
  call<T>(work: (exports: Jpeg2000Exports, pointer: number) => T): T {
    return this.handle.call((exports, pointer) => this.limited(exports, () => work(exports, pointer)));
  }

  /** A view of linear memory, valid until the next call. */
  bytes(address: number, length: number): Uint8Array {
    return this.handle.bytes(address, length);
  }

  /** May be called twice. */
  close(): void {
    this.handle.close();
  }

  private limited<T>(exports: Jpeg2000Exports, work: () => T): T {
    const before = exports.heap_used();
    exports.heap_limit(Math.min(NO_LIMIT, before - this.heldBytes + this.peakBytes));
    try {
      return work();
    } finally {
      exports.heap_limit(NO_LIMIT);
      this.heldBytes += exports.heap_used() - before;
    }
  }
}

/** Makes bytes readable for native code, under the number that is returned, until `forget`. */
export function offer(bytes: Uint8Array): number {
  sources.set(++lastSource, bytes);
  return lastSource;
}

export function forget(source: number): void {
  sources.delete(source);
}

/** Runs an encoder and adds what it writes to `to`. */
export function collect<T>(to: Uint8Array[], work: () => T): T {
  pieces = to;
  try {
    return work();
  } finally {
    pieces = undefined;
  }
}

/** Bytes that jobs hold now, and the most they held since `mark`, for tests and benchmarks. */
export function jpeg2000Heap(mark = false): { readonly used: number; readonly peak: number; readonly memory: number } {
  const instance = jpeg2000.acquire();
  try {
    return instance.run((exports) => {
      if (mark) exports.heap_mark();
      return { used: exports.heap_used(), peak: exports.heap_peak(), memory: exports.memory.buffer.byteLength };
    });
  } finally {
    jpeg2000.release(instance);
  }
}
