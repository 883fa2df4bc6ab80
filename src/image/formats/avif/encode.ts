/**
 * Rows into AVIF files: a picture whose tiles are coded one by one, so that memory depends on the tile and not on the
 * picture.
 */
import { Av1Cells, type CellSettings, cellsEstimate, FIRST_FAST_SPEED } from "../../../../wasm/av1-encode/encoder.ts";
import { BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { parallel, maximum, held, type Estimate } from "../../../../wasm/estimate.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { lessWhereFlat } from "../../codec/complexity.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings, Variant } from "../../codec/writer.ts";
import type { Space } from "../../color/space.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import type { Rows } from "../../pixels/rows.ts";
import { colorsIn, writeHeif } from "../heif/write.ts";
import { animationEstimate, encodeAnimation } from "./animation.ts";
import { av1 } from "./codec.ts";
import { SIXTEEN_BIT_MATRIX, fill, layerOf, MATRIX, unitsOnly } from "./layer.ts";
import { profileBrands } from "./level.ts";
import { quantizerAt } from "./quality.ts";
import { MAX_TILES, SUPERBLOCK } from "./tile-info.ts";
import { pictureOfTiles } from "./tiles.ts";

type Shape = Pick<Extent, "width" | "height" | "opaque" | "space" | "bits">;

/** Up to this size a picture is one cell, and so large are those of others. */
const MAX_CELL_PIXELS = 768 << 10;
/**
 * Halved chroma takes less memory, and so do the fast speeds: such a picture is one cell up to these sizes, which takes
 * 1 to 2 percent less.
 */
const MAX_HALF_PIXELS = { close: 1200 << 10, fast: 1700 << 10 } as const;
/** 16-bit pictures take nearly twice the memory. */
const MAX_SIXTEEN_BIT_CELL_PIXELS = 448 << 10;
/**
 * Bits of a sample of rows of RGBA8. By ten, photographs take 5 percent fewer bytes at the same score, and a quarter
 * more time.
 */
const [USUAL_BITS, MORE_BITS] = [8, 10] as const;
/**
 * Originals and files of large pictures leave less memory to the encoder. With smaller cells it holds half as much, 26
 * MB in place of 52 for 24 megapixels of full chroma, and files are a percent larger.
 */
const LARGE_PIXELS = 16_000_000;
const MAX_LARGE_CELL_PIXELS = 256 << 10;

/** How a picture is cut and what libaom is told, given what the service was told. */
export function cellSettings(shape: Shape, settings: EncodeSettings): CellSettings {
  const { width, height, opaque } = shape;
  const chroma = settings.lossless ? "rgb" : (settings.subsample ?? "4:2:0");
  const half = chroma === "4:2:0";
  // A file that is only looked at is cut as the one that stays.
  const stays = speedOf(shape, { ...settings, probe: false, draft: false });
  const pace = stays < FIRST_FAST_SPEED ? "close" : "fast";
  const sixteenBit = shape.bits === undefined ? undefined : shape.space?.codePoints;
  const bits = sixteenBit || (half && opaque && pace === "close") ? MORE_BITS : USUAL_BITS;
  const mostHalf = bits === MORE_BITS ? MAX_CELL_PIXELS : MAX_HALF_PIXELS[pace];
  const mostPixels = sixteenBit ? MAX_SIXTEEN_BIT_CELL_PIXELS : half ? mostHalf : MAX_CELL_PIXELS;
  const cell = width * height <= mostPixels ? { width, height } : cellOf(shape, sixteenBit !== undefined);
  const quality = settings.drawn ? Math.max(settings.quality, MIN_DRAWN_QUALITY) : settings.quality;
  const quantizer = settings.lossless ? 0 : quantizerAt(quality, bits === MORE_BITS ? "fine" : "still");
  return {
    width,
    height,
    cell,
    opaque,
    chroma,
    quantizer,
    // Edges of a mask show more than those of a picture.
    alphaQuantizer: Math.floor(quantizer / 3),
    speed: speedOf(shape, settings),
    drawn: settings.drawn === true,
    bits,
    sixteenBit,
  };
}

/** Below it the ground of what is drawn has other colors: by up to 6 levels, for hardly fewer bytes. */
export const MIN_DRAWN_QUALITY = 16;

/** Chroma, as it is tried. */
export const VARIANTS = [{ subsample: "4:2:0" }, { subsample: "4:4:4" }] as const satisfies readonly Variant[];

