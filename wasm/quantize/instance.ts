/** The native module of this folder and the duty to free what a job opened in it. */
import { Handle as ModuleHandle } from "../handle.ts";
import { native } from "../load.ts";
import type { QuantizeExports } from "./exports.ts";
import module from "./quantize.wasm";

type Pointer = number;

/** Rows that a histogram and a remapper take at a time. */
export const QUANTIZE_WINDOW_ROWS = 16;

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 16 << 20;

const quantize = native<QuantizeExports>(module, { name: "quantize", keepBytes: KEEP_BYTES });

/** Something opened in this module, and the duty to close it once. */
export class Handle extends ModuleHandle<QuantizeExports> {
  /** @throws NativeError when memory ran out */
  constructor(open: (exports: QuantizeExports) => Pointer, free: (exports: QuantizeExports, pointer: Pointer) => void) {
    super(quantize, open, free);
  }
}

/** Runs work that needs `bytes` of native memory. */
export function inRoom<Result>(bytes: number, work: (room: Handle) => Result): Result {
  const room = new Handle(
    (exports) => exports.malloc(bytes),
    (exports, pointer) => exports.free(pointer),
  );
  try {
    return work(room);
  } finally {
    room.close();
  }
}
