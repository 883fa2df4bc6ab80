/**
 * Encodes AV1 stills of 8 or 10 bits, by libaom: rows go into a row of cells side by side, each of which becomes a
 * picture that can be a tile of one (src/image/formats/avif/tiles.ts).
 */
import { type Estimate, estimated } from "../estimate.ts";
import { LoneJob } from "../handle.ts";
import { allocated } from "../load.ts";
import type { Turns } from "../pausing.ts";
import type { Av1EncodeExports } from "./exports.ts";
import { av1, BAND_ROWS, beExact, CHROMA, type Pointer } from "./module.ts";

export interface CellSettings {
  /** Pixels, of the whole picture. */
  readonly width: number;
  readonly height: number;
  /**
   * Those at the right and the bottom end where the picture does. Where there are several, sides are multiples of 64.
   */
  readonly cell: { readonly width: number; readonly height: number };
  readonly chroma: keyof typeof CHROMA;
  readonly opaque: boolean;
  /** 1 (best) to 63, in steps of a quarter; 0 is lossless. */
  readonly quantizer: number;
  readonly alphaQuantizer: number;
  /** 0 to 9. */
  readonly speed: number;
  /** Most of it is of one tone, as letters and logos are: edges count more than texture. */
  readonly drawn: boolean;
  /** Of a coded sample. Rows of RGBA8 may have 10 where chroma is halved and nothing is transparent. */
  readonly bits: 8 | 10;
  /** Rows are RGBA16 with these colors, and are coded by the matrix of BT.2020; absent: RGBA8 of sRGB. */
  readonly sixteenBit?: CodePoints | undefined;
}

/** ISO/IEC 23091-2, sections 8.1 and 8.2. */
interface CodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

const SRGB: CodePoints = { primaries: 1, transfer: 13 };

/**
 * Bytes that libaom holds for each pixel of a cell at most, by bits, measured on noise: it notes more where it looks
 * closer.
 */
const BYTES_PER_PIXEL = {
  8: { close: { half: 32, full: 50 }, fast: { half: 22, full: 39 } },
  10: { close: { half: 44, full: 72 }, fast: { half: 30, full: 55 } },
} as const;
/**
 * Bytes besides for each pixel of a cell that libaom takes for a screen, as letters and signs in a photograph may be:
 * indexes of palettes, of two planes, for whole blocks of this side.
 */
const PALETTES = { bytes: 2, block: 128 } as const;
/** From this speed on libaom notes less of what it tries. */
export const FIRST_FAST_SPEED = 7;
const ENCODER_BYTES = 3 << 20;
/** Bytes for each column, where chroma is halved: rows of MCUs, and what is between them (wasm/halved.h). */
const HALVED_BYTES = 48;
/** libaom works on whole blocks of this side, and on some beyond the edges of a cell. */
const BLOCK = 64;

/** Nanoseconds for a pixel of a photograph at quality 80 with halved chroma and 8 bits, by speed. */
const PIXEL_NANOSECONDS = [8_000, 8_000, 8_000, 8_000, 8_000, 4_000, 800, 440, 200, 90] as const;
/** More than that for chroma in full, for 10 bits, for the best qualities, and without loss. */
const FULL_CHROMA = 1.4;
const TEN_BITS = 1.25;
const FINE = { quantizer: 16, times: 1.7 } as const;
const LOSSLESS = 2.6;
/** A picture of alpha has no chroma, and few details. */
const ALPHA = 0.5;

/** What libaom takes for a pixel of colors. */
function pixelNanoseconds({ chroma, quantizer, speed, bits }: CellSettings): number {
  const usual = (PIXEL_NANOSECONDS[speed] ?? PIXEL_NANOSECONDS[0]) * (bits === 10 ? TEN_BITS : 1);
  if (quantizer === 0) return usual * LOSSLESS;
  return usual * (chroma === "4:2:0" ? 1 : FULL_CHROMA) * (quantizer < FINE.quantizer ? FINE.times : 1);
}

/**
 * The part of the time of a photograph that a cell takes which comes to so many bits for each pixel: what is smooth,
 * dark or flat is decided early. Measured on 15 photographs, drawings and screens at speeds 6 to 9: 0.12 to 0.2 at 0.03
 * bits, 0.4 at 0.13, 0.6 at 0.3, 1 from one bit on.
 */
function timeShare(bits: number): number {
  return Math.min(1, 0.05 + Math.sqrt(bits));
}

/** The estimate of encoding, the results not included. */
export function cellsEstimate(settings: CellSettings): Estimate {
  const { width, height, opaque } = settings;
  const nanoseconds = pixelNanoseconds(settings) * (opaque ? 1 : 1 + ALPHA);
  return estimated(cellsBytes(settings), width * height, nanoseconds);
}

function cellsBytes(settings: CellSettings): number {
  const { width, cell, chroma, opaque, speed, bits, sixteenBit } = settings;
  const half = chroma === "4:2:0";
  const planes = width * cell.height * ((half ? 1.5 : 3) + (opaque ? 0 : 1)) * (bits > 8 ? 2 : 1);
  const kind = BYTES_PER_PIXEL[bits][speed < FIRST_FAST_SPEED ? "close" : "fast"];
  const perPixel = kind[half ? "half" : "full"];
  const padded = (side: number) => (Math.ceil(side / BLOCK) + 1) * BLOCK;
  const coded = padded(cell.width) * padded(cell.height) * perPixel;
  const halving = half && !sixteenBit ? width * HALVED_BYTES : 0;
  return planes + coded + palettesBytes(cell) + bandBytes(settings) + blocksBytes(settings) + halving + ENCODER_BYTES;
}

