/** A picture whose pixels are in memory, in the place of one that is stored in a file. */
import { estimated } from "../../../wasm/estimate.ts";
import type { Reservation } from "../../scheduler/held-bytes.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import { bandBytes } from "../pixels/band.ts";
import { type Collected, collectFirst } from "../pixels/buffered.ts";
import type { Rows } from "../pixels/rows.ts";
import type { Plan } from "../plan/plan.ts";
import { pictureOf, type Stored } from "../plan/planned-picture.ts";

/** Pixels that are kept, and who holds them. */
export interface HeldPixels extends Pick<Collected, "size" | "open"> {
  readonly bytes: SharedBytes;
}

/**
 * Computes a picture and keeps it.
 * @param memory what was set aside for its pixels, to be given back with them
 */
export async function keep(
  stored: Stored,
  plan: Plan,
  timeSlice: TimeSlice,
  memory?: Reservation,
): Promise<HeldPixels> {
  const { size, bytes, open } = await collectFirst(pictureOf(stored, plan), timeSlice);
  return { size, open, bytes: SharedBytes.of(bytes, memory) };
}

/** To hand out a pixel. */
const NANOSECONDS_PER_PIXEL = 1;

/** Pixels as a format: decoding them is reading them. */
function formatOf(open: () => Rows): FormatDefinition {
  return {
    summary: "Pixels in memory.",
    label: "PIXELS",
    mime: "application/octet-stream",
    extensions: ["pixels"],
    can: { alpha: true, animation: false, quality: false, lossless: true, web: false },
    signature: () => false,
    read: {
      factsOf: () => notPlanned(),
      estimate: ({ width, height }) => estimated(bandBytes(width), width * height, NANOSECONDS_PER_PIXEL),
      async *open(_bytes, _facts, { box }) {
        yield { delayMs: 0, rows: open(), box };
      },
    },
  };
}

function notPlanned(): never {
  throw new Error("pixels were read before they were computed");
}

/**
 * A picture as one that is stored, to plan with before its pixels are there.
 * @param origin the file that it is made of: what it says of the pixels
 * @param holding what is held while it is worked on, itself included
 */
export function bufferedPicture(
  { width, height, opaque }: Collected["size"],
  { facts: { codedBytes, quality, depth }, space, stopwatch }: Stored,
  { heldBytes, bufferedBytes }: Pick<Stored, "heldBytes" | "bufferedBytes">,
  pixels?: HeldPixels | null,
): Stored {
  const facts: Facts = {
    width,
    height,
    orientation: 1,
    frames: 1,
    loops: 0,
    alpha: !opaque,
    colorspace: "RGB",
    interlaced: false,
    subsample: "4:4:4",
    depth,
    quality,
    ...(codedBytes !== undefined && { codedBytes }),
    ...(space && { profile: space.profile }),
  };
  return {
    bytes: pixels?.bytes.bytes ?? new Uint8Array(0),
    format: formatOf(pixels?.open ?? notPlanned),
    facts,
    isBuffered: true,
    heldBytes,
    bufferedBytes,
    space,
    stopwatch,
  };
}
