/** Areas of a JPEG 2000 codestream as pixels, by OpenJPEG. */
import type { Turns } from "../pausing.ts";
import { ReadingJob } from "./instance.ts";

/** What the channels mean; `cmyk` becomes RGB naively, `inks` stays: four bytes a pixel, 255 for full ink. */
export type Model = "gray" | "rgb" | "ycc" | "cmyk" | "inks";

/** Where a channel comes from: a component, through a column of the palette if there is one. */
interface Channel {
  readonly component: number;
  readonly column: number | undefined;
}

/** How components become pixels. */
export interface Layout {
  readonly model: Model;
  /** One, three or four, as the model has it. */
  readonly colors: readonly Channel[];
  readonly alpha: (Channel & { readonly premultiplied: boolean }) | undefined;
  /** Columns of the palette, one byte an entry. */
  readonly palette: readonly Uint8Array[];
  /** Places of the reference grid per pixel. */
  readonly step: readonly [x: number, y: number];
}

/** A rectangle: left and top inside, right and bottom outside. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Entries of a palette (ITU-T T.800, I.5.3.4). */
export const MAX_PALETTE = 1024;
const MAX_CHANNELS = 5;
const MODELS = { gray: 0, rgb: 1, ycc: 2, cmyk: 3, inks: 3 } as const;

export class CodestreamReader {
  private readonly job: ReadingJob;
  private band = { address: 0, pixels: 0 };

  /**
   * @param reduce how often sides are halved
   * @param peakBytes of memory that the reader may hold
   * @throws NativeError when memory does not suffice
   */
  constructor(codestream: Uint8Array, layout: Layout, reduce: number, peakBytes: number) {
    this.job = new ReadingJob(codestream, peakBytes, (exports, source) =>
      exports.reader_new(source, codestream.length, reduce),
    );
    this.writeLayout(layout);
  }

  /** Numbers as `struct layout` in codec.h has them. */
  private writeLayout({ model, colors, alpha, palette, step }: Layout): void {
    const at = this.job.call((exports, pointer) => exports.reader_layout(pointer));
    const channels = alpha ? [...colors, alpha] : colors;
    const padded = Array.from({ length: MAX_CHANNELS }, (_, index) => channels[index]);
    const alphaKind = alpha ? (alpha.premultiplied ? 2 : 1) : 0;
    const numbers = Int32Array.from([
      MODELS[model],
      model === "inks" ? 1 : 0,
      colors.length,
      alphaKind,
      ...padded.map((channel) => channel?.component ?? 0),
      ...padded.map((channel, slot) => (channel?.column === undefined ? -1 : slot)),
      palette[0]?.length ?? 0,
      ...step,
    ]);
    this.job.bytes(at, numbers.byteLength).set(new Uint8Array(numbers.buffer));
    // A palette may have more columns than there are channels, and there is room for those of channels.
    channels.forEach(({ column }, slot) => {
      const levels = column === undefined ? undefined : palette[column];
      if (levels) this.job.bytes(at + numbers.byteLength + slot * MAX_PALETTE, levels.length).set(levels);
    });
  }

  /** Makes room for a band of pixels; what was read before is lost. */
  makeRoom(pixels: number): void {
    if (pixels <= this.band.pixels) return;
    this.band = { address: this.job.call((exports, pointer) => exports.reader_band(pointer, pixels)), pixels };
  }

  /**
   * Decodes what lies in `grid`, an area of the reference grid, and writes the pixels of `area` (of the reduced
   * picture, counted from the origin of the grid) to the band, from pixel `at` on, rows `stride` pixels apart.
   * @throws NativeError when the codestream is damaged, or memory does not suffice
   */
  read(grid: Area, area: Area, at: number, stride: number, timeSlice: Turns): Promise<void> {
    return this.job.callPausing(
      timeSlice,
      "reader_area",
      grid.left,
      grid.top,
      grid.right,
      grid.bottom,
      area.left,
      area.top,
      area.right,
      area.bottom,
      at,
      stride,
    );
  }

  /** A view of the band, valid until the next call. */
  pixels(from: number, count: number): Uint8Array {
    return this.job.bytes(this.band.address + from * 4, count * 4);
  }

  /** Alpha of pixels of the band that are inks, one byte each; a view valid until the next call. */
  alpha(from: number, count: number): Uint8Array {
    const address = this.job.call((exports, pointer) => exports.reader_alpha(pointer));
    return this.job.bytes(address + from, count);
  }

  /** May be called twice and at any time. */
  close(): void {
    this.job.close();
  }
}
