/** A picture between decoder and encoder: one frame or several, each as rows that are computed when they are read. */
import { ApiError } from "../errors.ts";
import { type Rows, skipRows } from "./rows.ts";

export interface Frame {
  /** How long an animation shows the frame, in milliseconds; 0 in a still picture. */
  readonly delayMs: number;
  /** The full canvas: what the frames before it left behind is already in it. */
  readonly rows: Rows;
}

export interface Picture {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** No frame has a pixel with an alpha below 255. */
  readonly opaque: boolean;
  /** Frames; 1 in a still picture. */
  readonly frames: number;
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  /**
   * Computes the frames in order, one at a time: a frame's rows must be closed, or read to their end, before the next
   * is asked for. May be called again; every call starts from the first frame.
   */
  open(): Iterable<Frame>;
}

/**
 * The first frame of a picture, for whoever needs no more.
 * Closing the rows ends the reading of the picture.
 */
export function firstFrame(picture: Picture): Rows {
  const frames = picture.open()[Symbol.iterator]();
  const first = frames.next();
  if (first.done) throw new ApiError(422, "The image has no frames");
  const { rows } = first.value;
  const close = () => {
    rows.close();
    frames.return?.();
  };
  const { width, height, opaque } = rows;
  return { width, height, opaque, read: (max) => rows.read(max), skip: (count) => skipRows(rows, count), close };
}