function palettesBytes({ width, height }: CellSettings["cell"]): number {
  const { bytes, block } = PALETTES;
  return bytes * Math.ceil(width / block) * Math.ceil(height / block) * block ** 2;
}

/** A byte for each 4 x 4 pixels of a cell, in whole blocks of 8 x 8. */
function blocksBytes({ cell }: CellSettings): number {
  return 4 * Math.ceil(cell.width / 8) * Math.ceil(cell.height / 8);
}

function bandBytes({ width, sixteenBit }: CellSettings): number {
  return BAND_ROWS * width * (sixteenBit ? 8 : 4);
}

export class Av1Cells {
  readonly columns: number;
  private readonly job: LoneJob<Av1EncodeExports>;
  private readonly settings: CellSettings;
  private readonly pointer: Pointer = 0;
  /** The part of the usual time that the next cell is expected to take. */
  private share: number;

  /**
   * @param share the part of the usual time that the first cell is expected to take
   * @throws NativeError when memory does not suffice
   */
  constructor(settings: CellSettings, share = 1) {
    const { width, height, cell, chroma, opaque, quantizer, alphaQuantizer, speed, drawn, bits, sixteenBit } = settings;
    const { primaries, transfer } = sixteenBit ?? SRGB;
    this.settings = settings;
    this.share = share;
    this.columns = Math.ceil(width / cell.width);
    this.job = new LoneJob(av1, cellsBytes(settings));
    try {
      this.pointer = this.job.call((exports) =>
        exports.encoder_open(
          width,
          height,
          cell.width,
          cell.height,
          cell.width < width || cell.height < height ? 1 : 0,
          CHROMA[chroma],
          opaque ? 0 : 1,
          Math.ceil(quantizer),
          alphaQuantizer,
          speed,
          drawn ? 1 : 0,
          sixteenBit ? 1 : 0,
          bits,
          primaries,
          transfer,
        ),
      );
      allocated(this.pointer);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Where up to 32 rows go; valid until the next call. */
  band(): Uint8Array {
    const address = this.job.call((exports) => exports.encoder_band(this.pointer));
    return this.job.bytes(address, bandBytes(this.settings));
  }

  /** Takes the first rows of the band: an even number, except at the bottom of the picture. */
  push(rows: number): void {
    this.job.call((exports) => exports.encoder_rows(this.pointer, rows));
  }

  /** Whether a pixel of this row of cells has an alpha below 255. */
  translucent(): boolean {
    return this.job.call((exports) => exports.encoder_translucent(this.pointer)) !== 0;
  }

  /** The next row of cells begins. */
  next(): void {
    this.job.call((exports) => exports.encoder_next(this.pointer));
  }

  /**
   * Encodes the colors of a cell, or its alpha as a picture without chroma. Pauses in the midst of it.
   * @param blocks what `blocks` said of the same colors at a quality nearby, by which it takes less than half of the
   *   time
   * @returns the units of the bitstream, a temporal delimiter first
   * @throws NativeError when memory does not suffice
   */
  async encode(column: number, plane: "color" | "alpha", timeSlice: Turns, blocks?: Uint8Array): Promise<Uint8Array> {
    const alpha = plane === "alpha";
    if (blocks) this.blocksInMemory().set(blocks);
    const usual = pixelNanoseconds(this.settings);
    const expected = alpha ? ALPHA : this.share;
    const nanoseconds = Math.round(usual * expected);
    const pace = { timeSlice, nanoseconds: 1 };
    try {
      const flags = [alpha ? 1 : 0, blocks ? 1 : 0, nanoseconds] as const;
      if (!alpha) beExact(this.job, this.settings.quantizer);
      const from = allocated(await this.job.callPausing(pace, "encoder_cell", this.pointer, column, ...flags));
      beExact(this.job, 0);
      const length = this.job.call((exports) => exports.encoder_bytes(this.pointer));
      const bytes = this.job.bytes(from, length).slice();
      // Without loss all that is smooth is coded, too.
      if (!alpha && this.settings.quantizer > 0) {
        const pixels = this.pixelsIn(column);
        this.share = timeShare((length * 8) / pixels);
        // Pauses are over: what was declared too little is told at once.
        await timeSlice.spend(Math.max(0, this.share - expected) * usual * pixels * 1e-6);
      }
      return bytes;
    } catch (error) {
      // What libaom held is lost.
      this.job.giveUp();
      throw error;
    }
  }

  /** The part of the usual time that the last cell took, by the bits that it came to. */
  get lastShare(): number {
    return this.share;
  }

  /** About the pixels of a cell: those of the last row may be fewer. */
  private pixelsIn(column: number): number {
    const { width, height, cell } = this.settings;
    return Math.min(cell.width, width - column * cell.width) * Math.min(cell.height, height);
  }

  /** The sizes of blocks that were chosen of the colors that were encoded last. */
  blocks(): Uint8Array {
    return this.blocksInMemory().slice();
  }

  private blocksInMemory(): Uint8Array {
    const address = this.job.call((exports) => exports.encoder_blocks(this.pointer));
    return this.job.bytes(address, blocksBytes(this.settings));
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    this.job.close((exports) => {
      if (this.pointer !== 0) exports.encoder_close(this.pointer);
    });
  }
}
