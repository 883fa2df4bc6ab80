/**
 * What a coding of still pictures (HEVC, AV1) gives to the container, which knows nothing of codings.
 *
 * A reading goes like this. `headers` says what the bytes of one coded picture hold, without decoding. `openCanvas` makes
 * a band of RGBA rows in the memory of the coding's native module. Coded pictures are decoded one at a time; their
 * samples stay until they are freed, so that a grid holds one row of its tiles. `draw` converts some rows of a decoded
 * picture into the band, `drawAlpha` takes the luma of one as the alpha of what is there.
 */
import type { Size } from "../../geometry.ts";

/** One coded picture: its configuration property (`hvcC`, `av1C`) and the data of its item. */
export interface Coded {
  readonly config: Uint8Array;
  readonly payload: Uint8Array;
}

/** What the headers of a coded picture say. */
export interface CodedHeaders extends Size {
  /** Per sample: 8 to 16. */
  readonly bits: number;
  /** `gray` where there is no chroma. */
  readonly chroma: "gray" | "4:2:0" | "4:2:2" | "4:4:4";
  /** 1 to 100, estimated from quantisation; 100 where it is lossless. */
  readonly quality: number;
  /** The matrix coefficients are those of RGB (0), where the bitstream says so. */
  readonly rgb: boolean;
}

/** What samples mean, where the container says it (a `colr` property of type `nclx`); it overrules the bitstream. */
export interface SampleColors {
  /** ISO/IEC 23091-2, section 8.3. */
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** A decoded picture in the native module; valid for the canvas that decoded it. */
export type Samples = number;

/** Which part of a decoded picture is drawn, in its own pixels, and from which column of the band on. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows: number;
  readonly toX: number;
}

export interface Canvas {
  /**
   * Decodes one picture.
   * @throws NativeError when it is damaged, or has another size or kind of samples than its headers said
   */
  decode(coded: Coded, headers: CodedHeaders, colors: SampleColors | undefined): Samples;
  /** Converts to sRGB-like RGBA8, alpha 255, into the first rows of the band. */
  draw(samples: Samples, part: Part): void;
  /** Luma, at full range, becomes the alpha of pixels that were drawn. */
  drawAlpha(samples: Samples, part: Part): void;
  /** Divides the colors of the first rows by their alpha. */
  unpremultiply(rows: number): void;
  /** The first rows of the band; a view valid until the next call of anything. */
  band(rows: number): Uint8Array;
  free(samples: Samples): void;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

export interface Codec {
  /** Of items that hold a coded picture: `hvc1`, `av01`. */
  readonly itemTypes: readonly string[];
  /** Of the property that configures the decoder: `hvcC`, `av1C`. */
  readonly configType: string;
  /** @throws ApiError 422 when the headers are damaged, or say what the decoder cannot do */
  headers(coded: Coded): CodedHeaders;
  /** Bytes that decoding one picture holds at most, its samples and a copy of its payload included. */
  decodeBytes(headers: CodedHeaders, payloadBytes: number): number;
  /** Bytes of the samples that stay. */
  samplesBytes(headers: CodedHeaders): number;
  /**
   * @param width of the band, pixels
   * @param rows that the band holds
   * @param peakBytes that the whole canvas may hold, what it decodes included
   * @throws NativeError when memory does not suffice
   */
  openCanvas(width: number, rows: number, peakBytes: number): Canvas;
}
