/** A picture between decoder and encoder: one frame or several, each as rows that are computed when they are read. */
import { ApiError } from "../../errors.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Space } from "../color/space.ts";
import { type Rows, skipRows } from "./rows.ts";

export interface Frame {
  /** How long an animation shows the frame, in milliseconds; 0 in a still picture. */
  readonly delayMs: number;
  /** The full canvas: what the frames before it left behind is already in it. */
  readonly rows: Rows;
}

/** What is known of a picture before it is opened. */
export interface Extent {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** No frame has a pixel with an alpha below 255. */
  readonly opaque: boolean;
  /** Frames; 1 in a still picture. */
  readonly frames: number;
  /** About the part of the pixels of an animation that change from frame to frame; absent: all. */
  readonly changes?: number | undefined;
  /**
   * About how much there is to be seen in a pixel: as much as in one of a photograph, which is 1, or less; absent: 1.
   */
  readonly detail?: number | undefined;
  /** About how much of what a lossy coder keeps of a photograph's pixel there is in one of it, at most 1; absent: 1. */
  readonly texture?: number | undefined;
  /** How many of its pixels show one of the original, at least 1: files of what is enlarged are smaller; absent: 1. */
  readonly enlarged?: number | undefined;
  /** What the values of its pixels mean; absent: sRGB. */
  readonly space?: Space | undefined;
  /** Bits of a sample of the original, 9 to 16, of which its rows are 16-bit; absent: they are not. */
  readonly bits?: number | undefined;
}

export interface Picture extends Extent {
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  /**
   * Computes the frames in order, one at a time: a frame's rows must be closed, or read to their end, before the next
   * is asked for. May be called again; every call starts from the first frame.
   */
  open(timeSlice: TimeSlice): AsyncIterable<Frame>;
}

/**
 * The first frame of a picture, for whoever needs no more.
 * Closing the rows ends the reading of the picture.
 */
export async function firstFrame(picture: Picture, timeSlice: TimeSlice): Promise<Rows> {
  const frames = picture.open(timeSlice)[Symbol.asyncIterator]();
  const first = await frames.next();
  if (first.done) throw new ApiError(422, "The image has no frames");
  const { rows } = first.value;
  const close = () => {
    rows.close();
    // The generator stands at its yield: what it still has to do is to close what is closed already.
    void frames.return?.();
  };
  return { ...rows, read: (max) => rows.read(max), skip: (count) => skipRows(rows, count), close };
}

/** A still picture over rows that can be opened again and again. */
export function stillPicture(
  { width, height, opaque, detail, texture, enlarged, space, bits }: Omit<Extent, "frames" | "changes">,
  open: (timeSlice: TimeSlice) => Rows | Promise<Rows>,
): Picture {
  return {
    width,
    height,
    opaque,
    detail,
    texture,
    enlarged,
    space,
    bits,
    frames: 1,
    loops: 0,
    async *open(timeSlice) {
      yield { delayMs: 0, rows: await open(timeSlice) };
    },
  };
}

/** A picture with something done to the rows of every frame. */
export function mapFrames(picture: Picture, work: (rows: Rows) => Rows): Picture {
  return {
    ...picture,
    async *open(timeSlice) {
      for await (const frame of picture.open(timeSlice)) yield { ...frame, rows: work(frame.rows) };
    },
  };
}

/** The numbers of at most so many frames: spread evenly, first and last included. */
export function spreadFrames(frames: number, most: number): number[] {
  const count = Math.min(frames, most);
  return Array.from({ length: count }, (_, index) => Math.round((index * (frames - 1)) / Math.max(1, count - 1)));
}

/** The frames with these numbers, which ascend. */
export async function* numbered(
  frames: AsyncIterable<Frame>,
  numbers: readonly number[],
): AsyncGenerator<[at: number, frame: Frame], undefined> {
  const wanted = new Set(numbers);
  let at = 0;
  for await (const frame of frames) {
    if (wanted.has(at)) yield [at, frame];
    else frame.rows.close();
    at++;
  }
  return undefined;
}
