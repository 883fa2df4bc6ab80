/** Rotation by at most half a quarter turn to either side; whole quarters are turns. */
import { openRotation, rotationEstimate } from "../../../wasm/effects/rotation.ts";
import type { Estimate } from "../../../wasm/estimate.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { pump } from "./effect.ts";
import type { Rotation } from "./operation.ts";

/** The smallest canvas that a picture turned by `angle` degrees fits on. */
export function turnedSize({ width, height }: Size, angle: number): Size {
  const cosine = Math.cos((angle * Math.PI) / 180);
  const sine = Math.abs(Math.sin((angle * Math.PI) / 180));
  // Nothing is cut off; what is a whole number but for the arithmetic does not grow by one.
  return {
    width: Math.ceil(width * cosine + height * sine - 1e-6),
    height: Math.ceil(width * sine + height * cosine - 1e-6),
  };
}

/** The picture turned about its center, which becomes the center of a canvas of the rotation's size. */
export function rotate(rows: Rows, { width, height, angle, background }: Rotation): Rows {
  const { opaque } = rows;
  const sizes = { width: rows.width, height: rows.height, resultWidth: width, resultHeight: height };
  const effect = openRotation({ ...sizes, angle, opaque, background });
  return pump(rows, effect, { width, height, opaque: opaque && background[3] === 255 });
}

/** The estimate of the rotation of a picture of this size. */
export function rotateEstimate(size: Size, opaque: boolean, { width, height, angle }: Rotation): Estimate {
  const sizes = { width: size.width, height: size.height, resultWidth: width, resultHeight: height };
  return rotationEstimate({ ...sizes, angle, opaque });
}

/** A box of the same size about the place where the center of `box` was before the rotation. */
export function rotatedBack(box: Box, before: Size, { width, height, angle }: Rotation): Box {
  const radians = (-angle * Math.PI) / 180;
  const x = box.x + box.width / 2 - width / 2;
  const y = box.y + box.height / 2 - height / 2;
  const center = {
    x: x * Math.cos(radians) - y * Math.sin(radians) + before.width / 2,
    y: x * Math.sin(radians) + y * Math.cos(radians) + before.height / 2,
  };
  return { ...box, x: center.x - box.width / 2, y: center.y - box.height / 2 };
}
