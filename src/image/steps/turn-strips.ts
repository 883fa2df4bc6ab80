import { type Box, invertOrientation, type Orientation, turnBox, turnSize } from "../geometry.ts";
import type { Rows } from "../rows.ts";
import { crop } from "./crop.ts";
import { turn, turnPeakBytes } from "./turn.ts";

/** Bytes up to which a picture is turned whole. 8 megapixels: above, a photograph is decoded once more for every 8. */
const MAX_STRIP_BYTES = 32 * 1024 * 1024;
/** Strips end where the blocks of most codecs do. */
const ALIGNMENT = 16;
/**
 * Decoded around a strip and cut off again: decoders smooth the color of halved samples up to the edge of what they are
 * asked for, so that strips without a margin would have seams.
 */
const MARGIN = 16;

/** Whether turning a picture of this size takes more memory than a strip may. */
export function needsStrips(size: { width: number; height: number }, orientation: Orientation): boolean {
  return turnPeakBytes(size, orientation) > MAX_STRIP_BYTES;
}

/** Bytes of memory that turning by strips holds at most. */
export function stripPeakBytes(size: { width: number; height: number }, orientation: Orientation): number {
  const mirroredBytes = orientation === 3 ? turnPeakBytes(size, 2) : 0;
  return Math.min(turnPeakBytes(size, orientation), MAX_STRIP_BYTES + mirroredBytes);
}

/**
 * The region `box` of a picture, turned, in bounded memory: the rows of the result are strips of the source that are
 * decoded one after the other, each by a pass of its own.
 * @param openRegion opens a region of the source, not turned
 */
export function turnByStrips(
  openRegion: (box: Box) => Rows,
  { box, orientation, opaque }: { box: Box; orientation: Orientation; opaque: boolean },
  maxStripBytes = MAX_STRIP_BYTES,
): Rows {
  const size = turnSize(box, orientation);
  const stripRows = Math.max(ALIGNMENT, Math.floor(maxStripBytes / (size.width * 4) / ALIGNMENT) * ALIGNMENT);
  let strip: Rows | null = null;
  let opened = 0;
  const next = (): Rows | null => {
    strip?.close();
    strip = null;
    if (opened >= size.height) return null;
    const height = Math.min(stripRows, size.height - opened);
    const wanted = { x: 0, y: opened, width: size.width, height };
    const inside = turnBox(wanted, size, invertOrientation(orientation));
    const region = { ...inside, x: inside.x + box.x, y: inside.y + box.y };
    const margin = grown(region, box);
    const rows = openRegion(margin);
    strip = turn(crop(rows, { ...region, x: region.x - margin.x, y: region.y - margin.y }), orientation);
    opened += height;
    return strip;
  };
  return {
    ...size,
    opaque,
    read(max) {
      for (let current = strip ?? next(); current; current = next()) {
        const rows = current.read(max);
        if (rows) return rows;
      }
      return null;
    },
    close() {
      strip?.close();
      strip = null;
      opened = size.height;
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
