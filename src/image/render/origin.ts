/** What the formats that are tried are made from: the file, or pixels that are computed once for all of them. */
import { type Estimate, parallel } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Reservation } from "../../scheduler/held-bytes.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { collectEstimate, pixelBytes } from "../pixels/buffered.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Picture } from "../pixels/picture.ts";
import { type Plan, planSteps } from "../plan/plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import { hasPreferredWay, hasWay } from "../search/attempts.ts";
import { type EncodeOptions, keepsMoreBits } from "../search/task.ts";
import { keep, bufferedPicture } from "./buffered-picture.ts";

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
