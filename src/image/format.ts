/** What a format is. One file in `formats/` and one line in `formats.ts` add one. */
import type { Box, Orientation } from "./geometry.ts";
import type { Kernel } from "./operation.ts";
import type { Picture } from "./picture.ts";
import type { Rows } from "./rows.ts";
import type { Stopwatch } from "./stopwatch.ts";

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
  /** Interlaced or progressive. */
  readonly interlaced: boolean;
  /** Chroma subsampling as `4:2:0`; `4:4:4` where the format has none. */
  readonly subsample: string;
  /** Bits per pixel, alpha included. */
  readonly depth: number;
  /** 1 to 100, estimated from quantisation; 100 where the format is lossless. */
  readonly quality: number;
  /** The embedded ICC profile. */
  readonly profile?: Uint8Array;
  /** Bytes of memory that decoding holds at most, where that depends on more than the facts above. */
  readonly decodeBytes?: number;
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

export interface EncodeSettings {
  /** Pixels must survive exactly. */
  readonly lossless: boolean;
  /** Without loss but for this: 0 to 99, how little pixels are touched to make them compress; where the format can. */
  readonly nearLossless?: number;
  /** 1 to 100; what the number means is the format's, chosen so that equal numbers look alike. */
  readonly quality: number;
  /** Chroma at full resolution, `4:4:4`, or halved both ways, `4:2:0`; absent lets the format choose. */
  readonly subsample?: "4:4:4" | "4:2:0";
  /** What is lost: colors, down to a palette; levels of all samples; nothing at all. Absent lets the format choose. */
  readonly loss?: "colors" | "levels" | "nothing";
  /** Progressive or interlaced, where the format can. */
  readonly progressive: boolean;
  /** How much work a smaller file is worth: 0 (least) to 1. */
  readonly effort: number;
  /** The file is only looked at, not kept: it must look as it will, but may be larger. */
  readonly trial?: boolean;
  /** Simple means are enough, where they take less time. */
  readonly fast?: boolean;
}

/** What an encoder will show of a picture, found without writing a file. */
export interface Preview {
  /** Settings with the same key show the same, and write the same. */
  readonly key: string;
  /** Nothing is lost. */
  readonly exact: boolean;
  /** About how many points of its score a picture loses; what is lost in truth is this times a factor of the picture's. */
  readonly damage: number;
  readonly open: () => Rows;
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

export interface RecompressSettings {
  /** Absent: nothing that can be seen may change. */
  readonly quality?: number;
  readonly progressive: boolean;
  /** In place of the picture, tiles of it. */
  readonly tiles?: Tiles;
  /** The picture is turned; only where `turns` allows it. */
  readonly turn?: Orientation;
  /** The file says how its picture is to be turned, in place of what it said; by default it says nothing. */
  readonly note?: Orientation;
}

/** A way from a file to another of its format that never turns the picture into RGBA. */
export interface Shortcut {
  /** Bytes of memory that it will hold at most, the result included. */
  readonly peakBytes: number;
  /**
   * Null when the picture turns out to be one of which pixels must be seen.
   * @throws ApiError 422 when the file is damaged
   */
  readonly run: () => Uint8Array | null;
}

/** What a format's files can hold. Code asks these, never for a format by name. */
export interface Abilities {
  readonly alpha: boolean;
  readonly animation: boolean;
  /** `quality` means something. */
  readonly quality: boolean;
  readonly lossless: boolean;
  /** Every current browser shows it. */
  readonly web: boolean;
}

export interface FormatDefinition {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** As answers spell it: `JPEG`. */
  readonly label: string;
  readonly mime: string;
  /** The usual one first. */
  readonly extensions: readonly [string, ...string[]];
  /** What originals may be called besides; a result never is. */
  readonly otherExtensions?: readonly string[];
  readonly can: Abilities;
  /** Whether the first bytes (up to 4,096) are this format's. */
  readonly signature: (head: Uint8Array) => boolean;
  /** @throws ApiError 422 when the file is damaged or beyond what is supported */
  readonly probe: (bytes: Uint8Array) => Facts;
  /** Its files are recognized, but this deployment neither reads nor writes them. */
  readonly leftOut?: true;
  /** Bytes of memory that decoding will hold at most, besides the file. */
  readonly decodePeakBytes: (facts: Facts, demand: Demand) => number;
  /** @throws ApiError 422, at once or while rows are read, when the file is damaged */
  readonly open: (bytes: Uint8Array, facts: Facts, demand: Demand) => Iterable<Decoded>;
  /** Bytes of memory that encoding will hold at most, the result included. */
  readonly encodePeakBytes?: (
    picture: Pick<Picture, "width" | "height" | "opaque" | "frames">,
    settings: EncodeSettings,
  ) => number;
  /** Absent where the format can only be read. */
  readonly encode?: (picture: Picture, settings: EncodeSettings) => Uint8Array;
  /** What `encode` will show by settings with a loss; absent where only a file tells. */
  readonly preview?: (picture: Picture, settings: EncodeSettings) => Preview;
  /** Pixels beyond which a picture is not encoded several times to find the quality that it needs: it would take too long. */
  readonly maxScoredPixels?: number;
  /** `encode` for a file of the format itself, of which no more than the size changes; null where there is no shortcut. */
  readonly reencode?: (
    bytes: Uint8Array,
    settings: EncodeSettings,
    wanted: Resized,
    stopwatch?: Stopwatch,
  ) => Shortcut | null;
  /** The chroma resolutions that `encode` can be told, where that is a choice. */
  readonly subsamplings?: readonly NonNullable<EncodeSettings["subsample"]>[];
  /** The kinds of loss that `encode` can be told, where that is a choice, in the order in which they are tried. */
  readonly losses?: readonly NonNullable<EncodeSettings["loss"]>[];
  /** Values of `nearLossless` that `encode` can be told, the lowest first; absent where there are none. */
  readonly nearLosslessLevels?: readonly number[];
  /** By how much qualities differ at least that make a difference; 1 unless told. */
  readonly qualityStep?: number;
  /** The lowest quality that may look well enough, of a drawing for instance; 20 by default. */
  readonly leastQuality?: number;
  /**
   * Another file of the same picture without decoding pixels, smaller if the original was not written as well; null when
   * there is nothing to win this way.
   */
  readonly recompress?: (bytes: Uint8Array, facts: Facts, settings: RecompressSettings) => Uint8Array | null;
  /** Whether `recompress` can give this file a lower quality; absent where it never can. */
  readonly requantizes?: (bytes: Uint8Array) => boolean;
  /** Bytes of memory that `recompress` will hold at most, the result included. */
  readonly recompressPeakBytes?: (bytes: Uint8Array, facts: Facts, settings: RecompressSettings) => number;
  /** Whether `recompress` can turn the picture without any loss; absent where it never can. */
  readonly turns?: (bytes: Uint8Array, orientation: Orientation) => boolean;
  /**
   * The same file without EXIF, XMP, comments and all else that its picture does not need; colors keep their meaning.
   * `note` is how its picture is to be turned, where files of the format can say that.
   */
  readonly strip?: (bytes: Uint8Array, note?: Orientation) => Uint8Array;
  /** The same file with a mark that says down to which score, 1 to 100, it was reduced; it takes 10 to 28 bytes. */
  readonly mark?: (bytes: Uint8Array, score: number) => Uint8Array;
  /** What the mark of a file says; undefined where there is none. */
  readonly markOf?: (bytes: Uint8Array) => number | undefined;
}

/** Types the literal of a registry row. */
export function format<const Definition extends FormatDefinition>(definition: Definition): Definition {
  return definition;
}
