/**
 * Rows into BMP files, bottom-up: 24 bits behind the header of Windows 3, which everything reads; 32 bits with alpha, and
 * files with a profile, behind that of Windows 5 (BITMAPINFOHEADER and BITMAPV5HEADER).
 */
import { type Estimate, estimated, NO_WORK, parallel } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Writer } from "../../codec/writer.ts";
import { bandsOf } from "../../pixels/bands.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { COMPRESSION, EMBEDDED_PROFILE, FILE_HEADER_BYTES, INFO_BYTES, strideOf, V5_BYTES } from "./header.ts";

const BAND_ROWS = 16;
/** Nanoseconds for a pixel: looked through for alpha, and written. */
const LOOK_NANOSECONDS = 1;
const WRITE_NANOSECONDS = 4;

/** Pixels of a meter where nothing is said of it: 72 of an inch. */
const USUAL_RESOLUTION = 2_835;
/** "sRGB" as a number: the colors of a file without a profile. */
const SRGB = 0x73524742;
/** LCS_GM_IMAGES: colors are to be brought to a screen as those of photographs are. */
const PERCEPTUAL = 4;
/** Red, green, blue and alpha. */
const MASKS = [0xff0000, 0xff00, 0xff, 0xff000000] as const;

interface Shape extends Pick<Extent, "width" | "height"> {
  readonly bits: 24 | 32;
  readonly profile: Uint8Array | undefined;
}

async function encode(picture: Picture, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { width, height, space } = picture;
  const shows = picture.opaque ? "all" : await whatShows(picture, timeSlice);
  const shape = { width, height, bits: shows === "all" ? 24 : 32, profile: space?.profile } as const;
  const stride = strideOf(shape);
  const start = FILE_HEADER_BYTES + headerBytes(shape);
  const file = new Uint8Array(start + stride * height + (shape.profile?.length ?? 0));
  writeHeaders(file, shape, start);
  let y = height;
  const rows = await firstFrame(picture, timeSlice);
  for await (const band of bandsOf(rows, { rows: BAND_ROWS, nanoseconds: WRITE_NANOSECONDS, timeSlice })) {
    for (let from = 0; from < band.length; from += width * 4) {
      writeRow(file, start + --y * stride, band.subarray(from, from + width * 4), shape.bits / 8);
    }
  }
  // Readers, browsers among them, take alpha that is 0 everywhere as none: what they show is white, as a page is.
  if (shows === "nothing") whiten(file.subarray(start, start + stride * height));
  if (shape.profile) file.set(shape.profile, start + stride * height);
  return file;
}

/** Whether all of a picture is opaque, nothing of it shows, or something between. */
async function whatShows(picture: Picture, timeSlice: TimeSlice): Promise<"all" | "nothing" | "some"> {
  let [every, any] = [255, 0];
  const rows = await firstFrame(picture, timeSlice);
  for await (const band of bandsOf(rows, { rows: BAND_ROWS, nanoseconds: LOOK_NANOSECONDS, timeSlice })) {
    for (let at = 3; at < band.length; at += 4) {
      every &= band[at]!;
      any |= band[at]!;
    }
    if (every !== 255 && any !== 0) return "some";
  }
  return every === 255 ? "all" : "nothing";
}

function whiten(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += 4) pixels.fill(255, at, at + 3);
}

function writeRow(file: Uint8Array, start: number, row: Uint8Array, pixelBytes: number): void {
  for (let from = 0, to = start; from < row.length; from += 4, to += pixelBytes) {
    file[to] = row[from + 2]!;
    file[to + 1] = row[from + 1]!;
    file[to + 2] = row[from]!;
    if (pixelBytes === 4) file[to + 3] = row[from + 3]!;
  }
}

function headerBytes({ bits, profile }: Pick<Shape, "bits" | "profile">): number {
  return bits === 32 || profile ? V5_BYTES : INFO_BYTES;
}

function writeHeaders(file: Uint8Array, shape: Shape, start: number): void {
  const { width, height, bits, profile } = shape;
  const view = new DataView(file.buffer);
  const pixelsBytes = strideOf(shape) * height;
  const size = headerBytes(shape);
  const set32 = (at: number, number: number) => view.setUint32(at, number, true);
  file.set([0x42, 0x4d]);
  set32(2, file.length);
  set32(10, start);
  const at = FILE_HEADER_BYTES;
  set32(at, size);
  set32(at + 4, width);
  set32(at + 8, height);
  view.setUint16(at + 12, 1, true);
  view.setUint16(at + 14, bits, true);
  set32(at + 16, bits === 32 ? COMPRESSION.bitfields : COMPRESSION.none);
  set32(at + 20, pixelsBytes);
  set32(at + 24, USUAL_RESOLUTION);
  set32(at + 28, USUAL_RESOLUTION);
  if (size < V5_BYTES) return;
  if (bits === 32) for (const [index, mask] of MASKS.entries()) set32(at + 40 + index * 4, mask);
  set32(at + 56, profile ? EMBEDDED_PROFILE : SRGB);
  set32(at + 108, PERCEPTUAL);
  if (!profile) return;
  set32(at + 112, size + pixelsBytes);
  set32(at + 116, profile.length);
}

/** The estimate of writing, the file included. */
function estimate({ width, height, opaque, space }: Extent): Estimate {
  const pixels = width * height;
  const bytes = strideOf({ width, bits: opaque ? 24 : 32 }) * height + V5_BYTES + (space?.profile.length ?? 0);
  const looking = opaque ? NO_WORK : estimated(0, pixels, LOOK_NANOSECONDS);
  return parallel(looking, estimated(bytes, pixels, WRITE_NANOSECONDS));
}

export const write = {
  estimate,
  readings: ({ opaque }) => (opaque ? 1 : 2),
  encode: (picture, _settings, timeSlice) => encode(picture, timeSlice),
  qualities: { step: 1 },
  variants: [{}],
  maxScoredPixels: 0,
} satisfies Writer;
