/** Palettes: counting the colors of a picture, and choosing the best few. See histogram.c and choose.c. */
import { type Estimate, estimated, serial, times } from "../estimate.ts";
import { OutOfMemory } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { Handle, inRoom, QUANTIZE_WINDOW_ROWS } from "./instance.ts";

/** Rounds of k-means, which end earlier once one leaves more than this part of the error. */
const ROUNDS = 12;
const WORTH_A_ROUND = 0.995;
/** So many there are of photographs in the colors that are usual. */
const TYPICAL_ROUNDS = 5;
/** A round, for each sample. */
const ROUND_NANOSECONDS = 60;
/** Sorting what was counted into cells, for each sample: one call, of 15 ms at most. */
const SORT_NANOSECONDS = 200;
/** Counting a pixel of a photograph, and one of the same color as others. */
const COUNT_NANOSECONDS = { photograph: 24, flat: 3 };
/** Samples are at most as many as a histogram has bins, and about half as many as a small photograph has pixels. */
const MAX_SAMPLES = 1 << 16;
const SAMPLES_PER_PIXEL = 0.5;

export interface HistogramOptions {
  /** The width of the rows in pixels. */
  readonly width: number;
  /** Alpha is all or nothing: 128 and more is opaque. */
  readonly sharp: boolean;
}

/** The colors of a picture, weighted by how much they show; bounded memory however many there are. */
export class Histogram {
  private readonly handle: Handle;
  private readonly width: number;
  private readonly window: number;

  /** @throws NativeError when memory does not suffice */
  constructor({ width, sharp }: HistogramOptions) {
    this.width = width;
    this.handle = new Handle(
      (exports) => exports.histogram_open(width, sharp ? 1 : 0),
      (exports, pointer) => exports.histogram_close(pointer),
    );
    this.window = this.handle.call((exports, pointer) => exports.histogram_window(pointer));
  }

  /** Takes at most `QUANTIZE_WINDOW_ROWS` whole rows: RGBA8, straight alpha, sRGB. */
  add(rows: Uint8Array): void {
    this.handle.bytes(this.window, rows.length).set(rows);
    this.handle.call((exports, pointer) => exports.histogram_add(pointer, rows.length / (this.width * 4)));
  }

  /**
   * What was counted, for palettes of at most `most` (1 to 256) colors.
   * @throws NativeError when memory does not suffice
   */
  sorted(most: number): SortedColors {
    return this.handle.call((exports, pointer) => {
      const isExact = exports.histogram_colors(pointer) >= 0;
      const transparent = exports.histogram_transparent(pointer);
      const count = exports.histogram_samples(pointer);
      const bytes = { samples: count * SAMPLE_BYTES, cuts: Math.max(1, most - 1) * CUT_BYTES };
      return inRoom(bytes.samples + bytes.cuts, (room) => {
        const cutsAt = room.pointer + bytes.samples;
        const cells = exports.make_cuts(pointer, Math.max(1, most - transparent), room.pointer, cutsAt);
        if (cells < 0) throw new OutOfMemory();
        return {
          isExact,
          transparent,
          count,
          cells,
          samples: room.bytes(room.pointer, bytes.samples).slice(),
          cuts: room.bytes(cutsAt, Math.max(0, cells - 1) * CUT_BYTES).slice(),
        };
      });
    });
  }

  /** Frees everything. May be called twice. */
  close(): void {
    this.handle.close();
  }
}

const SAMPLE_BYTES = 8;
const CUT_BYTES = 12;
const CUT_ERROR = 8;

/** The colors of a picture in an order from which palettes of any size are quickly made; 8 bytes for each. */
export interface SortedColors {
  /** The samples are the very colors of the picture, not means of several. */
  readonly isExact: boolean;
  /** 1 if some pixel is fully transparent, which no sample stands for, else 0. */
  readonly transparent: number;
  /** Samples. */
  readonly count: number;
  /** Cells that they were sorted into. */
  readonly cells: number;
  readonly samples: Uint8Array;
  readonly cuts: Uint8Array;
}

/** How many colors there are, full transparency among them; Infinity when they were too many to be told apart. */
export function colorsIn({ isExact, count, transparent }: SortedColors): number {
  return isExact ? count + transparent : Infinity;
}

/** Whether all colors are gray. */
export function isGray({ samples, count }: SortedColors): boolean {
  const pixels = new Uint32Array(samples.buffer, samples.byteOffset, count * 2);
  for (let at = 0; at < pixels.length; at += 2) {
    const pixel = pixels[at]!;
    if (((pixel ^ (pixel >>> 8)) & 0xffff) !== 0) return false;
  }
  return true;
}

/** The entropy of the colors of a pixel that is not fully transparent, in bits. */
export function entropyOf({ samples, count }: SortedColors): number {
  const weights = new Float32Array(samples.buffer, samples.byteOffset, count * 2);
  let [sum, weighted] = [0, 0];
  for (let at = 1; at < weights.length; at += 2) {
    const weight = weights[at]!;
    sum += weight;
    weighted += weight * Math.log2(weight);
  }
  return sum > 0 ? Math.log2(sum) - weighted / sum : 0;
}

