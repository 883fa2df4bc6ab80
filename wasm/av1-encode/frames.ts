/** Encodes AV1 pictures that are predicted from others, by libaom: a track of colors, and one of alpha. */
import { type Estimate, estimated } from "../estimate.ts";
import { LoneJob } from "../handle.ts";
import { allocated, NativeError } from "../load.ts";
import type { Turns } from "../pausing.ts";
import type { Av1EncodeExports } from "./exports.ts";
import { av1, BAND_ROWS, beExact, CHROMA, type Pointer } from "./module.ts";

export interface FrameSettings {
  /** Pixels of every frame. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly chroma: keyof typeof CHROMA;
  readonly plane: Plane;
  /** 1 (best) to 63; 0 is lossless. */
  readonly quantizer: number;
  /** The part of the pixels of all frames that changes: the others take less. */
  readonly changes: number;
  /** The part of the time of photographs that frames take for what is to be seen in them. */
  readonly share: number;
}

/** What is shown at one time, with the pictures that it and later ones are predicted from. */
export interface Packet {
  /** The units of the bitstream, a temporal delimiter first. */
  readonly bytes: Uint8Array;
  /** It needs none before it. */
  readonly isKey: boolean;
}

export type Plane = "color" | "alpha";

/** How libaom codes frames. */
interface Mode {
  readonly name: "ahead" | "alone" | "realtime";
  /** Frames that are seen before the colors of one are coded. */
  readonly lag: number;
}

/** Of frames that are seen ahead one may be made from which others are predicted, which halves the bytes. */
const AHEAD: Mode = { name: "ahead", lag: 8 };
const ALONE: Mode = { name: "alone", lag: 0 };
/** A third more bytes than of frames that are coded alone, half the memory, and a fifth of the time. */
const REALTIME: Mode = { name: "realtime", lag: 0 };
/** What libaom may hold where another mode takes less. */
const MOST_BYTES = 64 << 20;

function modeOf(settings: FrameSettings): Mode {
  const ahead = { ...AHEAD, lag: Math.min(AHEAD.lag, settings.frames - 1) };
  const modes = [...(ahead.lag > 0 ? [ahead] : []), ALONE];
  const found = modes.find((mode) => framesBytes(settings, mode) <= MOST_BYTES);
  return found ?? (canBeRealtime(settings) ? REALTIME : ALONE);
}

/** Whether frames have what the mode is made for: halved chroma, and some loss. */
function canBeRealtime({ chroma, quantizer }: FrameSettings): boolean {
  return chroma === "4:2:0" && quantizer > 0;
}

/**
 * What libaom holds for a track, alone or with a second encoder that only looks ahead: pictures, those that are seen
 * ahead besides, what it notes for each pixel, and what it needs however small they are. Without loss no filter keeps a
 * picture of its own. Measured on noise and photographs of 2,000 to 900,000 pixels.
 */
const HELD = {
  alone: { pictures: 11, exactPictures: 8, notesBytes: { half: 30, full: 37 }, bytes: 3 << 20 },
  ahead: { pictures: 26, exactPictures: 26, notesBytes: { half: 48, full: 80 }, bytes: 9 << 20 },
} as const;
/** The same in real time, where libaom takes notes of whole blocks. Measured on noise of up to 2.4 megapixels. */
const HELD_REALTIME = { pictures: 6, notesBytes: 18, bytes: 3 << 20 } as const;
const BLOCK_SIDE = 64;
/** Columns and rows around a picture, on each side: a block, and what filters reach. */
const BORDER = 100;

function trackBytes({ width, height, chroma, quantizer }: FrameSettings, { name, lag }: Mode): number {
  const isHalf = chroma === "4:2:0";
  const picture = (width + 2 * BORDER) * (height + 2 * BORDER) * (isHalf ? 1.5 : 3);
  if (name === "realtime") {
    const { pictures, notesBytes, bytes } = HELD_REALTIME;
    return bytes + pictures * picture + notesBytes * inBlocks(width) * inBlocks(height);
  }
  const { pictures, exactPictures, notesBytes, bytes } = HELD[name];
  const count = (quantizer === 0 ? exactPictures : pictures) + lag;
  return bytes + count * picture + notesBytes[isHalf ? "half" : "full"] * width * height;
}

/** So many pixels of a side, up to the end of their block. */
function inBlocks(side: number): number {
  return Math.ceil(side / BLOCK_SIDE) * BLOCK_SIDE;
}

function framesBytes(settings: FrameSettings, mode: Mode): number {
  const { width, height, chroma } = settings;
  const planes = width * height * ((chroma === "4:2:0" ? 1.5 : 3) + 1);
  return planes + width * 4 * BAND_ROWS + trackBytes(settings, mode);
}

/**
 * The fastest that libaom has for pictures that are predicted from later ones: slower ones take twice the time and
 * more.
 */
