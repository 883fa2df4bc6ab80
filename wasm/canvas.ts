/** A band of RGBA rows and the decoded pictures that are drawn into it, in the modules that decode stills. */
import { type Estimate, estimated } from "./estimate.ts";
import { fuelFor } from "./fuel/fuel.ts";
import { LoneJob } from "./handle.ts";
import { allocated, type HeapExports, NativeError, type NativeModule } from "./load.ts";
import type { Pace, Turns } from "./pausing.ts";

type Pointer = number;

export interface CanvasExports extends HeapExports {
  /** What is not 16-bit has 8 bits a sample, and so has everything in modules that know no other pixels. */
  canvas_open(width: number, rows: number, sixteenBit: number): Pointer;
  canvas_band(canvas: Pointer): Pointer;
  canvas_unpremultiply(canvas: Pointer, rows: number): void;
  canvas_close(canvas: Pointer): void;
  /** Decodes a picture from `size` bytes, which it frees. May pause. */
  picture_decode(bytes: Pointer, size: number, ...numbers: number[]): Pointer;
  picture_colors(picture: Pointer, matrix: number, fullRange: number): void;
  picture_draw(picture: Pointer, canvas: Pointer, x: number, y: number, width: number, rows: number, toX: number): void;
  picture_draw_alpha(
    picture: Pointer,
    canvas: Pointer,
    x: number,
    y: number,
    width: number,
    rows: number,
    toX: number,
  ): void;
  picture_close(picture: Pointer): void;
}

/** What samples mean, where the container says it. */
export interface SampleMeaning {
  /** ISO/IEC 23091-2, section 8.3. */
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** One coded picture as a module takes it. */
export interface CodedPicture {
  /** The length of what `write` writes. */
  readonly bytes: number;
  readonly write: (copy: Uint8Array) => void;
  /** What else `picture_decode` of the module is told. */
  readonly numbers: readonly number[];
  /** What a unit of the work takes that the module declares while it decodes. */
  readonly nanoseconds: number;
}

/** Which part of a decoded picture is drawn, in its own pixels, and from which column of the band on. */
export interface CanvasPart {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows: number;
  readonly toX: number;
}

/** What converting a pixel into the band takes. */
const DRAW_NANOSECONDS = 5;
const SIXTEEN_BIT_DRAW_NANOSECONDS = 5;

/** The estimate of a band, and of drawing a picture into it from top to bottom. */
export function canvasEstimate(width: number, height: number, bandRows: number): Estimate {
  return estimated(width * 4 * bandRows, width * height, DRAW_NANOSECONDS);
}

/** What a band of 16 bits a sample takes beyond that. */
export function sixteenBitCanvasEstimate(width: number, height: number, bandRows: number): Estimate {
  return estimated(width * 4 * bandRows, width * height, SIXTEEN_BIT_DRAW_NANOSECONDS);
}

/** Decodes pictures that may be predicted from those before them. */
export interface NativeSequence {
  /**
   * Decodes the next picture, which is the canvas's then.
   * @throws NativeError when it is damaged or of another size, or memory does not suffice
   */
  next(
    canvas: NativeCanvas,
    picture: CodedPicture,
    colors: SampleMeaning | undefined,
    timeSlice: Turns,
  ): Promise<Pointer>;
  /** To be said before the decoder of the job is closed. May be called twice. */
  close(): void;
}

/** A decoder that one job has alone, for its decoding may pause; allocations fail beyond what the job declared. */
export class NativeStills<Exports extends CanvasExports = CanvasExports> extends LoneJob<Exports> {
  /** @param estimate of all that is decoded */
  constructor(module: NativeModule<Exports>, estimate: Estimate) {
    super(module, estimate.bytes, fuelFor(estimate));
  }

  /** A copy of a coded picture in the module, which whoever decodes it frees. */
  copyOf(picture: CodedPicture): Pointer {
    const copy = allocated(this.call((exports) => exports.malloc(picture.bytes)));
    picture.write(this.bytes(copy, picture.bytes));
    return copy;
  }

  /**
   * Makes rows of a decoded picture ready to be drawn. Most modules decode all of them at once.
   * @throws NativeError when they are damaged
   */
  async reach(_pace: Pace, _picture: Pointer, _y: number, _rows: number): Promise<void> {}

