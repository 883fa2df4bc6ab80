import { NativeError } from "../../../../wasm/load.ts";
/** Rows into WebP files: stills in bands, animations as the rectangles that change from frame to frame. */
import { Canvas, canvasBytes, type Rectangle } from "../../../../wasm/webp/canvas.ts";
import {
  BAND_ROWS,
  encodePeakBytes,
  openEncoder,
  type EncoderSettings,
  type WebpEncoder,
} from "../../../../wasm/webp/encoder.ts";
import { ApiError } from "../../../errors.ts";
import type { EncodeSettings } from "../../format.ts";
import type { Size } from "../../geometry.ts";
import type { Frame, Picture } from "../../picture.ts";
import type { Rows } from "../../rows.ts";
import { muxAnimation, type EncodedFrame } from "./mux.ts";

type Shape = Size & { readonly opaque: boolean };

/** libwebp's methods by effort. Method 6 costs three times the time of 4 and wins about a percent. */
const LOSSY_METHODS = [2, 3, 4, 5, 6] as const;
const LOSSLESS_METHODS = [1, 1, 2, 2, 2] as const;
/** Method 0 takes five times the memory and three times the time of the lean coder, for the same bytes. */
const LEAST_LOSSLESS_METHOD = 1;
/** From 76 on, the lossless coder of libwebp needs minutes for some pictures and wins 1 percent. */
const LOSSLESS_EFFORT = 75;
/** What libwebp's lossless encoder may hold; beyond, the lean coder takes over, whose files are 6 percent larger. */
const LOSSLESS_BYTES = 48 << 20;

/** What libwebp is told, given what the service was told. */
export function encoderSettings(shape: Shape, settings: EncodeSettings): EncoderSettings {
  const { width, height, opaque } = shape;
  const step = Math.round(Math.min(1, Math.max(0, settings.effort)) * (LOSSY_METHODS.length - 1));
  if (!settings.lossless) {
    return { width, height, opaque, lossless: false, quality: settings.quality, method: LOSSY_METHODS[step]! };
  }
  const { nearLossless = 100 } = settings;
  const common = { width, height, opaque, lossless: true, quality: LOSSLESS_EFFORT, exact: true, nearLossless };
  for (let method: number = LOSSLESS_METHODS[step]!; method >= LEAST_LOSSLESS_METHOD; method--) {
    if (encodePeakBytes({ ...common, method }) <= LOSSLESS_BYTES) return { ...common, method };
  }
  return { ...common, method: 0, lean: true };
}

/** Bytes that encoding holds at most, the file included; what an animation holds besides is `animationBytes`. */
export function peakBytes(shape: Shape, settings: EncodeSettings): number {
  // Photographs take 0.1 to 0.4 bytes per pixel at usual qualities, 1.1 without loss.
  const file = shape.width * shape.height * (settings.lossless ? 1.5 : 0.4);
  return encodePeakBytes(encoderSettings(shape, settings)) + file;
}

/** Bytes that an animation holds besides the encoder: the canvas that is shown and the one before it. */
export function animationBytes({ width, height }: Size): number {
  return 2 * canvasBytes(width, height);
}

/** @throws ApiError 422 when the picture has no frame, or is too large or too complex for the format */
export function encodeWebp(picture: Picture, settings: EncodeSettings): Uint8Array {
  if (picture.frames > 1) return guard(() => encodeAnimation(picture, settings));
  for (const { rows } of picture.open()) return encodeStill(rows, settings);
  throw new ApiError(422, "The image has no frame");
}

function encodeStill(rows: Rows, settings: EncodeSettings): Uint8Array {
  try {
    const encoder = guard(() => openEncoder(encoderSettings(rows, settings)));
    try {
      fill(encoder, rows);
      return guard(() => encoder.finish());
    } finally {
      encoder.close();
    }
  } finally {
    rows.close();
  }
}

