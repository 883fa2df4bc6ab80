/** Rows into AVIF files: a grid of cells, so that memory depends on the cell and not on the picture. */
import { Av1Cells, type CellSettings, cellsPrice, FIRST_FAST_SPEED } from "../../../../wasm/av1-encode/encoder.ts";
import { BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { beside, either, held, type Price, times } from "../../../../wasm/price.ts";
import { ApiError } from "../../../errors.ts";
import type { Breath } from "../../breath.ts";
import type { Space } from "../../color/space.ts";
import { lessWhereFlat } from "../../content.ts";
import type { Size } from "../../geometry.ts";
import { type Extent, firstFrame, type Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";
import type { EncodeSettings, Variant } from "../../writer.ts";
import { guardedAsync } from "../guard.ts";
import { colorsIn, writeHeif } from "../heif/write.ts";
import { animationPrice, encodeAnimation } from "./animation.ts";
import { av1 } from "./codec.ts";
import { fill, layerOf, MATRIX, unitsOnly } from "./layer.ts";
import { quantizerAt } from "./quality.ts";

type Shape = Size & { readonly opaque: boolean };

/** Up to this size a picture is one cell, and so large are those of others. */
const MAX_CELL_PIXELS = 768 << 10;
/**
 * Halved chroma takes less memory, and so do the fast speeds: such a picture is one cell up to these sizes, which takes 1 to 2
 * percent less. A grid of halved chroma has even sides, and so has what an aperture shows of it (ISO/IEC 23000-22, 7.3.6.7 and
 * 7.3.11.4): chroma of an odd picture that is no single cell is whole, which is worth more memory to avoid.
 */
const MAX_HALF_PIXELS = {
  close: { even: 1200 << 10, odd: 1536 << 10 },
  fast: { even: 1700 << 10, odd: 2200 << 10 },
} as const;
/** Large pictures take much memory to decode and leave less: their cells are smaller, which costs a percent. */
const LARGE_PIXELS = 16_000_000;
const MAX_LARGE_CELL_PIXELS = 256 << 10;
/** A side of a cell is a whole number of blocks. */
const BLOCK = 8;
/** Cells that there may be in a row or a column of a grid (ISO/IEC 23008-12, 6.6.2.3). */
const MAX_CELLS = 256;
/** How a picture is cut and what libaom is told, given what the service was told. */
export function cellSettings(shape: Shape, settings: EncodeSettings): CellSettings {
  const { width, height, opaque } = shape;
  const parity = width % 2 === 0 && height % 2 === 0 ? "even" : "odd";
  const chroma = settings.lossless ? "rgb" : (settings.subsample ?? "4:2:0");
  const half = chroma === "4:2:0";
  // A file that is only looked at is cut as the one that stays.
  const stays = speedOf(shape, { ...settings, trial: false, draft: false });
  const pace = stays < FIRST_FAST_SPEED ? "close" : "fast";
  const mostPixels = half ? MAX_HALF_PIXELS[pace][parity] : MAX_CELL_PIXELS;
  const cell = width * height <= mostPixels ? { width, height } : cellOf(shape);
  const isGrid = cell.width < width || cell.height < height;
  const quantizer = settings.lossless ? 0 : quantizerAt(settings.quality);
  return {
    width,
    height,
    cell,
    opaque,
    chroma: half && isGrid && parity === "odd" ? "4:4:4" : chroma,
    quantizer,
    // Edges of a mask show more than those of a picture.
    alphaQuantizer: Math.floor(quantizer / 3),
    speed: speedOf(shape, settings),
  };
}

/** Chroma, as it is tried. */
export const VARIANTS = [{ subsample: "4:2:0" }, { subsample: "4:4:4" }] as const satisfies readonly Variant[];

/** The chroma that a picture can have: that of a grid of an odd size is whole. */
export function variantsOf(shape: Shape, settings: EncodeSettings): readonly Variant[] {
  return VARIANTS.filter(({ subsample }) => cellSettings(shape, { ...settings, subsample }).chroma === subsample);
}

/** Settings of which nothing but the chroma matters. */
const USUAL = { lossless: false, quality: 100, progressive: false, effort: 0.5 } as const;

/** Cells of one size, as square as may be, that reach beyond the picture by as little as may be. */
function cellOf({ width, height }: Size): Size {
  const most = width * height > LARGE_PIXELS ? MAX_LARGE_CELL_PIXELS : MAX_CELL_PIXELS;
  const side = Math.sqrt(most);
  const columns = Math.max(1, Math.ceil(width / side));
  const cellWidth = blocks(width / columns);
  const rows = Math.ceil(height / Math.floor(most / cellWidth));
  const cell = { width: cellWidth, height: blocks(height / rows) };
  if (columns > MAX_CELLS || rows > MAX_CELLS) throw tooLarge();
  return cell;
}

function blocks(length: number): number {
  return Math.ceil(length / BLOCK) * BLOCK;
}

/**
 * Pixels up to which libaom may take its time, of one picture, and of all that a request makes: a megapixel takes a second at
 * speed 6, half of one at 7, a third at 8, and is 7 percent larger at 7 than at 6, and 3 percent larger at 8 than at 7.
 */
const SPEEDS = [
  { one: 3_000_000, all: 3_000_000, speed: 6 },
  { one: 13_000_000, all: 4_000_000, speed: 7 },
  { one: 26_000_000, all: 26_000_000, speed: 8 },
] as const;
const FASTEST = 9;

/**
 * Trials are made one step faster: they look a little worse and are a little larger. Drafts take a sixth of the time of a
 * trial; how much worse they look depends on the picture, by 2 points up or down.
 */
function speedOf(
  { width, height }: Size,
  { trial = false, draft = false, effort, allPixels = 0 }: EncodeSettings,
): number {
  if (draft) return FASTEST;
  const { speed = FASTEST } = SPEEDS.find(({ one, all }) => width * height <= one && allPixels <= all) ?? {};
  const wanted = speed + (trial ? 1 : 0) + (effort < 0.25 ? 1 : 0) - (effort > 0.75 ? 1 : 0);
  return Math.min(FASTEST, wanted);
}

/** Flat pictures are coded in large blocks, which take less. */
const FLAT_SHARES = { lossy: 0.75, lossless: 0.6 } as const;

/** The price of encoding, the file included. */
export function encodePrice(picture: Extent, settings: EncodeSettings): Price {
  return picture.frames > 1 ? animationPrice(picture, settings) : stillPrice(picture, settings);
}

function stillPrice(shape: Shape & Pick<Extent, "detail">, settings: EncodeSettings): Price {
  const share = FLAT_SHARES[settings.lossless ? "lossless" : "lossy"];
  const work = lessWhereFlat(cellsPrice(cellSettings(shape, settings)), shape, share);
  return beside(work, held(fileBytes(shape, settings)));
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

/** The price of decoding what was written, whatever its chroma and however it was cut. */
export function resultPrice(shape: Shape): Price {
  const ways = [
    ...VARIANTS.map((variant) => ({ ...USUAL, ...variant })),
    { ...USUAL, subsample: "4:2:0", allPixels: Number.POSITIVE_INFINITY } as const,
  ];
  return either(...ways.map((settings) => resultPriceBy(shape, settings)));
}

function resultPriceBy(shape: Shape, settings: EncodeSettings): Price {
  const { cell, width, height, chroma } = cellSettings(shape, settings);
  const kept = chroma === "4:2:0" ? chroma : "4:4:4";
  const headers = { ...cell, bits: 8, chroma: kept, quality: 100, rgb: false, copies: 1, byRows: false } as const;
  const columns = Math.ceil(width / cell.width);
  const decoded = av1.decodePrice(headers, cell.width * cell.height, false);
  const layer = {
    bytes: (columns - 1) * av1.samplesBytes(headers) + decoded.bytes,
    ms: times(columns * Math.ceil(height / cell.height), decoded).ms,
  };
  return beside(...(shape.opaque ? [layer] : [layer, layer]), held(width * 4 * BAND_ROWS));
}

/** @throws ApiError 422 when the picture has no frame or is too large */
export function encodeAvif(picture: Picture, settings: EncodeSettings, breath: Breath): Promise<Uint8Array> {
  const encode = picture.frames > 1 ? encodeAnimation : encodeStill;
  return guardedAsync(() => encode(picture, settings, breath), tooLarge);
}

async function encodeStill(picture: Picture, settings: EncodeSettings, breath: Breath): Promise<Uint8Array> {
  const rows = await firstFrame(picture, breath);
  try {
    return await encodeRows(rows, picture.space, cellSettings(rows, settings), breath);
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
  breath: Breath,
): Promise<Uint8Array> {
  const { width, height } = rows;
  const { cell, chroma } = settings;
  const cells = new Av1Cells(settings);
  const half = chroma === "4:2:0";
  try {
    const { color, alpha } = await encodeCells(cells, rows, cell.height, breath);
    return writeHeif({
      width,
      height,
      tile: cell,
      grid: color.length > 1,
      halfChroma: half,
      itemType: "av01",
      configType: "av1C",
      brands: ["avif", "mif1", "miaf", half ? "MA1B" : "MA1A"],
      fullRange: true,
      ...colorsIn(space),
      matrix: MATRIX[chroma],
      color: layerOf(color),
      alpha: alpha && layerOf(alpha),
    });
  } finally {
    cells.close();
  }
}

/** The bitstreams of all cells, row by row; those of alpha only where some pixel needs it. */
async function encodeCells(cells: Av1Cells, rows: Rows, cellHeight: number, breath: Breath) {
  const color: Uint8Array[] = [];
  const alpha: Uint8Array[] = [];
  const { height, opaque } = rows;
  let translucent = false;
  let solid: Uint8Array | undefined;
  for (let top = 0; top < height; top += cellHeight) {
    if (top > 0) cells.next();
    await fill(cells, rows, Math.min(cellHeight, height - top));
    const holes = cells.complete();
    translucent ||= holes;
    for (let column = 0; column < cells.columns; column++) {
      color.push(unitsOnly(await cells.encode(column, "color", breath)));
      if (opaque) continue;
      // Cells without holes are all the same.
      const known = holes ? undefined : solid;
      alpha.push(known ?? unitsOnly(await cells.encode(column, "alpha", breath)));
      if (!holes) solid = alpha.at(-1);
    }
  }
  return { color, alpha: translucent ? alpha : undefined };
}
