/** Rows into AVIF files: a grid of cells, so that memory depends on the cell and not on the picture. */
import { Av1Cells, type CellSettings, cellsPrice } from "../../../../wasm/av1-encode/encoder.ts";
import { BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { beside, held, type Price, times } from "../../../../wasm/price.ts";
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
/** Halved chroma takes less memory: such a picture is one cell up to this size, which takes 1 to 2 percent less. */
const MAX_HALF_PIXELS = 1200 << 10;
/** Large pictures take much memory to decode and leave less: their cells are smaller, which costs a percent. */
const LARGE_PIXELS = 16_000_000;
const MAX_LARGE_CELL_PIXELS = 256 << 10;
/** MIAF wants a grid of halved chroma to have an even size: what has not stays whole, up to this size. */
const MAX_ODD_PIXELS = 1536 << 10;
/** A side of a cell is a whole number of blocks. */
const BLOCK = 8;
/** Cells that there may be in a row or a column of a grid (ISO/IEC 23008-12, 6.6.2.3). */
const MAX_CELLS = 256;
/** How a picture is cut and what libaom is told, given what the service was told. */
export function cellSettings(shape: Shape, settings: EncodeSettings): CellSettings {
  const { width, height, opaque } = shape;
  const even = width % 2 === 0 && height % 2 === 0;
  const chroma = settings.lossless ? "rgb" : (settings.subsample ?? "4:2:0");
  const half = chroma === "4:2:0";
  const mostPixels = !half ? MAX_CELL_PIXELS : even ? MAX_HALF_PIXELS : MAX_ODD_PIXELS;
  const cell = width * height <= mostPixels ? { width, height } : cellOf(shape);
  const isGrid = cell.width < width || cell.height < height;
  const quantizer = settings.lossless ? 0 : quantizerAt(settings.quality);
  return {
    width,
    height,
    cell,
    opaque,
    chroma: half && isGrid && !even ? "4:4:4" : chroma,
    quantizer,
    // Edges of a mask show more than those of a picture.
    alphaQuantizer: Math.floor(quantizer / 3),
    speed: speedOf(Math.max(width * height, settings.allPixels ?? 0), settings),
  };
}

/** Chroma, as it is tried. */
export const VARIANTS = [{ subsample: "4:2:0" }, { subsample: "4:4:4" }] as const satisfies readonly Variant[];

/** The chroma that a picture can have: that of a grid of an odd size is whole. */
export function variantsOf(shape: Shape): readonly Variant[] {
  return VARIANTS.filter(({ subsample }) => cellSettings(shape, { ...USUAL, subsample }).chroma === subsample);
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
 * Pixels up to which libaom may take its time: a megapixel takes a second at speed 6, half of one at 7, a third at 8.
 */
const SPEEDS = [
  { pixels: 3_000_000, speed: 6 },
  { pixels: 13_000_000, speed: 7 },
  { pixels: 26_000_000, speed: 8 },
  { pixels: Number.POSITIVE_INFINITY, speed: 9 },
] as const;
const FASTEST = 9;

/**
 * Trials are made one step faster: they look a little worse and are a little larger. Drafts take a sixth of the time of a
 * trial; how much worse they look depends on the picture, by 2 points up or down.
 */
function speedOf(pixels: number, { trial = false, draft = false, effort }: EncodeSettings): number {
  if (draft) return FASTEST;
  const { speed } = SPEEDS.find((row) => pixels <= row.pixels)!;
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

/** The price of decoding what was written, whatever its chroma. */
export function resultPrice(shape: Shape): Price {
  const [half, full] = [resultPriceWith(shape, "4:2:0"), resultPriceWith(shape, "4:4:4")];
  return { bytes: Math.max(half.bytes, full.bytes), ms: Math.max(half.ms, full.ms) };
}

function resultPriceWith(shape: Shape, subsample: "4:2:0" | "4:4:4"): Price {
  const { cell, width, height, chroma } = cellSettings(shape, { ...USUAL, subsample });
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
