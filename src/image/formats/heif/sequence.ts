/** Image sequences (ISO/IEC 23008-12, section 7): a track of pictures, with another one for their alpha. */
import { canvasEstimate } from "../../../../wasm/canvas.ts";
import { parallel, type Estimate } from "../../../../wasm/estimate.ts";
import { MAX_FRAMES } from "../../../limits/pictures.ts";
import type { Facts } from "../../codec/format.ts";
import { brandsOf } from "./brands.ts";
import { child, childOf, damaged, type Fields, fullBox } from "./bytes.ts";
import type { SamplesExtent, SequenceCodec } from "./codec.ts";
import { decodeEstimate, shallowFacts } from "./facts.ts";
import { topLevel } from "./items.ts";
import { alphaOf, type HeifPicture, pictureOf } from "./picture.ts";
import { BAND_ROWS, pictureEstimate } from "./rows.ts";
import { readSamples } from "./samples.ts";
import { readTracks, type Track } from "./track.ts";

interface SequenceFrame {
  readonly delayMs: number;
  /** The units of its colors and of its alpha. */
  readonly color: Uint8Array;
  readonly alpha: Uint8Array | undefined;
}

export interface ImageSequence {
  /** The first frame, as which all others lie. */
  readonly picture: HeifPicture;
  readonly frames: readonly SequenceFrame[];
  /** How often it plays; 0 is for ever. */
  readonly loops: number;
}

/**
 * The sequence that a file shows; undefined where that is a still picture.
 * @throws ApiError 422 when it is damaged, or of a kind that is not supported
 */
export function readSequence(bytes: Uint8Array, codec: SequenceCodec): ImageSequence | undefined {
  const moov = brandsOf(bytes)[0] === codec.brand ? topLevel(bytes, "moov") : undefined;
  return moov && readFrames(bytes, moov, codec, 2);
}

/**
 * The frames of the first track of pictures; undefined where they are fewer than `least`. Of those beyond what an animation
 * may have one is read, so that whoever counts them can refuse the file.
 * @param moov the content of the box that describes tracks
 * @throws ApiError 422 when it is damaged, or of a kind that is not supported
 */
export function readFrames(
  bytes: Uint8Array,
  moov: Uint8Array,
  codec: SequenceCodec,
  least: number,
): ImageSequence | undefined {
  const items = readTracks(bytes, moov);
  const track = items.primary;
  const read = ({ stbl }: Track) => {
    const { samples } = readSamples(bytes, stbl, MAX_FRAMES + 1);
    // Samples may share bytes, and every one of them is decoded.
    items.countReading(samples.reduce((sum, sample) => sum + sample.bytes.length, 0));
    return samples;
  };
  const colors = read(track);
  if (colors.length < least) return undefined;
  const alphaItem = alphaOf(items, track);
  const alphas = alphaItem && read(items.item(alphaItem.id));
  if (alphas && alphas.length !== colors.length) throw damaged();
  const ticksPerSecond = timeScaleOf(track);
  const frames = colors.map(({ bytes: color, duration }, index) => {
    return { delayMs: (duration * 1_000) / ticksPerSecond, color, alpha: alphas?.[index]?.bytes };
  });
  return { picture: pictureOf(items, track, codec), frames, loops: loopsOf(track) };
}

/** `mdhd`: units of a second in which samples last. */
function timeScaleOf({ trak }: Track): number {
  const { version, fields } = fullBox(child(child(trak, "mdia"), "mdhd"));
  fields.piece(version === 1 ? 16 : 8);
  return fields.number(4) || 1;
}

/** Edits are repeated until the track ends. */
const REPEATED = 1;

/**
 * `elst`: how often the first edit fits into the track, which may have no end. Without one a sequence is repeated for
 * ever, as browsers do.
 */
function loopsOf({ trak }: Track): number {
  const edits = childOf(childOf(trak, "edts") ?? new Uint8Array(0), "elst");
  if (!edits) return 0;
  const { version, flags, fields } = fullBox(edits);
  if ((flags & REPEATED) === 0) return 1;
  if (fields.number(4) === 0) throw damaged();
  const once = durationOf(version, fields);
  const all = trackDurationOf(trak);
  if (once === 0) throw damaged();
  return all === Infinity ? 0 : Math.max(1, Math.ceil(all / once));
}

function trackDurationOf(trak: Uint8Array): number {
  const { version, fields } = fullBox(child(trak, "tkhd"));
  // Times, the number of the track and a field that is not used.
  fields.piece(version === 1 ? 24 : 16);
  return durationOf(version, fields);
}

/** 4 or 8 bytes; Infinity where all bits are set. */
function durationOf(version: number, fields: Fields): number {
  const numbers = Array.from({ length: version === 1 ? 2 : 1 }, () => fields.number(4));
  if (numbers.every((number) => number === 0xffff_ffff)) return Infinity;
  return numbers.reduce((sum, number) => sum * 2 ** 32 + number, 0);
}

/** The estimate of decoding all frames, whatever region of them is wanted. */
export function sequenceEstimate({ picture, frames }: ImageSequence, codec: SequenceCodec): Estimate {
  const { color, alpha, crop } = picture;
  const drawn = canvasEstimate(crop.width, crop.height * frames.length, BAND_ROWS);
  const colors = codec.sequenceEstimate(color.headers, extentOf(frames.map((frame) => frame.color)));
  if (!alpha) return parallel(colors, drawn);
  const alphas = codec.sequenceEstimate(alpha.headers, extentOf(frames.flatMap((frame) => frame.alpha ?? [])));
  return parallel(colors, alphas, drawn, drawn);
}

function extentOf(samples: readonly Uint8Array[]): SamplesExtent {
  const lengths = samples.map(({ length }) => length);
  return {
    count: lengths.length,
    largestBytes: lengths.reduce((most, length) => Math.max(most, length), 0),
    totalBytes: lengths.reduce((sum, length) => sum + length, 0),
  };
}

/** What a file says of the sequence that it shows. */
export function sequenceFacts(sequence: ImageSequence, codec: SequenceCodec): Facts {
  const { picture, frames, loops } = sequence;
  const bytesOf = ({ color, alpha }: SequenceFrame) => color.length + (alpha?.length ?? 0);
  const codedBytes = frames.reduce((sum, frame) => sum + bytesOf(frame), 0);
  const later = frames.slice(1);
  return {
    ...shallowFacts(picture, codec),
    firstEstimate: pictureEstimate(picture, codec),
    frames: frames.length,
    loops,
    codedBytes,
    later: {
      bytes: later.reduce((sum, frame) => sum + bytesOf(frame), 0),
      pixels: later.length * picture.crop.width * picture.crop.height,
    },
    ...decodeEstimate(sequenceEstimate(sequence, codec)),
  };
}
