/** Rows out of WebP files: stills in bands, animations on a canvas. */
import { parallel, held, type Estimate } from "../../../../wasm/estimate.ts";
import { Canvas, canvasEstimate, canvasWork } from "../../../../wasm/webp/canvas.ts";
import { decodeEstimate, openDecoder, type Region, type WebpDecoder } from "../../../../wasm/webp/decoder.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Decoded, Demand, Facts } from "../../codec/format.ts";
import { guarded } from "../../codec/guard.ts";
import type { Box, Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { canvasRows } from "../canvas-rows.ts";
import { damaged, type WebpFile, type WebpFrame } from "./container.ts";

/** The picture is decoded smaller only where that leaves the resize at least this much to do: half the size or less. */
const FACTORS = [8, 4, 2] as const;

/** Which part of a still picture is decoded, and how small. */
function planRegion(frame: Size & { readonly translucent: boolean; readonly lossless: boolean }, demand: Demand) {
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
export async function* openFrames(
  file: WebpFile,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded, void, void> {
  const still = file.frames[0]!;
  if (file.animated) {
    yield* openAnimation(file, demand, timeSlice);
    return;
  }
  const { region, box } = planRegion(still, demand);
  const rows = stillRows(still, region, timeSlice);
  try {
    yield { delayMs: 0, rows, box };
  } finally {
    rows.close();
  }
}

/** Rows above the region give none, and are declared here; all others are declared by whoever reads them. */
function stillRows(frame: WebpFrame, region: Region, timeSlice: TimeSlice): Rows {
  const decoder = guarded(() => openDecoder(frame, region), damaged);
  return {
    width: region.scaledWidth,
    height: region.scaledHeight,
    opaque: !frame.translucent,
    async read(max) {
      for (let ms = guarded(() => decoder.advance(), damaged); ms > 0; ms = guarded(() => decoder.advance(), damaged)) {
        const rows = guarded(() => decoder.read(max), damaged);
        if (rows) return rows;
        await timeSlice.spend(ms);
      }
      return guarded(() => decoder.read(max), damaged);
    },
    close: () => decoder.close(),
  };
}

async function* openAnimation(
  file: WebpFile,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded, void, void> {
  const canvas = guarded(() => new Canvas(file.width, file.height), damaged);
  const opaque = isOpaque(file);
  let previous: WebpFrame | undefined;
  try {
    for (const frame of file.frames) {
      if (previous?.dispose) canvas.clear(previous);
      await drawFrame(canvas, frame, timeSlice);
      previous = frame;
      yield { delayMs: frame.delayMs, rows: canvasRows(canvas, opaque), box: demand.box };
    }
  } finally {
    canvas.close();
  }
}

async function drawFrame(canvas: Canvas, frame: WebpFrame, timeSlice: TimeSlice): Promise<void> {
  const { width, height } = frame;
  const region = { x: 0, y: 0, width, height, scaledWidth: width, scaledHeight: height };
  const decoder = guarded(() => openDecoder(frame, region, canvas.instance), damaged);
  try {
    await drawBands(canvas, frame, decoder, timeSlice);
  } finally {
    decoder.close();
  }
}

async function drawBands(canvas: Canvas, frame: WebpFrame, decoder: WebpDecoder, timeSlice: TimeSlice): Promise<void> {
  const { x, width } = frame;
  let y = frame.y;
  for (let ms = guarded(() => decoder.advance(), damaged); ms > 0; ms = guarded(() => decoder.advance(), damaged)) {
    const band = decoder.readBand();
    if (band) {
      canvas.draw({ x, y, width, height: band.rows }, band.address, frame.blend);
      y += band.rows;
    }
    await timeSlice.spend(ms + canvasWork(width * (band?.rows ?? 0)).ms);
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

/** The decoder works on a copy of the compressed frame, of which these are the bytes per pixel at most. */
const FILE_BYTES_PER_PIXEL = { lossless: 1.2, lossy: 0.3 };

/** The estimate of decoding. */
export function estimate(facts: Facts): Estimate {
  const { width, height, alpha, frames, subsample, codedBytes } = facts;
  const lossless = subsample === "4:4:4";
  const estimate =
    frames > 1
      ? animationEstimate(facts)
      : parallel(
          decodeEstimate({ width, height, lossless, alpha, bytes: 0 }, codedBytes),
          copyEstimate(facts, lossless),
        );
  return { bytes: facts.decodeBytes ?? estimate.bytes, ms: estimate.ms };
}

/** Bytes that decoding the frames of a file holds: what the greediest of them does, and in an animation the canvas. */
export function decodeBytes({ width, height, frames, animated }: WebpFile): number {
  const each = frames.map((frame) => {
    const bytes = frame.data.length + (frame.alpha?.length ?? 0);
    return decodeEstimate({ ...frame, alpha: frame.alpha !== undefined, bytes }).bytes;
  });
  return Math.max(...each) + (animated ? canvasEstimate(width, height).bytes : 0);
}

/**
 * Of an animation what its frames draw is decoded, in whichever way most are coded, and every frame is handed on whole.
 * What is held is that of a whole frame, of either kind, where the file is not written yet.
 */
function animationEstimate(facts: Facts): Estimate {
  const { width, height, alpha, frames, subsample, codedBytes } = facts;
  const pixels = width * height;
  const drawn = pixels + (facts.later?.pixels ?? pixels * (frames - 1));
  const { bytes } = decodeEstimate({ width, height, lossless: true, alpha, bytes: 0 });
  const { ms } = decodeEstimate(
    { width: drawn, height: 1, lossless: subsample === "4:4:4", alpha, bytes: 0 },
    codedBytes,
  );
  const work = parallel({ bytes, ms }, canvasWork(drawn + (pixels * frames) / 2));
  return parallel(work, copyEstimate(facts, true), canvasEstimate(width, height));
}

function copyEstimate({ width, height }: Facts, lossless: boolean): Estimate {
  return held(width * height * FILE_BYTES_PER_PIXEL[lossless ? "lossless" : "lossy"]);
}
