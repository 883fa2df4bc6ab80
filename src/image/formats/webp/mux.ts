/** Writes animated WebP containers (RFC 9649, section 2.7). */
import type { Box, Size } from "../../pixels/geometry.ts";
import { chunksOf, RIFF_HEADER_BYTES } from "./container.ts";

/** A frame that is already encoded. */
export interface EncodedFrame {
  /** On the canvas; x and y are even. */
  readonly box: Box;
  /** A still WebP file. */
  readonly file: Uint8Array;
  readonly delayMs: number;
  /** To be drawn over the canvas instead of in place of it. */
  readonly blend: boolean;
}

export interface AnimationHeader {
  readonly width: number;
  readonly height: number;
  readonly alpha: boolean;
  /** 0 is for ever. */
  readonly loops: number;
}

const FLAG_ANIMATION = 0x02;
const FLAG_ALPHA = 0x10;
const NO_BLEND = 0x02;
const MAX_DELAY_MS = 0xff_ffff;
const MAX_LOOPS = 0xffff;
const ANMF_HEADER_BYTES = 16;

/** An animated WebP file. Longer delays than 4.6 hours are shortened. */
export function muxAnimation(header: AnimationHeader, frames: readonly EncodedFrame[]): Uint8Array {
  const bodies = frames.map((frame) => anmf(frame));
  const pieces = [vp8x({ ...header, animated: true }), anim(header.loops), ...bodies.flat()];
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = new Uint8Array(RIFF_HEADER_BYTES + size);
  writeHeader(file, 0, "RIFF", size + 4);
  file.set(new TextEncoder().encode("WEBP"), 8);
  let at = RIFF_HEADER_BYTES;
  for (const piece of pieces) {
    file.set(piece, at);
    at += piece.length;
  }
  return file;
}

/** The chunk with which the extended layout begins. */
export function vp8x({ width, height, alpha, animated }: Size & { alpha: boolean; animated: boolean }): Uint8Array {
  const chunk = new Uint8Array(18);
  writeHeader(chunk, 0, "VP8X", 10);
  chunk[8] = (animated ? FLAG_ANIMATION : 0) | (alpha ? FLAG_ALPHA : 0);
  writeUint24(chunk, 12, width - 1);
  writeUint24(chunk, 15, height - 1);
  return chunk;
}

/** The background color is left transparent; players ignore it. */
function anim(loops: number): Uint8Array {
  const chunk = new Uint8Array(14);
  writeHeader(chunk, 0, "ANIM", 6);
  new DataView(chunk.buffer).setUint16(12, Math.min(loops, MAX_LOOPS), true);
  return chunk;
}

function anmf({ box, file, delayMs, blend }: EncodedFrame): Uint8Array[] {
  const payloads: Uint8Array[] = [];
  const chunks = chunksOf(file);
  while (chunks.next()) if (!chunks.is("VP8X")) payloads.push(chunks.whole);
  const head = new Uint8Array(8 + ANMF_HEADER_BYTES);
  writeHeader(head, 0, "ANMF", ANMF_HEADER_BYTES + payloads.reduce((sum, payload) => sum + payload.length, 0));
  writeUint24(head, 8, box.x / 2);
  writeUint24(head, 11, box.y / 2);
  writeUint24(head, 14, box.width - 1);
  writeUint24(head, 17, box.height - 1);
  writeUint24(head, 20, Math.min(Math.round(delayMs), MAX_DELAY_MS));
  head[23] = blend ? 0 : NO_BLEND;
  return [head, ...payloads];
}

function writeHeader(bytes: Uint8Array, at: number, id: string, size: number): void {
  bytes.set(new TextEncoder().encode(id), at);
  new DataView(bytes.buffer).setUint32(at + 4, size, true);
}

function writeUint24(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 255;
  bytes[at + 1] = (value >> 8) & 255;
  bytes[at + 2] = (value >> 16) & 255;
}
