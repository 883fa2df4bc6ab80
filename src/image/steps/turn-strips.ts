/** Turns of pictures that are too large to be held whole, a strip of the result at a time. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { type Box, invertOrientation, type Orientation, type Size, turnBox, turnSize } from "../pixels/geometry.ts";
import { bytesPerPixel, type Rows } from "../pixels/rows.ts";
import { crop } from "./crop.ts";
import { turn, turnEstimate, wordsPerPixel } from "./turn.ts";

/** Bytes up to which a picture is turned whole. 8 megapixels: above, a photograph is decoded once more for every 8. */
const MAX_STRIP_BYTES = 32 * 1024 * 1024;
/** Of strips beside work that has no room for larger ones: twice as many passes. */
export const NARROW_STRIP_BYTES = MAX_STRIP_BYTES / 2;
/** Strips end where the blocks of most codecs do. */
const ALIGNMENT = 16;
/**
 * Stored pixels around a strip, decoded and cut off again: decoders smooth the color of halved samples up to the edge of what
 * they are asked for, and filters reach beyond a strip, so that strips without a margin would have seams.
 */
const MARGIN = 16;

/** The size of a picture, and whether its rows are 16-bit. */
type Extent = Size & Pick<Rows, "sixteenBit">;

/** Whether turning a picture of this size takes more memory than a strip may. */
export function needsStrips(size: Extent, orientation: Orientation): boolean {
  return turnEstimate(size, orientation).bytes > MAX_STRIP_BYTES;
}

/** The estimate of turning by strips; what it takes to decode the regions of `stripRegions` is not in it. */
export function stripEstimate(size: Extent, orientation: Orientation, maxStripBytes = MAX_STRIP_BYTES): Estimate {
  const whole = turnEstimate(size, orientation);
  const mirroredBytes = orientation === 3 ? turnEstimate(size, 2).bytes : 0;
  const bytes = Math.min(whole.bytes, maxStripBytes + mirroredBytes);
  return { bytes, ms: whole.ms };
}

/** What is decoded for a strip: its region of the source, and that with its margin. */
interface StripRegion {
  readonly region: Box;
  readonly margin: Box;
}

/** What is turned by strips. */
interface Turned extends Pick<Rows, "sixteenBit"> {
  /** The region of the source. */
  readonly box: Box;
  readonly orientation: Orientation;
  /** Pixels of the source for a stored one, along the longer of both; absent: one. */
  readonly scale?: number | undefined;
  /** Of a strip; absent: as many as fit beside most work. */
  readonly maxStripBytes?: number | undefined;
}

/** The regions of the source that are decoded one after the other to turn a region of it by strips. */
export function stripRegions({
  box,
  orientation,
  scale = 1,
  sixteenBit,
  maxStripBytes = MAX_STRIP_BYTES,
}: Turned): StripRegion[] {
  const size = turnSize(box, orientation);
  const rowBytes = size.width * bytesPerPixel({ sixteenBit });
  const around = Math.ceil(MARGIN * Math.max(1, scale));
  const stripRows = Math.max(ALIGNMENT, Math.floor(maxStripBytes / rowBytes / ALIGNMENT) * ALIGNMENT);
  return Array.from({ length: Math.ceil(size.height / stripRows) }, (_, index) => {
    const y = index * stripRows;
    const wanted = { x: 0, y, width: size.width, height: Math.min(stripRows, size.height - y) };
    const inside = turnBox(wanted, size, invertOrientation(orientation));
    const region = { ...inside, x: inside.x + box.x, y: inside.y + box.y };
    return { region, margin: grown(region, around, box) };
  });
}

/**
 * The region `box` of a picture, turned, in bounded memory: the rows of the result are strips of the source that are
 * decoded one after the other, each by a pass of its own.
 * @param openRegion opens a region of the source, not turned
 */
export function turnByStrips(openRegion: (box: Box) => Promise<Rows>, turned: Turned & Pick<Rows, "opaque">): Rows {
  const { box, orientation, opaque, sixteenBit } = turned;
  const { width, height } = turnSize(box, orientation);
  const regions = stripRegions(turned);
  let strip: Rows | null = null;
  // One memory for all strips: what is let go of stays where it is until something is collected.
  let memory: Uint32Array<ArrayBuffer> | undefined;
  const next = async (): Promise<Rows | null> => {
    strip?.close();
    strip = null;
    const wanted = regions.shift();
    if (!wanted) return null;
    const { region, margin } = wanted;
    const rows = await openRegion(margin);
    memory ??= new Uint32Array(region.width * region.height * wordsPerPixel({ sixteenBit }));
    const inside = { ...region, x: region.x - margin.x, y: region.y - margin.y };
    strip = turn(crop(rows, inside), orientation, memory);
    return strip;
  };
  return {
    width,
    height,
    opaque,
    sixteenBit,
    async read(max) {
      for (let current = strip ?? (await next()); current; current = await next()) {
        const rows = await current.read(max);
        if (rows) return rows;
      }
      return null;
    },
    close() {
      strip?.close();
      strip = null;
      memory = undefined;
      regions.length = 0;
    },
  };
}

/** A region with its margin, as far as the whole has one. */
function grown(region: Box, margin: number, whole: Box): Box {
  const x = Math.max(whole.x, region.x - margin);
  const y = Math.max(whole.y, region.y - margin);
  const right = Math.min(whole.x + whole.width, region.x + region.width + margin);
  const bottom = Math.min(whole.y + whole.height, region.y + region.height + margin);
  return { x, y, width: right - x, height: bottom - y };
}
