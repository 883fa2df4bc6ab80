import { Canvas, canvasBytes } from "../../../../wasm/webp/canvas.ts";
import { decodePeakBytes, openDecoder, type Region } from "../../../../wasm/webp/decoder.ts";
import type { Decoded, Demand } from "../../format.ts";
import type { Box, Size } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
/** Rows out of WebP files: stills in bands, animations on a canvas. */
import { canvasRows } from "../canvas-rows.ts";
import { damaged, type WebpFile, type WebpFrame } from "./container.ts";

/** The picture is decoded smaller only where that leaves the resize at least this much to do: half the size or less. */
const FACTORS = [8, 4, 2] as const;

/** Which part of a still picture is decoded, and how small. */
export function planRegion(
  frame: Size & { readonly translucent: boolean; readonly lossless: boolean },
  demand: Demand,
) {
  const left = Math.max(0, Math.floor(demand.box.x)) & ~1;
  const top = Math.max(0, Math.floor(demand.box.y)) & ~1;
  const right = Math.min(frame.width, Math.ceil(demand.box.x + demand.box.width));
  const bottom = Math.min(frame.height, Math.ceil(demand.box.y + demand.box.height));
  const width = right - left;
  const height = bottom - top;
  // In a lossy picture colors are averaged without regard to alpha: what is hidden would bleed into what is not.
  const scalable = frame.lossless || !frame.translucent;
  const factor =
    (scalable && FACTORS.find((by) => fits(demand, width, by) && demand.box.height / by >= demand.height)) || 1;
  const region: Region = {
    x: left,
    y: top,
    width,
    height,
    scaledWidth: Math.max(1, Math.round(width / factor)),
    scaledHeight: Math.max(1, Math.round(height / factor)),
  };
  return { region, box: scaledBox(demand.box, region) };
}

function fits(demand: Demand, width: number, by: number): boolean {
  return demand.box.width / by >= demand.width && width >= by;
}

function scaledBox(box: Box, region: Region): Box {
  const scaleX = region.scaledWidth / region.width;
  const scaleY = region.scaledHeight / region.height;
  return {
    x: (box.x - region.x) * scaleX,
    y: (box.y - region.y) * scaleY,
    width: box.width * scaleX,
    height: box.height * scaleY,
  };
}

/** The frames of a file; one at a time, each must be closed or read to its end before the next. */
export function* openFrames(file: WebpFile, demand: Demand): Generator<Decoded> {
  const still = file.frames[0]!;
  if (file.animated) {
    yield* openAnimation(file, demand);
    return;
  }
  const { region, box } = planRegion(still, demand);
  const rows = stillRows(still, region);
  try {
    yield { delayMs: 0, rows, box };
  } finally {
    rows.close();
  }
}

function stillRows(frame: WebpFrame, region: Region): Rows {
  const decoder = guard(() => openDecoder(frame, region));
  return {
    width: region.scaledWidth,
    height: region.scaledHeight,
    opaque: !frame.translucent,
    read: (max) => guard(() => decoder.read(max)),
    close: () => decoder.close(),
  };
}

function* openAnimation(file: WebpFile, demand: Demand): Generator<Decoded> {
  const canvas = guard(() => new Canvas(file.width, file.height));
  const opaque = isOpaque(file);
  let previous: WebpFrame | undefined;
  try {
    for (const frame of file.frames) {
      if (previous?.dispose) canvas.clear(previous);
      drawFrame(canvas, frame);
      previous = frame;
      yield { delayMs: frame.delayMs, rows: canvasRows(canvas, opaque), box: demand.box };
    }
  } finally {
    canvas.close();
  }
}

function drawFrame(canvas: Canvas, frame: WebpFrame): void {
  const { width, height } = frame;
  const region = { x: 0, y: 0, width, height, scaledWidth: width, scaledHeight: height };
  const decoder = guard(() => openDecoder(frame, region));
  try {
    let y = frame.y;
    for (let band = guard(() => decoder.readBand()); band; band = guard(() => decoder.readBand())) {
      canvas.draw({ x: frame.x, y, width, height: band.rows }, band.address, frame.blend);
      y += band.rows;
    }
  } finally {
    decoder.close();
  }
}

/** Whether no frame of the file can show a pixel with alpha. */
export function isOpaque(file: WebpFile): boolean {
  const [first] = file.frames;
  const covered = first?.width === file.width && first.height === file.height;
  return (
    covered && file.frames.every((frame, i) => !frame.translucent && !(frame.dispose && i + 1 < file.frames.length))
  );
}

/** Bytes that decoding holds at most, the copy of the compressed bytes not included. */
export function peakBytes(
  picture: Size & { readonly lossless: boolean; readonly alpha: boolean; readonly animated: boolean },
): number {
  const frame = decodePeakBytes({ ...picture, bytes: 0 });
  return picture.animated ? frame + canvasBytes(picture.width, picture.height) : frame;
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw damaged(error);
  }
}
