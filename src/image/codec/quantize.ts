/** Pictures in few colors. */
import { parallel, held, type Estimate, NO_WORK, serial } from "../../../wasm/estimate.ts";
import { QUANTIZE_WINDOW_ROWS } from "../../../wasm/quantize/instance.ts";
import {
  addEstimate,
  choiceEstimate,
  colorsIn,
  countEstimate,
  entropyOf,
  errorWith,
  Histogram,
  isGray,
  paletteOf,
  SORTED_BYTES,
  type SortedColors,
  sortEstimate,
} from "../../../wasm/quantize/palette.ts";
import { mapEstimate, Remapper, remapperBytes } from "../../../wasm/quantize/remapper.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { bandsOf } from "../pixels/bands.ts";
import type { Extent, Picture } from "../pixels/picture.ts";
import { type Rows, rowsOf, rowsOver } from "../pixels/rows.ts";
import { changingPart, fullness } from "./complexity.ts";

const MAX_COLORS = 256;

/** How far a picture may be simplified. */
export interface Reduction {
  /** At most 256, full transparency among them. */
  readonly colors: number;
  /** How much of the error is diffused: 0 to 1. */
  readonly dither: number;
  /** Alpha becomes all or nothing. */
  readonly sharp: boolean;
  /** How much is given for indices that repeat: 0, which is the default, to 1. */
  readonly coherence?: number;
}

/** From here down colors are taken away; above, only dithering changes. */
const FULL_QUALITY = 85;
/** Steps of quality that halve the colors. */
const HALVING = 14;

/** How much of the error is diffused at most: with more, smooth places look grainy, and files are larger. */
const MOST_DITHER = 0.6;

/**
 * What is left of a picture at a quality of 1 to 99. 80 and its 200 colors look about as good as the same number in
 * formats for photographs; much dithering costs more bytes than it gains in looks, so it is kept for the top.
 */
export function reductionFor(quality: number): Omit<Reduction, "sharp"> {
  const colors = Math.round(MAX_COLORS * 2 ** (Math.min(0, quality - FULL_QUALITY) / HALVING));
  return {
    colors: Math.max(2, colors),
    dither: Math.min(MOST_DITHER, 0.4 + 0.025 * Math.max(0, quality - FULL_QUALITY)),
  };
}

export interface ChosenPalette {
  /** RGBA. Full transparency is the first color if the picture has it. */
  readonly palette: Uint8Array;
  /** The root of the mean squared distance of the picture's colors from it, in the unit of Oklab's lightness. */
  readonly error: number;
  /** The palette has every color of the picture, save alpha if that had to become sharp. */
  readonly exact: boolean;
}

/** Dithering mixes what was of one color: by so much a pixel takes more bits than its colors say. */
const MORE_BY_DITHERING = 1.3;

/** Frames of an animation whose colors are counted: spread evenly, first and last included. */
const SAMPLED_FRAMES = 24;

/** The best palettes of a picture, each one for all frames: it is read once, however many are wanted. */
export class Palettes {
  private readonly picture: Picture;
  private readonly sharp: boolean;
  private sorted: SortedColors | undefined;
  private entropy: number | undefined;
  private gray: boolean | undefined;

  /** @param sharp alpha becomes all or nothing */
  constructor(picture: Picture, sharp: boolean) {
    this.picture = picture;
    this.sharp = sharp;
  }

  /** The best palette of at most so many colors. */
  async choose(colors: number, timeSlice: TimeSlice): Promise<ChosenPalette> {
    const sorted = await this.sortedColors(timeSlice);
    return { ...(await paletteOf(sorted, colors, timeSlice)), exact: this.isExact(sorted, colors) };
  }

  /**
   * About the error of the palette that would be chosen, whether it would have every color of the picture, and whether
   * these are all gray; and the bits that a pixel hardly exceeds, by how often there are which colors.
   */
  async estimate(
    colors: number,
    timeSlice: TimeSlice,
  ): Promise<Pick<ChosenPalette, "error" | "exact"> & { gray: boolean; bits: number }> {
    const sorted = await this.sortedColors(timeSlice);
    this.entropy ??= entropyOf(sorted) * MORE_BY_DITHERING;
    const bits = Math.min(Math.log2(Math.max(2, colors)), this.entropy);
    this.gray ??= isGray(sorted);
    return { error: errorWith(sorted, colors), exact: this.isExact(sorted, colors), gray: this.gray, bits };
  }

