/** How alike two pictures look: by SSIMULACRA 2.1, and by a second opinion. */
import { parallel, NO_WORK, held, type Estimate, estimated } from "../../../wasm/estimate.ts";
import {
  type Comparison,
  comparisonPeakBytes,
  MIN_SCORED_SIDE,
  openComparison,
  PreparedReference,
  referenceBytes,
  scorePeakBytes,
  type Tile,
} from "../../../wasm/score/score.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { conversionEstimate, toSrgb } from "../codec/convert-colors.ts";
import type { Space } from "../color/space.ts";
import { bandsOf } from "../pixels/bands.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Extent } from "../pixels/picture.ts";
import type { Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, type Strip, STRIP_ROWS, stripsOf } from "../pixels/strips.ts";
import { filled } from "../steps/filled.ts";
import { completed, completedBytes, completedSize } from "./completed.ts";
import {
  type Judgement,
  judgementOf,
  openSecondOpinion,
  secondOpinionNanoseconds,
  secondOpinionEstimate,
} from "./second-opinion.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
export const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** A picture with fewer pixels is little more than its headers, and each of them counts. */
const MIN_SCORED_PIXELS = 16 * 16;

/** Nanoseconds for a pixel, on one background: to compare two pictures, to prepare one, to compare another with it. */
const COMPARE_NS = 29;
const PREPARE_NS = 13;
const COMPARE_PREPARED_NS = 18;

/** Whether pictures of this size have a score that can be relied on. */
export function canScore({ width, height }: Size): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE && width * height >= MIN_SCORED_PIXELS;
}

/** Small buffers of whoever reads the two pictures. */
const BUFFER_BYTES = 64 << 10;

/** The estimate of comparing a picture with one rendition, strip by strip if it is large. */
export function scoreEstimate(picture: Compared): Estimate {
  const height = comparedRows(picture);
  const size = completedSize({ ...picture, height });
  const one = estimated(scorePeakBytes(size), size.width * size.height, COMPARE_NS);
  const converting = conversion({ ...picture, height });
  const second = secondOpinionEstimate({ ...size, opaque: picture.opaque });
  return parallel(
    onAll(picture, one),
    second,
    held(BUFFER_BYTES + 2 * completedBytes(picture)),
    converting,
    converting,
  );
}

/** The estimate of preparing a picture, whole; the memory stays until the reference is closed. */
export function prepareEstimate(picture: Compared): Estimate {
  const size = completedSize(picture);
  const { ms } = parallel(onAll(picture, estimated(0, size.width * size.height, PREPARE_NS)), conversion(picture));
  return { bytes: referenceBytes(size, backgroundsOf(picture.opaque).length) + completedBytes(picture), ms };
}

/** The estimate of comparing one rendition with a prepared picture, whose own memory is left out. */
export function comparePreparedEstimate(picture: Compared): Estimate {
  const size = completedSize(picture);
  const { ms } = onAll(picture, estimated(0, size.width * size.height, COMPARE_PREPARED_NS));
  const bytes = comparisonPeakBytes(size, backgroundsOf(picture.opaque).length) + 2 * completedBytes(picture);
  const second = secondOpinionEstimate({ ...size, opaque: picture.opaque });
  return parallel({ bytes, ms }, second, conversion(picture), conversion(picture));
}

type Compared = Size & Pick<Extent, "opaque" | "space">;

/** The estimate of bringing one of two pictures to the colors in which they are compared. */
function conversion({ space, ...size }: Compared): Estimate {
  return space ? conversionEstimate(size, space) : NO_WORK;
}

/** Rows in the colors in which they are compared: as screens of sRGB show them. */
export function inComparedColors(rows: Rows, space: Space | undefined): Rows {
  return space ? toSrgb(rows, space.profile, "RGB") : rows;
}

/** The estimate of something on one background, taken for every background. */
function onAll({ opaque }: Compared, one: Estimate): Estimate {
  return parallel(...backgroundsOf(opaque).map(() => one));
}

/** The backgrounds that a picture is looked at on. */
function backgroundsOf(opaque: boolean): readonly number[] {
  return opaque ? OPAQUE_BACKGROUND : BACKGROUNDS;
}

/**
 * What both opinions say of `second` as a rendition of `first`: 100 is identical, 90 hardly to be told apart, 70 good, 50
 * visibly worse. Of large pictures strips are compared. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export async function judgeRows(first: Rows, second: Rows, timeSlice: TimeSlice): Promise<Judgement> {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const strips = stripsOf(first);
  return compareRows(onlyStrips(first, strips), onlyStrips(second, strips), timeSlice, { tile: tileOf(strips) });
}

/** How pictures that consist of such strips are to be compared. */
export function tileOf(strips: readonly Strip[]): Tile | undefined {
  return strips.length > 1 ? { width: 0, height: STRIP_ROWS } : undefined;
}

export interface Comparing {
  /** Both pictures consist of tiles of this size; absent for pictures that are compared as a whole. */
  readonly tile?: Tile | undefined;
  /** The only background to look at them on; by default the worse of `BACKGROUNDS` counts. */
  readonly background?: number | undefined;
  /** The second is of a format whose loss makes stripes of slopes. */
  readonly mayStripe?: boolean | undefined;
}

