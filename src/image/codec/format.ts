/** What a format is. One file in `formats/` and one line in `formats.ts` add one. */
import type { Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { CodePoints } from "../color/code-points.ts";
import type { Stripped } from "../containers/stripped.ts";
import type { GainMapCarrier } from "../gain-map/gain-map.ts";
import type { MetadataCarrier } from "../metadata/blocks.ts";
import type { Box, Orientation } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import type { Stopwatch } from "../pixels/stopwatch.ts";
import type { ManifestCarrier } from "../provenance/carrier.ts";
import type { Kernel } from "../steps/operation.ts";
import type { Role } from "./role.ts";
import type { EncodeSettings, Writer } from "./writer.ts";

/** What the bytes of a file say about its picture, found without decoding it. */
export interface Facts {
  /** Pixels as stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** 1 in a still picture. */
  readonly frames: number;
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  /** The file can hold a pixel with an alpha below 255. */
  readonly alpha: boolean;
  /** `YCbCr`, `RGB`, `Gray`, `CMYK`, `YCCK` or `Palette`: how the samples are stored. */
  readonly colorspace: string;
  /** The picture is a preview inside of a camera's RAW file. */
  readonly isPreview?: boolean;
  /** Interlaced or progressive. */
  readonly interlaced: boolean;
  /** Chroma subsampling as `4:2:0`; `4:4:4` where the format has none. */
  readonly subsample: string;
  /** Bits per pixel, alpha included. */
  readonly depth: number;
  /** Bits of a sample that decoding can give, where these are more than 8. */
  readonly bits?: number;
  /** 1 to 100, estimated from quantization; 100 where the format is lossless. */
  readonly quality: number;
  /** The embedded ICC profile. */
  readonly profile?: Uint8Array;
  /**
   * Decoding brings the samples into sRGB by what the file says of them besides a profile: the file itself has other
   * colors.
   */
  readonly convertsColors?: boolean;
  /** The profile stands for a transfer function of high dynamic range, and brings it into the range of a screen. */
  readonly highDynamicRange?: boolean;
  /** What samples of high dynamic range mean, where decoding can give them as they are. */
  readonly codePoints?: CodePoints;
  /** Bytes of the file that pixels are coded in, where decoding takes the longer the more there are. */
  readonly codedBytes?: number;
  /**
   * Of an animation, what the frames after the first take: bytes that pixels are coded in, and pixels of their
   * rectangles; `restores`: some are followed by what was there before them, which is kept meanwhile.
   */
  readonly later?: { readonly bytes: number; readonly pixels: number; readonly restores?: boolean };
  /** The estimate of decoding the first frame of an animation alone, where a decoder holds less for it than for all. */
  readonly firstEstimate?: Estimate;
  /** How often a decoder can halve the picture for less than what all of it takes. */
  readonly halvings?: number;
  /** Bytes of memory that decoding holds at each number of halvings, where that makes a difference. */
  readonly halvedBytes?: readonly number[];
  /** Bytes of memory that decoding holds at most, where that depends on more than the facts above. */
  readonly decodeBytes?: number;
  /** Bytes that decoding holds besides where rows are 16-bit. */
  readonly sixteenBitBytes?: number;
  /** Milliseconds that decoding takes at most, where that depends on more than the facts above. */
  readonly decodeMs?: number;
  /** Nanoseconds for each pixel that is wanted besides, where a decoder makes them at any size. */
  readonly decodePixelNanoseconds?: number;
  /**
   * What a decoder that draws holds: pixels at a time at most, bytes for each of them, and tiles of patterns as a part
   * of the whole picture.
   */
  readonly drawn?: { readonly pixels: number; readonly pixelBytes: number; readonly tiles: number };
  /** What is damaged of the file is wanted as far as it can be shown: set by what a request says, never by a probe. */
  readonly showsDamage?: true;
  /** What of a drawing is not drawn as it says, in words for people. */
  readonly undrawn?: readonly string[];
}

/** What a pipeline wants of a decoder. */
export interface Demand {
  /** The wanted region, in stored pixels; fractional only where a resize follows. */
  readonly box: Box;
  /**
   * The size at which the region will be used: a decoder that can decode smaller may do so while the region stays at
   * least this large.
   */
  readonly width: number;
  readonly height: number;
  /** Frames after the first will not be asked for. */
  readonly firstOnly?: boolean | undefined;
  /**
   * Rows are to be 16-bit; only of a reader that can give them, and of a still picture whose samples have more than 8
   * bits.
   */
  readonly sixteenBit?: boolean | undefined;
}

/** A region of a stored picture at another size, and the filter that takes it there. */
export interface Resized extends Demand {
  readonly kernel: Kernel;
}

/** A frame as decoded. */
export interface Decoded {
  readonly delayMs: number;
  readonly rows: Rows;
  /** Where the wanted region lies in `rows`. */
  readonly box: Box;
}

/** Square tiles of a picture, side by side as a small one. */
export interface Tiles {
  /** Pixels; a multiple of 32. */
  readonly side: number;
  /** Tiles in a row; divides their number. */
  readonly across: number;
  /** Where they lie in the picture as it is stored: multiples of 32. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

/** How a file is written anew from what is stored in it, its pixels being what they are. */
export interface RecompressSettings {
  readonly progressive: boolean;
  /** The picture is turned; only where the format's `coefficients.turns` allows it. */
  readonly turn?: Orientation;
  /** The orientation tag of the result; 1, which is none, by default. */
  readonly tag?: Orientation;
}

/** How a file is written anew from its coefficients. */
export interface RequantizeSettings extends RecompressSettings {
  /** 1 to 100; no coefficient becomes finer than it is. Absent: nothing that can be seen may change. */
  readonly quality?: number;
  /** In place of the picture, tiles of it. */
  readonly tiles?: Tiles;
}

/** Work whose estimate is known, and which has not begun. */
export interface Estimated<Result> {
  readonly estimate: Estimate;
  readonly run: (timeSlice: TimeSlice) => Promise<Result>;
}

/** What a format's files can hold. Code asks these, never for a format by name. */
interface Abilities {
  /** Pixels of the longest side that its files are written with; absent: as many as a picture may have. */
  readonly mostSide?: number;
  /** Its files hold one picture as several squares: of `most` pixels a side at most, `usual` where none is named. */
  readonly sides?: { readonly most: number; readonly usual: readonly number[] };
  readonly alpha: boolean;
  /** Pixels are opaque or clear, and nothing between. */
  readonly allOrNothing?: true;
  readonly animation: boolean;
  /** It holds animations alone, and no still picture is made into one of its files. */
  readonly movesAlone?: true;
  /** `quality` means something. */
  readonly quality: boolean;
  readonly lossless: boolean;
  /** Every current browser shows it. */
  readonly web: boolean;
  /** Some browsers show it: those that name it among what they take. */
  readonly named?: true;
  /** How a picture is turned is part of it, not of its metadata: whoever shows a file turns it. */
  readonly turned?: true;
  /** Files that are written can have other colors than those of sRGB: of any profile of RGB, or of Display P3 alone. */
  readonly spaces?: "any" | "p3";
  /** Files that are written from 16-bit rows can have samples of high dynamic range, and say so by code points. */
  readonly highDynamicRange?: true;
}

/** From files to pixels. */
export interface Reader {
  /**
   * What reading the facts holds and takes, where that is more than headers do: it is work like any other. Told by a
   * look at the bytes that keeps nothing.
   * @throws ApiError 422 when the file is damaged or beyond what is supported
   */
  readonly probeEstimate?: (bytes: Uint8Array) => Estimate;
  /** @throws ApiError 422 when the file is damaged or beyond what is supported */
  readonly factsOf: (bytes: Uint8Array) => Facts;
  /** The estimate of decoding what is wanted, the file itself left out. */
  readonly estimate: (facts: Facts, demand: Demand) => Estimate;
  /**
   * By how much the rows that are opened are smaller than what is wanted; absent: by nothing, as far as estimates go.
   */
  readonly scale?: (facts: Facts, demand: Demand) => number;
  /** @throws ApiError 422, at once or while rows are read, when the file is damaged */
  readonly open: (bytes: Uint8Array, facts: Facts, demand: Demand, timeSlice: TimeSlice) => AsyncIterable<Decoded>;
  /** It gives 16-bit rows where they are demanded. */
  readonly sixteenBit?: true;
  /** It shows what is left of damaged pixels where the facts say so. */
  readonly showsDamage?: true;
}

/** A file written anew in its own format without decoding pixels. */
export interface Recompressor {
  /** The result included. */
  readonly estimate: (bytes: Uint8Array, facts: Facts, settings: RecompressSettings) => Estimate;
  /**
   * Another file of the same picture, smaller if the original was not written as well; null when there is nothing to
   * win this way.
   * @throws ApiError 422 when the file is damaged
   */
  readonly run: (
    bytes: Uint8Array,
    facts: Facts,
    settings: RecompressSettings,
    timeSlice: TimeSlice,
  ) => Promise<Uint8Array | null>;
}

/** A file changed by its coefficients: a lower quality, or another orientation, without becoming pixels. */
export interface Coefficients {
  /** Whether this file has coefficients that can be divided anew. */
  readonly divides: (bytes: Uint8Array) => boolean;
  /** Whether this picture can be turned without any loss. */
  readonly turns: (bytes: Uint8Array, orientation: Orientation) => boolean;
  /** The result included. */
  readonly estimate: (bytes: Uint8Array, facts: Facts, settings: RequantizeSettings) => Estimate;
  /** Null when the file has no such coefficients. */
  readonly requantize: (
    bytes: Uint8Array,
    facts: Facts,
    settings: RequantizeSettings,
    timeSlice: TimeSlice,
  ) => Promise<Uint8Array | null>;
  /**
   * `encode` for a file of the format itself, of which no more than the size changes, from its planes; null where there
   * is no such way. The work gives null when the picture turns out to be one of which pixels must be seen.
   */
  readonly resize: (
    bytes: Uint8Array,
    settings: EncodeSettings,
    wanted: Resized,
    stopwatch?: Stopwatch,
  ) => Estimated<Uint8Array | null> | null;
}

/** Files of another format that were made into files of this one, and are in them byte for byte. */
export interface Unpacker {
  /** The media type of what comes out. */
  readonly mime: string;
  /** The result included; null where nothing is packed in this file. */
  readonly estimate: (bytes: Uint8Array, facts: Facts) => Estimate | null;
  /** @throws ApiError 422 when what is needed for it is damaged */
  readonly run: (bytes: Uint8Array, facts: Facts, timeSlice: TimeSlice) => Promise<Uint8Array>;
}

/** Files of another format, held in files of this one so that the same file can be made again. */
export interface Repacker {
  readonly takes: (format: Pick<FormatDefinition, "mime">) => boolean;
  /** The result included. */
  readonly estimate: (bytes: Uint8Array, facts: Facts) => Estimate;
  /** Null for a file that cannot be held. */
  readonly run: (bytes: Uint8Array, facts: Facts, timeSlice: TimeSlice) => Promise<Uint8Array | null>;
}

/** A mark in a file that says down to which score it was reduced. */
export interface Marker {
  /** Writes a mark of a score, 1 to 100, into a file; it takes 10 to 28 bytes. */
  readonly write: (bytes: Uint8Array, score: number) => Uint8Array;
  /** What the mark of a file says; undefined where there is none. */
  readonly read: (bytes: Uint8Array) => number | undefined;
}

/** What a format is, and what can be done with its files: each group is there as a whole or not at all. */
export interface FormatDefinition {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** The name of the format as answers spell it: `JPEG`. */
  readonly label: string;
  readonly mime: string;
  /** The usual one first. */
  readonly extensions: readonly [string, ...string[]];
  /** What originals may be called besides; a result never is. */
  readonly otherExtensions?: readonly string[];
  readonly can: Abilities;
  /** Absent where results have the format by its name alone, or not at all, and no list of formats names it. */
  readonly role?: Role;
  /** Whether the first bytes (up to 4,096) are this format's. */
  readonly signature: (head: Uint8Array) => boolean;
  /** Its files are recognized, but this deployment neither reads nor writes them. */
  readonly leftOut?: true;
  readonly read: Reader;
  /** Absent where the format can only be read. */
  readonly write?: Writer;
  /** A file of one pixel, by which a deployment shows that it reads what it cannot write. */
  readonly sample?: Uint8Array;
  readonly recompress?: Recompressor;
  readonly coefficients?: Coefficients;
  readonly repack?: Repacker;
  readonly mark?: Marker;
  readonly unpack?: Unpacker;
  /**
   * Leaves out EXIF, XMP, comments and all else that the picture of a file does not need; colors keep their meaning.
   * `tag` is the orientation that stays in it, where files of the format can say that. Null for a file of which that cannot
   * be told apart: it is never handed out.
   */
  readonly strip?: (bytes: Uint8Array, tag?: Orientation) => Stripped | null;
  /** Absent where files of the format have no metadata, as far as this service knows. */
  readonly metadata?: MetadataCarrier;
  /** Where files of the format have a manifest store; absent where there is no place for one. */
  readonly manifest?: ManifestCarrier;
  /** Absent where files of the format have no gain maps, as far as this service knows. */
  readonly gainMap?: GainMapCarrier;
}

/** Types the literal of a registry row. */
export function format<const Definition extends FormatDefinition>(definition: Definition): Definition {
  return definition;
}
