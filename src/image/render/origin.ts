/** What the formats that are tried are made from: the file, or pixels that are computed once for all of them. */
import { parallel } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { Allowance } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { collectEstimate, pixelBytes } from "../pixels/buffered.ts";
import type { Objective } from "../plan/output.ts";
import { type Plan, planSteps } from "../plan/plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import { keep, bufferedPicture } from "./buffered-picture.ts";
import { HeldSource } from "./held-source.ts";

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

/**
 * The picture as it is encoded: once several formats are searched through that would each decode the same file, its
 * pixels take the place of the file, which is let go of.
 */
export async function originFor(
  file: Origin,
  formats: readonly FormatDefinition[],
  objective: Objective,
  allowance?: Allowance,
): Promise<Origin> {
  const { stored, plan, source } = file;
  const picture = pictureOf(stored, plan);
  const isSmall = picture.frames === 1 && picture.width * picture.height <= MAX_KEPT_PIXELS;
  if (formats.length < 2 || objective.kind !== "smart" || !plan.changesPixels || !isSmall) return file;
  const estimate = parallel(pictureEstimate(stored, plan), collectEstimate(picture));
  if (!isolateBudget.canHold(estimate, stored.bytes.length) || allowance?.affords(estimate) === false) return file;
  // Held as an original is, beside the work on it; where there is no room right now the file stays what is worked on.
  const memory = isolateBudget.tryTake(pixelBytes(picture));
  if (!memory) return file;
  try {
    const work = (timeSlice: TimeSlice) => keep(stored, plan, timeSlice, memory);
    const { size, pixels, bytes } = await isolateBudget.run(estimate, work, allowance);
    const kept = bufferedPicture(size, stored, { heldBytes: pixelBytes(pixels) }, pixels);
    source.close();
    return { stored: kept, plan: planSteps(size, []), source: new HeldSource(bytes) };
  } catch (error) {
    memory.release();
    throw error;
  }
}
