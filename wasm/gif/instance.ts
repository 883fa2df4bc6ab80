/** The native module of this folder and the duty to free what a job opened in it. */
import { Handle as ModuleHandle } from "../handle.ts";
import { native, type NativeExports } from "../load.ts";
import module from "./gif.wasm";

type Pointer = number;
type Box = [x: number, y: number, width: number, height: number];

interface GifExports extends NativeExports {
  reader_open(width: number, height: number, bandRows: number): Pointer;
  reader_close(reader: Pointer): void;
  reader_palette(reader: Pointer): Pointer;
  reader_input(reader: Pointer): Pointer;
  reader_input_bytes(): number;
  reader_pixels(reader: Pointer): Pointer;
  reader_feed(reader: Pointer, bytes: number, last: number): void;
  reader_start(reader: Pointer, ...rest: [...Box, interlaced: number, transparent: number, minSize: number]): void;
  reader_draw(reader: Pointer, rows: number): number;
  reader_drawn(reader: Pointer): number;
  reader_rows(reader: Pointer, max: number): number;
  reader_clear(reader: Pointer, ...box: Box): void;
  reader_save(reader: Pointer, ...box: Box): number;
  reader_restore(reader: Pointer, ...box: Box): void;

  writer_open(pixels: number, choice: number): Pointer;
  writer_close(writer: Pointer): void;
  writer_indices(writer: Pointer): Pointer;
  writer_others(writer: Pointer): Pointer;
  writer_colors(writer: Pointer): Pointer;
  writer_start(
    writer: Pointer,
    count: number,
    minSize: number,
    patience: number,
    colors: number,
    transparent: number,
    tolerance: number,
  ): void;
  writer_encode(writer: Pointer, pixels: number): number;

  canvas_open(width: number, height: number): Pointer;
  canvas_sharpen(pixels: Pointer, count: number): void;
  canvas_compare(
    before: Pointer,
    after: Pointer,
    width: number,
    height: number,
    tolerance: number,
    result: Pointer,
  ): void;
  canvas_settle(before: Pointer, after: Pointer, count: number, tolerance: number): void;
  canvas_clear(canvas: Pointer, width: number, ...box: Box): void;
  canvas_colors(
    before: Pointer,
    after: Pointer,
    width: number,
    ...rest: [...Box, colors: Pointer, unchanged: Pointer]
  ): number;
  canvas_cut(
    before: Pointer,
    after: Pointer,
    width: number,
    ...rest: [
      ...Box,
      palette: Pointer,
      colors: number,
      transparent: number,
      solid: number,
      indices: Pointer,
      others: Pointer,
    ]
  ): number;
}

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 16 << 20;

/** Where the call into C that is under way writes; nothing is, between calls. */
let sink: Uint8Array[] = [];

const gif = native<GifExports>(module, {
  name: "gif",
  keepBytes: KEEP_BYTES,
  forget: () => (sink = []),
  imports: (instance) => ({ write: (from = 0, length = 0) => void sink.push(instance.bytes(from, length).slice()) }),
});

/** Runs `work`, which pauses nowhere, and adds everything that C writes meanwhile to `pieces`. */
export function collect<Result>(pieces: Uint8Array[], work: () => Result): Result {
  sink = pieces;
  try {
    return work();
  } finally {
    sink = [];
  }
}

/** Something opened in this module, and the duty to close it once. */
export class Handle extends ModuleHandle<GifExports> {
  /** @throws NativeError when memory ran out */
  constructor(open: (exports: GifExports) => Pointer, free: (exports: GifExports, pointer: Pointer) => void) {
    super(gif, open, free);
  }
}
