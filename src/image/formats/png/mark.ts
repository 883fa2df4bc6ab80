/** The mark of a PNG file: a chunk of one byte, which editors drop when they change pixels. */
import { joined } from "../../../joined.ts";
import type { Marker } from "../../codec/format.ts";
import { Chunks, makeChunk, TYPE } from "./chunks.ts";

/** Signature and IHDR. */
const HEADER_END = 33;

function write(bytes: Uint8Array, score: number): Uint8Array {
  const chunk = makeChunk(TYPE.drKM, Uint8Array.of(score));
  return joined([bytes.subarray(0, HEADER_END), chunk, bytes.subarray(HEADER_END)]);
}

function read(bytes: Uint8Array): number | undefined {
  const chunks = new Chunks(bytes);
  while (chunks.next() && chunks.type !== TYPE.IDAT) if (chunks.type === TYPE.drKM) return chunks.data[0];
  return undefined;
}

export const mark: Marker = { write, read };
