/** Turns of pictures that are too large to be held whole, a strip of the result at a time. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { type Box, invertOrientation, type Orientation, type Size, turnBox, turnSize } from "../pixels/geometry.ts";
import { bytesPerPixel, type Rows } from "../pixels/rows.ts";
import { crop } from "./crop.ts";
import { turn, turnEstimate } from "./turn.ts";

/** Bytes up to which a picture is turned whole. 8 megapixels: above, a photograph is decoded once more for every 8. */
const MAX_STRIP_BYTES = 32 * 1024 * 1024;
/** Strips end where the blocks of most codecs do. */
const ALIGNMENT = 16;
/**
 * Decoded around a strip and cut off again: decoders smooth the color of halved samples up to the edge of what they are
 * asked for, so that strips without a margin would have seams.
 */
const MARGIN = 16;

/** The size of a picture, and whether its rows are 16-bit. */
type Extent = Size & Pick<Rows, "sixteenBit">;

/** Whether turning a picture of this size takes more memory than a strip may. */
export function needsStrips(size: Extent, orientation: Orientation): boolean {
  return turnEstimate(size, orientation).bytes > MAX_STRIP_BYTES;
}

/** The estimate of turning by strips; what it takes to decode the regions of `stripRegions` is not in it. */
export function stripEstimate(size: Extent, orientation: Orientation): Estimate {
  const whole = turnEstimate(size, orientation);
  const mirroredBytes = orientation === 3 ? turnEstimate(size, 2).bytes : 0;
  const bytes = Math.min(whole.bytes, MAX_STRIP_BYTES + mirroredBytes);
  return { bytes, ms: whole.ms };
}

/** What is decoded for a strip: its region of the source, and that with its margin. */
interface StripRegion {
  readonly region: Box;
  readonly margin: Box;
}

/** The regions of the source that are decoded one after the other to turn its region `box` by strips. */
export function stripRegions(
  box: Box & Pick<Rows, "sixteenBit">,
  orientation: Orientation,
  maxStripBytes = MAX_STRIP_BYTES,
): StripRegion[] {
  const size = turnSize(box, orientation);
  const rowBytes = size.width * bytesPerPixel(box);
  const stripRows = Math.max(ALIGNMENT, Math.floor(maxStripBytes / rowBytes / ALIGNMENT) * ALIGNMENT);
  return Array.from({ length: Math.ceil(size.height / stripRows) }, (_, index) => {
    const y = index * stripRows;
    const wanted = { x: 0, y, width: size.width, height: Math.min(stripRows, size.height - y) };
    const inside = turnBox(wanted, size, invertOrientation(orientation));
    const region = { ...inside, x: inside.x + box.x, y: inside.y + box.y };
    return { region, margin: grown(region, box) };
  });
}

/**
 * The region `box` of a picture, turned, in bounded memory: the rows of the result are strips of the source that are
 * decoded one after the other, each by a pass of its own.
 * @param openRegion opens a region of the source, not turned
 */
export function turnByStrips(
  openRegion: (box: Box) => Promise<Rows>,
  {
    box,
    orientation,
    opaque,
    sixteenBit,
  }: { box: Box; orientation: Orientation } & Pick<Rows, "opaque" | "sixteenBit">,
  maxStripBytes = MAX_STRIP_BYTES,
): Rows {
  const { width, height } = turnSize(box, orientation);
  const regions = stripRegions({ ...box, sixteenBit }, orientation, maxStripBytes);
  let strip: Rows | null = null;
  const next = async (): Promise<Rows | null> => {
    strip?.close();
    strip = null;
    const wanted = regions.shift();
    if (!wanted) return null;
    const { region, margin } = wanted;
    const rows = await openRegion(margin);
    strip = turn(crop(rows, { ...region, x: region.x - margin.x, y: region.y - margin.y }), orientation);
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
      regions.length = 0;
    },
  };
}

/** A region with its margin, as far as the whole has one. */
function grown(region: Box, whole: Box): Box {
  const x = Math.max(whole.x, region.x - MARGIN);
  const y = Math.max(whole.y, region.y - MARGIN);
  const right = Math.min(whole.x + whole.width, region.x + region.width + MARGIN);
  const bottom = Math.min(whole.y + whole.height, region.y + region.height + MARGIN);
  return { x, y, width: right - x, height: bottom - y };
}
