/**
 * Rows into TIFF files (TIFF 6.0; Adobe Photoshop TIFF Technical Notes of 2002 for deflate): strips as they come, and the
 * directory behind them. Each strip is compressed in one call of the runtime's zlib, which is short enough to be one:
 * native code would do no more.
 */
import { type Estimate, estimated, held, parallel } from "../../../../wasm/estimate.ts";
import { zlib } from "../../../../wasm/zlib.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { fileShare, lessWhereFlat } from "../../codec/complexity.ts";
import { GrowingFile } from "../../codec/growing-file.ts";
import type { Writer } from "../../codec/writer.ts";
import { grayProfileOf, type Space } from "../../color/space.ts";
import { TIFF_HEADER_BYTES, writeHeader, directoryBytes, writeDirectory } from "../../metadata/directories.ts";
import { bandsOf } from "../../pixels/bands.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { bytesPerPixel, type Rows } from "../../pixels/rows.ts";
import { directoryOf, type Representation } from "./representation.ts";
import { difference, needsOf, pack, type SampleArray, samplesFor, samplesOf } from "./samples.ts";

/** Bytes of a strip as they are compressed: about 5 ms, and of larger ones files are hardly smaller. */
const STRIP_BYTES = 128 << 10;
/** Of photographs, 4 takes half the time for 3 to 10 % more bytes, and 9 up to ten times as long for up to 9 % fewer. */
const LEVEL = 6;
/** Strips of a picture on which a predictor is tried, and by which the size of the file is known beforehand. */
const SAMPLED_STRIPS = 8;
/** What a file may take beyond what its sample says before it has to be moved. */
const MARGIN = 1.08;
const MARGIN_BYTES = 64 << 10;

/** Rows of a picture, as many of them as a strip has. */
interface Strips extends Size {
  readonly rows: number;
  readonly sixteenBit: true | undefined;
}

function stripsOf({ width, height, sixteenBit }: Pick<Rows, "width" | "height" | "sixteenBit">): Strips {
  const rows = Math.max(1, Math.floor(STRIP_BYTES / (width * bytesPerPixel({ sixteenBit }))));
  return { width, height, rows: Math.min(rows, height), sixteenBit };
}

/** All strips of a picture, RGBA; a strip is valid until the next is asked for. */
async function* eachStrip(rows: Rows, strips: Strips, timeSlice: TimeSlice): AsyncGenerator<SampleArray, void> {
  const stride = strips.width * bytesPerPixel(rows);
  const strip = new Uint8Array(strips.rows * stride);
  let filled = 0;
  let left = strips.height * stride;
  for await (const band of bandsOf(rows, { rows: strips.rows, timeSlice })) {
    for (let from = 0; from < band.length;) {
      const piece = band.subarray(from, from + strip.length - filled);
      strip.set(piece, filled);
      from += piece.length;
      filled += piece.length;
      left -= piece.length;
      if (filled < strip.length && left > 0) continue;
      yield samplesOf(strip.subarray(0, filled), strips.sixteenBit === true);
      filled = 0;
    }
  }
}

/** What is found out of a picture before it is written. */
interface Survey {
  readonly representation: Representation;
  /** About the bytes of all strips. */
  readonly bytes: number;
}

const SURVEY_NANOSECONDS = 4;

/** Reads a picture to see what samples it needs, and which predictor makes them smaller. */
async function surveyed(picture: Picture, timeSlice: TimeSlice): Promise<Survey & { readonly strips: Strips }> {
  const rows = await firstFrame(picture, timeSlice);
  const strips = stripsOf(rows);
  const every = Math.max(1, Math.floor(Math.ceil(strips.height / strips.rows) / SAMPLED_STRIPS));
  const sample: SampleArray[] = [];
  let needs = { gray: true, opaque: true };
  let index = 0;
  for await (const strip of eachStrip(rows, strips, timeSlice)) {
    if (rows.opaque) needs = { ...needsOf(strip, { ...needs, opaque: false }), opaque: true };
    else needs = needsOf(strip, needs);
    if (index++ % every === Math.floor(every / 2) && sample.length < SAMPLED_STRIPS) sample.push(strip.slice());
    await timeSlice.spend((strip.length / 4) * SURVEY_NANOSECONDS * 1e-6);
  }
  const samples = samplesFor(needs);
  const representation = { samples, bits: strips.sixteenBit ? 16 : 8 } as const;
  let best: Survey | undefined;
  const raw = strips.width * strips.height * samples * (strips.sixteenBit ? 2 : 1);
  for (const predicts of [true, false]) {
    const tried = { ...representation, predicts };
    let [bytes, pixels] = [0, 0];
    for (const strip of sample) {
      bytes += compressed(strip, strips.width, tried).length;
      pixels += strip.length / 4;
      await timeSlice.spend(compressMs(strip.length / 4, tried));
    }
    const whole = (bytes / (pixels * samples * (strips.sixteenBit ? 2 : 1))) * raw;
    if (!best || whole < best.bytes) best = { representation: tried, bytes: whole };
  }
  if (!best) throw new RangeError("a picture without rows");
  return { ...best, strips };
}

