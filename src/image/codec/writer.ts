/** From pixels to files: what a format that is written can do, and what its encoder is told. */
import type { Estimate } from "../../../wasm/estimate.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Space } from "../color/space.ts";
import type { Extent, Picture } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";

/** What an encoder keeps of a picture from one rendition to the next; what it is, is the format's. */
export interface Chosen {
  /** Only renditions of which this is the same can share it, */
  key?: string;
  /** and only those that are near to this. */
  at?: number;
  parts?: readonly Uint8Array[];
  /** The part of the usual time that the last of them took, by what it came to; absent where that is not known. */
  share?: number;
  /** Frames of an animation in ways that are the same at every quality, by the names of frame and way. */
  frames?: Map<string, KeptFrame>;
  /** Bytes of the frames whose files are kept. */
  frameBytes?: number;
  /** Bytes that frames of the last rendition took without loss, as a multiple of what they took with it, where both were tried. */
  exactTimes?: number | undefined;
}

/** A frame of an animation as it was written. */
export interface KeptFrame {
  /** Bytes of its file. */
  readonly length: number;
  /** Its file; absent where another way took less, or there was no room for it. */
  readonly file?: Uint8Array | undefined;
}

export interface EncodeSettings {
  /** Pixels must survive exactly. */
  readonly lossless: boolean;
  /**
   * Without loss but for this, where the format can: how little pixels are touched to make them compress, in its own
   * unit.
   */
  readonly nearLossless?: number;
  /** 1 to 100; what the number means is the format's, chosen so that equal numbers look alike. */
  readonly quality: number;
  /** Chroma at full resolution, `4:4:4`, or halved both ways, `4:2:0`; absent lets the format choose. */
  readonly subsample?: "4:4:4" | "4:2:0";
  /** What is lost: colors, down to a palette; levels of all samples; nothing at all. Absent lets the format choose. */
  readonly loss?: "colors" | "levels" | "nothing";
  /** Progressive or interlaced, where the format can. */
  readonly progressive: boolean;
  /** Pixels of a side of each square in the file, in formats that hold several. */
  readonly sides?: readonly number[] | undefined;
  /** How much work a smaller file is worth: 0 (least) to 1. */
  readonly effort: number;
  /**
   * Pixels of all files of this format that a request makes, where that is more than one: what bounds the time of each.
   */
  readonly allPixels?: number | undefined;
  /** The file is only looked at, not kept: it must look as it will, but may be larger. */
  readonly probe?: boolean;
  /** A probe that only says where to look on: in the least time, whatever it looks like. */
  readonly draft?: boolean;
  /** What the encoder chose of the same picture before, which it may choose again and adds to. */
  readonly chosen?: Chosen | undefined;
  /** Most of the picture is of one tone: edges on even ground count more than texture, where the format has a way for that. */
  readonly drawn?: boolean;
  /** Simple means are enough, where they take less time. */
  readonly fast?: boolean;
  /** Alpha between none and full is that of edges, however wide they are. */
  readonly hasEdgesAlone?: boolean;
  /** Told, in words for people, of what the picture has and the format cannot hold; absent: nobody asks. */
  readonly tell?: ((limit: string) => void) | undefined;
  /** For estimates: what a study finds out of the picture is known from renditions before this one. */
  readonly studied?: boolean;
}

/** What an encoder will show of a picture, found without writing a file. */
export interface Preview {
  /** Settings with the same key show the same, and write the same. */
  readonly key: string;
  /** Nothing is lost. */
  readonly exact: boolean;
  /** The picture has no other colors than shades of gray; absent where that is not known. */
  readonly gray?: boolean;
  /**
   * About how many points of its score a picture loses; what is lost in truth is this times a factor of the picture's.
   */
  readonly distortion: number;
  /** Bytes that a file hardly exceeds, however quickly it is written; absent where that is not known. */
  readonly mostBytes?: number;
  readonly open: (timeSlice: TimeSlice) => Promise<Rows>;
}

