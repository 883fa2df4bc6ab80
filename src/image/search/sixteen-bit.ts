/** Pictures of 16 bits a sample that 8 bits hold as well. */
import { type Estimate, estimated, serial } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { bandsOf } from "../pixels/bands.ts";
import { type Extent, firstFrame, type Picture } from "../pixels/picture.ts";

const READ_ROWS = 16;
/** To see whether a pixel is one of 8 bits a sample. */
const LOOK_NANOSECONDS = 3;

/** Whether some sample of a picture whose rows are 16-bit is none of 8 bits: those are twice the same byte. */
export async function needsDepth(picture: Picture, timeSlice: TimeSlice): Promise<boolean> {
  const rows = await firstFrame(picture, timeSlice);
  for await (const band of bandsOf(rows, { rows: READ_ROWS, nanoseconds: LOOK_NANOSECONDS, timeSlice })) {
    const words = new Uint32Array(band.buffer, band.byteOffset, band.length / 4);
    let unequal = 0;
    for (let at = 0; at < words.length; at++) unequal |= (words[at]! >>> 8) ^ words[at]!;
    if (unequal & 0x00ff00ff) return true;
  }
  return false;
}

/** The estimate of `needsDepth` beside that of the picture, read to its end: few pictures are. */
export function needsDepthEstimate({ width, height }: Extent, source: Estimate): Estimate {
  return serial(source, estimated(0, width * height, LOOK_NANOSECONDS));
}
