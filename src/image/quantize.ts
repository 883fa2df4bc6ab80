/** Pictures in few colors. */
import {
  Histogram,
  histogramPeakBytes,
  QUANTIZE_WINDOW_ROWS,
  Remapper,
  remapperPeakBytes,
} from "../../wasm/quantize/quantize.ts";
import type { Size } from "./geometry.ts";
import type { Picture } from "./picture.ts";
import type { Rows } from "./rows.ts";

const MAX_COLORS = 256;

/** How far a picture may be simplified. */
export interface Reduction {
  /** At most 256, full transparency among them. */
  readonly colors: number;
  /** How much of the error is diffused: 0 to 1. */
  readonly dither: number;
  /** Alpha becomes all or nothing. */
  readonly sharp: boolean;
}

/** From here down colors are taken away; above, only dithering changes. */
const FULL_QUALITY = 85;
/** Steps of quality that halve the colors. */
const HALVING = 14;

/**
 * What is left of a picture at a quality of 1 to 99. 80 and its 200 colors look about as good as the same number in
 * formats for photographs; full dithering costs more bytes than it gains in looks, so it is kept for the top.
 */
export function reductionFor(quality: number): Omit<Reduction, "sharp"> {
  const colors = Math.round(MAX_COLORS * 2 ** (Math.min(0, quality - FULL_QUALITY) / HALVING));
  return { colors: Math.max(2, colors), dither: Math.min(1, 0.4 + 0.025 * Math.max(0, quality - FULL_QUALITY)) };
}

export interface Choice {
  /** RGBA. Full transparency is the first color if the picture has it. */
  readonly palette: Uint8Array;
  /** How far the colors lie from those of the palette, as Histogram.palette says. */
  readonly error: number;
  /** The palette has every color of the picture, save alpha if that had to become sharp. */
  readonly exact: boolean;
}

/** Frames of an animation whose colors are counted: spread evenly, first and last included. */
const SAMPLED_FRAMES = 24;

/** The best palette for a picture, one for all frames; reads it once. */
export function choosePalette(picture: Picture, reduction: Reduction): Choice {
  const histogram = count(picture, reduction);
  try {
    const exact = histogram.colors <= reduction.colors && picture.frames <= SAMPLED_FRAMES;
    return { ...histogram.palette(reduction.colors), exact };
  } finally {
    histogram.close();
  }
}

/** The picture in the colors of a palette. */
export function quantized(picture: Picture, { palette, exact }: Choice, reduction: Reduction): Picture {
  return mapped(picture, palette, exact ? { ...reduction, dither: 0 } : reduction);
}

function count(picture: Picture, { sharp }: Reduction): Histogram {
  const histogram = new Histogram({ width: picture.width, sharp });
  try {
    const last = picture.frames - 1;
    const step = Math.max(1, last / (SAMPLED_FRAMES - 1));
    let next = 0;
    let index = 0;
    for (const { rows } of picture.open()) {
      if (index++ < Math.floor(next)) {
        rows.close();
        continue;
      }
      next += step;
      for (const band of bandsOf(rows)) histogram.add(band);
    }
    return histogram;
  } catch (error) {
    histogram.close();
    throw error;
  }
}

function mapped(picture: Picture, palette: Uint8Array, { dither, sharp }: Reduction): Picture {
  const { width, height, frames } = picture;
  const opaque = !palette.some((value, at) => at % 4 === 3 && value < 255);
  return {
    ...picture,
    opaque,
    *open() {
      const remapper = new Remapper({ width, height: frames > 1 ? height : 0, sharp, palette, dither });
      try {
        for (const frame of picture.open()) {
          remapper.restart();
          yield { ...frame, rows: mappedRows(frame.rows, remapper, opaque) };
        }
      } finally {
        remapper.close();
      }
    },
  };
}

function mappedRows(rows: Rows, remapper: Remapper, opaque: boolean): Rows {
  const { width, height } = rows;
  return {
    width,
    height,
    opaque,
    read(max) {
      const band = rows.read(Math.min(max, QUANTIZE_WINDOW_ROWS));
      return band && remapper.colors(band);
    },
    close: () => rows.close(),
  };
}

/** All rows, as many at a time as a window takes; closes them at the end, however it comes. */
export function* bandsOf(rows: Rows): Iterable<Uint8Array> {
  try {
    for (let band = rows.read(QUANTIZE_WINDOW_ROWS); band; band = rows.read(QUANTIZE_WINDOW_ROWS)) yield band;
  } finally {
    rows.close();
  }
}

/** Bytes that quantizing a picture holds at most. */
export function quantizePeakBytes({ width, height, frames }: Size & { frames: number }): number {
  return histogramPeakBytes(width) + remapperPeakBytes({ width, height: frames > 1 ? height : 0 });
}
