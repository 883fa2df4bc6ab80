/** The native module of this folder, and the stream of rows that each of its effects is. */
import { PAGE_BYTES } from "../estimate.ts";
import { native, type NativeInstance } from "../load.ts";
import { type Effect, openStream, WINDOW_ROWS } from "../stream.ts";
import module from "./effects.wasm";
import type { EffectsExports } from "./exports.ts";

type Pointer = number;

/** Linear memory that the idle instance may keep: what most effects need on a 12-megapixel picture. */
const KEEP_BYTES = 8 << 20;

export const effects = native<EffectsExports>(module, { name: "effects", keepBytes: KEEP_BYTES });

type Open = (exports: EffectsExports, table: (values: Float32Array | Int32Array) => Pointer) => Pointer;

/**
 * Opens an effect on rows of `width` pixels that makes rows of `resultWidth`. What `open` puts into tables is there
 * while it runs.
 * @throws NativeError when memory ran out
 */
export function openEffect(width: number, resultWidth: number, open: Open): Effect {
  return openStream(effects, width, resultWidth, (exports, instance) => withTables(exports, instance, open));
}

function withTables(exports: EffectsExports, instance: NativeInstance<EffectsExports>, open: Open): Pointer {
  const tables: Pointer[] = [];
  try {
    return open(exports, (values) => {
      const pointer = instance.allocate(values.byteLength);
      tables.push(pointer);
      instance
        .bytes(pointer, values.byteLength)
        .set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      return pointer;
    });
  } finally {
    for (const table of tables) exports.free(table);
  }
}

/** Bytes of memory that an effect holds at most: the ring, and the rows on their way in and out. */
export function effectBytes(width: number, resultWidth: number, ringRows: number, rowBytes: number): number {
  return (width + resultWidth) * 4 * WINDOW_ROWS + (ringRows + 1) * (rowBytes + 16) + PAGE_BYTES;
}
