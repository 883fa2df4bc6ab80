/**
 * What a coding of still pictures (HEVC, AV1) gives to the container, which knows nothing of codings.
 *
 * A reading goes like this. `headers` says what the bytes of one coded picture hold, without decoding. `openStills`
 * gives the job a decoder of its own, in which canvases are opened: a canvas is a band of RGBA rows. Coded pictures are
 * decoded one at a time; their samples stay until they are freed, so that a grid holds one row of its tiles. Some rows
 * of a decoded picture are then reached and converted into the band, or the luma of one becomes the alpha of what is
 * there.
 */
import type { CodedPicture, NativeSequence, NativeStills } from "../../../../wasm/canvas.ts";
import type { Estimate } from "../../../../wasm/estimate.ts";
import type { Size } from "../../pixels/geometry.ts";

/** Which of the layers of a coded picture its item shows. */
export interface Layers {
  /** Pixels of what is shown. */
  readonly size: Size;
  /** The operating point: a choice of layers that are decoded together. */
  readonly point: number;
  /** The spatial layer; absent: the last one of the operating point. */
  readonly layer: number | undefined;
}

/** One coded picture: its configuration property (`hvcC`, `av1C`) and the data of its item. */
export interface Coded {
  readonly config: Uint8Array;
  readonly payload: Uint8Array;
  /** What its item says of layers; absent where nothing does. */
  readonly layers?: Layers | undefined;
}

/** What the headers of a coded picture say. */
export interface CodedHeaders extends Size {
  /** Per sample: 8 to 16. */
  readonly bits: number;
  /** `gray` where there is no chroma. */
  readonly chroma: "gray" | "4:2:0" | "4:2:2" | "4:4:4";
  /** 1 to 100, estimated from quantization; 100 where it is lossless. */
  readonly quality: number;
  /** The matrix coefficients are those of RGB (0), where the bitstream says so. */
  readonly rgb: boolean;
}

export interface Codec {
  /** The types of items that hold a coded picture: `hvc1`, `av01`. */
  readonly itemTypes: readonly string[];
  /** The type of the property that configures the decoder: `hvcC`, `av1C`. */
  readonly configType: string;
  /** @throws ApiError 422 when the headers are damaged, or say what the decoder cannot do */
  headers(coded: Coded): CodedHeaders;
  /**
   * The estimate of decoding one picture, its samples and a copy of its payload included.
   * @param alone no other picture of its layer is decoded: where the coding allows it, a few of its rows are held
   */
  decodeEstimate(headers: CodedHeaders, payloadBytes: number, alone: boolean): Estimate;
  /** Bytes of the samples that stay. */
  samplesBytes(headers: CodedHeaders): number;
  /** A decoder for one job. @param peakBytes that it may hold, canvases and what is decoded included */
  openStills(estimate: Estimate): NativeStills;
  /** What the decoder takes; it refuses a picture that has another size or kind of samples than `headers` says. */
  picture(coded: Coded, headers: CodedHeaders, alone: boolean): CodedPicture;
}

/** The samples of a track, all together. */
export interface SamplesExtent {
  readonly count: number;
  readonly largestBytes: number;
  readonly totalBytes: number;
}

/** A coding whose pictures may follow one another in a track, each predicted from those before it. */
export interface SequenceCodec extends Codec {
  /** The major brand of files that show their track, whatever items they have. */
  readonly brand: string;
  /** The estimate of decoding all samples of a track, with the pictures that stay for later ones. */
  sequenceEstimate(headers: CodedHeaders, samples: SamplesExtent): Estimate;
  /**
   * A decoder for a track, in that of the job.
   * @param headers of the first sample, as which all are
   * @throws NativeError when memory does not suffice
   */
  openSequence(stills: NativeStills, headers: CodedHeaders): NativeSequence;
  /** The next sample of a track; the first one with its configuration. */
  sample(payload: Uint8Array, config: Uint8Array | undefined, headers: CodedHeaders): CodedPicture;
}
