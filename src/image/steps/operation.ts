/** What an operation is. One file in `operations/` and one line in `operations.ts` add one. */
import type * as v from "valibot";

import type { Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Rgba, TRANSPARENT, WHITE } from "../color/rgba.ts";
import type { Space } from "../color/space.ts";
import type { Box, Orientation, Size } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import type { Rows } from "../pixels/rows.ts";
import type { Small } from "./analysis.ts";

export type Kernel = "lanczos3" | "mitchell" | "cubic" | "linear" | "nearest";

/**
 * One piece of work on a picture. Geometry is named, not written as functions, so that the planner can join it, hand it
 * to the decoder, or move a turn or a rotation behind a shrink; everything else maps rows to rows.
 */
export type Step =
  | { readonly kind: "turn"; readonly orientation: Orientation }
  /** A fractional box is allowed only where the next step is a resize. */
  | { readonly kind: "crop"; readonly box: Box }
  | Resize
  | ({ readonly kind: "rotate" } & Rotation)
  | RowStep;

export interface Resize extends Size {
  readonly kind: "resize";
  readonly kernel: Kernel;
  /** Filter light, not encoded values. */
  readonly linear?: boolean;
  /** The part of the picture that is wanted, possibly fractional; absent: all of it. */
  readonly box?: Box;
}

export interface Rotation extends Size {
  /** The angle in degrees clockwise, from -45 to 45. */
  readonly angle: number;
  /** The color where the turned picture does not reach. */
  readonly background: Rgba;
}

export interface RowStep extends Size {
  readonly kind: "rows";
  /** Whether the result is opaque, given whether the input is. */
  readonly opaque: (input: boolean) => boolean;
  /** The estimate of the whole picture's way through the step. */
  readonly estimate: Estimate;
  /** @param frame the number of the frame in its animation, from 0; absent: 0 */
  readonly apply: (rows: Rows, timeSlice: TimeSlice, frame?: number) => Rows;
  /** What the step does to a gain map over the picture; absent: gains stay as they are. */
  readonly gains?: GainSteps | undefined;
}

/** A gain map before a step. */
export interface GainStage {
  /** In pixels of its own. */
  readonly map: Size;
  /** Pixels of the map for each of the picture. */
  readonly across: number;
  readonly down: number;
  /** Its value where nothing becomes brighter. */
  readonly none: Rgba;
}

/** What a step does to a gain map: places and sizes are those of the map. */
export type GainSteps = (stage: GainStage) => readonly Step[];

/** Bytes that an operation may hold for each pixel of the small version that it looks at. */
export const LOOK_BYTES_PER_PIXEL = 12;

/**
 * And besides, whatever the small version's size: seeking faces holds rows of layers, which grow with the width alone.
 */
export const LOOK_BYTES = 2 << 20;

/** What an operation may know when it plans. */
export interface Stage {
  /** For what it looks at. */
  readonly timeSlice: TimeSlice;
  /** The picture as the operations before this one leave it. */
  readonly size: Size;
  /** How many frames of it the result has. */
  readonly frames: number;
  readonly opaque: boolean;
  /** The file that it comes from kept every sample; absent: samples were compressed, or may have been. */
  readonly lossless?: boolean | undefined;
  /** The output format can hold alpha. */
  readonly alpha: boolean;
  /** What the pixels mean; absent: sRGB. What an operation brings along has to be brought there. */
  readonly space?: Space | undefined;
  /** A color of the request, which is sRGB, as the picture has it: see `parseColor`. */
  readonly colorOf: (hex: string, form?: "rgba" | "argb") => Rgba;
  /**
   * A small version of the picture at this stage (first frame) to look at; whoever asks closes it. No side is longer
   * than what the operation says in `looks`; one that says nothing there may not ask.
   */
  readonly look: () => Promise<Rows>;
  /** The pixels of that small version, once for all who look for faces or see what is where they are. */
  readonly seen: () => Promise<Small>;
  /**
   * The faces in the small version, most prominent first, in pixels of the picture at this stage, fractional. The first
   * operation that asks has them reported.
   */
  readonly faces: () => Promise<readonly Box[]>;
  /**
   * The same in some frames of an animation, in order: the first and the last, and others between them, in all as many
   * as the operation says in `sampledFrames`. A still picture has one.
   */
  readonly sampledFrames: () => AsyncIterable<SampledFrame>;
  /**
   * Where to look, in shares of the sides: the middle of the most prominent face, else of the part of this size (shares
   * of the sides) that holds most of what stands out, else of the picture. The first operation that asks has it
   * reported.
   */
  readonly focus: (part: Size) => Promise<Point>;
  /**
   * A box that `finder` finds in every pixel of all frames that will be worked on; undefined where it finds none. One
   * that says nothing in `scans` may not ask.
   */
  readonly findBox: (finder: BoxFinder) => Promise<Box | undefined>;
  /** The file of a saved picture that the operation asked for in `needs`, by its id. */
  readonly overlay: (id: string) => Uint8Array;
}

