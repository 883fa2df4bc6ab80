/** Part of a picture on which ways to write it are tried. */
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Choice, compress, lengthOf, pngBandsOfPixels } from "./compress.ts";
import { PROBE_LEVEL } from "./levels.ts";
import type { Look } from "./look.ts";
import type { Representation } from "./representation.ts";

/**
 * Bytes that samples of one picture and their parts became, by how they were written: what probes found out need not be
 * tried again.
 */
export type Measured = Map<string, number>;

/** The sample of a picture as it was written at PROBE_LEVEL. */
export interface Tried extends Choice {
  readonly pieces: readonly Uint8Array[];
}

/** Rows of a part of a sample lie together in groups of so many. */
const PART_ROWS = 16;
/** A part has at least so many pixels, and this part of those of the whole. */
const PART_PIXELS = 1 << 15;
const PART = 1 / 4;
/** A part of more pixels than this part of the whole would save nothing. */
const WORTH_PARTING = 0.6;

/** A sample of a picture, what it became so far, and the smallest of that. */
export class Sample {
  /** The smallest that was written at PROBE_LEVEL by this object. */
  tried: Tried | undefined;
  private least = Infinity;
  private readonly look: Pick<Look, "representations" | "sample">;
  private readonly width: number;
  private readonly measured: Measured;
  private readonly name: "whole" | "part";

  constructor(
    look: Pick<Look, "representations" | "sample">,
    width: number,
    measured: Measured = new Map(),
    name: "whole" | "part" = "whole",
  ) {
    this.look = look;
    this.width = width;
    this.measured = measured;
    this.name = name;
  }

  pixels(): number {
    return this.look.sample.length / 4;
  }

  /** What the sample takes, written like this; the palette included. */
  async bytes(choice: Choice, timeSlice: TimeSlice): Promise<number> {
    const { representations, sample } = this.look;
    const key = `${this.name} ${representations.indexOf(choice.representation)} ${choice.strategy} ${choice.level}`;
    const before = this.measured.get(key);
    if (before !== undefined) return before;
    const { width } = this;
    const source = { width, height: this.pixels() / width, bands: pngBandsOfPixels(sample, width) };
    const pieces = await compress(choice, source, timeSlice);
    const bytes = lengthOf(pieces) + paletteBytes(choice.representation);
    this.measured.set(key, bytes);
    if (choice.level === PROBE_LEVEL && bytes < this.least) [this.least, this.tried] = [bytes, { ...choice, pieces }];
    return bytes;
  }

  /** A smaller sample, some rows here and there; null where it would be hardly smaller. */
  part(): Sample | null {
    const pixels = this.pixels();
    const wanted = Math.max(PART_PIXELS, pixels * PART);
    if (pixels * WORTH_PARTING < wanted) return null;
    const { representations, sample } = this.look;
    const count = Math.ceil(wanted / (this.width * PART_ROWS));
    const gap = (pixels / this.width - count * PART_ROWS) / count;
    const stride = this.width * 4;
    const rows = new Uint8Array(count * PART_ROWS * stride);
    for (let index = 0; index < count; index++) {
      const from = Math.floor(gap / 2 + index * (gap + PART_ROWS)) * stride;
      rows.set(sample.subarray(from, from + PART_ROWS * stride), index * PART_ROWS * stride);
    }
    return new Sample({ representations, sample: rows }, this.width, this.measured, "part");
  }
}

/** The bytes of PLTE and tRNS, about. */
function paletteBytes({ palette }: Representation): number {
  return palette ? 24 + palette.length : 0;
}
