/** A picture between decoder and encoder: one frame or several, each as rows that are computed when they are read. */
import { ApiError } from "../errors.ts";
import type { Breath } from "./breath.ts";
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
}

/** What a file says of its frames, and the bytes that they are coded in, where that is known. */
interface Coded extends Pick<Extent, "width" | "height" | "frames"> {
  readonly codedBytes?: number;
  /** 100 where nothing was lost. */
  readonly quality: number;
}

/** Pixels that a byte of an animation draws: about four where they are dithered and kept, many of a film with a loss. */
const PIXELS_PER_BYTE = { kept: 5, lossy: 40 } as const;
/** As little as that changes in animations that are hardly any. */
const LEAST_CHANGES = 0.03;

/** About the part of an animation's pixels that change from frame to frame: what does not takes no bytes of its file. */
export function changesOf({ width, height, frames, codedBytes, quality }: Coded): number | undefined {
  if (frames === 1 || codedBytes === undefined) return undefined;
  const drawn = codedBytes * PIXELS_PER_BYTE[quality === 100 ? "kept" : "lossy"];
  return Math.min(1, LEAST_CHANGES + drawn / (width * height * frames));
}

/** The part of the pixels of all frames that is encoded: all of the first, and what changes in the others. */
export function changingPart({ frames, changes = 1 }: Extent): number {
  return changes + (1 - changes) / frames;
}

export interface Picture extends Extent {
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  /**
   * Computes the frames in order, one at a time: a frame's rows must be closed, or read to their end, before the next
   * is asked for. May be called again; every call starts from the first frame.
   */
  open(breath: Breath): AsyncIterable<Frame>;
}

/**
 * The first frame of a picture, for whoever needs no more.
 * Closing the rows ends the reading of the picture.
 */
export async function firstFrame(picture: Picture, breath: Breath): Promise<Rows> {
  const frames = picture.open(breath)[Symbol.asyncIterator]();
  const first = await frames.next();
  if (first.done) throw new ApiError(422, "The image has no frames");
  const { rows } = first.value;
  const close = () => {
    rows.close();
    // The generator stands at its yield: what it still has to do is to close what is closed already.
    void frames.return?.();
  };
  const { width, height, opaque } = rows;
  return { width, height, opaque, read: (max) => rows.read(max), skip: (count) => skipRows(rows, count), close };
}

/** A still picture over rows that can be opened again and again. */
export function stillPicture(
  { width, height, opaque }: Pick<Extent, "width" | "height" | "opaque">,
  open: (breath: Breath) => Rows | Promise<Rows>,
): Picture {
  return {
    width,
    height,
    opaque,
    frames: 1,
    loops: 0,
    async *open(breath) {
      yield { delayMs: 0, rows: await open(breath) };
    },
  };
}

/** A picture with something done to the rows of every frame. */
export function mapFrames(picture: Picture, work: (rows: Rows) => Rows): Picture {
  return {
    ...picture,
    async *open(breath) {
      for await (const frame of picture.open(breath)) yield { ...frame, rows: work(frame.rows) };
    },
  };
}