const SPEED = 6;
/** In real time, the slowest at which libaom estimates what its choices cost. */
const REALTIME_SPEED = 7;
/** Nanoseconds for a pixel of a film at quality 75 with halved chroma, and the part of it where nothing changes. */
const PIXEL_NANOSECONDS = { ahead: 1_350, alone: 1_350, realtime: 230 } as const;
const STILL_SHARE = 0.25;
/** What a frame takes however small it is. */
const FRAME_MS = 4;
/** More than that for chroma in full, for the best qualities; without loss nothing is filtered and little is tried. */
const FULL_CHROMA = 1.4;
const FINE = { quantizer: 16, times: 1.35 } as const;
const LOSSLESS = 1;
/** A picture of alpha has no chroma, and few details. */
const ALPHA = 0.25;

function pixelNanoseconds(settings: FrameSettings): number {
  const { chroma, quantizer, changes, share, plane } = settings;
  const photograph = PIXEL_NANOSECONDS[modeOf(settings).name] * (STILL_SHARE + (1 - STILL_SHARE) * changes);
  const usual = photograph * share * (plane === "alpha" ? ALPHA : 1);
  if (quantizer === 0) return usual * LOSSLESS;
  return usual * (chroma === "4:2:0" ? 1 : FULL_CHROMA) * (quantizer < FINE.quantizer ? FINE.times : 1);
}

/** The estimate of encoding all frames, the results not included. */
export function framesEstimate(settings: FrameSettings): Estimate {
  const { width, height, frames } = settings;
  const pixels = width * height * frames;
  const work = estimated(framesBytes(settings, modeOf(settings)), pixels, pixelNanoseconds(settings));
  return { ...work, ms: work.ms + frames * FRAME_MS };
}

/** What the search of what a pixel is coded as takes, of all that is done with it. */
const SEARCH_SHARE = 0.75;

export class Av1Frames {
  private readonly job: LoneJob<Av1EncodeExports>;
  private readonly settings: FrameSettings;
  private readonly pointer: Pointer = 0;

  /** @throws NativeError when memory does not suffice */
  constructor(settings: FrameSettings) {
    const { width, height, frames, chroma, plane, quantizer } = settings;
    this.settings = settings;
    const mode = modeOf(settings);
    this.job = new LoneJob(av1, framesBytes(settings, mode));
    try {
      const flags = [CHROMA[chroma], isAlpha(plane)] as const;
      const isRealtime = mode.name === "realtime";
      const speed = isRealtime ? REALTIME_SPEED : SPEED;
      beExact(this.job, quantizer);
      this.pointer = this.job.call((exports) =>
        exports.frames_open(width, height, ...flags, frames, Math.ceil(quantizer), speed, mode.lag, isRealtime ? 1 : 0),
      );
      beExact(this.job, 0);
      allocated(this.pointer);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Where up to 32 rows go, RGBA; valid until the next call. */
  band(): Uint8Array {
    const address = this.job.call((exports) => exports.frames_band(this.pointer));
    return this.job.bytes(address, BAND_ROWS * this.settings.width * 4);
  }

  /** Takes the first rows of the band: an even number, except at the bottom of a frame. */
  push(rows: number): void {
    this.job.call((exports) => exports.frames_rows(this.pointer, rows));
  }

  /** The rows of the next frame begin. Returns whether a pixel of this one has an alpha below 255. */
  next(): boolean {
    return this.job.call((exports) => exports.frames_next(this.pointer)) !== 0;
  }

  /**
   * Takes the frame whose rows were pushed into a track. Pauses in the midst of it.
   * @returns what can be shown now, of frames before this one
   * @throws NativeError when memory does not suffice
   */
  async take(timeSlice: Turns): Promise<Packet[]> {
    await this.encode(false, timeSlice);
    return [...this.packets()];
  }

  /** What is left to be shown once all frames were taken. Pauses. */
  async finish(timeSlice: Turns): Promise<Packet[]> {
    const all: Packet[] = [];
    for (;;) {
      await this.encode(true, timeSlice);
      const packets = [...this.packets()];
      if (packets.length === 0) return all;
      all.push(...packets);
    }
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.job.close((exports) => {
      if (this.pointer !== 0) exports.frames_close(this.pointer);
    });
  }

  private async encode(isLast: boolean, timeSlice: Turns): Promise<void> {
    const pace = { timeSlice, nanoseconds: 1 };
    const nanoseconds = Math.round(pixelNanoseconds(this.settings) * SEARCH_SHARE);
    const flags = [isLast ? 1 : 0, nanoseconds] as const;
    try {
      beExact(this.job, this.settings.quantizer);
      const encoded = await this.job.callPausing(pace, "frames_encode", this.pointer, ...flags);
      beExact(this.job, 0);
      if (encoded === 0) throw new NativeError("memory does not suffice");
      if (!isLast) await timeSlice.spend(FRAME_MS);
    } catch (error) {
      // What libaom held is lost.
      this.job.giveUp();
      throw error;
    }
  }

  private *packets(): Generator<Packet> {
    for (;;) {
      const from = this.job.call((exports) => exports.frames_packet(this.pointer));
      if (from === 0) return;
      const length = this.job.call((exports) => exports.frames_bytes(this.pointer));
      const isKey = this.job.call((exports) => exports.frames_is_key(this.pointer)) !== 0;
      yield { bytes: this.job.bytes(from, length).slice(), isKey };
    }
  }
}

function isAlpha(plane: Plane): number {
  return plane === "alpha" ? 1 : 0;
}
