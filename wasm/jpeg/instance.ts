/** The native module of this folder, and the bytes that flow in and out of it while a job runs. */
import { type HeapExports, native, type NativeInstance } from "../load.ts";
import { Numbered } from "../numbered.ts";
import module from "./jpeg.wasm";

export interface JpegExports extends HeapExports {
  decoder_new(source: number): number;
  decoder_start(
    decoder: number,
    output: number,
    numerator: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
  decoder_start_planes(
    decoder: number,
    eighths0: number,
    eighths1: number,
    eighths2: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void;
  decoder_show_damage(decoder: number): void;
  decoder_prepare(decoder: number, blocks: number): number;
  decoder_facts(decoder: number): number;
  decoder_read(decoder: number, most: number): number;
  decoder_skip(decoder: number, count: number): void;
  decoder_read_planes(decoder: number): number;
  decoder_color_loss(decoder: number): number;
  decoder_close(decoder: number): void;
  encoder_new(sink: number): number;
  encoder_profile(encoder: number, length: number): number;
  encoder_start(
    encoder: number,
    width: number,
    height: number,
    distance: number,
    h: number,
    v: number,
    progressive: number,
    gray: number,
    weighs: number,
    input: number,
    rows: number,
    limit: number,
  ): number;
  encoder_write(encoder: number, rows: number): void;
  encoder_color_loss(encoder: number): number;
  encoder_write_planes(encoder: number): void;
  encoder_finish(encoder: number, blocks: number): number;
  encoder_close(encoder: number): void;
  recompressor_new(sink: number): number;
  recompressor_profile(recompressor: number, length: number): number;
  recompressor_read(recompressor: number, source: number, pass: number, distance: number, most: number): number;
  recompressor_stream(
    recompressor: number,
    source: number,
    pass: number,
    distance: number,
    most: number,
    progressive: number,
  ): number;
  recompressor_tiles(recompressor: number, count: number, across: number, side: number): number;
  recompressor_step(recompressor: number, blocks: number): number;
  recompressor_turn(recompressor: number, transpose: number, flipX: number, flipY: number, blocks: number): number;
  recompressor_write(recompressor: number, progressive: number, blocks: number): number;
  recompressor_close(recompressor: number): void;
}

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
