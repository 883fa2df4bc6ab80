/** Animations into AVIF sequences: every frame but the first is predicted from others. */
import {
  Av1Frames,
  type FrameSettings,
  framesPrice,
  type Packet,
  type Plane,
} from "../../../../wasm/av1-encode/frames.ts";
import { canvasPrice } from "../../../../wasm/canvas.ts";
import { beside, held, type Price } from "../../../../wasm/price.ts";
import type { Breath } from "../../breath.ts";
import { changingPart, fullness } from "../../content.ts";
import type { Extent, Picture } from "../../picture.ts";
import type { EncodeSettings } from "../../writer.ts";
import { BAND_ROWS } from "../heif/rows.ts";
import { writeHeifSequence, type WrittenTrack } from "../heif/write-sequence.ts";
import { colorsIn } from "../heif/write.ts";
import { av1Sequences } from "./codec.ts";
import { endsEarly, fill, layerOf, MATRIX, unitsOnly } from "./layer.ts";
import { quantizerAt } from "./quality.ts";

/** What libaom is told, given what the service was told. */
function settingsOf(picture: Extent, settings: EncodeSettings): FrameSettings {
  const { width, height, opaque, frames } = picture;
  const quantizer = settings.lossless ? 0 : quantizerAt(settings.quality);
  return {
    width,
    height,
    frames,
    opaque,
    chroma: settings.lossless ? "rgb" : (settings.subsample ?? chromaOf(picture)),
    quantizer,
    // Edges of a mask show more than those of a picture.
    alphaQuantizer: Math.floor(quantizer / 3),
    changes: changingPart(picture),
  };
}

/** Drawings look as good in fewer bytes with all of their chroma, photographs with half of it. */
function chromaOf(picture: Extent): "4:2:0" | "4:4:4" {
  return fullness(picture) > 0.5 ? "4:2:0" : "4:4:4";
}

/** Bytes of a file for a pixel of a frame: films take 0.01 to 0.08 at usual qualities, noise and what loses nothing far more. */
const USUAL_FILE_BYTES = 0.1;
const FINE_FILE_BYTES = 0.6;
const EXACT_FILE_BYTES = 1.5;

/** The price of encoding, the file included: in pieces and as a whole. */
export function animationPrice(picture: Extent, settings: EncodeSettings): Price {
  const { width, height, frames } = picture;
  const { lossless, quality } = settings;
  const bytes = lossless ? EXACT_FILE_BYTES : quality > 90 ? FINE_FILE_BYTES : USUAL_FILE_BYTES;
  return beside(framesPrice(settingsOf(picture, settings)), held(2 * width * height * frames * bytes));
}

/** The price of decoding what was written, whatever its chroma. */
export function animationResultPrice({ width, height, opaque, frames }: Extent): Price {
  const headers = { width, height, bits: 8, chroma: "4:4:4", quality: 100, rgb: false, copies: 1 } as const;
  const bytes = width * height * USUAL_FILE_BYTES;
  const layer = beside(
    av1Sequences.sequencePrice(headers, { count: frames, largestBytes: width * height, totalBytes: frames * bytes }),
    canvasPrice(width, height * frames, BAND_ROWS),
  );
  return opaque ? layer : beside(layer, layer);
}

export async function encodeAnimation(picture: Picture, settings: EncodeSettings, breath: Breath): Promise<Uint8Array> {
  const { width, height, loops, space } = picture;
  const wanted = settingsOf(picture, settings);
  const encoder = new Av1Frames(wanted);
  try {
    const { color, alpha, delaysMs } = await encodeFrames(encoder, picture, breath);
    const half = wanted.chroma === "4:2:0";
    return writeHeifSequence({
      width,
      height,
      halfChroma: half,
      itemType: "av01",
      configType: "av1C",
      brands: ["avis", "avif", "msf1", "iso8", "mif1", "miaf", half ? "MA1B" : "MA1A"],
      fullRange: true,
      ...colorsIn(space),
      matrix: MATRIX[wanted.chroma],
      color: trackOf(color),
      alpha: alpha && trackOf(alpha),
      delaysMs,
      loops,
    });
  } finally {
    encoder.close();
  }
}

/** The packets of all frames; those of alpha only where some pixel needs it. */
async function encodeFrames(encoder: Av1Frames, picture: Picture, breath: Breath) {
  const planes: readonly Plane[] = picture.opaque ? ["color"] : ["color", "alpha"];
  const packets: Record<Plane, Packet[]> = { color: [], alpha: [] };
  const delaysMs: number[] = [];
  let translucent = false;
  for await (const { delayMs, rows } of picture.open(breath)) {
    await fill(encoder, rows, picture.height).finally(() => rows.close());
    for (const plane of planes) packets[plane].push(...(await encoder.take(plane, breath)));
    const holes = encoder.next();
    translucent ||= holes;
    delaysMs.push(delayMs);
    if (delaysMs.length === picture.frames) break;
  }
  if (delaysMs.length < picture.frames) throw endsEarly();
  for (const plane of planes) packets[plane].push(...(await encoder.finish(plane, breath)));
  return { color: packets.color, alpha: translucent ? packets.alpha : undefined, delaysMs };
}

function trackOf(packets: readonly Packet[]): WrittenTrack {
  const samples = packets.map(({ bytes, isKey }) => ({ data: unitsOnly(bytes), isKey }));
  const { config, bits } = layerOf(samples.map(({ data }) => data));
  return { config, bits, samples };
}
