/** An animation as what changes from frame to frame. */
import { held, type Estimate, serial, times } from "../../../../wasm/estimate.ts";
import { Canvas, canvasBytes, lookEstimate } from "../../../../wasm/gif/canvas.ts";
import type { Rectangle } from "../../../../wasm/gif/reader.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { bandsOf } from "../../pixels/bands.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import type { Disposal } from "./blocks.ts";

/** A frame that is to be written: what it makes of the canvas. Valid until the next step. */
export interface Step {
  readonly before: Canvas;
  readonly after: Canvas;
  /** Contains everything that changes. */
  readonly box: Rectangle;
  /** What becomes of it before the next frame is drawn. */
  readonly disposal: Disposal;
  readonly delayMs: number;
}

interface Pending {
  readonly box: Rectangle;
  readonly delayMs: number;
}

/** What may become of a frame, and the canvas that would leave. */
interface Ending {
  readonly disposal: Disposal;
  readonly box: Rectangle;
  /** Pixels to be drawn by the next frame. */
  readonly changed: number;
}

export interface FrameOptions {
  /** Frames may vanish although they need not, where the next then has less to draw. */
  readonly free: boolean;
  /** The first frame is no larger than its contents: decoders do not agree what color is around it. */
  readonly cropped: boolean;
  /** Differences up to this, a sum of weighted squares of levels, are no change. */
  readonly tolerance: number;
}

const CANVASES = 4;
/** Ways through the canvases that a step takes, at most: two copies, two looks, two changes, loading, and settling. */
const LOOKS = 8;

/** The estimate of going through the steps of an animation once. */
export function stepsEstimate({ width, height, frames }: Extent): Estimate {
  const looks = times(LOOKS * frames, lookEstimate(width, height));
  return serial(held(CANVASES * canvasBytes(width, height)), looks);
}

/**
 * The steps of an animation, each once the frame after it is known: what becomes of a frame is chosen so that the next
 * one has to draw least, and so that what has to become transparent does.
 */
export async function* stepsOf(
  picture: Picture,
  options: FrameOptions,
  timeSlice: TimeSlice,
): AsyncGenerator<Step, void> {
  const { cropped, tolerance } = options;
  const { width, height } = picture;
  const canvases = Array.from({ length: CANVASES }, () => new Canvas(width, height));
  const pause = () => timeSlice.spend(lookEstimate(width, height).ms);
  try {
    let [before, after, next, spare] = canvases as [Canvas, Canvas, Canvas, Canvas];
    let pending: Pending | undefined;
    for await (const { delayMs, rows } of picture.open(timeSlice)) {
      await load(rows, next, timeSlice);
      await pause();
      if (!pending) {
        const whole = { x: 0, y: 0, width, height };
        pending = { box: cropped ? someBox(before.compare(next, 0).box) : whole, delayMs };
        [after, next] = [next, after];
        continue;
      }
      const ending = await chooseEnding({ before, after, next, spare }, pending.box, options, timeSlice);
      yield { before, after, ...ending, delayMs: pending.delayMs };
      if (ending.disposal !== "restore") [before, after] = [after, before];
      if (ending.disposal === "clear") before.clear(ending.box);
      await pause();
      const { box } = before.compare(next, tolerance);
      await pause();
      before.settle(next, tolerance);
      pending = { box: someBox(box), delayMs };
      [after, next] = [next, after];
    }
    if (pending) yield { before, after, ...pending, disposal: "keep" };
  } finally {
    for (const canvas of canvases) canvas.close();
  }
}

interface Canvases {
  readonly before: Canvas;
  readonly after: Canvas;
  readonly next: Canvas;
  readonly spare: Canvas;
}

/** A frame has at least one pixel. */
function someBox(box: Rectangle): Rectangle {
  return box.width > 0 ? box : { x: 0, y: 0, width: 1, height: 1 };
}

async function chooseEnding(
  { before, after, next, spare }: Canvases,
  box: Rectangle,
  { free, tolerance }: FrameOptions,
  timeSlice: TimeSlice,
): Promise<Ending> {
  const pause = () => timeSlice.spend(lookEstimate(next.width, next.height).ms);
  const kept = after.compare(next, tolerance);
  const keep: Ending = { disposal: "keep", box, changed: kept.changed };
  const possible = kept.lost.width === 0;
  if (possible && (!free || kept.changed === 0)) return keep;
  const endings = possible ? [keep] : [];
  await pause();
  const restored = before.compare(next, tolerance);
  if (restored.lost.width === 0) endings.push({ disposal: "restore", box, changed: restored.changed });
  // Clearing takes what has to vanish with it, if need be by a larger frame.
  const larger = kept.lost.width > 0 ? around(box, kept.lost) : box;
  await pause();
  spare.copy(after);
  spare.clear(larger);
  await pause();
  const cleared = spare.compare(next, tolerance);
  endings.push({ disposal: "clear", box: larger, changed: cleared.changed });
  return endings.reduce((best, ending) => (ending.changed < best.changed ? ending : best));
}

/** Rows that go to a canvas at a time. */
const LOAD_ROWS = 64;

async function load(rows: Rows, canvas: Canvas, timeSlice: TimeSlice): Promise<void> {
  const { width } = rows;
  let y = 0;
  for await (const band of bandsOf(rows, { rows: LOAD_ROWS, nanoseconds: lookEstimate(1, 1).ms * 1e6, timeSlice })) {
    canvas.load(y, band);
    y += band.length / (width * 4);
  }
}

function around(one: Rectangle, other: Rectangle): Rectangle {
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}