/**
 * What both opinions say of two pictures, or of two that consist of tiles. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export async function compareRows(
  first: Rows,
  second: Rows,
  timeSlice: TimeSlice,
  { tile, background, mayStripe }: Comparing = {},
): Promise<Judgement> {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  const { width, height } = completedSize(first);
  const all = backgroundsOf(first.opaque && second.opaque);
  const backgrounds = background === undefined ? all : [background];
  const comparisons: Comparison[] = [];
  try {
    for (const shown of backgrounds) comparisons.push(openComparison(width, height, shown, tile));
    const push = (one: Uint8Array, other: Uint8Array) => {
      for (const comparison of comparisons) comparison.push(one, other);
    };
    const maxRows = Math.min(...comparisons.map((comparison) => comparison.maxRows));
    const result = () => Math.min(...comparisons.map((comparison) => comparison.result()));
    return await judged(
      first,
      second,
      { push, maxRows, result, nanoseconds: COMPARE_NS * backgrounds.length, tile, mayStripe },
      timeSlice,
    );
  } finally {
    for (const comparison of comparisons) comparison.close();
    first.close();
    second.close();
  }
}

/**
 * A picture that many renditions are compared with, read to its end and closed.
 * @param background the only one that they will be looked at on; by default all
 */
export async function preparedOf(
  picture: Rows,
  timeSlice: TimeSlice,
  tile?: Tile,
  background?: number,
): Promise<PreparedReference> {
  const rows = completed(picture);
  const backgrounds = background === undefined ? backgroundsOf(rows.opaque) : [background];
  const reference = new PreparedReference(rows, backgrounds, tile);
  try {
    const nanoseconds = PREPARE_NS * backgrounds.length;
    for await (const band of bandsOf(rows, { rows: reference.maxRows, nanoseconds, timeSlice })) reference.push(band);
    return reference;
  } catch (error) {
    reference.close();
    throw error;
  }
}

/**
 * What both opinions say of a rendition of a prepared picture. Both are read to their end and closed.
 * @param original the picture that was prepared, anew
 * @param comparing its background is the only one to score them on; by default the worst of those of the picture counts
 * @throws RangeError when the sizes differ
 */
export async function compareWith(
  reference: PreparedReference,
  original: Rows,
  rendition: Rows,
  timeSlice: TimeSlice,
  { background, mayStripe }: Omit<Comparing, "tile"> = {},
): Promise<Judgement> {
  const { width, height } = reference.size;
  try {
    const size = completedSize(rendition);
    if (size.width !== width || size.height !== height) throw new RangeError("sizes differ");
    const comparison = reference.compare(background);
    try {
      const { maxRows } = comparison;
      const push = (_: Uint8Array, shown: Uint8Array) => comparison.push(shown);
      const result = () => comparison.result();
      const on = { push, maxRows, result, tile: reference.tile, mayStripe, nanoseconds: COMPARE_PREPARED_NS };
      return await judged(original, rendition, on, timeSlice);
    } finally {
      comparison.close();
    }
  } finally {
    original.close();
    rendition.close();
  }
}

/** How two pictures are scored while they are read. */
interface Scoring {
  readonly push: (original: Uint8Array, rendition: Uint8Array) => void;
  /** Rows that one push may have. */
  readonly maxRows: number;
  readonly result: () => number;
  /** Both pictures consist of tiles of this size. */
  readonly tile?: Tile | undefined;
  /** The rendition is of a format whose loss makes stripes of slopes. */
  readonly mayStripe?: boolean | undefined;
  /** Of a pixel. */
  readonly nanoseconds: number;
}

/** Reads two pictures in step, whatever bands they come in, for both opinions. */
async function judged(original: Rows, rendition: Rows, scoring: Scoring, timeSlice: TimeSlice): Promise<Judgement> {
  const [first, second] = [completed(original), completed(rendition)];
  const { width, height } = first;
  const isOpaque = first.opaque && second.opaque;
  const { tile, mayStripe } = scoring;
  const opinion = openSecondOpinion(original, isOpaque, { compared: { width, height }, tile, mayStripe });
  try {
    const { maxRows } = scoring;
    const nanoseconds = scoring.nanoseconds + secondOpinionNanoseconds({ opaque: isOpaque });
    const bands = [new Uint8Array(width * 4 * maxRows), new Uint8Array(width * 4 * maxRows)] as const;
    for (let y = 0; y < height; y += maxRows) {
      const rows = Math.min(maxRows, height - y);
      const [one, other] = bands.map((band) => band.subarray(0, rows * width * 4)) as [Uint8Array, Uint8Array];
      await filled(first, one);
      await filled(second, other);
      scoring.push(one, other);
      opinion.push(one, other);
      await timeSlice.spend((rows * width * nanoseconds) / 1e6);
    }
    return judgementOf(scoring.result(), opinion);
  } finally {
    opinion.close();
  }
}
