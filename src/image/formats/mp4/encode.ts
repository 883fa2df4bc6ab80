/** Animations into films: the track of colors of an AVIF sequence, its chroma always halved, as decoders in hardware take it. */
import type { Estimate } from "../../../../wasm/estimate.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { EncodeSettings, Variant } from "../../codec/writer.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import { animationEstimate, animationResultEstimate, encodeTrack, trackOf } from "../avif/animation.ts";
import { MATRIX } from "../avif/layer.ts";
import { UNIT, Units } from "../avif/units.ts";
import type { WrittenTrack } from "../heif/write-tracks.ts";
import { colorsIn } from "../heif/write.ts";
import { writeFilm } from "./write.ts";

const HALF = "4:2:0";
export const VARIANTS = [{ subsample: HALF }] as const satisfies readonly Variant[];

/** The estimate of encoding, the file included. */
export function encodeEstimate(picture: Extent, settings: EncodeSettings): Estimate {
  return animationEstimate({ ...picture, opaque: true }, { ...settings, subsample: HALF });
}

/** The estimate of decoding what was written. */
export function resultEstimate(picture: Extent): Estimate {
  return animationResultEstimate({ ...picture, opaque: true });
}

/** @throws ApiError 422 when the picture has no frame or is too large */
export function encodeFilm(picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice): Promise<Uint8Array> {
  return guardedAsync(async () => {
    const { packets, delaysMs } = await encodeTrack(picture, { ...settings, subsample: HALF }, "color", timeSlice);
    const { width, height } = picture;
    const track = withSequence(trackOf(packets));
    const colors = { ...colorsIn(undefined), matrix: MATRIX[HALF] };
    return writeFilm({ width, height, itemType: "av01", configType: "av1C", ...colors, track, delaysMs });
  }, tooLarge);
}

/** The configuration says what the bitstream begins with, too, for players that set up their decoder before they read it. */
function withSequence(track: WrittenTrack): WrittenTrack {
  const [first] = track.samples;
  const units = new Units(first?.data ?? new Uint8Array(0));
  while (units.next()) {
    if (units.type === UNIT.sequence) return { ...track, config: Uint8Array.from([...track.config, ...units.whole]) };
  }
  throw new RangeError("nothing was encoded");
}

function tooLarge(cause?: unknown): ApiError {
  return new ApiError(422, "The animation cannot be written as MP4: it is too large", { cause });
}
