/**
 * Encodes JPEG XL by libjxl: rows go into rows of groups, each of which becomes coefficients, or codes where nothing is
 * lost.
 */
import { type Estimate, estimated, times } from "../estimate.ts";
import { fuelFor } from "../fuel/fuel.ts";
import type { LoneJob } from "../handle.ts";
import { allocated } from "../load.ts";
import type { Turns } from "../pausing.ts";
import type { JxlEncodeExports } from "./exports.ts";
import { openJob, type Pointer } from "./instance.ts";

/** libjxl's tiers of speed: blocks of many sizes and a quantizer that follows the picture, and neither. */
const TIERS = { thorough: 5, fast: 7 } as const;
type Tier = keyof typeof TIERS;

export interface EncoderSettings {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** No pixel has an alpha below 255. */
  readonly opaque: boolean;
  /** In units of what can just be seen: 0 loses nothing, 25 is the most. */
  readonly distance: number;
  readonly tier: Tier;
  /** Colors are those of Display P3; absent: of sRGB. */
  readonly wide?: boolean;
  /** Bits of a sample, 9 to 16, of pictures whose rows are of RGBA16; absent: they are of RGBA8. */
  readonly bits?: number | undefined;
}

/** Durations of frames are told in milliseconds. */
export interface Animation {
  readonly frames: number;
  /** How often it plays; 0 is for ever. */
  readonly loops: number;
}

const TICKS_PER_SECOND = 1_000;

/** Rows of a row of groups, those around it that its groups look at included. */
const WINDOW_ROWS = { lossy: 272, lossless: 512 };
/** Memory that is held for groups that are worked on, whatever the size of the picture. */
const WORK_BYTES = { lossy: 11 << 20, lossless: 2 << 20 };
/** What a pixel of a group takes where nothing is lost, and how many of them there are at most. */
const GROUP_PIXEL_BYTES = { opaque: 125, translucent: 160 };
/** The part of that which photographs, pages and noise take. */
const USUAL_GROUP = 0.8;
const GROUP_PIXELS = 512 * 512;
/**
 * What is held of each pixel until the frame is written: of blocks and coefficients in photographs, and more in noise.
 */
const PHOTOGRAPH_BYTES = 2.1;
const NOISE_BYTES = 4.2;
/** That much beyond a photograph of its size is given to each picture, and charged where it is taken. */
const MAX_NOISE_BYTES = 12 << 20;
/** What alpha and pixels without loss take as files. */
const ALPHA_PIXEL_BYTES = 1.3;
const LOSSLESS_PIXEL_BYTES = 2.2;
/** What each bit beyond 8 adds to that, which is mostly noise. */
const LOSSLESS_BIT_BYTES = { opaque: 3 / 8, translucent: 4 / 8 };

/** Nanoseconds for a pixel, alpha or not. */
const PIXEL_NANOSECONDS = {
  lossy: { thorough: 300, fast: 160 },
  lossless: { thorough: 2_200, fast: 330 },
} as const;
const ALPHA_NANOSECONDS = 60;

function kindOf({ distance }: Pick<EncoderSettings, "distance">): "lossless" | "lossy" {
  return distance === 0 ? "lossless" : "lossy";
}

/**
 * The estimate of encoding one frame, in linear memory: what photographs and pages take. The result, which is copied out,
 * comes on top.
 */
export function encodeEstimate(settings: EncoderSettings): Estimate {
  const { width, height, tier, opaque } = settings;
  const nanoseconds = PIXEL_NANOSECONDS[kindOf(settings)][tier] + (opaque ? 0 : ALPHA_NANOSECONDS);
  return estimated(usualBytes(settings), width * height, nanoseconds);
}

/** Bytes that a pixel of rows takes. */
function rowPixelBytes({ bits = 8 }: Pick<EncoderSettings, "bits">): number {
  return bits > 8 ? 8 : 4;
}

