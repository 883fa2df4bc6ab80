/** The chunks around compressed pixels. */
import { COLOR_TYPE } from "../../../../wasm/pixels/png-header.ts";
import { joined } from "../../../joined.ts";
import type { Size } from "../../pixels/geometry.ts";
import { chunkParts, makeChunk, SIGNATURE, TYPE, viewOf } from "./chunks.ts";
import type { Representation } from "./representation.ts";

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