/**
 * The best palette of at most `colors` (1 to 256) colors, RGBA: exact when there are no more. Full transparency is the
 * first if the picture has it. `error` is the root of the mean squared distance of the colors from it, in the unit of
 * Oklab's lightness.
 * @throws NativeError when memory does not suffice
 */
export async function paletteOf(
  sorted: SortedColors,
  colors: number,
  timeSlice: Turns,
): Promise<{ readonly palette: Uint8Array; readonly error: number }> {
  const { isExact, transparent, count, cells, samples } = sorted;
  const solid = colors - transparent;
  if (count === 0 || solid < 1) return { palette: new Uint8Array(4), error: 0 };
  const palette = (pixels: Uint8Array) => {
    const all = new Uint8Array(transparent * 4 + pixels.length);
    all.set(pixels, transparent * 4);
    return all;
  };
  if (isExact && count <= solid)
    return { palette: palette(samples.filter((_, at) => at % SAMPLE_BYTES < 4)), error: 0 };
  const wanted = Math.min(cells, solid);
  const chooser = openChooser(sorted, wanted);
  try {
    let squared = Infinity;
    for (let round = 0, before = Infinity; round < ROUNDS && squared <= before * WORTH_A_ROUND; round++) {
      await timeSlice.spend(roundEstimate(count).ms);
      before = squared;
      squared = chooser.call((exports, pointer) => exports.chooser_refine(pointer));
    }
    const at = chooser.call((exports, pointer) => exports.chooser_settle(pointer, isExact ? 1 : 0));
    return { palette: palette(chooser.bytes(at, wanted * 4)), error: Math.sqrt(squared) };
  } finally {
    chooser.close();
  }
}

function openChooser({ count, samples, cuts }: SortedColors, cells: number): Handle {
  return inRoom(
    samples.length + cuts.length,
    (room) =>
      new Handle(
        (exports) => {
          const cutsAt = room.pointer + samples.length;
          room.bytes(room.pointer, samples.length).set(samples);
          room.bytes(cutsAt, cuts.length).set(cuts);
          return exports.chooser_open(room.pointer, count, cutsAt, cells);
        },
        (exports, pointer) => exports.chooser_close(pointer),
      ),
  );
}

/** About the error of a palette of so many colors, before it is refined: known without making it. */
export function errorWith({ transparent, count, cells, isExact, cuts }: SortedColors, colors: number): number {
  const solid = Math.max(1, colors - transparent);
  if (isExact && count <= solid) return 0;
  const cut = Math.min(cells, solid) - 2;
  if (cut < 0) return Infinity;
  return Math.sqrt(new DataView(cuts.buffer, cuts.byteOffset).getFloat32(cut * CUT_BYTES + CUT_ERROR, true));
}

/** Bytes of a histogram (bins, slots) and of the choice that is made from it (points, samples, cells). */
const HISTOGRAM_BYTES = (1 << 16) * 24 + (1 << 17) * 4;
const CHOICE_BYTES = MAX_SAMPLES * (33 + SAMPLE_BYTES) + 512 * 1024;

/** Bytes of sorted colors, at most. */
export const SORTED_BYTES = (1 << 16) * SAMPLE_BYTES + 256 * CUT_BYTES;

/**
 * The estimate of counting so many pixels in rows of `width`, and of sorting what was found.
 * @param detail 1 of a photograph, less of what is simpler
 */
export function countEstimate(width: number, pixels: number, detail = 1): Estimate {
  const { ms } = serial(addEstimate(pixels, detail), sortEstimate(pixels, detail));
  return { bytes: HISTOGRAM_BYTES + CHOICE_BYTES + width * 4 * (QUANTIZE_WINDOW_ROWS + 1), ms };
}

/** About how many samples are found in so many pixels; those of flat pictures repeat each other. */
function samplesOf(pixels: number, detail: number): number {
  return Math.min(MAX_SAMPLES, pixels * SAMPLES_PER_PIXEL * detail ** 2);
}

/** The estimate of `Histogram.sorted`, once so many pixels were counted. */
export function sortEstimate(pixels: number, detail = 1): Estimate {
  return estimated(0, samplesOf(pixels, detail), SORT_NANOSECONDS);
}

/** The estimate of choosing a palette for so many pixels; its memory is that of counting. */
export function choiceEstimate(pixels: number, detail = 1): Estimate {
  return times(TYPICAL_ROUNDS, roundEstimate(samplesOf(pixels, detail)));
}

function roundEstimate(samples: number): Estimate {
  return estimated(0, samples, ROUND_NANOSECONDS);
}

/** The estimate of counting so many pixels; no memory. */
export function addEstimate(pixels: number, detail = 1): Estimate {
  const { photograph, flat } = COUNT_NANOSECONDS;
  return estimated(0, pixels, flat + (photograph - flat) * detail);
}
