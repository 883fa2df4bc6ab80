/** What an encoder found out about one picture, kept because a search for a quality asks for it again and again. */
import { parallel, held, type Estimate } from "../../../../wasm/estimate.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import {
  type ChosenPalette,
  Palettes,
  PALETTES_BYTES,
  palettesEstimate,
  quantized,
  type Reduction,
} from "../../codec/quantize.ts";
import type { Extent, Picture } from "../../pixels/picture.ts";
import { type Evenness, evennessOf } from "./near.ts";
import type { Measured } from "./sample.ts";
import { guessStillBytes } from "./write.ts";

/** Renditions that are kept, as indices: a search hardly looks more than twice past the one that it takes. */
const KEPT_RENDITIONS = 3;
/** Pixels of a picture of which they are: of larger ones a search sees parts only. */
const MOST_KEPT_PIXELS = 1 << 22;
/** Palettes of all numbers of colors, and what a hundred qualities measured. */
const SMALL_BYTES = 512 << 10;

/**
 * The part of a picture that is even from which on it has no grain: drawn slopes are, all of them, and photographs of the softest
 * things are by 0.8.
 */
const EVEN_PART = 0.85;
/** The parts from either of which on a picture is flat: photographs have hardly as much, unless they are nearly black. */
const FLAT_PARTS: Evenness = { even: 0.86, same: 0.75 };

export class Known {
  readonly picture: Picture;
  readonly palettes: Palettes;
  private readonly choices = new Map<number, ChosenPalette>();
  private readonly measured = new Map<string, Measured>();
  /** The latest renditions in few colors, by what they show. */
  private readonly reduced = new Map<string, Picture>();
  private estimate: number | undefined;
  private evenness: Evenness | undefined;

  constructor(picture: Picture) {
    this.picture = picture;
    this.palettes = new Palettes(picture, false);
  }

  /** The best palette of so many colors. */
  async palette(colors: number, timeSlice: TimeSlice): Promise<ChosenPalette> {
    const choice = this.choices.get(colors) ?? (await this.palettes.choose(colors, timeSlice));
    this.choices.set(colors, choice);
    return choice;
  }

  /** How renditions that show the same can be written, as far as that was tried; takes up more. */
  measuredOf(key: string): Measured {
    const measured = this.measured.get(key) ?? new Map<string, number>();
    this.measured.set(key, measured);
    return measured;
  }

  /** The picture in few colors; `keeps`: it will be asked for again, and is kept where it is not too large. */
  async reducedTo(reduction: Reduction, keeps: boolean, timeSlice: TimeSlice): Promise<Picture> {
    const key = keyOf(reduction);
    const before = this.reduced.get(key);
    if (before) return before;
    const isKept = keeps && renditionBytes(this.picture) > 0;
    const made = quantized(this.picture, await this.palette(reduction.colors, timeSlice), reduction, isKept);
    if (!isKept) return made;
    const [oldest] = this.reduced.keys();
    if (oldest !== undefined && this.reduced.size === KEPT_RENDITIONS) this.reduced.delete(oldest);
    this.reduced.set(key, made);
    return made;
  }

  /** Whether the picture has next to no grain: errors that are passed on would be all the grain that it has to pay for. */
  async isEven(timeSlice: TimeSlice): Promise<boolean> {
    return (await this.findEvenness(timeSlice)).even >= EVEN_PART;
  }

  /** Whether most of the picture is flat, or slopes: indices of it repeat by themselves. */
  async isFlat(timeSlice: TimeSlice): Promise<boolean> {
    const { even, same } = await this.findEvenness(timeSlice);
    return even >= FLAT_PARTS.even || same >= FLAT_PARTS.same;
  }

  /** About how many bytes the exact file of the first frame takes. */
  async exactBytes(timeSlice: TimeSlice): Promise<number> {
    this.estimate ??= await guessStillBytes(this.picture, timeSlice);
    return this.estimate;
  }

  private async findEvenness(timeSlice: TimeSlice): Promise<Evenness> {
    this.evenness ??= await evennessOf(this.picture, timeSlice);
    return this.evenness;
  }
}

/** What renditions in few colors show: those with the same key show the same. */
export function keyOf({ colors, dither, coherence }: Reduction): string {
  return `${colors} ${dither} ${coherence}`;
}

/** The estimate of finding out what is known of a picture: of its colors and its palettes. */
export function findingEstimate(picture: Extent): Estimate {
  return parallel(palettesEstimate(picture), held(SMALL_BYTES));
}

/**
 * Bytes of what is known of a picture while files of it are written.
 * @param keepsRenditions they are looked at before one is written to stay
 */
export function knownBytes(picture: Extent, keepsRenditions: boolean): number {
  return PALETTES_BYTES + SMALL_BYTES + (keepsRenditions ? renditionBytes(picture) * KEPT_RENDITIONS : 0);
}

/** Bytes of a rendition that is kept; 0 where none is. */
function renditionBytes({ width, height, frames }: Extent): number {
  return frames === 1 && width * height <= MOST_KEPT_PIXELS ? width * height : 0;
}
