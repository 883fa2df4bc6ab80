/** How the pixels of a TIFF file are stored, and the directory that says so (TIFF 6.0, sections 3 to 6, 14 and 18). */
import type { Directory } from "../../metadata/directories.ts";
import type { Size } from "../../pixels/geometry.ts";
import { longs as longsOf, shorts as shortsOf, TYPE } from "./fields.ts";
import type { Samples } from "./samples.ts";

export interface Representation {
  readonly samples: Samples;
  readonly bits: 8 | 16;
  /** Samples are told by how they differ from those of the pixel before. */
  readonly predicts: boolean;
}

interface Written extends Size, Representation {
  /** Of a strip. */
  readonly rows: number;
  readonly places: readonly { readonly at: number; readonly bytes: number }[];
  /** An ICC profile. */
  readonly profile: Uint8Array | undefined;
}

const DEFLATE = 8;
const GRAY = 1;
const RGB = 2;
const HORIZONTAL = 2;
const STRAIGHT_ALPHA = 2;
const INCH = 2;
/** Pixels of an inch where nothing is said of it. */
const USUAL_RESOLUTION = 72;

/** The order of bytes of our files. */
const LITTLE = true;
const shorts = (tag: number, numbers: readonly number[]) => shortsOf(tag, numbers, LITTLE);
const longs = (tag: number, numbers: readonly number[]) => longsOf(tag, numbers, LITTLE);

/** The directory of a file in little endian. */
export function directoryOf({ width, height, rows, samples, bits, predicts, places, profile }: Written): Directory {
  const hasAlpha = samples === 2 || samples === 4;
  const fields = [
    longs(256, [width]),
    longs(257, [height]),
    shorts(
      258,
      Array.from({ length: samples }, () => bits),
    ),
    shorts(259, [DEFLATE]),
    shorts(262, [samples < 3 ? GRAY : RGB]),
    longs(
      273,
      places.map(({ at }) => at),
    ),
    shorts(277, [samples]),
    longs(278, [rows]),
    longs(
      279,
      places.map(({ bytes }) => bytes),
    ),
    { ...longs(282, [USUAL_RESOLUTION, 1]), type: TYPE.rational, count: 1 },
    { ...longs(283, [USUAL_RESOLUTION, 1]), type: TYPE.rational, count: 1 },
    shorts(284, [1]),
    shorts(296, [INCH]),
    ...(predicts ? [shorts(317, [HORIZONTAL])] : []),
    ...(hasAlpha ? [shorts(338, [STRAIGHT_ALPHA])] : []),
    ...(profile ? [{ tag: 34_675, type: TYPE.undefined, count: profile.length, value: profile }] : []),
  ];
  return { fields, below: new Map() };
}
