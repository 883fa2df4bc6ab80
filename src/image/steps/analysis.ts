/** What an analysis is. One file in `analyses/` and one line in `analyses.ts` add one. */
import type * as v from "valibot";

import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Size } from "../pixels/geometry.ts";

/** A small version of a picture as it is shown, in memory: RGBA8, straight alpha, sRGB, tightly packed. */
export interface Small extends Size {
  readonly pixels: Uint8Array;
  readonly opaque: boolean;
  /** The picture that it is a small version of. */
  readonly picture: Size;
}

export interface Analysis<Schema extends v.GenericSchema = v.GenericSchema> {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** What answers say. */
  readonly answer: Schema;
  /** The longest side of the small version, in pixels. */
  readonly side: number;
  /**
   * An analysis whose small version it looks at where that is asked for as well, after it: what was found there is
   * used.
   */
  readonly after?: string;
  /** Milliseconds that it takes at a small version of this size. */
  readonly ms: (size: Size) => number;
  readonly of: (small: Small, timeSlice: TimeSlice) => v.InferOutput<Schema> | Promise<v.InferOutput<Schema>>;
}

/** Types the literal of a registry row: `of` gives what `answer` describes. */
export function analysis<const Schema extends v.GenericSchema>(definition: Analysis<Schema>): Analysis<Schema> {
  return definition;
}

/**
 * The longest side at which what a picture is like as a whole shows: the largest of which a ThumbHash is made.
 */
export const GLANCE_SIDE = 100;