  /** The fewest colors, `least` or more, whose palette would leave about so much error at most; 256 where all leave more. */
  async fewest({ least, error }: { readonly least: number; readonly error: number }, timeSlice: TimeSlice) {
    const sorted = await this.sortedColors(timeSlice);
    let [low, high] = [least, MAX_COLORS];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (errorWith(sorted, middle) > error) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isExact(sorted: SortedColors, colors: number): boolean {
    return colorsIn(sorted) <= colors && this.picture.frames <= SAMPLED_FRAMES;
  }

  private async sortedColors(timeSlice: TimeSlice): Promise<SortedColors> {
    this.sorted ??= await sortColors(this.picture, this.sharp, timeSlice);
    return this.sorted;
  }
}

/** Bytes of what is remembered of a picture's colors: of the picture, and of a sample of it besides. */
export const PALETTES_BYTES = 2 * SORTED_BYTES;

/** The estimate of counting a picture's colors, choosing a palette, and what is remembered of them. */
export function palettesEstimate(picture: Extent): Estimate {
  return parallel(held(PALETTES_BYTES), choosingEstimate(picture));
}

/** Pixels whose colors are counted. */
function countedPixels({ width, height, frames }: Extent): number {
  return width * height * Math.min(frames, SAMPLED_FRAMES);
}

/** The estimate of counting the colors of a picture and of choosing among them, what is held besides left out. */
function choosingEstimate(picture: Extent): Estimate {
  const [pixels, detail] = [countedPixels(picture), fullness(picture)];
  return serial(countEstimate(picture.width, pixels, detail), choiceEstimate(pixels, detail));
}

async function sortColors(picture: Picture, sharp: boolean, timeSlice: TimeSlice): Promise<SortedColors> {
  const histogram = new Histogram({ width: picture.width, sharp });
  const detail = fullness(picture);
  const nanoseconds = addEstimate(1, detail).ms * 1e6;
  try {
    const last = picture.frames - 1;
    const step = Math.max(1, last / (SAMPLED_FRAMES - 1));
    let next = 0;
    let index = 0;
    for await (const { rows } of picture.open(timeSlice)) {
      if (index++ < Math.floor(next)) {
        rows.close();
        continue;
      }
      next += step;
      for await (const band of bandsOf(rows, { rows: QUANTIZE_WINDOW_ROWS, nanoseconds, timeSlice }))
        histogram.add(band);
    }
    await timeSlice.spend(sortEstimate(countedPixels(picture), detail).ms);
    return histogram.sorted(MAX_COLORS);
  } finally {
    histogram.close();
  }
}

/**
 * The picture in the colors of a palette.
 * @param keeps of a still picture: once it was read to its end, a byte for each pixel is kept, and it is not mapped
 * again
 */
export function quantized(picture: Picture, chosen: ChosenPalette, reduction: Reduction, keeps = false): Picture {
  const { palette, exact } = chosen;
  const { width, height, frames } = picture;
  const opaque = !palette.some((value, at) => at % 4 === 3 && value < 255);
  const options = {
    width,
    height: frames > 1 ? height : 0,
    sharp: reduction.sharp,
    palette,
    dither: exact ? 0 : reduction.dither,
    coherence: reduction.coherence,
  };
  let kept: Uint8Array | undefined;
  const detail = detailToMap(picture);
  const keep = keeps ? (indices: Uint8Array) => (kept = indices) : undefined;
  return {
    ...picture,
    opaque,
    async *open(timeSlice) {
      if (kept) {
        yield { delayMs: 0, rows: painted(kept, palette, { width, height, opaque }) };
        return;
      }
      const remapper = new Remapper(options);
      try {
        for await (const frame of picture.open(timeSlice)) {
          remapper.restart();
          yield { ...frame, rows: mappedRows(frame.rows, { remapper, opaque, keep, detail, timeSlice }) };
        }
      } finally {
        remapper.close();
      }
    },
  };
}

/**
 * The estimate of choosing the palette of a picture, and of finding its colors in it afterward, beside what is held only then: the
 * memory of the one is given back before the other begins.
 */
export function reducedEstimate(picture: Extent, afterward: Estimate = NO_WORK): Estimate {
  const finding = parallel(quantizedEstimate(picture), afterward);
  return parallel(held(SORTED_BYTES), serial(choosingEstimate(picture), finding));
}

/** The estimate of reading a picture that was `quantized`, once. */
export function quantizedEstimate(picture: Extent): Estimate {
  const { width, height, frames } = picture;
  const remapper = remapperBytes({ width, height: frames > 1 ? height : 0 });
  return parallel(held(remapper), mapEstimate(width * height * frames, detailToMap(picture)));
}

/**
 * What there is to be found of a picture: what does not change from frame to frame is as soon found as what is flat.
 */
function detailToMap(picture: Extent): number {
  return fullness(picture) * changingPart(picture);
}

interface Mapping {
  readonly remapper: Remapper;
  /** Whether the palette is opaque. */
  readonly opaque: boolean;
  /** Told the indices of all pixels, once they are known. */
  readonly keep: ((indices: Uint8Array) => void) | undefined;
  readonly detail: number;
  readonly timeSlice: TimeSlice;
}

function mappedRows(rows: Rows, { remapper, opaque, keep, detail, timeSlice }: Mapping): Rows {
  const { width, height } = rows;
  const indices = keep && new Uint8Array(width * height);
  let filled = 0;
  return rowsOf(rows, {
    opaque,
    async read(max) {
      const most = Math.min(max, QUANTIZE_WINDOW_ROWS);
      await timeSlice.spend(mapEstimate(width * most, detail).ms);
      const band = await rows.read(most);
      if (!band) return null;
      const from = filled;
      filled += band.length / 4;
      const colors = remapper.colors(band, indices?.subarray(from, filled));
      if (indices && filled === indices.length) keep?.(indices);
      return colors;
    },
  });
}

/** Palette indices as rows. */
function painted(indices: Uint8Array, palette: Uint8Array, size: Pick<Rows, "width" | "height" | "opaque">): Rows {
  const colors = new Uint32Array(palette.slice().buffer);
  const band = new Uint32Array(size.width * QUANTIZE_WINDOW_ROWS);
  const rows = rowsOver(indices, size, 1);
  return {
    ...rows,
    async read(max) {
      const read = await rows.read(Math.min(max, QUANTIZE_WINDOW_ROWS));
      if (!read) return null;
      paint(band, colors, read);
      return new Uint8Array(band.buffer, 0, read.length * 4);
    },
  };
}

/** A function of its own: in one that waits for others a pixel takes ten times as long. */
function paint(band: Uint32Array, colors: Uint32Array, indices: Uint8Array): void {
  for (let at = 0; at < indices.length; at++) band[at] = colors[indices[at]!]!;
}