/** Bytes that an encoder is given, of linear memory: what noise takes. */
export function peakBytes(settings: EncoderSettings): number {
  const { width, height, distance } = settings;
  return bytesOf(settings, 1) + (distance === 0 ? 0 : Math.min(width * height * NOISE_BYTES, MAX_NOISE_BYTES));
}

function usualBytes(settings: EncoderSettings): number {
  return bytesOf(settings, USUAL_GROUP);
}

function bytesOf(settings: EncoderSettings, groupPart: number): number {
  const { width, height, opaque, bits = 8 } = settings;
  const kind = kindOf(settings);
  const pixels = width * height;
  const rows = width * rowPixelBytes(settings) * Math.min(height, WINDOW_ROWS[kind]);
  const fixed = rows + WORK_BYTES[kind];
  if (kind === "lossless") {
    const group = Math.min(pixels, GROUP_PIXELS) * GROUP_PIXEL_BYTES[opaque ? "opaque" : "translucent"];
    return (
      fixed +
      group * groupPart +
      pixels * (LOSSLESS_PIXEL_BYTES + (bits - 8) * LOSSLESS_BIT_BYTES[opaque ? "opaque" : "translucent"])
    );
  }
  const perPixel = PHOTOGRAPH_BYTES + (opaque ? 0 : ALPHA_PIXEL_BYTES);
  return fixed + pixels * perPixel;
}

/** A file that is being written, in an instance that its job has alone: encoding pauses. */
export class JxlEncoder {
  private readonly job: LoneJob<JxlEncodeExports>;
  private readonly rowBytes: number;
  private readonly pointer: Pointer;
  private readonly pieces: Uint8Array[] = [];

  /** @throws NativeError when memory does not suffice */
  constructor(settings: EncoderSettings, animation?: Animation) {
    const { width, height, opaque, distance, tier, wide = false, bits = 8 } = settings;
    this.rowBytes = width * rowPixelBytes(settings);
    const { frames = 1, loops = 0 } = animation ?? {};
    const fuel = fuelFor(times(frames, encodeEstimate(settings)));
    this.job = openJob(peakBytes(settings), fuel, this.pieces);
    const ticks = animation ? TICKS_PER_SECOND : 0;
    try {
      this.pointer = this.job.call((exports) =>
        exports.jxl_open(width, height, opaque ? 0 : 1, distance, TIERS[tier], ticks, loops, wide ? 1 : 0, bits),
      );
      allocated(this.pointer);
    } catch (error) {
      this.job.giveUp();
      this.job.close();
      throw error;
    }
  }

  /** Begins a frame. */
  frame(durationMs: number): void {
    allocated(this.job.call((exports) => exports.jxl_frame(this.pointer, durationMs)));
  }

  /** How many rows are taken next; 0 when there are none left. */
  wanted(): number {
    return this.job.call((exports) => exports.jxl_wanted(this.pointer));
  }

  /** Where the rows that are wanted go, RGBA8 or RGBA16; valid until the next call. */
  band(): Uint8Array {
    const address = this.job.call((exports) => exports.jxl_band(this.pointer));
    return this.job.bytes(address, this.wanted() * this.rowBytes);
  }

  /**
   * Takes the rows that were wanted.
   * @throws NativeError when memory does not suffice
   */
  async push(rows: number, timeSlice: Turns): Promise<void> {
    await this.pausing(timeSlice, "jxl_rows", rows);
  }

  /**
   * Writes the frame.
   * @throws NativeError when memory does not suffice
   */
  async finish(isLast: boolean, timeSlice: Turns): Promise<void> {
    await this.pausing(timeSlice, "jxl_finish", isLast ? 1 : 0);
  }

  /** What was written so far. */
  file(): readonly Uint8Array[] {
    return this.pieces;
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.job.close((exports) => exports.jxl_close(this.pointer));
  }

  private async pausing(timeSlice: Turns, name: "jxl_rows" | "jxl_finish", argument: number): Promise<void> {
    try {
      allocated(await this.job.callPausing({ timeSlice }, name, this.pointer, argument));
    } catch (error) {
      // What libjxl held is lost.
      this.job.giveUp();
      throw error;
    }
  }
}