function compressed(strip: SampleArray, width: number, { samples, predicts }: Representation): Uint8Array {
  const count = (strip.length / 4) * samples;
  const packed = strip.BYTES_PER_ELEMENT === 2 ? new Uint16Array(count) : new Uint8Array(count);
  pack(packed, strip, samples);
  if (predicts) difference(packed, width, samples);
  const bytes = new Uint8Array(packed.buffer);
  return zlib().deflateSync(bytes, { level: LEVEL, chunkSize: bytes.length + DEFLATE_MARGIN_BYTES });
}

/** What deflate adds at most to a strip that it cannot make smaller, about: it comes out in one piece. */
const DEFLATE_MARGIN_BYTES = 1_024;

/** Nanoseconds for a sample byte, predicted and compressed. */
const BYTE_NANOSECONDS = 40;

function compressMs(pixels: number, { samples, bits }: Pick<Representation, "samples" | "bits">): number {
  return (pixels * samples * (bits / 8) * BYTE_NANOSECONDS) / 1e6;
}

/** The file of a still picture, or of the first frame of another one. */
async function encode(picture: Picture, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { representation, strips, bytes } = await surveyed(picture, timeSlice);
  const profile = picture.space && profileFor(picture.space, representation);
  const file = new GrowingFile(TIFF_HEADER_BYTES + bytes * MARGIN + MARGIN_BYTES + (profile?.length ?? 0));
  file.skip(TIFF_HEADER_BYTES);
  const places: { readonly at: number; readonly bytes: number }[] = [];
  const count = Math.ceil(strips.height / strips.rows);
  for await (const strip of eachStrip(await firstFrame(picture, timeSlice), strips, timeSlice)) {
    const piece = compressed(strip, strips.width, representation);
    places.push({ at: file.length, bytes: piece.length });
    file.append(piece, places.length / count);
    await timeSlice.spend(compressMs(strip.length / 4, representation));
  }
  const directory = directoryOf({ ...strips, ...representation, places, profile });
  const at = file.length + (file.length & 1);
  const whole = file.skip(at - file.length + directoryBytes(directory));
  writeHeader(whole, at, true);
  writeDirectory(directory, at, whole, true);
  return file.finish();
}

function profileFor(space: Space, { samples }: Representation): Uint8Array | undefined {
  return samples < 3 ? grayProfileOf(space) : space.profile;
}

/** The part of its samples that a photograph takes, of 8 bits and of 16; with the margin, which is held too. */
const FILE_RATIO = { 8: 0.82, 16: 1.1 } as const;
/** The state of zlib, and strips before and after. */
const WORK_BYTES = (512 << 10) + 3 * STRIP_BYTES;
/** The part of the time that flat pictures take. */
const FLAT_SHARE = 0.3;

/** The estimate of writing, the file included. */
export function writeEstimate(picture: Extent): Estimate {
  const { width, height, opaque, bits } = picture;
  const depth = bits ? 16 : 8;
  const pixels = width * height;
  const bytes = pixels * (opaque ? 3 : 4) * (depth / 8);
  const strip = Math.max(STRIP_BYTES, width * (depth === 16 ? 8 : 4));
  const sampled = Math.min(pixels, (SAMPLED_STRIPS * strip) / (depth === 16 ? 8 : 4));
  const tried = (2 * sampled * bytes) / pixels;
  const work = parallel(
    estimated(0, pixels, SURVEY_NANOSECONDS),
    lessWhereFlat(estimated(0, bytes + tried, BYTE_NANOSECONDS), picture, FLAT_SHARE),
  );
  const stripBytes = WORK_BYTES + 3 * (strip - STRIP_BYTES);
  const file = bytes * FILE_RATIO[depth] * fileShare(picture, "exact");
  return parallel(work, held(file + Math.min(bytes * 1.34, SAMPLED_STRIPS * strip) + stripBytes));
}

export const write = {
  estimate: writeEstimate,
  readings: () => 2,
  encode: (picture, _settings, timeSlice) => encode(picture, timeSlice),
  sixteenBit: () => true,
  qualities: { step: 1 },
  variants: [{}],
  maxScoredPixels: 0,
} satisfies Writer;
