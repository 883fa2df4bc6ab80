/** Animations into AVIF sequences: every frame but the first is predicted from others. */
import {
  Av1Frames,
  type FrameSettings,
  framesEstimate,
  type Packet,
  type Plane,
} from "../../../../wasm/av1-encode/frames.ts";
import { canvasEstimate } from "../../../../wasm/canvas.ts";
import { parallel, NO_WORK, held, type Estimate, serial } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { changingPart, fullness } from "../../codec/complexity.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import { BAND_ROWS } from "../heif/rows.ts";
import { writeHeifSequence } from "../heif/write-sequence.ts";
import type { WrittenTrack } from "../heif/write-tracks.ts";
import { colorsIn } from "../heif/write.ts";
import { av1Sequences } from "./codec.ts";
import { endsEarly, fill, layerOf, MATRIX, unitsOnly } from "./layer.ts";
import { quantizerAt } from "./quality.ts";

/** What an encoder may hold for chroma in full, with which a drawing is coded where there is room for it. */
const FULL_CHROMA_BYTES = 64 << 20;

/** Of the time of photographs, frames without any detail take this part. */
const FLAT_SHARES = { lossy: 0.2, lossless: 0.75 } as const;

/** What libaom is told, given what the service was told. */
function settingsOf(picture: Extent, settings: EncodeSettings, plane: Plane): FrameSettings {
  const { width, height, frames, detail = 1 } = picture;
  const quantizer = settings.lossless ? 0 : quantizerAt(settings.quality, "frame");
  const flat = FLAT_SHARES[settings.lossless ? "lossless" : "lossy"];
  const known = { width, height, frames, plane, changes: changingPart(picture), share: flat + (1 - flat) * detail };
  // Edges of a mask show more than those of a picture.
  if (plane === "alpha") return { ...known, chroma: "4:2:0", quantizer: Math.floor(quantizer / 3) };
  const full = { ...known, chroma: "4:4:4", quantizer } as const;
  if (settings.lossless) return { ...full, chroma: "rgb" };
  return { ...full, chroma: settings.subsample ?? chromaOf(picture, full) };
}

/** Drawings look as good in fewer bytes with all of their chroma, photographs with half of it. */
function chromaOf(picture: Extent, full: FrameSettings): "4:2:0" | "4:4:4" {
  const isDrawing = fullness(picture) <= 0.5;
  return isDrawing && framesEstimate(full).bytes <= FULL_CHROMA_BYTES ? "4:4:4" : "4:2:0";
}

/**
 * Bytes of a file for a pixel of a frame: films take 0.01 to 0.08 at usual qualities, noise and what loses nothing far
 * more.
 */
const USUAL_FILE_BYTES = 0.1;
const FINE_FILE_BYTES = 0.6;
const EXACT_FILE_BYTES = 1.5;

/** The estimate of encoding, the file included: in pieces and as a whole. */
export function animationEstimate(picture: Extent, settings: EncodeSettings): Estimate {
  const { width, height, frames } = picture;
  const { lossless, quality } = settings;
  const bytes = lossless ? EXACT_FILE_BYTES : quality > 90 ? FINE_FILE_BYTES : USUAL_FILE_BYTES;
  const colors = framesEstimate(settingsOf(picture, settings, "color"));
  const alphas = picture.opaque ? NO_WORK : framesEstimate(settingsOf(picture, settings, "alpha"));
  return parallel(serial(colors, alphas), held(2 * width * height * frames * bytes));
}

/** Tracks of an animation, for each of which its frames are read; of a still one reading is enough. */
export function tracksOf({ frames, opaque }: Extent): number {
  return frames > 1 && !opaque ? 2 : 1;
}

/** The estimate of decoding what was written, whatever its chroma. */
export function animationResultEstimate({ width, height, opaque, frames }: Extent): Estimate {
  const headers = { width, height, bits: 8, chroma: "4:4:4", quality: 100, rgb: false, copies: 1 } as const;
  const bytes = width * height * USUAL_FILE_BYTES;
  const layer = parallel(
    av1Sequences.sequenceEstimate(headers, { count: frames, largestBytes: width * height, totalBytes: frames * bytes }),
    canvasEstimate(width, height * frames, BAND_ROWS),
  );
  return opaque ? layer : parallel(layer, layer);
}

/**
 * One track after the other, for an encoder takes much memory: frames are read again for their alpha where they have
 * some.
 */
export async function encodeAnimation(
  picture: Picture,
  settings: EncodeSettings,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const { width, height, loops, space, opaque } = picture;
  const { chroma } = settingsOf(picture, settings, "color");
  const color = await encodeTrack(picture, settings, "color", timeSlice);
  const alpha = !opaque && color.translucent ? await encodeTrack(picture, settings, "alpha", timeSlice) : undefined;
  const half = chroma === "4:2:0";
  return writeHeifSequence({
    width,
    height,
    itemType: "av01",
    configType: "av1C",
    brands: ["avis", "avif", "msf1", "iso8", "mif1", "miaf", half ? "MA1B" : "MA1A"],
    // Chromium of Debian 12 shows sequences of full range with too much contrast; all of RGB has no room in a smaller one.
    fullRange: chroma === "rgb",
    ...colorsIn(space),
    matrix: MATRIX[chroma],
    color: trackOf(color.packets),
    alpha: alpha && trackOf(alpha.packets),
    delaysMs: color.delaysMs,
    loops,
  });
}

/** The packets of all frames, and whether any of them has a hole. */
export async function encodeTrack(picture: Picture, settings: EncodeSettings, plane: Plane, timeSlice: TimeSlice) {
  const encoder = new Av1Frames(settingsOf(picture, settings, plane));
  try {
    const packets: Packet[] = [];
    const delaysMs: number[] = [];
    let translucent = false;
    for await (const { delayMs, rows } of picture.open(timeSlice)) {
      await fill(encoder, rows, picture.height).finally(() => rows.close());
      packets.push(...(await encoder.take(timeSlice)));
      const holes = encoder.next();
      translucent ||= holes;
      delaysMs.push(delayMs);
      if (delaysMs.length === picture.frames) break;
    }
    if (delaysMs.length < picture.frames) throw endsEarly();
    packets.push(...(await encoder.finish(timeSlice)));
    return { packets, delaysMs, translucent };
  } finally {
    encoder.close();
  }
}

/** Packets as a file holds them. */
export function trackOf(packets: readonly Packet[]): WrittenTrack {
  const samples = packets.map(({ bytes, isKey }) => ({ data: unitsOnly(bytes), isKey }));
  const { config, bits } = layerOf(samples.map(({ data }) => data));
  return { config, bits, samples };
}
