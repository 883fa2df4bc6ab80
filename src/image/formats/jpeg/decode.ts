/** Rows out of JPEG files, at the smallest scale that serves, and only the region that is wanted. */
import type { Estimate } from "../../../../wasm/estimate.ts";
import { type JpegHeader, type Region, blockBytesOf, decodeEstimate, openDecoder } from "../../../../wasm/jpeg/jpeg.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import type { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { converted } from "../../codec/convert-colors.ts";
import type { Decoded, Demand, Facts } from "../../codec/format.ts";
import { guarded, guardedAsync, inPieces } from "../../codec/guard.ts";
import type { Rows } from "../../pixels/rows.ts";
import { SAMPLINGS, damaged, damagedScans, headerOf } from "./facts.ts";
import { withoutCutSegment } from "./segments.ts";

/** Eighths of the size that the inverse transform can give quickly. */
const SCALES = [1, 2, 4] as const;

/**
 * How much larger than wanted a scaled decode must be. The inverse transform of fewer coefficients is a coarser filter
 * than the resize: it must not do the last step of the reduction.
 */
export const MARGIN = 1.4;

/**
 * How small the picture, or one plane of it, is decoded: both sides of the wanted region stay well above the size at
 * which they are used.
 */
export function scaleFor({ box, width, height }: Demand): number {
  const serves = (eighths: number) =>
    (box.width * eighths) / 8 >= width * MARGIN && (box.height * eighths) / 8 >= height * MARGIN;
  return SCALES.find(serves) ?? 8;
}

/** One frame. Files of several scans are read up to their last one before it comes. */
export async function* open(
  bytes: Uint8Array,
  facts: Facts,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded, void, void> {
  const header = headerOf(bytes);
  const eighths = header.lossless ? 8 : scaleFor(demand);
  const region = regionFor(header, demand, eighths);
  const showsDamage = facts.showsDamage === true;
  // Damage is shown of files that are sent as JPEG, not of what is inside of others.
  const refusal = showsDamage || facts.isPreview ? damaged : damagedScans;
  const wanted = { eighths, region, showsDamage, refusal, blockBytes: blockBytesOf(header) };
  const rows = await openRows(showsDamage ? withoutCutSegment(bytes) : bytes, header, wanted, timeSlice);
  const scaled = (length: number) => (length * eighths) / 8;
  const { box } = demand;
  try {
    yield {
      delayMs: 0,
      rows,
      box: {
        x: scaled(box.x) - region.x,
        y: scaled(box.y) - region.y,
        width: scaled(box.width),
        height: scaled(box.height),
      },
    };
  } finally {
    rows.close();
  }
}

/** The pixels of the scaled picture that the wanted region touches. */
function regionFor(header: JpegHeader, { box }: Demand, eighths: number): Region {
  const side = (from: number, length: number, full: number): readonly [start: number, count: number] => {
    const end = Math.min(Math.ceil((full * eighths) / 8), Math.ceil(((from + length) * eighths) / 8));
    const start = Math.min(end - 1, Math.max(0, Math.floor((from * eighths) / 8)));
    return [start, end - start];
  };
  const [x, width] = side(box.x, box.width, header.width);
  const [y, height] = side(box.y, box.height, header.height);
  return { x, y, width, height };
}

/** Gray and CMYK go through their profiles; CMYK without a usable one is converted naively by the decoder. */
async function openRows(bytes: Uint8Array, header: JpegHeader, wanted: Wanted, timeSlice: TimeSlice): Promise<Rows> {
  const { profile, colors } = header;
  const ink = colors === "CMYK" || colors === "YCCK";
  if (profile && ink) {
    const inks = await decoderRows(bytes, wanted, "cmyk", timeSlice);
    const rows = converted(inks, profile, "cmyk-inverted");
    if (rows) return rows;
    inks.close();
  }
  const rows = await decoderRows(bytes, wanted, "rgba", timeSlice);
  return (profile && colors === "Gray" && converted(rows, profile, "gray")) || rows;
}

interface Wanted {
  readonly eighths: number;
  readonly region: Region;
  readonly showsDamage: boolean;
  readonly refusal: (cause: NativeError) => ApiError;
  /** Bytes that a block is coded in. */
  readonly blockBytes: number;
}

async function decoderRows(
  bytes: Uint8Array,
  wanted: Wanted,
  output: "rgba" | "cmyk",
  timeSlice: TimeSlice,
): Promise<Rows> {
  const { refusal, ...others } = wanted;
  const decoder = await guardedAsync(() => inPieces(openDecoder(bytes, { ...others, output }), timeSlice), refusal);
  return {
    width: decoder.width,
    height: decoder.height,
    opaque: true,
    read: async (max) => guarded(() => decoder.read(max), refusal),
    skip: async (count) => guarded(() => decoder.skip(count), refusal),
    close: () => decoder.close(),
  };
}

/** By how much smaller the decoder makes what is wanted. */
export function scale(_facts: Facts, demand: Demand): number {
  return scaleFor(demand) / 8;
}

/** The estimate of decoding what is wanted. */
export function estimate(facts: Facts, demand: Demand): Estimate {
  const [h, v] = SAMPLINGS[facts.subsample] ?? [1, 1];
  const count = facts.colorspace === "Gray" ? 1 : facts.colorspace === "CMYK" || facts.colorspace === "YCCK" ? 4 : 3;
  const components = Array.from({ length: count }, (_, index) => {
    const full = index === 0 || index === 3;
    return { id: index, h: full ? h : 1, v: full ? v : 1, table: 0 };
  });
  const precision = Math.ceil(facts.depth / count);
  const { width, height, interlaced, codedBytes } = facts;
  const layout = { width, height, precision, components, multipleScans: interlaced };
  return decodeEstimate({ ...layout, ...(codedBytes !== undefined && { codedBytes }) }, scaleFor(demand));
}
