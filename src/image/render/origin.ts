/** What the formats that are tried are made from: the file, one that was packed in it, or pixels that are computed once for all. */
import { type Estimate, estimated, held, parallel } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Reservation } from "../../scheduler/held-bytes.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import { bandBytes } from "../pixels/bands.ts";
import { type Collected, collectEstimate, collectFirst, pixelBytes } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { identify } from "../plan/detect.ts";
import { type Plan, planSteps } from "../plan/plan.ts";
import { type Stored, pictureEstimate, pictureOf } from "../plan/planned-picture.ts";
import { hasPreferredWay, hasWay } from "../search/attempts.ts";
import { type EncodeOptions, keepsMoreBits } from "../search/task.ts";

/** Bytes that several read, the last of whom takes them over. */
export class HeldSource {
  private source: SharedBytes | undefined;

  /** @param source what is held until it is taken over, replaced or closed */
  constructor(source: SharedBytes) {
    this.source = source;
  }

  /** A reference for a reader, who releases it. */
  retain(): SharedBytes {
    if (!this.source) throw new Error("bytes are no longer held");
    return this.source.retain();
  }

  /** The reference that is held here, for the last reader, who releases it. */
  takeOver(): SharedBytes {
    const taken = this.retain();
    this.close();
    return taken;
  }

  /** Lets go. May be called twice, and after the bytes were taken over. */
  close(): void {
    this.source?.release();
    this.source = undefined;
  }
}

/** A picture to encode, and who holds its bytes. */
export interface Origin {
  readonly stored: Stored;
  readonly plan: Plan;
  readonly source: HeldSource;
}

/**
 * Pixels of a picture that is kept at most, 8 MB: of a larger one each format computes its own, for what is held beside
 * the work leaves less room for encoders.
 */
const MAX_KEPT_PIXELS = 2_000_000;

/** What decides from what a result is made. */
interface Wanted extends Pick<EncodeOptions, "objective" | "encoding" | "keepsMetadata"> {
  /** The formats that are tried. */
  readonly formats: readonly FormatDefinition[];
}

/**
 * The picture as it is encoded. Its pixels take the place of the file, which is let go of, once several formats are
 * searched through that would each decode it, and where its decoder takes much room beside what writes the result.
 */
export async function originFor(file: Origin, wanted: Wanted, jobLimits?: JobLimits): Promise<Origin> {
  const { stored, plan } = file;
  const picture = pictureOf(stored, plan);
  if (picture.frames > 1) return file;
  const estimate = parallel(pictureEstimate(stored, plan), collectEstimate(picture));
  if (!isolateBudget.canHold(estimate, stored.bytes.length) || jobLimits?.affords(estimate) === false) return file;
  const work = { estimate, jobLimits };
  if (isReadOften(file, picture, wanted)) {
    // Held as an original is, beside the work on it; where there is no room right now the file stays what is worked on.
    const memory = isolateBudget.tryTake(pixelBytes(picture));
    return memory ? asPixels(file, work, memory) : file;
  }
  return isInTheWay(file, picture, wanted) ? asPixels(file, work) : file;
}

/** Whether several searches would each decode the same file. */
function isReadOften({ plan }: Origin, picture: Size, { formats, objective }: Wanted): boolean {
  return formats.length > 1 && objective.kind === "smart" && plan.changesPixels && isSmall(picture);
}

function isSmall({ width, height }: Size): boolean {
  return width * height <= MAX_KEPT_PIXELS;
}

/** A decoder that takes less leaves room enough. */
const MUCH_BYTES = 16 << 20;

/**
 * Whether a decoder stands in the way of what writes the result, and its pixels alone would not: that of a small
 * picture stands in the way of other work as well. Files whose pixels may stay as they are or whose coefficients may be
 * worked on are left alone, and those that have more bits than pixels that are kept, unless nothing can be made of them.
 */
function isInTheWay({ stored, plan }: Origin, picture: Picture, { formats, ...wanted }: Wanted): boolean {
  const { format, bytes, facts } = stored;
  if (pictureEstimate(stored, plan).bytes < MUCH_BYTES) return false;
  const staysAsItIs = !plan.changesPixels && formats.includes(format);
  if (staysAsItIs || format.coefficients?.divides(bytes) === true) return false;
  const ways = { ...wanted, isLast: false };
  const pixels = {
    stored: bufferedPicture({ ...picture, opaque: !facts.alpha }, stored, { heldBytes: pixelBytes(picture) }),
    plan: planSteps(picture, []),
  };
  return formats.some((one) => {
    const fromFile = { ...ways, stored, plan, format: one };
    const fromPixels = { ...ways, ...pixels, format: one };
    if (keepsMoreBits(fromFile)) return !hasWay(fromFile) && hasWay(fromPixels);
    if (isSmall(picture) && wanted.objective.kind === "smart") return hasPreferredWay(fromPixels);
    return !hasPreferredWay(fromFile) && hasPreferredWay(fromPixels);
  });
}

