/** Rotation by less than a quarter turn. */
import { type Effect, effectPeakBytes, openEffect } from "./instance.ts";

export interface Rotation {
  readonly width: number;
  readonly height: number;
  readonly resultWidth: number;
  readonly resultHeight: number;
  /** Degrees clockwise, between -90 and 90, both excluded. */
  readonly angle: number;
  /** Where the turned picture does not reach. */
  readonly background: readonly [red: number, green: number, blue: number, alpha: number];
}

/** The center stays in the center. */
export function openRotation({ width, height, resultWidth, resultHeight, angle, background }: Rotation): Effect {
  const radians = (angle * Math.PI) / 180;
  return openEffect(width, resultWidth, (exports, put) =>
    exports.rotate_open(
      width,
      height,
      resultWidth,
      resultHeight,
      Math.cos(radians),
      Math.sin(radians),
      put(Float32Array.from(background)),
    ),
  );
}

/** The source rows that one result row crosses are held: few for small angles, all of them near 45 degrees. */
export function rotationPeakBytes({ width, height, resultWidth, angle }: Omit<Rotation, "background">): number {
  const rows = (width + 2) * Math.abs(Math.tan((angle * Math.PI) / 180)) + 10;
  return effectPeakBytes(width, resultWidth, Math.min(height, rows), width * 4);
}
