/** The ways in which PNG can hold a picture exactly. */
import { COLOR_TYPE, type ColorType } from "../../../../wasm/pixels/png-header.ts";
import type { PngSurvey, PngSurveyor } from "../../../../wasm/pixels/png-surveyor.ts";
import type { FilterStrategy } from "../../../../wasm/pixels/png-writer.ts";
import type { Picture } from "../../pixels/picture.ts";

export interface Representation {
  readonly type: ColorType;
  /** Bits per sample. */
  readonly depth: number;
  /** RGBA of each index, translucent colors first. */
  readonly palette?: Uint8Array;
  /** The color that stands for transparent pixels. */
  readonly key?: readonly [red: number, green: number, blue: number];
}

/** At least one of them. */
export type Representations = readonly [Representation, ...Representation[]];

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

/** Below this many pixels a palette may cost more than its indices save. */
const FEW_PIXELS = 1 << 16;
const MAX_COLORS = 256;

/** Those that may turn out smallest, by what a survey of the whole picture found. */
export function representationsOf(surveyor: PngSurveyor, picture: Picture, limits: Limits): Representations {
  const { samples = "any", order, freeHidden = false } = limits;
  const survey = surveyor.result();
  const plain = plainRepresentation(survey, samples);
  const hasUse = survey.translucent || picture.frames > 1;
  const withKey = hasUse && keyedRepresentation(surveyor, plain, !freeHidden);
  const direct: Representations = withKey ? [withKey] : [plain];
  if (!survey.palette || samples === "gray") return direct;
  const palette = picture.frames > 1 ? withTransparent(survey.palette) : survey.palette;
  const depth = depthFor(palette.length / 4);
  const indexed = [translucentFirst(palette), darkFirst(palette), ...(order ? [inOrderOf(palette, order)] : [])].map(
    (sorted): Representation => ({ type: COLOR_TYPE.palette, depth, palette: sorted }),
  );
  const isShort = plain.type === COLOR_TYPE.gray && plain.depth <= depth;
  const few = picture.width * picture.height * picture.frames <= FEW_PIXELS;
  return few || isShort ? [...direct, ...indexed] : (indexed as unknown as Representations);
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

/** Translucent colors first, then from dark to light, so that the indices of neighbors differ little. */
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