/** @param memory of the pixels, where it was taken before; absent: it is taken when they are there */
async function asPixels(
  { stored, plan, source }: Origin,
  { estimate, jobLimits }: { readonly estimate: Estimate; readonly jobLimits: JobLimits | undefined },
  memory?: Reservation,
): Promise<Origin> {
  try {
    const made = await isolateBudget.run(estimate, (timeSlice) => keep(stored, plan, timeSlice, memory), jobLimits);
    const { size, bytes: held } = made;
    const heldBytes = held.bytes.length;
    if (!memory) held.attach(isolateBudget.keep(heldBytes));
    source.close();
    const kept = bufferedPicture(size, stored, { heldBytes }, made);
    return { stored: kept, plan: planSteps(size, []), source: new HeldSource(held) };
  } catch (error) {
    memory?.release();
    throw error;
  }
}

/** The pixels may still be what they were. */
function withoutUnreadable(error: unknown): null {
  if (error instanceof ApiError && error.status === 422) return null;
  throw error;
}

/** A file in place of the one that it was packed in. */
export interface Unpacked {
  readonly stored: Stored;
  /** The caller's to release. */
  readonly source: SharedBytes;
}

/**
 * The estimate of the file that was packed in an original, where a result is wanted in its format; null where there is
 * none, or no memory for it beside all that is held.
 */
export function unpackEstimate({ mime }: Pick<FormatDefinition, "mime">, stored: Stored): Estimate | null {
  const { bytes, facts, bufferedBytes = 0 } = stored;
  const { unpack } = stored.format;
  const estimate = unpack?.mime === mime ? unpack.estimate(bytes, facts) : null;
  return estimate && isolateBudget.canHold(parallel(estimate, held(bufferedBytes)), bytes.length) ? estimate : null;
}

/**
 * The file that was packed in an original, where a result is wanted in its format; null where there is none, it cannot
 * be had, or it is of another picture than the one that was planned.
 */
export async function unpackedFor(
  format: FormatDefinition,
  stored: Stored,
  jobLimits?: JobLimits,
): Promise<Unpacked | null> {
  const { bytes, facts } = stored;
  const { unpack } = stored.format;
  const estimate = unpackEstimate(format, stored);
  if (!unpack || !estimate || jobLimits?.affords(estimate) === false) return null;
  const file = await isolateBudget
    .run(estimate, (timeSlice) => unpack.run(bytes, facts, timeSlice), jobLimits)
    .catch(withoutUnreadable);
  if (!file) return null;
  const found = identify(file);
  const { width, height, orientation } = found.facts;
  const isSame = width === facts.width && height === facts.height && orientation === facts.orientation;
  if (found.format !== format || !isSame) return null;
  return {
    stored: { ...stored, ...found, heldBytes: bytes.length + file.length },
    source: SharedBytes.of(file),
  };
}

/** Pixels that are kept, and who holds them. */
export interface HeldPixels extends Pick<Collected, "size" | "open"> {
  readonly bytes: SharedBytes;
}

/**
 * Computes a picture and keeps it.
 * @param memory what was set aside for its pixels, to be given back with them
 */
export async function keep(
  stored: Stored,
  plan: Plan,
  timeSlice: TimeSlice,
  memory?: Reservation,
): Promise<HeldPixels> {
  const { size, bytes, open } = await collectFirst(pictureOf(stored, plan), timeSlice);
  return { size, open, bytes: SharedBytes.of(bytes, memory) };
}

/** To hand out a pixel. */
const NANOSECONDS_PER_PIXEL = 1;

/** Pixels as a format: decoding them is reading them. */
function formatOf(open: () => Rows): FormatDefinition {
  return {
    summary: "Pixels in memory.",
    label: "PIXELS",
    mime: "application/octet-stream",
    extensions: ["pixels"],
    can: { alpha: true, animation: false, quality: false, lossless: true, web: false },
    signature: () => false,
    read: {
      factsOf: () => notPlanned(),
      estimate: ({ width, height }) => estimated(bandBytes(width), width * height, NANOSECONDS_PER_PIXEL),
      async *open(_bytes, _facts, { box }) {
        yield { delayMs: 0, rows: open(), box };
      },
    },
  };
}

function notPlanned(): never {
  throw new Error("pixels were read before they were computed");
}

/**
 * A picture as one that is stored, to plan with before its pixels are there.
 * @param origin the file that it is made of: what it says of the pixels
 * @param holding what is held while it is worked on, itself included
 */
export function bufferedPicture(
  { width, height, opaque }: Collected["size"],
  { facts: { codedBytes, quality, depth }, space, stopwatch }: Stored,
  { heldBytes, bufferedBytes }: Pick<Stored, "heldBytes" | "bufferedBytes">,
  pixels?: HeldPixels | null,
): Stored {
  const facts: Facts = {
    width,
    height,
    orientation: 1,
    frames: 1,
    loops: 0,
    alpha: !opaque,
    colorspace: "RGB",
    interlaced: false,
    subsample: "4:4:4",
    depth,
    quality,
    ...(codedBytes !== undefined && { codedBytes }),
    ...(space && { profile: space.profile }),
  };
  return {
    bytes: pixels?.bytes.bytes ?? new Uint8Array(0),
    format: formatOf(pixels?.open ?? notPlanned),
    facts,
    isBuffered: true,
    heldBytes,
    bufferedBytes,
    space,
    stopwatch,
  };
}
