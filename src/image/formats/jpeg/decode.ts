/** JPEG to rows: only the part that is wanted, at the smallest eighth that still feeds the resize behind it. */
import { openDecoder } from "../../../../wasm/jpeg/decoder.ts";
import { NativeError } from "../../../../wasm/load.ts";
import { converted } from "../../color/convert.ts";
import type { Decoded, Demand, Facts } from "../../format.ts";
import type { Box } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
import { damaged } from "./header.ts";

/** Scales with a transform of their own; others cost as much as the full size. */
const EIGHTHS = [1, 2, 4, 8] as const;
type Eighths = (typeof EIGHTHS)[number];

/**
 * How much larger than wanted a scaled decode must be. The inverse transform of fewer coefficients is a coarser filter
 * than the resize: it must not do the last step of the reduction.
 */
const MARGIN = 1.5;

/** The eighths of the full size at which a demand is best decoded. */
export function eighthsFor({ box, width, height }: Demand): Eighths {
  const fits = (eighths: number) =>
    (box.width * eighths) / 8 >= width * MARGIN && (box.height * eighths) / 8 >= height * MARGIN;
  return EIGHTHS.find(fits) ?? 8;
}

export function* open(bytes: Uint8Array, facts: Facts, demand: Demand): Iterable<Decoded> {
  const eighths = eighthsFor(demand);
  const { region, box } = regionOf(demand.box, facts, eighths);
  const rows = openRows(bytes, facts, eighths, region);
  try {
    yield { delayMs: 0, rows, box };
  } finally {
    rows.close();
  }
}

/** The whole pixels of a scaled picture that a box of the full one touches, and where the box lies in them. */
function regionOf(wanted: Box, facts: Facts, eighths: Eighths): { region: Box; box: Box } {
  const scale = eighths / 8;
  const scaled = { width: Math.ceil(facts.width * scale), height: Math.ceil(facts.height * scale) };
  const [x, y] = [Math.floor(wanted.x * scale), Math.floor(wanted.y * scale)];
  const right = Math.min(scaled.width, Math.ceil((wanted.x + wanted.width) * scale));
  const bottom = Math.min(scaled.height, Math.ceil((wanted.y + wanted.height) * scale));
  return {
    region: { x, y, width: right - x, height: bottom - y },
    box: {
      x: wanted.x * scale - x,
      y: wanted.y * scale - y,
      width: wanted.width * scale,
      height: wanted.height * scale,
    },
  };
}

/** CMYK goes through its profile; without a usable one it is converted naively by the decoder. */
function openRows(bytes: Uint8Array, facts: Facts, eighths: Eighths, region: Box): Rows {
  const isCmyk = facts.colorspace === "CMYK" || facts.colorspace === "YCCK";
  if (isCmyk && facts.profile) {
    const inks = decoderRows(bytes, eighths, region, "cmyk");
    const rows = converted(inks, facts.profile, "cmyk-inverted");
    if (rows) return rows;
    inks.close();
  }
  return decoderRows(bytes, eighths, region, "rgba");
}

function decoderRows(bytes: Uint8Array, eighths: Eighths, region: Box, output: "rgba" | "cmyk"): Rows {
  const decoder = guarded(() => openDecoder(bytes, { eighths, region, output }));
  return {
    width: decoder.width,
    height: decoder.height,
    opaque: true,
    read: (max) => guarded(() => decoder.read(max)),
    close: () => decoder.close(),
  };
}

/** @throws ApiError 422 where the native decoder refuses the file */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NativeError) throw damaged(error);
    throw error;
  }
}

/** Bytes per 8 x 8 block of the coefficient store that progressive files need. */
function blockBytes(eighths: Eighths): number {
  return eighths === 8 ? 128 : 8 + 2 * eighths * eighths;
}

/** Samples per pixel of each subsampling. */
const SAMPLES: Readonly<Record<string, number>> = { "4:2:0": 1.5, "4:1:1": 1.5, "4:2:2": 2, "4:4:0": 2, "4:0:0": 1 };

/** Bytes that decoding holds at most: some rows, and for progressive files all coefficients that the scale needs. */
export function decodePeakBytes(facts: Facts, demand: Demand): number {
  const rows = facts.width * 4 * 64;
  const fixed = 512 * 1024;
  if (!facts.interlaced) return rows + fixed;
  const samples = SAMPLES[facts.subsample] ?? facts.depth / 8;
  const blocks = (facts.width * facts.height * samples) / 64;
  return rows + fixed + blocks * blockBytes(eighthsFor(demand)) * 1.05;
}
