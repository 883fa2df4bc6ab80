/** The native module of this folder, and the bytes that flow in and out of it while a job runs. */
import { native, type NativeInstance } from "../load.ts";
import { Numbered } from "../numbered.ts";
import type { JpegExports } from "./exports.ts";
import module from "./jpeg.wasm";

export type JpegInstance = NativeInstance<JpegExports>;

interface Source {
  readonly bytes: Uint8Array;
  offset: number;
}

const sources = new Numbered<Source>();
const sinks = new Numbered<Uint8Array[]>();

/** Linear memory that the idle instance may keep: what a 24 MP picture needs, progressive input apart. */
const KEEP_BYTES = 32 << 20;

export const jpegModule = native<JpegExports>(module, {
  name: "jpeg",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    pull(id = 0, to = 0, capacity = 0) {
      const source = sources.get(instance.exports, id);
      if (!source) return 0;
      const piece = source.bytes.subarray(source.offset, source.offset + capacity);
      instance.bytes(to, piece.length).set(piece);
      source.offset += piece.length;
      return piece.length;
    },
    push(id = 0, from = 0, length = 0) {
      sinks.get(instance.exports, id)?.push(instance.bytes(from, length).slice());
    },
  }),
});

/** Makes bytes readable for C under the returned number, until `closeSource`. */
export function openSource({ exports }: JpegInstance, bytes: Uint8Array): number {
  return sources.add(exports, { bytes, offset: 0 });
}

export function closeSource({ exports }: JpegInstance, id: number): void {
  sources.take(exports, id);
}

/** Collects what C writes under the returned number, until `closeSink`. */
export function openSink({ exports }: JpegInstance): number {
  return sinks.add(exports, []);
}

/** Ends the sink and returns everything that was written to it. */
export function closeSink(instance: JpegInstance, id: number): Uint8Array {
  return closeSinks(instance, [id]);
}

/** Ends sinks and returns everything that was written to them, one after the other. */
export function closeSinks({ exports }: JpegInstance, ids: readonly number[]): Uint8Array {
  const pieces = ids.flatMap((id) => sinks.take(exports, id) ?? []);
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