/** Tiles of one size, but for those at the right and the bottom, as square as may be, and of whole superblocks. */
function cellOf({ width, height }: Size, sixteenBit: boolean): Size {
  const usual = sixteenBit ? MAX_SIXTEEN_BIT_CELL_PIXELS : MAX_CELL_PIXELS;
  const most = width * height > LARGE_PIXELS ? MAX_LARGE_CELL_PIXELS : usual;
  const side = Math.sqrt(most);
  const columns = Math.max(1, Math.ceil(width / side));
  const cellWidth = superblocks(width / columns);
  const mostRows = Math.floor(most / cellWidth / SUPERBLOCK) * SUPERBLOCK;
  const rows = Math.ceil(height / mostRows);
  if (Math.ceil(width / cellWidth) > MAX_TILES || rows > MAX_TILES) throw tooLarge();
  return { width: cellWidth, height: superblocks(height / rows) };
}

function superblocks(length: number): number {
  return Math.ceil(length / SUPERBLOCK) * SUPERBLOCK;
}

/**
 * Pixels up to which libaom may take its time, of one picture, and of all that a request makes: a megapixel takes a
 * second at speed 6, half of one at 7, a third at 8, and is 7 percent larger at 7 than at 6, and 3 percent larger at 8
 * than at 7.
 */
const SPEEDS = [
  { one: 3_000_000, all: 3_000_000, speed: 6 },
  { one: 13_000_000, all: 4_000_000, speed: 7 },
  { one: 26_000_000, all: 26_000_000, speed: 8 },
] as const;
const FASTEST = 9;
/** The only one at which all sizes of blocks are tried, which is worth remembering. */
const CHOOSING_SPEED = 6;
/**
 * Quantizers by which renditions differ that share sizes of blocks, at most: edges of drawings want other ones farther
 * away.
 */
const NEAR_QUANTIZERS = 8;

/**
 * Probes are made one step faster: they look a little worse and are a little larger. Drafts take a sixth of the time of
 * a probe; how much worse they look depends on the picture, by 2 points up or down.
 */
function speedOf(
  { width, height }: Size,
  { probe = false, draft = false, effort, allPixels = 0 }: EncodeSettings,
): number {
  if (draft) return FASTEST;
  const { speed = FASTEST } = SPEEDS.find(({ one, all }) => width * height <= one && allPixels <= all) ?? {};
  const wanted = speed + (probe ? 1 : 0) + (effort < 0.25 ? 1 : 0) - (effort > 0.75 ? 1 : 0);
  return Math.min(FASTEST, wanted);
}

/** Flat pictures are coded in large blocks, which take less. */
const FLAT_SHARES = { lossy: 0.75, lossless: 0.6 } as const;

/** The estimate of encoding, the file included. */
export function encodeEstimate(picture: Extent, settings: EncodeSettings): Estimate {
  return picture.frames > 1 ? animationEstimate(picture, settings) : stillEstimate(picture, settings);
}

function stillEstimate(shape: Shape & Pick<Extent, "detail">, settings: EncodeSettings): Estimate {
  const share = FLAT_SHARES[settings.lossless ? "lossless" : "lossy"];
  // Where nothing turns out to be transparent, samples have more bits.
  const kinds = shape.opaque ? [shape] : [shape, { ...shape, opaque: true }];
  const cells = maximum(...kinds.map((kind) => cellsEstimate(cellSettings(kind, settings))));
  const work = lessWhereFlat(cells, shape, share);
  return parallel(work, held(fileBytes(shape, settings)));
}

/**
 * A file and the pieces that it is made of; photographs take 0.05 to 0.2 bytes per pixel at usual qualities, 1.2
 * without loss.
 */
function fileBytes(
  { width, height }: Size,
  { lossless, quality }: Pick<EncodeSettings, "lossless" | "quality">,
): number {
  return width * height * (lossless ? 2.5 : quality > 90 ? 0.8 : 0.4);
}

/** Bytes of a file for each pixel: what photographs take with a loss at most. */
const RESULT_BYTES = 0.4;

/** The estimate of decoding what was written, whatever its chroma. */
export function resultEstimate({ width, height, opaque, bits = 8 }: Shape): Estimate {
  const headers = {
    width,
    height,
    bits,
    chroma: "4:4:4",
    quality: 100,
    rgb: false,
    copies: 1,
    byRows: true,
  } as const;
  const layer = av1.decodeEstimate(headers, width * height * RESULT_BYTES, true);
  return parallel(...(opaque ? [layer] : [layer, layer]), held(width * 4 * BAND_ROWS));
}

