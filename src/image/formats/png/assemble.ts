/** The chunks around compressed pixels. */
import { COLOR_TYPE } from "../../../../wasm/pixels/png-header.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { GrowingFile } from "../../codec/growing-file.ts";
import type { Size } from "../../pixels/geometry.ts";
import { chunkParts, makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import { type Choice, compressed, type Source } from "./compress.ts";
import type { Representation } from "./representation.ts";

/** What is set aside for a file at first, of its raw size: of what is flat it is mostly all, of photographs a quarter. */
const FIRST_RATIO = 0.1;
const FIRST_BYTES = 4 << 10;
const RAW_BYTES = 3;

/** The whole file of pixels that are compressed while it is written: they are not held besides. */
export async function assembleMeanwhile(
  choice: Choice,
  source: Source,
  colorChunks: readonly Uint8Array[],
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height } = source;
  const begin = joined([SIGNATURE, ...headerChunks(choice.representation, source, colorChunks)]);
  const file = new GrowingFile(begin.length + width * height * RAW_BYTES * FIRST_RATIO + FIRST_BYTES);
  file.append(begin, 1);
  for await (const { piece, part } of compressed(choice, source, timeSlice)) {
    for (const bytes of chunkParts(TYPE.IDAT, piece)) file.append(bytes, part);
  }
  file.append(makeChunk(TYPE.IEND), 1);
  return file.finish();
}

/** The whole file. */
export function assemble(
  representation: Representation,
  size: Size,
  colorChunks: readonly Uint8Array[],
  pieces: readonly Uint8Array[],
): Uint8Array {
  return joined([
    SIGNATURE,
    ...headerChunks(representation, size, colorChunks),
    ...pieces.flatMap((piece) => chunkParts(TYPE.IDAT, piece)),
    makeChunk(TYPE.IEND),
  ]);
}

/** IHDR, what the colors mean, PLTE and tRNS. */
export function headerChunks(
  { type, depth, palette, key }: Representation,
  { width, height }: Size,
  colorChunks: readonly Uint8Array[],
): Uint8Array[] {
  const header = new Uint8Array(13);
  viewOf(header).setUint32(0, width);
  viewOf(header).setUint32(4, height);
  header.set([depth, type], 8);
  const chunks = [makeChunk(TYPE.IHDR, header), ...colorChunks];
  if (key) {
    const samples = type === COLOR_TYPE.gray ? [0, key[0]] : [0, key[0], 0, key[1], 0, key[2]];
    chunks.push(makeChunk(TYPE.tRNS, Uint8Array.from(samples)));
  }
  if (type !== COLOR_TYPE.palette || !palette) return chunks;
  const colors = palette.length / 4;
  const rgb = Uint8Array.from({ length: colors * 3 }, (_, at) => palette[Math.floor(at / 3) * 4 + (at % 3)]!);
  const alpha = Uint8Array.from({ length: colors }, (_, index) => palette[index * 4 + 3]!);
  const translucent = alpha.findLastIndex((value) => value < 255) + 1;
  chunks.push(makeChunk(TYPE.PLTE, rgb));
  if (translucent > 0) chunks.push(makeChunk(TYPE.tRNS, alpha.subarray(0, translucent)));
  return chunks;
}
