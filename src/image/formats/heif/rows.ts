/** The rows of a HEIF picture: of a grid, one row of tiles is decoded at a time. */
import { NativeError } from "../../../../wasm/load.ts";
import type { Box } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
import { damaged } from "./bytes.ts";
import type { Canvas, Codec, SampleColors, Samples } from "./codec.ts";
import type { HeifPicture, Layer } from "./picture.ts";

/** Even, so that bands begin on a row of chroma. */
export const BAND_ROWS = 16;

/** Bytes that reading a picture holds at most, whatever region of it is wanted. */
export function peakBytes({ color, alpha, crop }: HeifPicture, codec: Codec): number {
  const layerBytes = ({ headers, columns, largestBytes }: Layer) =>
    (columns - 1) * codec.samplesBytes(headers) + codec.decodeBytes(headers, largestBytes);
  return layerBytes(color) + (alpha ? layerBytes(alpha) : 0) + crop.width * 4 * BAND_ROWS;
}

/** @param region whole pixels of the layers */
export function regionRows(picture: HeifPicture, codec: Codec, region: Box): Rows {
  const canvas = guard(() => codec.openCanvas(region.width, BAND_ROWS, peakBytes(picture, codec)));
  const color = new LayerRows(picture.color, codec, canvas, region, picture.colors.samples);
  const alpha = picture.alpha && new LayerRows(picture.alpha, codec, canvas, region, undefined);
  const end = region.y + region.height;
  let y = region.y;
  const read = (max: number) => {
    if (y >= end) return null;
    const most = Math.min(max, BAND_ROWS, end - y);
    const rows = Math.min(color.rowsFrom(y, most), alpha?.rowsFrom(y, most) ?? most);
    color.draw(y, rows, (samples, part) => canvas.draw(samples, part));
    alpha?.draw(y, rows, (samples, part) => canvas.drawAlpha(samples, part));
    if (picture.premultiplied) canvas.unpremultiply(rows);
    y += rows;
    return canvas.band(rows);
  };
  return {
    width: region.width,
    height: region.height,
    opaque: !alpha,
    read: (max) => guard(() => read(max)),
    close: () => canvas.close(),
  };
}

/** The tiles of one layer, the row of them that is decoded now. */
class LayerRows {
  private row = -1;
  private samples: Samples[] = [];
  private readonly layer: Layer;
  private readonly codec: Codec;
  private readonly canvas: Canvas;
  private readonly region: Box;
  private readonly colors: SampleColors | undefined;

  constructor(layer: Layer, codec: Codec, canvas: Canvas, region: Box, colors: SampleColors | undefined) {
    this.layer = layer;
    this.codec = codec;
    this.canvas = canvas;
    this.region = region;
    this.colors = colors;
  }

  /** How many rows from `y` on, `most` at most, lie in one row of tiles. */
  rowsFrom(y: number, most: number): number {
    const { height } = this.layer.tileSize;
    return Math.min(most, height - (y % height));
  }

  draw(y: number, rows: number, drawPart: (samples: Samples, part: Parameters<Canvas["draw"]>[1]) => void): void {
    const { width, height } = this.layer.tileSize;
    const row = Math.floor(y / height);
    const right = this.region.x + this.region.width;
    const first = Math.floor(this.region.x / width);
    if (row !== this.row) this.decodeRow(row, first, Math.ceil(right / width));
    this.samples.forEach((samples, index) => {
      const left = (first + index) * width;
      const from = Math.max(left, this.region.x);
      const part = { x: from - left, y: y % height, width: Math.min(left + width, right) - from, rows };
      drawPart(samples, { ...part, toX: from - this.region.x });
    });
  }

  private decodeRow(row: number, first: number, end: number): void {
    for (const samples of this.samples) this.canvas.free(samples);
    this.samples = [];
    this.row = row;
    for (let column = first; column < end; column++) {
      const coded = this.layer.tile(row * this.layer.columns + column);
      const headers = this.codec.headers(coded);
      const { width, height, bits, chroma } = this.layer.headers;
      const alike = headers.width === width && headers.height === height;
      if (!alike || headers.bits !== bits || headers.chroma !== chroma) throw damaged();
      this.samples.push(this.canvas.decode(coded, headers, this.colors));
    }
  }
}

/** Runs native code; what it refuses is damaged. */
function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof NativeError ? damaged(error) : error;
  }
}
