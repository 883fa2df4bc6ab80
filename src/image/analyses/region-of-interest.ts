/** What is seen in a small version of a picture: faces, and where to look. */
import { type Estimate, parallel } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { findFacesEstimate } from "../faces/detect.ts";
import { enlarged } from "../faces/report.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import type { Point, RegionsOfInterest } from "../pixels/gravity.ts";
import { type Picture, numbered, spreadFrames } from "../pixels/picture.ts";
import { type Rows, pixelsOf } from "../pixels/rows.ts";
import { thumbnailEstimate } from "../plan/looks.ts";
import type { Plan } from "../plan/plan.ts";
import type { Stored } from "../plan/planned-picture.ts";
import type { Small } from "../steps/analysis.ts";
import { LOOK_BYTES_PER_PIXEL, type OperationRow, type SampledFrame } from "../steps/operation.ts";
import { focusMs, focusPoint } from "./focus-point.ts";
import { facesIn } from "./found-faces.ts";

/** Besides what is held while somebody looks: the pixels themselves, and a copy of them on white. */
export const THUMBNAIL_BYTES_PER_PIXEL = LOOK_BYTES_PER_PIXEL + 8;
/** And where several frames are looked at: the pixels of the first one and of the one before. */
const SAMPLED_FRAME_BYTES_PER_PIXEL = 8;

export interface Seen extends RegionsOfInterest {
  /** The pixels that are looked at, decoded once. */
  readonly seen: () => Promise<Small>;
  /** The first frame, and others. */
  readonly sampledFrames: () => AsyncIterable<SampledFrame>;
}

/** The pixels of a small version of a picture, whose rows are read to their end and closed. */
export async function smallOf(rows: Rows, picture: Size): Promise<Small> {
  const { width, height, opaque } = rows;
  return { width, height, opaque, picture, pixels: await pixelsOf(rows) };
}

/** Frames besides the first one, and who is told what was sought. */
interface Others {
  /** Told of faces, and of where to look, in pixels of the picture and in shares of its sides. */
  readonly foundFaces: (faces: readonly Box[]) => void;
  readonly foundFocus: (point: Point) => void;
  /** Opens all frames, each as small as the first one. */
  readonly animation: () => Picture;
  /** How many frames are looked at, the first one included. */
  readonly most: number;
}

/**
 * What is seen of a picture of this size in the small version that `look` opens, once and when it is asked for. Faces
 * are in pixels of the picture.
 */
export function regionsOfInterest(
  look: () => Promise<Rows>,
  picture: Size,
  timeSlice: TimeSlice,
  others?: Others,
): Seen {
  let seen: Promise<Small> | undefined;
  const small = () => (seen ??= look().then((rows) => smallOf(rows, picture)));
  const facesOf = async (shown: Small) => enlarged(await facesIn(shown, timeSlice), shown, picture);
  const faces = async () => {
    const found = await facesOf(await small());
    others?.foundFaces(found);
    return found;
  };
  return {
    seen: small,
    faces,
    async *sampledFrames() {
      yield { frame: 0, seen: await small(), faces: await faces() };
      const animation = others?.animation();
      const [, ...numbers] = spreadFrames(animation?.frames ?? 1, others?.most ?? 1);
      if (!animation || numbers.length === 0) return;
      for await (const [frame, { rows }] of numbered(animation.open(timeSlice), numbers)) {
        const shown = await smallOf(rows, picture);
        yield { frame, seen: shown, faces: await facesOf(shown) };
      }
    },
    async focus(part) {
      const point = await focusPoint(await small(), timeSlice, part);
      others?.foundFocus(point);
      return point;
    },
  };
}

/**
 * The estimate of what an operation sees in a small version; faces and what stands out are sought in the same pixels.
 */
export function regionEstimate(stored: Stored, small: Plan, row: OperationRow, frames: number): Estimate {
  const seeks = row.seldomSeeksFaces !== true;
  const first = thumbnailEstimate(
    stored,
    small,
    lookMs(row, small.size),
    seeks ? THUMBNAIL_BYTES_PER_PIXEL : undefined,
  );
  const others = Math.min(frames, row.sampledFrames ?? 1) - 1;
  if (others === 0) return first;
  const { width, height } = small.size;
  const ms = others * findFacesEstimate(small.size).ms;
  return parallel(first, { bytes: width * height * SAMPLED_FRAME_BYTES_PER_PIXEL, ms });
}

/** Nanoseconds that it takes to look at a pixel, for all but faces. */
const LOOK_NANOSECONDS = 8;

/** Milliseconds that an operation looks at a small version. */
function lookMs({ seldomSeeksFaces = false }: OperationRow, { width, height }: Size): number {
  return seldomSeeksFaces ? width * height * LOOK_NANOSECONDS * 1e-6 : focusMs({ width, height });
}
