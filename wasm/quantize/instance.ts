/** The native module of this folder and the duty to free what a job opened in it. */
import { native, NativeError, type NativeExports, type NativeInstance } from "../load.ts";
import module from "./quantize.wasm";

type Pointer = number;

interface QuantizeExports extends NativeExports {
  histogram_open(width: number, sharp: number): Pointer;
  histogram_close(histogram: Pointer): void;
  histogram_window(histogram: Pointer): Pointer;
  histogram_add(histogram: Pointer, rows: number): void;
  histogram_colors(histogram: Pointer): number;
  histogram_transparent(histogram: Pointer): number;
  choose(histogram: Pointer, most: number, rounds: number, pixels: Pointer): number;

  remapper_open(width: number, height: number, sharp: number, strength: number): Pointer;
  remapper_close(remapper: Pointer): void;
  remapper_window(remapper: Pointer): Pointer;
  remapper_indices(remapper: Pointer): Pointer;
  remapper_palette(remapper: Pointer): Pointer;
  remapper_set(remapper: Pointer, count: number): void;
  remapper_restart(remapper: Pointer): void;
  remapper_map(remapper: Pointer, rows: number): void;
  remapper_paint(remapper: Pointer, rows: number): void;
  coordinates(pixels: Pointer, count: number, to: Pointer): void;
}

/** Rows that the windows of this module hold. */
export const WINDOW_ROWS = 16;

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 16 << 20;

const quantize = native<QuantizeExports>(module, { name: "quantize", keepBytes: KEEP_BYTES });

/** Something opened in the native module: its pointer, and the duty to close it once. */
export class Handle {
  readonly pointer: Pointer;
  private readonly instance: NativeInstance<QuantizeExports> = quantize.acquire();
  private readonly free: (exports: QuantizeExports, pointer: Pointer) => void;
  private closed = false;

  /** @throws NativeError when memory ran out */
  constructor(open: (exports: QuantizeExports) => Pointer, free: (exports: QuantizeExports, pointer: Pointer) => void) {
    this.free = free;
    try {
      this.pointer = this.instance.run(open);
      if (this.pointer === 0) throw new NativeError("out of memory");
    } catch (error) {
      quantize.release(this.instance);
      throw error;
    }
  }

  call<T>(work: (exports: QuantizeExports, pointer: Pointer) => T): T {
    if (this.closed) throw new NativeError("used after it was closed");
    return this.instance.run((exports) => work(exports, this.pointer));
  }

  /** A view of linear memory; any later opening in this module may invalidate it. */
  bytes(address: Pointer, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  /** May be called twice. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (!this.instance.broken) this.instance.run((exports) => this.free(exports, this.pointer));
    } finally {
      quantize.release(this.instance);
    }
  }
}
