/**
 * A JPEG file written anew from its planes, at its size or another: without converting colors, and without smoothing
 * chroma up to average it down again, which takes a fifth less time and looks a little better.
 */
import { parallel } from "../../../../wasm/estimate.ts";
import {
  type EncoderOptions,
  type JpegHeader,
  type Plane,
  type PlaneEncoder,
  type Subsampling,
  blockBytesOf,
  openPlaneDecoder,
  openPlaneEncoder,
  planesEstimate,
} from "../../../../wasm/jpeg/jpeg.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Estimated, Resized } from "../../codec/format.ts";
import { guarded, guardedAsync, inPieces } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { isWhole } from "../../pixels/geometry.ts";
import type { Stopwatch } from "../../pixels/stopwatch.ts";
import { encoderOptions, fileEstimate, finished, tooComplex } from "./encode.ts";
import { SAMPLINGS, damagedScans, headerOf, textureIn } from "./facts.ts";
import { neededProfile } from "./profile.ts";
import { resizePlanes } from "./resize.ts";

/** The resolutions of chroma that the encoder knows. */
const SUBSAMPLINGS = ["4:2:0", "4:2:2", "4:4:4"] as const;

/**
 * Null where the file has no planes of YCbCr or gray that mean sRGB.
 * @throws ApiError 422 when there is no picture in the file
 */
export function resize(
  bytes: Uint8Array,
  settings: EncodeSettings,
  wanted: Resized,
  stopwatch?: Stopwatch,
): Estimated<Uint8Array | null> | null {
  const header = headerOf(bytes);
  const { colors, precision, lossless } = header;
  if ((colors !== "YCbCr" && colors !== "Gray") || precision !== 8 || lossless || neededProfile(header)) return null;
  const keepsSize = wanted.width === header.width && wanted.height === header.height;
  if (keepsSize && isWhole(wanted.box, header)) return rewritePlanes(bytes, header, settings);
  return resizePlanes({ bytes, header, settings, wanted, stopwatch });
}

/**
 * Null where the planes of the file are not those of the result: other colors, or a lower resolution of chroma. Chroma
 * that the file does not have is not made up.
 */
function rewritePlanes(
  bytes: Uint8Array,
  header: JpegHeader,
  settings: EncodeSettings,
): Estimated<Uint8Array | null> | null {
  const subsampling = SUBSAMPLINGS.find((name) => holds(header, name));
  const blockBytes = blockBytesOf(header);
  const options = { ...encoderOptions({ ...header, texture: textureIn(header, header) }, settings), blockBytes };
  const wanted = options.subsampling === "4:4:4" && !settings.subsample ? subsampling : options.subsampling;
  if (!subsampling || subsampling !== wanted) return null;
  const encoding = { ...options, subsampling };
  return {
    estimate: parallel(planesEstimate(header, [8, 8, 8]), fileEstimate(encoding)),
    run: (timeSlice) => guardedAsync(() => rewritten(bytes, header, encoding, timeSlice), damagedScans),
  };
}

async function rewritten(
  bytes: Uint8Array,
  header: JpegHeader,
  options: EncoderOptions,
  timeSlice: TimeSlice,
): Promise<Uint8Array> {
  const decoder = await inPieces(openPlaneDecoder(bytes, { blockBytes: blockBytesOf(header) }), timeSlice);
  try {
    const encoder = openPlaneEncoder(options);
    try {
      for (let planes = decoder.read(); planes; planes = decoder.read()) {
        for (const [index, plane] of planes.entries()) put(encoder, index, plane);
        guarded(() => encoder.write(), tooComplex);
        await timeSlice.spend((planes[0]?.rows ?? 0) * encoder.rowMs);
      }
      return await finished(encoder, timeSlice);
    } finally {
      encoder.close();
    }
  } finally {
    decoder.close();
  }
}

/** Whether a file holds chroma at that resolution. */
function holds({ components }: JpegHeader, subsampling: Subsampling): boolean {
  const factors = SAMPLINGS[subsampling] ?? [];
  return (
    components.length === 3 &&
    components.every(({ h, v }, index) => (index === 0 ? h === factors[0] && v === factors[1] : h === 1 && v === 1))
  );
}

/** Rows that the picture does not have repeat its last one. */
function put(encoder: PlaneEncoder, index: number, { bytes, rows, stride }: Plane): void {
  encoder.put(index, 0, bytes);
  const last = bytes.subarray((rows - 1) * stride);
  for (let row = rows; row < (encoder.planes[index]?.rows ?? 0); row++) encoder.put(index, row, last);
}
