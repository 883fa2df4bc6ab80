/** Looks at a picture before it is worked on: at a small version of it, or at every pixel that must not be missed. */
import { parallel, type Estimate, estimated, times } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Box, turnBox } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { type BoxFinder, LOOK_BYTES, LOOK_BYTES_PER_PIXEL, type Scan, type Step } from "../steps/operation.ts";
import { type Plan, planSteps, storedSize } from "./plan.ts";
import { pictureEstimate, pictureOf, type Stored } from "./planned-picture.ts";

/** The picture that `steps` make of a file, reduced until no side is longer than `maxSide` pixels. */
export function smallVersion(stored: Stored, steps: readonly Step[], maxSide: number): Plan {
  const { size } = planSteps(storedSize(stored.facts), steps);
  const factor = Math.min(1, maxSide / Math.max(size.width, size.height));
  const width = Math.max(1, Math.round(size.width * factor));
  const height = Math.max(1, Math.round(size.height * factor));
  const small = [...steps, { kind: "resize", width, height, kernel: "linear" } as const];
  return planSteps(storedSize(stored.facts), small);
}

/**
 * The estimate of looking at a small version, its pixels included.
 * @param lookMs milliseconds that the look takes once the pixels are there
 * @param pixelBytes bytes that it holds for each of them, beside LOOK_BYTES
 */
export function thumbnailEstimate(
  stored: Stored,
  small: Plan,
  lookMs: number,
  pixelBytes = LOOK_BYTES_PER_PIXEL,
): Estimate {
  const { width, height } = small.size;
  return parallel(pictureEstimate(stored, small), { bytes: width * height * pixelBytes + LOOK_BYTES, ms: lookMs });
}

interface EstimatedScan {
  /** Decoding included: whatever is decoded for a look is decoded again for the result. */
  readonly estimate: Estimate;
  readonly find: (finder: BoxFinder, timeSlice: TimeSlice) => Promise<Box | undefined>;
}

/**
 * A look at what `steps` make of a stored picture. A picture that is only turned is looked at as it lies in the file,
 * so that it need not be held, and the box is turned.
 */
export function scanOf(
  stored: Stored,
  steps: readonly Step[],
  { nanosecondsPerPixel, columnBytes }: Scan,
): EstimatedScan {
  const plan = planSteps(storedSize(stored.facts), steps);
  const { orientation, target, box } = plan.view;
  const isPlain = !target && plan.steps.length === 0;
  const lying: Plan = isPlain ? { ...plan, view: { box, orientation: 1 }, size: box } : plan;
  const { width, height } = lying.size;
  const frames = stored.firstOnly ? 1 : stored.facts.frames;
  return {
    estimate: parallel(
      pictureEstimate(stored, lying),
      times(frames, estimated(width * columnBytes, width * height, nanosecondsPerPixel)),
    ),
    async find(finder, timeSlice) {
      const found = await finder(rowsOfFrames(stored, lying, timeSlice));
      return found && isPlain ? turnBox(found, lying.size, orientation) : found;
    },
  };
}

async function* rowsOfFrames(stored: Stored, plan: Plan, timeSlice: TimeSlice): AsyncGenerator<Rows, void> {
  for await (const { rows } of pictureOf(stored, plan).open(timeSlice)) yield rows;
}
