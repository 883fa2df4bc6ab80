/** What libwebp is told, given what the service was told. */
import { type EncoderSettings, peakBytes } from "../../../../wasm/webp/encoder.ts";
import { byDetail } from "../../codec/complexity.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Extent } from "../../pixels/picture.ts";

type Shape = Size & Pick<Extent, "opaque" | "detail">;

/** libwebp's methods by effort, of which 3 to 5 are our own (modes.c). Method 6 takes twice the time of 4 and wins about a percent. */
const LOSSY_METHODS = [2, 4, 4, 5, 6] as const;
/** In a fast pass this takes 0.8 times what method 4 does, scores 0.2 points less, give or take as much, and is 3 percent larger. */
const PROBE_METHOD = 3;
const LOSSLESS_METHODS = [1, 1, 2, 2, 2] as const;
/** Method 0 takes five times the memory and three times the time of the lean coder, for the same bytes. */
const LEAST_LOSSLESS_METHOD = 1;
/** From 76 on, the lossless coder of libwebp needs minutes for some pictures and wins 1 percent. */
const LOSSLESS_EFFORT = 75;
/** What libwebp's lossless encoder may hold; beyond, the lean coder takes over, whose files are 6 percent larger. */
const LOSSLESS_BYTES = 48 << 20;

/** Of what a photograph takes without loss, as much as what is flat does, by either coder. */
const FLAT_SHARE = { usual: 0.08, lean: 0.3 };

export function encoderSettings(shape: Shape, settings: EncodeSettings): EncoderSettings {
  const { width, height, opaque } = shape;
  const step = Math.round(Math.min(1, Math.max(0, settings.effort)) * (LOSSY_METHODS.length - 1));
  if (!settings.lossless) {
    const method = settings.probe ? PROBE_METHOD : LOSSY_METHODS[step]!;
    return { width, height, opaque, lossless: false, quality: settings.quality, method };
  }
  const { nearLossless = 100 } = settings;
  const share = byDetail(shape, FLAT_SHARE.usual, 1);
  const common = { width, height, opaque, lossless: true, quality: LOSSLESS_EFFORT, exact: true, nearLossless, share };
  for (let method: number = LOSSLESS_METHODS[step]!; method >= LEAST_LOSSLESS_METHOD; method--) {
    if (peakBytes({ ...common, method }) <= LOSSLESS_BYTES) return { ...common, method };
  }
  return leanly(shape, common);
}

/**
 * The settings of a lossless coder for a frame: beside a lossy coder only the lean one fits in the memory that is
 * declared.
 */
export function exactSettings(shape: Shape, settings: EncodeSettings): EncoderSettings {
  if (settings.lossless) return encoderSettings(shape, settings);
  return leanly(shape, encoderSettings(shape, { ...settings, lossless: true }));
}

function leanly(shape: Shape, settings: Omit<EncoderSettings, "method">): EncoderSettings {
  return { ...settings, method: 0, lean: true, share: byDetail(shape, FLAT_SHARE.lean, 1) };
}
