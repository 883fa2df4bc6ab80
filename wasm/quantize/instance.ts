/** The native module of this folder and the duty to free what a job opened in it. */
import { Handle as ModuleHandle } from "../handle.ts";
import { native, type NativeExports } from "../load.ts";
import module from "./quantize.wasm";

type Pointer = number;

interface QuantizeExports extends NativeExports {
  histogram_open(width: number, sharp: number): Pointer;
  histogram_close(histogram: Pointer): void;
  histogram_window(histogram: Pointer): Pointer;
  histogram_add(histogram: Pointer, rows: number): void;
  histogram_colors(histogram: Pointer): number;
  histogram_transparent(histogram: Pointer): number;
  histogram_samples(histogram: Pointer): number;
  make_cuts(histogram: Pointer, most: number, samples: Pointer, cuts: Pointer): number;
  chooser_open(samples: Pointer, count: number, cuts: Pointer, cells: number): Pointer;
  chooser_refine(chooser: Pointer): number;
  chooser_settle(chooser: Pointer, exact: number): Pointer;
  chooser_close(chooser: Pointer): void;

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
