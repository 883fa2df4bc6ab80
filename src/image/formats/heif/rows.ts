/** The rows of a HEIF picture: of a grid, one row of tiles is decoded at a time. */
import {
  type CanvasPart,
  canvasEstimate,
  type CodedPicture,
  type NativeCanvas,
  type NativeStills,
  type SampleMeaning,
} from "../../../../wasm/canvas.ts";
import { parallel, maximum, held, type Estimate, times } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { damaged } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import type { HeifPicture, Layer } from "./picture.ts";

/** Even, so that bands begin on a row of chroma. */
export const BAND_ROWS = 16;

/** The estimate of reading a picture, whatever region of it is wanted. */
export function pictureEstimate({ color, alpha, crop }: HeifPicture, codec: Codec): Estimate {
  const layers = alpha ? [color, alpha] : [color];
  const drawn = canvasEstimate(crop.width, crop.height, BAND_ROWS);
  return parallel(...layers.flatMap((layer) => [layerEstimate(layer, codec), drawn]));
}

/** One tile is decoded at a time, beside those of its row that are decoded already. */
function layerEstimate(layer: Layer, codec: Codec): Estimate {
  const { headers, columns, tileCount, largestBytes, totalBytes } = layer;
  const largest = codec.decodeEstimate(headers, largestBytes, isAlone(layer));
  const all = times(tileCount, codec.decodeEstimate(headers, totalBytes / tileCount, isAlone(layer)));
  return parallel(maximum(largest, all), held((columns - 1) * codec.samplesBytes(headers)));
}

/** Tiles may differ in what allows to decode their rows one after the other, and are small. */
function isAlone({ tileCount }: Layer): boolean {
  return tileCount === 1;
}

/** Where pictures are decoded, and for whom. */
export interface Decoder {
  readonly codec: Codec;
  readonly stills: NativeStills;
  readonly timeSlice: TimeSlice;
}

/**
 * @param region whole pixels of the layers
 * @param sixteenBit of a picture whose colors are not multiplied by alpha
 */
export function regionRows(picture: HeifPicture, decoder: Decoder, region: Box, sixteenBit = false): Rows {
  const canvas = guarded(() => decoder.stills.openCanvas(region.width, BAND_ROWS, sixteenBit), damaged);
  const color = new LayerRows(picture.color, decoder, canvas, region, picture.colors.samples);
  const alpha = picture.alpha && new LayerRows(picture.alpha, decoder, canvas, region, undefined);
  const end = region.y + region.height;
  let y = region.y;
  const read = async (max: number) => {
    if (y >= end) return null;
    const most = Math.min(max, BAND_ROWS, end - y);
    const rows = Math.min(color.rowsFrom(y, most), alpha?.rowsFrom(y, most) ?? most);
    await color.decode(y, rows);
    await alpha?.decode(y, rows);
    for (const { samples, part } of color.parts(y, rows)) canvas.draw(samples, part);
    for (const { samples, part } of alpha?.parts(y, rows) ?? []) canvas.drawAlpha(samples, part);
    if (picture.premultiplied) canvas.unpremultiply(rows);
    y += rows;
    return canvas.band(rows);
  };
  return {
    width: region.width,
    height: region.height,
    opaque: !alpha,
    ...(sixteenBit && { sixteenBit }),
    read: (max) => guardedAsync(() => read(max), damaged),
    close: () => canvas.close(),
  };
}

/** A picture in the native module. */
interface Tile {
  readonly samples: number;
  readonly coded: CodedPicture;
}

/** The tiles of one layer, the row of them that is decoded now. */
class LayerRows {
  private row = -1;
  private tiles: Tile[] = [];
  private readonly layer: Layer;
  private readonly decoder: Decoder;
  private readonly canvas: NativeCanvas;
  private readonly region: Box;
  private readonly colors: SampleMeaning | undefined;

  constructor(layer: Layer, decoder: Decoder, canvas: NativeCanvas, region: Box, colors: SampleMeaning | undefined) {
    this.layer = layer;
    this.decoder = decoder;
    this.canvas = canvas;
    this.region = region;
    this.colors = colors;
  }

  /** How many rows from `y` on, `most` at most, lie in one row of tiles. */
  rowsFrom(y: number, most: number): number {
    const { height } = this.layer.tileSize;
    return Math.min(most, height - (y % height));
  }

  /** Decodes rows from `y` on, which lie in one row of tiles. */
  async decode(y: number, rows: number): Promise<void> {
    const { height } = this.layer.tileSize;
    await this.decodeTiles(Math.floor(y / height));
    for (const { samples, coded } of this.tiles) {
      await this.canvas.reach(samples, coded, y % height, rows, this.decoder.timeSlice);
    }
  }

  /** Decodes the tiles of a row that the region touches. */
  private async decodeTiles(row: number): Promise<void> {
    if (row === this.row) return;
    for (const { samples } of this.tiles) this.canvas.free(samples);
    this.tiles = [];
    this.row = row;
    const { first, end } = this.columns();
    for (let column = first; column < end; column++) {
      this.tiles.push(await this.decodeTile(row * this.layer.columns + column));
    }
  }

  /** What is to be drawn for rows from `y` on, which are decoded. */
  *parts(y: number, rows: number): Generator<{ samples: number; part: CanvasPart }> {
    const { width, height } = this.layer.tileSize;
    const right = this.region.x + this.region.width;
    let left = this.columns().first * width;
    for (const { samples } of this.tiles) {
      const from = Math.max(left, this.region.x);
      const shown = Math.min(left + width, right) - from;
      yield { samples, part: { x: from - left, y: y % height, width: shown, rows, toX: from - this.region.x } };
      left += width;
    }
  }

  /** Columns of tiles that the region touches. */
  private columns(): { readonly first: number; readonly end: number } {
    const { width } = this.layer.tileSize;
    const right = this.region.x + this.region.width;
    return { first: Math.floor(this.region.x / width), end: Math.ceil(right / width) };
  }

  private async decodeTile(index: number): Promise<Tile> {
    const { codec, timeSlice } = this.decoder;
    const coded = this.layer.tile(index);
    const headers = codec.headers(coded);
    const { width, height, bits, chroma } = this.layer.headers;
    const alike = headers.width === width && headers.height === height;
    if (!alike || headers.bits !== bits || headers.chroma !== chroma) throw damaged();
    const picture = codec.picture(coded, headers, isAlone(this.layer));
    return { samples: await this.canvas.decode(picture, this.colors, timeSlice), coded: picture };
  }
}