  /**
   * @param width of the band, pixels
   * @param rows that the band holds
   * @param sixteenBit its pixels have 16 bits a sample
   * @throws NativeError when memory does not suffice
   */
  openCanvas(width: number, rows: number, sixteenBit = false): NativeCanvas {
    return new NativeCanvas(this, width, rows, sixteenBit);
  }
}

export class NativeCanvas {
  private readonly stills: NativeStills;
  private readonly pictures = new Set<Pointer>();
  private readonly rowBytes: number;
  private readonly pointer: Pointer;
  private closed = false;

  /** @throws NativeError when memory does not suffice */
  constructor(stills: NativeStills, width: number, rows: number, sixteenBit: boolean) {
    this.stills = stills;
    this.rowBytes = width * (sixteenBit ? 8 : 4);
    this.pointer = allocated(this.call((exports) => exports.canvas_open(width, rows, sixteenBit ? 1 : 0)));
  }

  /**
   * Decodes a picture; its samples stay until they are freed.
   * @throws NativeError when the picture is damaged or of another size, or memory does not suffice
   */
  async decode(picture: CodedPicture, colors: SampleMeaning | undefined, timeSlice: Turns): Promise<Pointer> {
    const copy = this.stills.copyOf(picture);
    const pace = { timeSlice, nanoseconds: picture.nanoseconds };
    const decoded = await this.stills
      .callPausing(pace, "picture_decode", copy, picture.bytes, ...picture.numbers)
      .catch((error: unknown) => this.stills.refuse(error));
    return this.take(decoded, colors);
  }

  /**
   * Makes rows of a picture ready to be drawn, to be said from top to bottom; those above may be gone then.
   * @param coded what the picture was decoded from
   * @throws NativeError when they are damaged
   */
  async reach(picture: Pointer, coded: CodedPicture, y: number, rows: number, timeSlice: Turns): Promise<void> {
    const pace = { timeSlice, nanoseconds: coded.nanoseconds };
    await this.stills.reach(pace, picture, y, rows).catch((error: unknown) => this.stills.refuse(error));
  }

  /**
   * A decoded picture becomes the canvas's.
   * @throws NativeError when there is none, for want of memory
   */
  take(decoded: Pointer, colors: SampleMeaning | undefined): Pointer {
    this.pictures.add(allocated(decoded));
    if (colors) this.call((exports) => exports.picture_colors(decoded, colors.matrix, colors.fullRange ? 1 : 0));
    return decoded;
  }

  /** Converts to RGBA, alpha full, into the first rows of the band. */
  draw(picture: Pointer, { x, y, width, rows, toX }: CanvasPart): void {
    this.call((exports) => exports.picture_draw(picture, this.pointer, x, y, width, rows, toX));
  }

  /** Luma, at full range, becomes the alpha of pixels that were drawn. */
  drawAlpha(picture: Pointer, { x, y, width, rows, toX }: CanvasPart): void {
    this.call((exports) => exports.picture_draw_alpha(picture, this.pointer, x, y, width, rows, toX));
  }

  /** Divides the colors of the first rows by their alpha, of 8 bits a sample. */
  unpremultiply(rows: number): void {
    this.call((exports) => exports.canvas_unpremultiply(this.pointer, rows));
  }

  /** The first rows; a view valid until the next call. */
  band(rows: number): Uint8Array {
    const address = this.call((exports) => exports.canvas_band(this.pointer));
    return this.stills.bytes(address, rows * this.rowBytes);
  }

  free(picture: Pointer): void {
    if (this.pictures.delete(picture)) this.call((exports) => exports.picture_close(picture));
  }

  /** Frees everything. May be called twice and at any time. */
  close(): void {
    if (this.closed) return;
    if (!this.stills.isGone()) {
      for (const picture of this.pictures) this.free(picture);
      this.call((exports) => exports.canvas_close(this.pointer));
    }
    this.closed = true;
  }

  private call<T>(work: (exports: CanvasExports) => T): T {
    if (this.closed) throw new NativeError("the canvas is closed");
    return this.stills.call(work);
  }
}
