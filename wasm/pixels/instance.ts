/** The native module of this folder. */
import { Handle as NativeHandle } from "../handle.ts";
import { native } from "../load.ts";
import type { PixelsExports } from "./exports.ts";
import module from "./pixels.wasm";

type Pointer = number;

/** Rows that the windows of this module hold. */
export const WINDOW_ROWS = 16;

/** Linear memory that the idle instance may keep: what resampling a 50-megapixel picture needs. */
const KEEP_BYTES = 16 << 20;

const pixels = native<PixelsExports>(module, { name: "pixels", keepBytes: KEEP_BYTES, isCommon: true });

/** Something opened in this module. */
export class Handle extends NativeHandle<PixelsExports> {
  /** @throws NativeError when `open` returns 0, which means that memory ran out */
  constructor(open: (exports: PixelsExports) => Pointer, free: (exports: PixelsExports, pointer: Pointer) => void) {
    super(pixels, open, free);
  }
}
