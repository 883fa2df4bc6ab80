/** What a codestream says of its picture, as facts.cc tells it. */

export interface CodestreamFacts {
  readonly width: number;
  readonly height: number;
  /** 1 to 8, as in EXIF. */
  readonly orientation: number;
  readonly animated: boolean;
  /** How often an animation plays; 0 is for ever. */
  readonly loops: number;
  /** Those that are shown. */
  readonly frames: number;
  /** Ticks of the animation in a second. */
  readonly ticksPerSecond: number;
  /** 0 where there is no alpha. */
  readonly alphaBits: number;
  readonly gray: boolean;
  /** The number of the extra channel with black ink. */
  readonly black: number | undefined;
  /** Per sample. */
  readonly bits: number;
  /** The samples are in the color space of the codec, from which it makes any other one. */
  readonly ownColors: boolean;
  readonly ycbcr: boolean;
  /** Pixels that a sample of chroma stands for. */
  readonly chromaStep: readonly [x: number, y: number];
  /** Some frame is in modular mode, as all are that have lost nothing. */
  readonly modular: boolean;
  /** Some frame comes in several passes. */
  readonly progressive: boolean;
  /** Of ITU-T H.273; 0 where the colors have none. */
  readonly primaries: number;
  readonly transfer: number;
  /** An ICC profile of the same colors, which the file contains or which follows from what it says. */
  readonly profile: Uint8Array;
  /** Memory that decoding takes at most, to rows of RGBA8. */
  readonly decodeBytes: number;
  /** Pixels that wait to be read, at most, which that holds. */
  readonly waitingPixels: number;
  /** Pixels of all frames, seen or not, by the work that they are. */
  readonly pixels: number;
  /** Bytes of the file that frames are coded in. */
  readonly codedBytes: number;
}

/** In the order of facts.h. */
const NAMES = [
  "width",
  "height",
  "orientation",
  "animated",
  "loops",
  "frames",
  "ticksPerSecond",
  "alphaBits",
  "gray",
  "black",
  "bits",
  "ownColors",
  "ycbcr",
  "stepX",
  "stepY",
  "modular",
  "progressive",
  "primaries",
  "transfer",
  "profileAddress",
  "profileBytes",
  "decodeBytes",
  "waitingPixels",
  "pixels",
  "codedBytes",
] as const;

export const FACT_COUNT = NAMES.length;

/** @param copy of bytes in the module's memory */
export function factsFrom(
  numbers: Float64Array,
  copy: (address: number, length: number) => Uint8Array,
): CodestreamFacts {
  const told = Object.fromEntries(NAMES.map((name, index) => [name, numbers[index] ?? 0])) as Record<
    (typeof NAMES)[number],
    number
  >;
  const { stepX, stepY, profileAddress, profileBytes, animated, gray, ownColors, ycbcr, ...rest } = told;
  return {
    ...rest,
    animated: animated !== 0,
    gray: gray !== 0,
    black: told.black < 0 ? undefined : told.black,
    ownColors: ownColors !== 0,
    ycbcr: ycbcr !== 0,
    chromaStep: [Math.max(1, stepX), Math.max(1, stepY)],
    modular: told.modular !== 0,
    progressive: told.progressive !== 0,
    profile: profileBytes > 0 ? copy(profileAddress, profileBytes) : new Uint8Array(0),
  };
}
