/** Streams of rows in native modules that are built with `effects/stream.c`. */
import { Handle } from "./handle.ts";
import type { NativeExports, NativeInstance, NativeModule } from "./load.ts";

type Pointer = number;

export interface StreamExports extends NativeExports {
  stream_window(stream: Pointer): Pointer;
  stream_band(stream: Pointer): Pointer;
  stream_room(stream: Pointer): number;
  stream_commit(stream: Pointer, rows: number): void;
  stream_read(stream: Pointer, max: number): number;
  stream_close(stream: Pointer): void;
}

/** Rows that the windows of a stream hold. */
export const WINDOW_ROWS = 16;

/** Source rows are pushed, result rows are pulled. */
export interface Effect {
  /** Source rows that may be written now; 0 when result rows must be read first, or nothing more is needed. */
  room(): number;
  /** Takes whole source rows, tightly packed RGBA, at most `room`. */
  write(rows: Uint8Array): void;
  /** The next result rows, at most `max`, as far as the source rows allow; a view valid until the next call. */
  read(max: number): Uint8Array;
  close(): void;
}

/**
 * Opens a stream of `module` on rows of `width` pixels that makes rows of `resultWidth`.
 * @throws NativeError when memory ran out
 */
export function openStream<Exports extends StreamExports>(
  module: NativeModule<Exports>,
  width: number,
  resultWidth: number,
  open: (exports: Exports, instance: NativeInstance<Exports>) => Pointer,
): Effect {
  const handle = new Handle(module, open, (exports, pointer) => exports.stream_close(pointer));
  const window = handle.call((exports, pointer) => exports.stream_window(pointer));
  const band = handle.call((exports, pointer) => exports.stream_band(pointer));
  return {
    room: () => handle.call((exports, pointer) => exports.stream_room(pointer)),
    write(rows) {
      handle.bytes(window, rows.length).set(rows);
      handle.call((exports, pointer) => exports.stream_commit(pointer, rows.length / (width * 4)));
    },
    read(max) {
      const rows = handle.call((exports, pointer) => exports.stream_read(pointer, max));
      return handle.bytes(band, rows * resultWidth * 4);
    },
    close: () => handle.close(),
  };
}
