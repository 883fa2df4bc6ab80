/** A look at every pixel of a picture, for operations that must not miss one. */
import { parallel, type Estimate, estimated, times } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Box, turnBox } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import type { BoxFinder, Scan, Step } from "../steps/operation.ts";
import { type Plan, planSteps, storedSize } from "./plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "./planned-picture.ts";

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
