/** Rotation by less than a quarter turn. */
import { type Estimate, estimated } from "../estimate.ts";
import type { Effect } from "../stream.ts";
import { effectBytes, openEffect } from "./instance.ts";

export interface Rotation {
  readonly width: number;
  readonly height: number;
  readonly resultWidth: number;
  readonly resultHeight: number;
  /** Degrees clockwise, between -90 and 90, both excluded. */
  readonly angle: number;
  /** The picture has no alpha below 255; it then takes less room. */
  readonly opaque: boolean;
  /** Where the turned picture does not reach. */
  readonly background: readonly [red: number, green: number, blue: number, alpha: number];
}

/** The center stays in the center. */
export function openRotation(rotation: Rotation): Effect {
  const { width, height, resultWidth, resultHeight, angle, opaque, background } = rotation;
  const radians = (angle * Math.PI) / 180;
  return openEffect(width, resultWidth, (exports, put) =>
    exports.rotate_open(
      width,
      height,
      resultWidth,
      resultHeight,
      Math.cos(radians),
      Math.sin(radians),
      opaque ? 1 : 0,
      put(Float32Array.from(background)),
    ),
  );
}

/** To make a pixel of the result. */
const NANOSECONDS = { opaque: 7, translucent: 30 } as const;

/** The source rows that one result row crosses are held: few for small angles, all of them near 45 degrees. */
export function rotationEstimate(rotation: Omit<Rotation, "background">): Estimate {
  const { width, height, resultWidth, resultHeight, angle, opaque } = rotation;
  const rows = (width + 2) * Math.abs(Math.tan((angle * Math.PI) / 180)) + 10;
  const ringRows = Math.min(height, rows);
  const bytes = effectBytes(width, resultWidth, ringRows, width * (opaque ? 3 : 4)) + ringRows * 8;
  return estimated(bytes, resultWidth * resultHeight, opaque ? NANOSECONDS.opaque : NANOSECONDS.translucent);
}
