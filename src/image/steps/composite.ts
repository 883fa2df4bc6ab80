/** What is laid a picture: where it comes, and the work of laying it. */
import { parallel, NO_WORK, type Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { collectPixels, collectEstimate, pixelBytes, type Pixels, rowsOfPixels } from "../pixels/buffered.ts";
import { type Box, outerBox, type Size, whole } from "../pixels/geometry.ts";
import { type Direction, place, type Point } from "../pixels/gravity.ts";
import type { Rows } from "../pixels/rows.ts";
import { rowStep } from "./effect.ts";
import type { GainStage, Step } from "./operation.ts";
import { lay, layEstimate } from "./overlay.ts";
import { resample, resampleEstimate } from "./resample.ts";
import { mapLevels, mapLevelsEstimate } from "./tables.ts";

/** What takes no more, as it is laid on another, is made once for all frames of an animation. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** What requests say of the place of something that is laid on a picture. */
interface Placing {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly gravity?: Direction | undefined;
  /** Pixels from the edges that the direction names. */
  readonly padding: number;
}

/** The top-left corner of what is laid on a picture, in its pixels; may be outside. */
export function laidAt({ x, y, gravity = "center", padding }: Placing, laid: Size, picture: Size): Point {
  if (x !== undefined || y !== undefined) return { x: x ?? 0, y: y ?? 0 };
  const corner = place(laid, picture, gravity);
  const right = gravity.includes("left") ? padding : gravity.includes("right") ? -padding : 0;
  const down = gravity.startsWith("top") ? padding : gravity.startsWith("bottom") ? -padding : 0;
  return { x: Math.round(corner.x) + right, y: Math.round(corner.y) + down };
}

/** The part of what is laid at a corner that lies on the picture, in its own pixels; empty where none does. */
export function overlap(at: Point, laid: Size, picture: Size): Box {
  const [x, y] = [Math.max(0, -at.x), Math.max(0, -at.y)];
  const width = Math.min(laid.width, picture.width - at.x) - x;
  const height = Math.min(laid.height, picture.height - at.y) - y;
  return { x, y, width: Math.max(0, width), height: Math.max(0, height) };
}

/** What is laid on a picture, inside it. */
interface Laid {
  readonly size: Size;
  readonly at: Point;
  /** 0 to 1. */
  readonly opacity: number;
  /** Of opening it and of reading it to its end. */
  readonly estimate: Estimate;
  readonly open: (timeSlice: TimeSlice) => Promise<Rows>;
}

export function laidStep(picture: Size, laid: Laid): Step {
  const { size, at, opacity, estimate, open } = laid;
  const extent = { ...size, opaque: false };
  const isSmall = pixelBytes(extent) <= MAX_KEPT_BYTES;
  const opened = isSmall ? keptRows(open) : open;
  const all = parallel(estimate, layEstimate(picture, extent), isSmall ? collectEstimate(extent) : NO_WORK);
  const apply = (rows: Rows, timeSlice: TimeSlice) =>
    lay(rows, { ...extent, open: () => opened(timeSlice) }, at, opacity);
  return rowStep(picture, all, apply, (stage) => [laidStep(stage.map, onMap(laid, stage))]);
}

/**
 * What is laid has no gain: it would shine where the picture under it does. All pixels of a map that it touches are
 * covered.
 */
function onMap({ size, at, opacity, estimate, open }: Laid, { map, across, down, none }: GainStage): Laid {
  const place = { x: at.x * across, y: at.y * down, width: size.width * across, height: size.height * down };
  const covered = outerBox(place, map);
  const [red, green, blue] = none.map((level) => new Uint8Array(256).fill(level));
  return {
    size: { width: covered.width, height: covered.height },
    at: { x: covered.x, y: covered.y },
    opacity,
    estimate: parallel(estimate, resampleEstimate(size, covered), mapLevelsEstimate(covered)),
    open: async (timeSlice) => {
      const { width, height } = covered;
      const rows = resample(await open(timeSlice), { box: whole(size), width, height, kernel: "linear" });
      return mapLevels(rows, { ...(red && { red }), ...(green && { green }), ...(blue && { blue }) });
    },
  };
}

/** Rows that are made once and handed out as often as they are opened. */
function keptRows(open: (timeSlice: TimeSlice) => Promise<Rows>): (timeSlice: TimeSlice) => Promise<Rows> {
  let pixels: Pixels | undefined;
  return async (timeSlice) => {
    pixels ??= await collectPixels(await open(timeSlice), timeSlice);
    return rowsOfPixels(pixels);
  };
}
