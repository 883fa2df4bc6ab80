/** How much there is in a picture, as far as its file says: what coders take of their work depends on it. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { area, type Size } from "../pixels/geometry.ts";
import type { Extent } from "../pixels/picture.ts";
import type { Facts } from "./format.ts";

/** What a file says of its frames, and of the bytes that they are coded in, where that is known. */
type Coded = Pick<Facts, "width" | "height" | "frames" | "depth" | "codedBytes" | "later" | "quality">;

/** Pixels that a byte of an animation draws: about four where they are dithered and kept, many of a film with a loss. */
const PIXELS_PER_BYTE = { kept: 5, lossy: 40 } as const;
/** As little as that changes in animations that are hardly any. */
const LEAST_CHANGES = 0.03;
/** The part of its raw size that a photograph takes without loss, at least; what is simpler takes less. */
const PHOTOGRAPH_RATIO = 0.3;
/** Bits of a pixel that this is a part of, at least: photographs in the colors of a palette are dithered. */
const LEAST_DEPTH = 16;
/** As little as that is to be seen in a drawing. */
const LEAST_DETAIL = 0.05;

/** How far what changes reaches into its surroundings where a picture is resized: the widest filter, in pixels of the result. */
const FILTER_REACH = 3;

/**
 * About the part of an animation's pixels that change from frame to frame: no more than what its rectangles cover, and
 * what does not change takes no bytes.
 * @param size of the picture that is made of it
 */
export function changesOf({ width, height, frames, later, quality }: Coded, size: Size): number | undefined {
  if (frames === 1 || later === undefined) return undefined;
  const drawn = Math.min(later.pixels, later.bytes * PIXELS_PER_BYTE[quality === 100 ? "kept" : "lossy"]);
  const part = drawn / (width * height * (frames - 1));
  const isResized = size.width !== width || size.height !== height;
  const pixels = size.width * size.height;
  const side = Math.sqrt(part * pixels) + (isResized && part > 0 ? 2 * FILTER_REACH : 0);
  return Math.min(1, LEAST_CHANGES + side ** 2 / pixels);
}

/**
 * About how much is to be seen in a pixel of a picture that is made of a file. What was lost cannot be told; of what was
 * kept, drawings take few bytes, and a picture that is made smaller has as much to show in fewer pixels.
 */
export function detailOf({ codedBytes, quality, frames, later, depth }: Coded, size: Size): number | undefined {
  if (codedBytes === undefined || quality < 100) return undefined;
  const bytes = frames > 1 && later ? codedBytes - later.bytes : codedBytes;
  const photographBytes = (size.width * size.height * Math.max(LEAST_DEPTH, depth) * PHOTOGRAPH_RATIO) / 8;
  return Math.min(1, LEAST_DETAIL + bytes / photographBytes);
}

/** Bytes of a pixel that a photograph takes with a loss, at the quality at which coders are estimated. */
const PHOTOGRAPH_PIXEL_BYTES = 0.11;
const USUAL_QUALITY = 80;
/** Bytes go with this power of the distance to a quality just above 100; beyond the finest, most of them are noise. */
const QUALITY_POWER = 0.7;
const FINEST_QUALITY = 97;
/** As little texture as anything has that was coded. */
const LEAST_TEXTURE = 0.1;

/**
 * About how much of what a lossy coder keeps of a photograph's pixel there is to be kept in one of a picture that is made
 * of a still file: soft pictures have less, and a picture that is made smaller has as much in fewer pixels. Of files
 * without loss it cannot be told.
 */
export function textureOf(
  { codedBytes, quality, frames }: Pick<Coded, "codedBytes" | "quality" | "frames">,
  size: Size,
): number | undefined {
  if (codedBytes === undefined || quality === 100 || frames > 1) return undefined;
  const toPerfect = (of: number) => 101 - Math.min(FINEST_QUALITY, of);
  const usualBytes = codedBytes * (toPerfect(quality) / toPerfect(USUAL_QUALITY)) ** QUALITY_POWER;
  const texture = usualBytes / (size.width * size.height * PHOTOGRAPH_PIXEL_BYTES);
  return Math.min(1, Math.max(LEAST_TEXTURE, texture));
}

/** Details up to which pictures are flat to coders, and from which on they are photographs to them. */
const FLAT_DETAIL = 0.15;
const FULL_DETAIL = 0.5;

/** From 0, where coders take as little as of what is flat, to 1, where they take as much as of photographs. */
export function fullness({ detail = 1 }: Pick<Extent, "detail">): number {
  return Math.min(1, Math.max(0, (detail - FLAT_DETAIL) / (FULL_DETAIL - FLAT_DETAIL)));
}

/** What work takes of a picture, between what it takes of a flat one and of a photograph. */
export function byDetail(picture: Pick<Extent, "detail">, flat: number, photograph: number): number {
  return flat + (photograph - flat) * fullness(picture);
}

/**
 * An estimate of what was measured on photographs, for this picture.
 * @param share the part of the time that what is flat takes
 */
export function lessWhereFlat({ bytes, ms }: Estimate, picture: Pick<Extent, "detail">, share: number): Estimate {
  return { bytes, ms: ms * byDetail(picture, share, 1) };
}

/** The part of the pixels of all frames that is encoded: all of the first, and what changes in the others. */
export function changingPart({ frames, changes = 1 }: Extent): number {
  return changes + (1 - changes) / frames;
}

/**
 * Bytes of a pixel go with this power of how many pixels show one of the original. Of eight photographs and screens that were
 * made 1.5 to 3 times as wide, those that take most went with 0.09 to 0.17 as TIFF, 0.14 to 0.2 as PNG, 0.09 as GIF and 0.44 as
 * lossy WebP.
 */
const ENLARGED_POWER = { exact: 0.12, filtered: 0.15, palette: 0.09, lossy: 0.4 } as const;

/** The part of the bytes of a photograph's pixel that one takes in a file of a picture that is enlarged, at most 1. */
export function fileShare({ enlarged = 1 }: Pick<Extent, "enlarged">, kind: keyof typeof ENLARGED_POWER): number {
  return Math.max(1, enlarged) ** -ENLARGED_POWER[kind];
}

/** Pixels of several rectangles together. */
export function areaOf(boxes: readonly Size[]): number {
  return boxes.reduce((sum, box) => sum + area(box), 0);
}
