/** The ways in which PNG can hold a picture exactly. */
import {
  COLOR_TYPE,
  type ColorType,
  type FilterStrategy,
  openPngSurveyor,
  PNG_WINDOW_ROWS,
  type PngSurvey,
  type PngSurveyor,
} from "../../../../wasm/pixels/png.ts";
import { firstFrame, type Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";

export interface Representation {
  readonly type: ColorType;
  /** Bits per sample. */
  readonly depth: number;
  /** RGBA of each index, translucent colors first. */
  readonly palette?: Uint8Array;
  /** The color that stands for transparent pixels. */
  readonly key?: readonly [red: number, green: number, blue: number];
}

/** Which color types are allowed: an embedded profile is made for gray or for colors. */
export type Samples = "any" | "gray" | "color";

export interface Limits {
  readonly samples?: Samples;
  /** RGBA of a palette whose order is worth trying. */
  readonly order?: Uint8Array;
  /** Transparent pixels may lose their color. */
  readonly freeHidden?: boolean;
  /** The filter that the samples were moved for. */
  readonly movedFor?: FilterStrategy;
}

/** What the first look at a picture found. */
export interface Look {
  /** Those that may turn out smallest. */
  readonly representations: readonly [Representation, ...Representation[]];
  /** The first rows of the first frame, RGBA: all of them if they are few enough. */
  readonly sample: Uint8Array;
  /** All rows of the first frame, some at a time: the sample, then what is still unread, as far as that was not lost. */
  bands(): Iterable<Uint8Array>;
  /** Ends the reading of the picture. */
  close(): void;
}

/** Pixels of a picture that is sampled as a whole, and of the sample of a larger one: 2 MB, and enough to choose by. */
const WHOLE_PIXELS = 1 << 20;
const SAMPLE_PIXELS = 1 << 19;
/** Below this many pixels a palette may cost more than its indices save. */
const FEW_PIXELS = 1 << 16;
const MAX_COLORS = 256;

/**
 * Looks at all frames, as far as needed: the first rows of an opaque photograph settle that it is one, and the others
 * need not wait for a second reading. The caller closes the look.
 */
export function lookAt(picture: Picture, limits: Limits = {}): Look {
  const { width, height } = picture;
  const rows = width * height <= WHOLE_PIXELS ? height : Math.ceil(SAMPLE_PIXELS / width);
  const sample = new Uint8Array(width * 4 * rows);
  const surveyor = openPngSurveyor(width, picture.opaque, !picture.opaque || picture.frames > 1);
  const unread = bandsOf(picture);
  let filled = 0;
  let settled = false;
  let beyond = new Uint8Array(0);
  let isLost = false;
  try {
    while (filled < sample.length || !settled) {
      const next = unread.next();
      if (next.done) break;
      const band = next.value;
      isLost ||= filled === sample.length;
      sample.set(band.subarray(0, sample.length - filled), filled);
      beyond = band.slice(sample.length - filled);
      filled = Math.min(sample.length, filled + band.length);
      settled ||= !surveyor.add(band);
    }
    const bands = isLost
      ? () => bandsOfRows(firstFrame(picture))
      : () => inTurn(bandsOfPixels(sample, width), bandsOfPixels(beyond, width), unread);
    return {
      representations: representationsOf(surveyor, picture, limits),
      sample,
      bands,
      close: () => unread.return(),
    };
  } catch (error) {
    unread.return();
    throw error;
  } finally {
    surveyor.close();
  }
}

function representationsOf(surveyor: PngSurveyor, picture: Picture, limits: Limits): Look["representations"] {
  const { samples = "any", order, freeHidden = false } = limits;
  const survey = surveyor.result();
  const plain = plainRepresentation(survey, samples);
  const hasUse = survey.translucent || picture.frames > 1;
  const withKey = hasUse && keyedRepresentation(surveyor, plain, !freeHidden);
  const direct: Look["representations"] = withKey ? [withKey] : [plain];
  if (!survey.palette || samples === "gray") return direct;
  const palette = picture.frames > 1 ? withTransparent(survey.palette) : survey.palette;
  const depth = depthFor(palette.length / 4);
  const indexed = [translucentFirst(palette), darkFirst(palette), ...(order ? [inOrderOf(palette, order)] : [])].map(
    (sorted): Representation => ({ type: COLOR_TYPE.palette, depth, palette: sorted }),
  );
  const isShort = plain.type === COLOR_TYPE.gray && plain.depth <= depth;
  const few = picture.width * picture.height * picture.frames <= FEW_PIXELS;
  return few || isShort ? [...direct, ...indexed] : (indexed as unknown as Look["representations"]);
}

/** Without an alpha channel, if a color is free to stand for transparent pixels (or for holes in frames). */
function keyedRepresentation(
  surveyor: PngSurveyor,
  { type, depth }: Representation,
  exact: boolean,
): Representation | undefined {
  if (depth < 8) return undefined;
  const gray = type === COLOR_TYPE.gray || type === COLOR_TYPE.grayAlpha;
  const key = surveyor.key(gray, exact);
  return key ? { type: gray ? COLOR_TYPE.gray : COLOR_TYPE.rgb, depth, key } : undefined;
}

function plainRepresentation({ colored, translucent, grayDepth }: PngSurvey, samples: Samples): Representation {
  if (colored || samples === "color") return { type: translucent ? COLOR_TYPE.rgba : COLOR_TYPE.rgb, depth: 8 };
  return translucent ? { type: COLOR_TYPE.grayAlpha, depth: 8 } : { type: COLOR_TYPE.gray, depth: grayDepth };
}

/** Bits of an index. */
function depthFor(colors: number): number {
  return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8;
}

/** Frames of an animation leave holes where nothing changed. */
function withTransparent(palette: Uint8Array): Uint8Array {
  const colors = new Uint32Array(palette.buffer, 0, palette.length / 4);
  if (colors.includes(0) || colors.length === MAX_COLORS) return palette;
  const longer = new Uint8Array(palette.length + 4);
  longer.set(palette);
  return longer;
}

const isSolid = (color: Uint8Array) => (color[3] === 255 ? 1 : 0);
const luma = ([red, green, blue]: Uint8Array) => 299 * red! + 587 * green! + 114 * blue!;

/** In the order of first appearance, but translucent colors first, so that tRNS ends early. */
function translucentFirst(palette: Uint8Array): Uint8Array {
  return sortedPalette(palette, (a, b) => isSolid(a) - isSolid(b));
}

/** The same, and from dark to light, so that the indices of neighbors differ little. */
function darkFirst(palette: Uint8Array): Uint8Array {
  return sortedPalette(palette, (a, b) => isSolid(a) - isSolid(b) || luma(a) - luma(b) || a[3]! - b[3]!);
}

/** In the order of another palette; colors that it lacks come last. */
function inOrderOf(palette: Uint8Array, order: Uint8Array): Uint8Array {
  const place = new Map<string, number>();
  for (let at = order.length - 4; at >= 0; at -= 4) place.set(order.subarray(at, at + 4).join(), at);
  const placeOf = (color: Uint8Array) => place.get(color.join()) ?? Infinity;
  return sortedPalette(palette, (a, b) => (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0));
}

function sortedPalette(palette: Uint8Array, order: (a: Uint8Array, b: Uint8Array) => number): Uint8Array {
  const colors = Array.from({ length: palette.length / 4 }, (_, index) => palette.subarray(index * 4, index * 4 + 4));
  const sorted = new Uint8Array(palette.length);
  for (const [index, color] of colors.toSorted(order).entries()) sorted.set(color, index * 4);
  return sorted;
}

/** All rows of all frames, some at a time; ending the iteration closes what is open. */
function* bandsOf(picture: Picture): Generator<Uint8Array, void, void> {
  for (const { rows } of picture.open()) yield* bandsOfRows(rows);
}

function* inTurn(...parts: readonly Iterable<Uint8Array>[]): Iterable<Uint8Array> {
  for (const part of parts) yield* part;
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
