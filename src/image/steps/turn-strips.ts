import { type Box, invertOrientation, type Orientation, turnBox, turnSize } from "../geometry.ts";
import type { Rows } from "../rows.ts";
import { turn, turnPeakBytes } from "./turn.ts";

/** Bytes up to which a picture is turned whole. 8 megapixels: above, a photograph is decoded once more for every 8. */
const MAX_STRIP_BYTES = 32 * 1024 * 1024;
/** Strips end where the blocks of most codecs do. */
const ALIGNMENT = 16;

/** Whether turning a picture of this size takes more memory than a strip may. */
export function needsStrips(size: { width: number; height: number }, orientation: Orientation): boolean {
  return turnPeakBytes(size, orientation) > MAX_STRIP_BYTES;
}

/** Bytes of memory that turning by strips holds at most. */
export function stripPeakBytes(size: { width: number; height: number }, orientation: Orientation): number {
  return Math.min(turnPeakBytes(size, orientation), MAX_STRIP_BYTES);
}

/**
 * The region `box` of a picture, turned, in bounded memory: the rows of the result are strips of the source that are
 * decoded one after the other, each by a pass of its own.
 * @param openRegion opens a region of the source, not turned
 */
export function turnByStrips(
  openRegion: (box: Box) => Rows,
  { box, orientation, opaque }: { box: Box; orientation: Orientation; opaque: boolean },
): Rows {
  const size = turnSize(box, orientation);
  const stripRows = Math.max(ALIGNMENT, Math.floor(MAX_STRIP_BYTES / (size.width * 4) / ALIGNMENT) * ALIGNMENT);
  let strip: Rows | null = null;
  let opened = 0;
  const next = (): Rows | null => {
    strip?.close();
    strip = null;
    if (opened >= size.height) return null;
    const height = Math.min(stripRows, size.height - opened);
    const wanted = { x: 0, y: opened, width: size.width, height };
    const region = turnBox(wanted, size, invertOrientation(orientation));
    strip = turn(openRegion({ ...region, x: region.x + box.x, y: region.y + box.y }), orientation);
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
