/** Opens what a HEIF file shows. */
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Decoded, Demand } from "../../codec/format.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Codec } from "./codec.ts";
import { imageEstimate, overlayRows, readImage } from "./overlay.ts";
import { regionRows } from "./rows.ts";

/**
 * The wanted region, and only the tiles that it touches.
 * @throws ApiError 422, at once or while rows are read, when the file is damaged
 */
export function openImage(
  bytes: Uint8Array,
  codec: Codec,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  return openPicture(readImage(bytes, codec), codec, demand, timeSlice);
}

/**
 * The wanted region of a picture that was found already.
 * @throws ApiError 422 while rows are read, when it is damaged
 */
export async function* openPicture(
  image: ReturnType<typeof readImage>,
  codec: Codec,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  const { region, box } = wantedRegion(image.crop, demand);
  const stills = codec.openStills(imageEstimate(image, codec));
  try {
    const decoder = { codec, stills, timeSlice };
    const rows =
      "parts" in image ? overlayRows(image, decoder, region) : regionRows(image, decoder, region, demand.sixteenBit);
    const close = () => {
      rows.close();
      stills.close();
    };
    try {
      yield { delayMs: 0, rows: { ...rows, close }, box };
    } finally {
      rows.close();
    }
  } finally {
    stills.close();
  }
}

/** The pixels of the layers that a demand touches, and where the demanded region lies in them. */
export function wantedRegion(crop: Box, demand: Demand): { readonly region: Box; readonly box: Box } {
  const left = Math.min(crop.width - 1, Math.max(0, Math.floor(demand.box.x)));
  const top = Math.min(crop.height - 1, Math.max(0, Math.floor(demand.box.y)));
  const right = Math.max(left + 1, Math.min(crop.width, Math.ceil(demand.box.x + demand.box.width)));
  const bottom = Math.max(top + 1, Math.min(crop.height, Math.ceil(demand.box.y + demand.box.height)));
  return {
    region: { x: crop.x + left, y: crop.y + top, width: right - left, height: bottom - top },
    box: { ...demand.box, x: demand.box.x - left, y: demand.box.y - top },
  };
}