/** A choice that settings leave to the encoder, made for it. */
export type Variant = Pick<EncodeSettings, "subsample" | "loss">;

/** The qualities among which there is a choice, and what they do to pictures. */
export interface Scale {
  /** By how much qualities differ that make a difference. */
  readonly step: number;
  /** Slopes have stripes: colors or levels are lost, which makes steps of any width, or blocks become even, which small pictures show. */
  readonly makesStripes?: "steps" | "blocks";
  /** What a quality is to the encoder, where several are the same: their files do not differ. */
  readonly coded?: (quality: number) => number;
  /** Points that an average picture loses at qualities, which ascend to 100; by default what it loses in JPEG. */
  readonly losses?: readonly (readonly [quality: number, lost: number])[];
  /**
   * The part of the points that a preset may lose with which a search begins, 1 by default: what losses were learned of
   * is softer than most photographs.
   */
  readonly begins?: number;
  /**
   * The same of animations, which then are known to follow the curve of `losses`; absent: their searches begin with the quality of
   * the preset.
   */
  readonly films?: number;
  /** Bits that a pixel of an average picture takes at a score of 75; absent where they say nothing of its losses. */
  readonly bits?: number;
  /** What is drawn, as letters and logos are, has a way of its own, whose files differ from this quality on. */
  readonly drawnFrom?: number;
  /** The least quality whose file differs from those below; 1 by default. */
  readonly least?: number;
  /** Points by which a rendition with all chroma looks better than one with halved chroma at the same quality. */
  readonly fullChroma?: number;
  /** Tiles of small pictures, of which they are up to half, save time as well. */
  readonly tilesOfSmall?: boolean;
  /** Points that a draft loses besides that; absent where drafts take no less time. */
  readonly draft?: number;
}

/** From pixels to files. */
export interface Writer {
  /** The estimate of encoding, the result included, the picture's own estimate left out. */
  readonly estimate: (picture: Extent, settings: EncodeSettings) => Estimate;
  /** How often `encode` reads the picture; once where absent. */
  readonly readings?: (picture: Extent) => number;
  /** @throws ApiError 422 when the format cannot hold the picture */
  readonly encode: (picture: Picture, settings: EncodeSettings, timeSlice: TimeSlice) => Promise<Uint8Array>;
  /**
   * Whether `encode` takes the 16-bit rows of a still picture, and keeps of them what 8 bits do not hold; absent:
   * never.
   */
  readonly sixteenBit?: (settings: EncodeSettings, space: Space | undefined) => boolean;
  /** Bytes that `chosen` holds of an animation at most; none where absent. */
  readonly chosenBytes?: number;
  readonly qualities: Scale;
  /** What `encode` can be told that is a choice, in the order in which it is tried; `[{}]` where there is none. */
  readonly variants: readonly Variant[];
  /**
   * Files without loss compete with lossy ones, of drawings and screens above all, and nearly without it at these
   * values of `nearLossless`, the lowest first. Absent where they are never smaller, or a study tries them.
   */
  readonly nearLosslessLevels?: readonly number[];
  /** A picture whose colors a palette holds is the same file at each of these levels, and without loss. */
  readonly keepsPalettes?: boolean;
  /** What a file shows at one of these levels, where that is known without writing it. */
  readonly nearly?: (picture: Picture, level: number) => Picture;
  /**
   * Pixels beyond which a picture is not encoded several times to find its quality; `Infinity` where time is no matter.
   */
  readonly maxScoredPixels: number;
  /** A study of one picture, for formats that can show a rendition without writing it. */
  readonly study?: (picture: Picture) => Study;
}

/** What an encoder finds out about one picture, kept while several renditions of it are made. */
export interface Study {
  readonly encode: (settings: EncodeSettings, timeSlice: TimeSlice) => Promise<Uint8Array>;
  /** What `encode` will show by settings with a loss. */
  readonly preview: (settings: EncodeSettings, timeSlice: TimeSlice) => Promise<Preview>;
}
