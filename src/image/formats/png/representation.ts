/** The smallest way in which PNG can hold a picture exactly. */
import {
  COLOR_TYPE,
  type ColorType,
  openPngSurveyor,
  PNG_WINDOW_ROWS,
  type PngSurvey,
} from "../../../../wasm/pixels/png.ts";
import type { Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";

export interface Representation {
  readonly type: ColorType;
  /** Bits per sample. */
  readonly depth: number;
  /** RGBA of each index, translucent colors first. */
  readonly palette?: Uint8Array;
}

/** What the first look at a picture found. */
export interface Look {
  readonly representation: Representation;
  /** The first rows of the first frame, RGBA: all of them if they are few enough. */
  readonly sample: Uint8Array;
}

/** Pixels of the sample: enough to choose filters by, and 4 MB. */
const SAMPLE_PIXELS = 1 << 20;
const MAX_COLORS = 256;
const TRANSPARENT = Uint8Array.of(0, 0, 0, 0);

/** Looks at all frames, as far as needed: the first rows of an opaque photograph settle that it is one. */
export function lookAt(picture: Picture): Look {
  const { width, height } = picture;
  const sample = new Uint8Array(width * 4 * Math.min(height, Math.ceil(SAMPLE_PIXELS / width)));
  const surveyor = openPngSurveyor(width, picture.opaque);
  let filled = 0;
  let settled = false;
  try {
    for (const band of bandsOf(picture)) {
      if (filled < sample.length) {
        sample.set(band.subarray(0, sample.length - filled), filled);
        filled = Math.min(sample.length, filled + band.length);
      }
      settled ||= !surveyor.add(band);
      if (settled && filled === sample.length) break;
    }
    return { representation: representationOf(surveyor.result(), picture), sample };
  } finally {
    surveyor.close();
  }
}

function representationOf(survey: PngSurvey, { width, height, frames }: Picture): Representation {
  const plain = plainRepresentation(survey);
  const palette = survey.palette && (frames > 1 ? withTransparent(survey.palette) : survey.palette);
  if (!palette) return plain;
  const depth = depthFor(palette.length / 4);
  const saved = (width * height * frames * (SAMPLES[plain.type] * plain.depth - depth)) / 8;
  // Indices cost the palette; what they save is estimated low, because all of it is compressed afterwards.
  return saved / 4 < palette.length ? plain : { type: COLOR_TYPE.palette, depth, palette: sortedPalette(palette) };
}

const SAMPLES: Readonly<Record<ColorType, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function plainRepresentation({ colored, translucent, grayDepth }: PngSurvey): Representation {
  if (colored) return { type: translucent ? COLOR_TYPE.rgba : COLOR_TYPE.rgb, depth: 8 };
  return translucent ? { type: COLOR_TYPE.grayAlpha, depth: 8 } : { type: COLOR_TYPE.gray, depth: grayDepth };
}

/** Bits of an index. */
export function depthFor(colors: number): number {
  return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8;
}

/** Frames of an animation leave holes where nothing changed. */
function withTransparent(palette: Uint8Array): Uint8Array {
  const words = new Uint32Array(palette.buffer, 0, palette.length / 4);
  if (words.includes(0) || words.length === MAX_COLORS) return palette;
  const longer = new Uint8Array(palette.length + 4);
  longer.set(palette);
  longer.set(TRANSPARENT, palette.length);
  return longer;
}

/** Translucent first, so that tRNS ends early; within each part from dark to light, so that neighbors differ little. */
function sortedPalette(palette: Uint8Array): Uint8Array {
  const colors = Array.from({ length: palette.length / 4 }, (_, index) => palette.subarray(index * 4, index * 4 + 4));
  const luma = ([red, green, blue]: Uint8Array) => 299 * red! + 587 * green! + 114 * blue!;
  const solid = (color: Uint8Array) => (color[3] === 255 ? 1 : 0);
  colors.sort((a, b) => solid(a) - solid(b) || luma(a) - luma(b) || a[3]! - b[3]!);
  const sorted = new Uint8Array(palette.length);
  for (const [index, color] of colors.entries()) sorted.set(color, index * 4);
  return sorted;
}

/** All rows of all frames, some at a time; ending the iteration closes what is open. */
function* bandsOf(picture: Picture): Iterable<Uint8Array> {
  for (const { rows } of picture.open()) yield* bandsOfRows(rows);
}

/** All rows, as many at a time as a writer takes; closes them at the end, however it comes. */
export function* bandsOfRows(rows: Rows): Iterable<Uint8Array> {
  try {
    for (let band = rows.read(PNG_WINDOW_ROWS); band; band = rows.read(PNG_WINDOW_ROWS)) yield band;
  } finally {
    rows.close();
  }
}

/** The same over pixels in memory. */
export function* bandsOfPixels(pixels: Uint8Array, width: number): Iterable<Uint8Array> {
  const step = width * 4 * PNG_WINDOW_ROWS;
  for (let from = 0; from < pixels.length; from += step) yield pixels.subarray(from, from + step);
}