/** What is seen in a frame of an animation. */
export interface SampledFrame {
  /** The number of the frame, from 0. */
  readonly frame: number;
  readonly seen: Small;
  /** As in `Stage`. */
  readonly faces: readonly Box[];
}

/** What a look at every pixel takes. */
export interface Scan {
  readonly nanosecondsPerPixel: number;
  /** Bytes that are held for each column. */
  readonly columnBytes: number;
}

/** Finds a box in the frames of a picture; undefined where there is none. */
export type BoxFinder = (frames: AsyncIterable<Rows>) => Promise<Box | undefined>;

export type Schema = v.GenericSchema<unknown, unknown>;

/** A row of the registry, whatever its parameters are. */
export interface OperationRow {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Other names under which requests may send it. */
  readonly aliases?: readonly string[];
  /** Other names of its members, each with the name it stands for. */
  readonly memberAliases?: Readonly<Record<string, string>>;
  readonly params: Schema;
  /** Ids of saved pictures that must be at hand before `plan` is called. */
  readonly needs?: (params: never) => readonly string[];
  /**
   * The longest side, in pixels, of the small version that `plan` will `look` at, or in which it has `faces` sought,
   * one at a time; 0 when it will not. The memory for it is waited for before `plan` is called: LOOK_BYTES_PER_PIXEL.
   */
  readonly looks?: (params: never) => number;
  /** Frames that `plan` sees at most when it asks for `sampledFrames`; absent: it will not. */
  readonly sampledFrames?: number;
  /** What `plan` takes of every pixel when it calls `findBox`; undefined when it will not. */
  readonly scans?: (params: never) => Scan | undefined;
  /** The picture is taken as it lies in its file, not upright, from the first operation on. */
  readonly asStored?: (params: never) => boolean;
  /** Faces are sought only where something looks like a part of one: the estimate is that of other pictures. */
  readonly seldomSeeksFaces?: boolean;
  /** The work, in order; an empty list when nothing is to be done. */
  readonly plan: (params: never, stage: Stage) => readonly Step[] | Promise<readonly Step[]>;
}

interface Operation<Params extends Schema> extends OperationRow {
  readonly params: Params;
  readonly needs?: (params: v.InferOutput<Params>) => readonly string[];
  readonly looks?: (params: v.InferOutput<Params>) => number;
  readonly scans?: (params: v.InferOutput<Params>) => Scan | undefined;
  readonly asStored?: (params: v.InferOutput<Params>) => boolean;
  readonly plan: (params: v.InferOutput<Params>, stage: Stage) => readonly Step[] | Promise<readonly Step[]>;
}

/** Types the literal of a registry row: `plan` receives what `params` describes. */
export function operation<const Params extends Schema>(definition: Operation<Params>): Operation<Params> {
  return definition;
}

/** The color behind a picture: that of the request, or else none where the output can be transparent, or white. */
export function colorBehind(hex: string | undefined, { alpha, colorOf }: Pick<Stage, "alpha" | "colorOf">): Rgba {
  if (hex) return colorOf(hex);
  return alpha ? TRANSPARENT : WHITE;
}