function fill(encoder: WebpEncoder, rows: Rows): void {
  const stride = rows.width * 4;
  let filled = 0;
  for (let read = rows.read(BAND_ROWS); read; read = rows.read(BAND_ROWS - filled)) {
    encoder.band().set(read, filled * stride);
    filled += read.length / stride;
    if (filled === BAND_ROWS) {
      encoder.push(filled);
      filled = 0;
    }
  }
  if (filled > 0) encoder.push(filled);
}

function encodeAnimation(picture: Picture, settings: EncodeSettings): Uint8Array {
  const { width, height, opaque } = picture;
  const canvases = [new Canvas(width, height)];
  try {
    canvases.push(new Canvas(width, height));
    const frames = encodeFrames(picture.open(), canvases as [Canvas, Canvas], opaque, settings);
    return muxAnimation({ width, height, alpha: !opaque, loops: picture.loops }, frames);
  } finally {
    for (const canvas of canvases) canvas.close();
  }
}

function encodeFrames(
  frames: Iterable<Frame>,
  [one, other]: [Canvas, Canvas],
  opaque: boolean,
  settings: EncodeSettings,
): EncodedFrame[] {
  const encoded: EncodedFrame[] = [];
  let [current, previous] = [one, other];
  for (const { delayMs, rows } of frames) {
    copyRows(rows, current);
    const last = encoded.at(-1);
    const whole = { x: 0, y: 0, width: current.width, height: current.height };
    const box = last ? current.difference(previous) : whole;
    if (last && !box) {
      encoded[encoded.length - 1] = { ...last, delayMs: last.delayMs + delayMs };
      continue;
    }
    const before = last ? previous : undefined;
    encoded.push({ ...encodeRectangle(current, before, box ?? whole, opaque, settings), delayMs });
    [current, previous] = [previous, current];
  }
  return encoded;
}

function copyRows(rows: Rows, canvas: Canvas): void {
  try {
    let y = 0;
    for (let read = rows.read(BAND_ROWS); read; read = rows.read(BAND_ROWS)) {
      const count = read.length / (4 * canvas.width);
      canvas.rows(y, count).set(read);
      y += count;
    }
  } finally {
    rows.close();
  }
}

/**
 * The smallest of the ways to say what changed: lossy if that is allowed, without loss, and without loss only the
 * pixels that differ, drawn over the others. (Holes would cost a lossy coder an alpha channel.)
 */
function encodeRectangle(
  canvas: Canvas,
  before: Canvas | undefined,
  box: Rectangle,
  opaque: boolean,
  settings: EncodeSettings,
): Omit<EncodedFrame, "delayMs"> {
  const shape = { width: box.width, height: box.height, opaque };
  const wanted = encoderSettings(shape, settings);
  // Beside a lossy coder only the lean one fits in the memory that was declared.
  const exact = settings.lossless ? wanted : { ...encoderSettings(shape, { ...settings, lossless: true }), lean: true };
  const ways = [{ box, file: encodeBox(canvas, undefined, box, wanted), blend: false }];
  if (!settings.lossless) ways.push({ box, file: encodeBox(canvas, undefined, box, exact), blend: false });
  if (before && canvas.blendable(before, box)) {
    ways.push({ box, file: encodeBox(canvas, before, box, { ...exact, opaque: false }), blend: true });
  }
  return ways.reduce((best, way) => (way.file.length < best.file.length ? way : best));
}

function encodeBox(canvas: Canvas, before: Canvas | undefined, box: Rectangle, settings: EncoderSettings): Uint8Array {
  const encoder = openEncoder(settings);
  try {
    for (let y = 0; y < box.height; y += BAND_ROWS) {
      const height = Math.min(BAND_ROWS, box.height - y);
      canvas.copy({ ...box, y: box.y + y, height }, encoder.bandAddress, before);
      encoder.push(height);
    }
    return encoder.finish();
  } finally {
    encoder.close();
  }
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NativeError)
      throw new ApiError(422, "The image cannot be written as WebP: it is too large or too complex", { cause: error });
    throw error;
  }
}
