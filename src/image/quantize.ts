/** Pictures in few colors. */
import {
  colorsIn,
  errorWith,
  Histogram,
  histogramPeakBytes,
  paletteOf,
  QUANTIZE_WINDOW_ROWS,
  Remapper,
  remapperPeakBytes,
  SORTED_BYTES,
  type SortedColors,
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

/** The best palette for a picture, one for all frames; reads it once, however many palettes are wanted. */
export function choosePalette(picture: Picture, reduction: Reduction): Choice {
  const sorted = sortedColors(picture, reduction);
  return { ...paletteOf(sorted, reduction.colors), exact: isExact(picture, sorted, reduction) };
}

/** About the error of the palette that would be chosen, and whether it would have every color of the picture. */
export function paletteError(picture: Picture, reduction: Reduction): Pick<Choice, "error" | "exact"> {
  const sorted = sortedColors(picture, reduction);
  return { error: errorWith(sorted, reduction.colors), exact: isExact(picture, sorted, reduction) };
}

function isExact({ frames }: Picture, sorted: SortedColors, { colors }: Reduction): boolean {
  return colorsIn(sorted) <= colors && frames <= SAMPLED_FRAMES;
}

interface Sorted {
  sharp?: SortedColors;
  soft?: SortedColors;
}

const sortedBefore = new WeakMap<Picture, Sorted>();

function sortedColors(picture: Picture, { sharp }: Pick<Reduction, "sharp">): SortedColors {
  const before = sortedBefore.get(picture) ?? {};
  sortedBefore.set(picture, before);
  return (before[sharp ? "sharp" : "soft"] ??= count(picture, sharp));
}

/**
 * The picture in the colors of a palette.
 * @param keeps of a still picture: once it was read to its end, a byte for each pixel is kept, and it is not mapped again
 */
export function quantized(picture: Picture, { palette, exact }: Choice, reduction: Reduction, keeps = false): Picture {
  return mapped(picture, palette, exact ? { ...reduction, dither: 0 } : reduction, keeps);
}

function count(picture: Picture, sharp: boolean): SortedColors {
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
    return histogram.sorted(MAX_COLORS);
  } finally {
    histogram.close();
  }
}

function mapped(picture: Picture, palette: Uint8Array, { dither, sharp }: Reduction, keeps: boolean): Picture {
  const { width, height, frames } = picture;
  const opaque = !palette.some((value, at) => at % 4 === 3 && value < 255);
  let kept: Uint8Array | undefined;
  const keep = keeps ? (indices: Uint8Array) => (kept = indices) : undefined;
  return {
    ...picture,
    opaque,
    *open() {
      if (kept) {
        yield { delayMs: 0, rows: painted(kept, palette, { width, height, opaque }) };
        return;
      }
      const remapper = new Remapper({ width, height: frames > 1 ? height : 0, sharp, palette, dither });
      try {
        for (const frame of picture.open()) {
          remapper.restart();
          yield { ...frame, rows: mappedRows(frame.rows, remapper, opaque, keep) };
        }
      } finally {
        remapper.close();
      }
    },
  };
}

function mappedRows(rows: Rows, remapper: Remapper, opaque: boolean, keep?: (indices: Uint8Array) => void): Rows {
  const { width, height } = rows;
  const indices = keep && new Uint8Array(width * height);
  let filled = 0;
  return {
    width,
    height,
    opaque,
    read(max) {
      const band = rows.read(Math.min(max, QUANTIZE_WINDOW_ROWS));
      if (!band) return null;
      const from = filled;
      filled += band.length / 4;
      const colors = remapper.colors(band, indices?.subarray(from, filled));
      if (indices && filled === indices.length) keep(indices);
      return colors;
    },
    close: () => rows.close(),
  };
}

/** Palette indices as rows. */
function painted(indices: Uint8Array, palette: Uint8Array, size: Pick<Rows, "width" | "height" | "opaque">): Rows {
  const { width, height } = size;
  const colors = new Uint32Array(palette.slice().buffer);
  const band = new Uint32Array(width * QUANTIZE_WINDOW_ROWS);
  let y = 0;
  return {
    ...size,
    read(max) {
      if (y >= height) return null;
      const count = Math.min(max, QUANTIZE_WINDOW_ROWS, height - y) * width;
      const from = y * width;
      for (let at = 0; at < count; at++) band[at] = colors[indices[from + at]!]!;
      y += count / width;
      return new Uint8Array(band.buffer, 0, count * 4);
    },
    close() {
      y = height;
    },
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

/** Bytes that quantizing a picture holds at most, the colors included that are remembered of it and of a sheet of it. */
export function quantizePeakBytes({ width, height, frames }: Size & { frames: number }): number {
  return 2 * SORTED_BYTES + histogramPeakBytes(width) + remapperPeakBytes({ width, height: frames > 1 ? height : 0 });
}
