/** Decodes AV1 pictures that are predicted from those before them, with dav1d. */
import type { CodedPicture, NativeCanvas, NativeSequence, NativeStills, SampleMeaning } from "../canvas.ts";
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { allocated } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { DECODER_BYTES, UNITS_PER_PIXEL } from "./decoder.ts";
import type { Av1DecodeExports } from "./exports.ts";

/** What all pictures of a sequence have in common. */
export interface Av1SequenceShape {
  readonly width: number;
  readonly height: number;
  /** Per sample. */
  readonly bits: number;
}

/** A decoder for the pictures of one track, one after the other. */
export class Av1Sequence implements NativeSequence {
  private readonly stills: NativeStills<Av1DecodeExports>;
  private readonly pointer: number;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(stills: NativeStills<Av1DecodeExports>, { width, height, bits }: Av1SequenceShape) {
    this.stills = stills;
    this.pointer = allocated(stills.call((exports) => exports.sequence_open(width, height, bits, width * height, 0)));
  }

  async next(
    canvas: NativeCanvas,
    picture: CodedPicture,
    colors: SampleMeaning | undefined,
    timeSlice: Turns,
  ): Promise<number> {
    const copy = this.stills.copyOf(picture);
    const pace = { timeSlice, nanoseconds: picture.nanoseconds };
    const decoded = await this.stills
      .callPausing(pace, "sequence_next", this.pointer, copy, picture.bytes)
      .catch((error: unknown) => this.stills.refuse(error));
    return canvas.take(decoded, colors);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (!this.stills.isGone()) this.stills.call((exports) => exports.sequence_close(this.pointer));
  }
}

/**
 * Measured on films and drawings, with grain and without, in 8 and 10 bits: a sample that is predicted, and a byte of
 * what is left.
 */
const SAMPLE_NANOSECONDS = 9;
const BYTE_NANOSECONDS = 120;
/** What a picture takes however small it is. */
const PICTURE_MS = 0.2;
/** Bytes of what dav1d knows of each pixel of a picture that it decodes, and of one that stays, at most. */
const NOTES_BYTES = { decoded: 0.8, stays: 0.65 };

/** The work on one picture. */
export interface Av1Work {
  readonly pixels: number;
  /** Pixels of whole blocks, with which it is held. */
  readonly heldPixels: number;
  /** For each of them, chroma included. */
  readonly samplesPerPixel: number;
}

function workEstimate({ pixels, samplesPerPixel }: Av1Work, pictures: number, payloadBytes: number): Estimate {
  const predicted = estimated(0, pictures * pixels * samplesPerPixel, SAMPLE_NANOSECONDS);
  const begun = { bytes: 0, ms: pictures * PICTURE_MS };
  return parallel(begun, predicted, estimated(0, payloadBytes, BYTE_NANOSECONDS));
}

/** The next picture of a sequence as it comes. */
export function av1Sample(units: Uint8Array, work: Av1Work): CodedPicture {
  const { ms } = workEstimate(work, 1, units.length);
  return {
    bytes: units.length,
    write: (copy) => copy.set(units),
    numbers: [],
    nanoseconds: (ms * 1e6) / (work.pixels * UNITS_PER_PIXEL),
  };
}

/** Pictures that later ones may be predicted from. */
const MOST_REFERENCES = 8;

/** Pictures that are held at once of a sequence of so many, beside the one that is decoded. */
export function referencesOf(count: number): number {
  return Math.min(MOST_REFERENCES, count);
}

/** The estimate of decoding pictures of these sizes, their samples left out. */
export function av1SequenceEstimate(
  work: Av1Work,
  { count, largestBytes, totalBytes }: { count: number; largestBytes: number; totalBytes: number },
): Estimate {
  const notes = NOTES_BYTES.decoded + NOTES_BYTES.stays * referencesOf(count);
  const bytes = work.heldPixels * notes + largestBytes + DECODER_BYTES;
  return { ...workEstimate(work, count, totalBytes), bytes };
}
