/** Texts drawn by the renderer of SVG, from documents of our own: fonts, the estimate, and rows a strip at a time. */
import { type Estimate, estimated } from "../../../../wasm/estimate.ts";
import { fuelFor } from "../../../../wasm/fuel/fuel.ts";
import { ApiError } from "../../../errors.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { FAMILIES } from "./fonts.ts";
import { wholeView } from "./resvg.ts";
import { drawnInStrips } from "./strips.ts";

/** Of the renderer: its code's tables, four fonts, outlines. */
const BASE_BYTES = 8 << 20;
/** Drawn at a time: less makes the outlines be gone through more often, more keeps others waiting. */
const STRIP_PIXELS = 1 << 18;
/** The renderer's pixels and a copy of them, and a layer. */
const STRIP_PIXEL_BYTES = 16;
/** To unpack and read the fonts. */
const LEAST_MS = 10;
/** To shape a letter and to make its outline; and once more in each strip that draws it. */
const CHARACTER_MS = 0.1;
const PIXEL_NANOSECONDS = 30;

const failed = (cause: unknown) => new ApiError(422, "text cannot be drawn at this size", { cause });

function estimateOf(characters: number, { width, height }: Size): Estimate {
  const strip = Math.min(width * height, Math.max(width, STRIP_PIXELS));
  const drawn = estimated(BASE_BYTES + strip * STRIP_PIXEL_BYTES, width * height, PIXEL_NANOSECONDS);
  return { ...drawn, ms: drawn.ms + LEAST_MS + characters * CHARACTER_MS };
}

export const lettering = {
  /** What documents call a family, and its files. */
  familyOf: (name: keyof typeof FAMILIES) => FAMILIES[name],

  estimateOf,

  /** A document of our own that is as large as it says, one pixel to a unit. */
  open(document: string, characters: number, size: Size, timeSlice: TimeSlice): Promise<Rows> {
    const means = { timeSlice, fuel: fuelFor(estimateOf(characters, size)) };
    const stripRows = Math.max(1, Math.floor(STRIP_PIXELS / size.width));
    const part = { view: wholeView(size), height: size.height, stripRows };
    return guardedAsync(() => drawnInStrips(document, means, part), failed);
  },
};