/** @throws ApiError 422 when the picture has no frame or is too large */
export function encodeAvif(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const encode = picture.frames > 1 ? encodeAnimation : encodeStill;
  return guardedAsync(() => encode(picture, settings, timeSlice), tooLarge);
}

async function encodeStill(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  const rows = await firstFrame(picture, timeSlice);
  try {
    const { space, bits } = picture;
    const { width, height, opaque } = rows;
    const cells = cellSettings({ width, height, opaque, space, bits }, settings);
    return await encodeRows(rows, space, cells, settings, timeSlice);
  } finally {
    rows.close();
  }
}

function tooLarge(cause?: unknown): ApiError {
  return new ApiError(422, "The image cannot be written as AVIF: it is too large", { cause });
}

async function encodeRows(
  rows: Rows,
  space: Space | undefined,
  settings: CellSettings,
  asked: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height } = rows;
  const { chroma, sixteenBit } = settings;
  const { chosen } = asked;
  const cells = new Av1Cells(settings, settings.quantizer > 0 ? chosen?.share : undefined);
  try {
    const { color, alpha } = await encodeLayers(cells, rows, settings, choiceOf(settings, asked), timeSlice);
    if (chosen && settings.quantizer > 0) chosen.share = cells.lastShare;
    return writeHeif({
      width,
      height,
      tile: { width, height },
      grid: false,
      itemType: "av01",
      configType: "av1C",
      brands: ["avif", "mif1", "miaf", ...profileBrands(color)],
      fullRange: true,
      ...colorsIn(space),
      matrix: (sixteenBit ? SIXTEEN_BIT_MATRIX : MATRIX)[chroma],
      color,
      alpha,
    });
  } finally {
    cells.close();
  }
}

/** Sizes of blocks of each cell: those that an earlier rendition chose, or where they go. */
interface Choice {
  readonly known?: readonly Uint8Array[] | undefined;
  readonly keep?: (blocks: Uint8Array) => void;
}

function choiceOf({ chroma, speed, quantizer, sixteenBit }: CellSettings, { chosen }: EncodeSettings): Choice {
  if (!chosen || speed !== CHOOSING_SPEED || quantizer === 0 || sixteenBit) return {};
  const { key, at = 0 } = chosen;
  if (key === chroma && Math.abs(quantizer - at) <= NEAR_QUANTIZERS) return { known: chosen.parts };
  const parts: Uint8Array[] = [];
  Object.assign(chosen, { key: chroma, at: quantizer, parts });
  return { keep: (blocks) => parts.push(blocks) };
}

/** The bitstreams of colors and of alpha, the latter only where some pixel needs it. */
async function encodeLayers(cells: Av1Cells, rows: Rows, { cell }: CellSettings, choice: Choice, timeSlice: TimeSlice) {
  const color: Uint8Array[] = [];
  const alpha: Uint8Array[] = [];
  const { width, height, opaque } = rows;
  let translucent = false;
  const solid = new Map<string, Uint8Array>();
  for (let top = 0; top < height; top += cell.height) {
    if (top > 0) cells.next();
    const cellRows = Math.min(cell.height, height - top);
    await fill(cells, rows, cellRows);
    const holes = cells.translucent();
    translucent ||= holes;
    for (let column = 0; column < cells.columns; column++) {
      color.push(unitsOnly(await cells.encode(column, "color", timeSlice, choice.known?.[color.length])));
      choice.keep?.(cells.blocks());
      if (opaque) continue;
      // Cells without holes are the same where they have the same size.
      const size = `${Math.min(cell.width, width - column * cell.width)} x ${cellRows}`;
      const known = holes ? undefined : solid.get(size);
      const coded = known ?? unitsOnly(await cells.encode(column, "alpha", timeSlice));
      alpha.push(coded);
      if (!holes) solid.set(size, coded);
    }
  }
  const whole = (stills: readonly Uint8Array[]) => layerOf([wholeOf(stills, { width, height }, cell)]);
  return { color: whole(color), alpha: translucent ? whole(alpha) : undefined };
}

function wholeOf(stills: readonly Uint8Array[], picture: Size, cell: Size): Uint8Array {
  const [only, ...others] = stills;
  if (!only) throw new RangeError("nothing was encoded");
  return others.length === 0 ? only : pictureOfTiles(stills, picture, cell);
}
