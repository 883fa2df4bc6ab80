/** How alike two pictures look: by SSIMULACRA 2.1, and by a second opinion. */
import { parallel, NO_WORK, held, type Estimate, estimated } from "../../../wasm/estimate.ts";
import { MAX_ROWS } from "../../../wasm/score/held.ts";
import {
  type Comparison,
  MIN_SCORED_SIDE,
  openComparison,
  scorePeakBytes,
  type Tile,
} from "../../../wasm/score/score.ts";
import type { VisibleDifference } from "../../../wasm/score/visible.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { conversionEstimate, toSrgb } from "../codec/convert-colors.ts";
import type { Space } from "../color/space.ts";
import type { Size } from "../pixels/geometry.ts";
import type { Extent } from "../pixels/picture.ts";
import { filled, type Rows } from "../pixels/rows.ts";
import { comparedRows, onlyStrips, type Strip, STRIP_ROWS, stripsOf } from "../pixels/strips.ts";
import { completed, completedBytes, completedSize } from "./completed.ts";
import {
  type Judgement,
  judgementOf,
  openSecondOpinion,
  pointsAt,
  secondOpinionNanoseconds,
  secondOpinionEstimate,
} from "./second-opinion.ts";

/** Backgrounds under transparent pixels: a picture is as good as it looks on the worse of a dark and a bright page. */
const BACKGROUNDS = [0.1, 0.9] as const;
const OPAQUE_BACKGROUND = [0.5] as const;

/** A picture with fewer pixels is little more than its headers, and each of them counts. */
const MIN_SCORED_PIXELS = 16 * 16;

/** Nanoseconds to compare a pixel of two pictures, on one background. */
const COMPARE_NS = 29;

/** Whether pictures of this size have a score that can be relied on. */
export function canScore({ width, height }: Size): boolean {
  return width >= MIN_SCORED_SIDE && height >= MIN_SCORED_SIDE && width * height >= MIN_SCORED_PIXELS;
}

/** Small buffers of whoever reads the two pictures. */
const BUFFER_BYTES = 64 << 10;

/** The estimate of comparing a picture with one rendition, strip by strip if it is large. */
export function scoreEstimate(picture: Size & Pick<Extent, "opaque" | "space">): Estimate {
  const { opaque, space } = picture;
  const compared = { width: picture.width, height: comparedRows(picture) };
  const size = completedSize(compared);
  const one = estimated(scorePeakBytes(size), size.width * size.height, COMPARE_NS);
  const converting = space ? conversionEstimate(compared, space) : NO_WORK;
  return parallel(
    ...backgroundsOf(opaque).map(() => one),
    secondOpinionEstimate({ ...size, opaque }),
    held(BUFFER_BYTES + 2 * completedBytes(picture)),
    converting,
    converting,
  );
}

/** Rows in the colors in which they are compared: as screens of sRGB show them. */
export function inComparedColors(rows: Rows, space: Space | undefined): Rows {
  return space ? toSrgb(rows, space.profile, "RGB") : rows;
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
export async function judgeRows(
  first: Rows,
  second: Rows,
  timeSlice: TimeSlice,
  mayStripe?: boolean,
): Promise<Judgement> {
  const strips = stripsOf(first);
  const comparing = { tile: tileOf(strips), mayStripe };
  return compareRows(onlyStrips(first, strips), onlyStrips(second, strips), timeSlice, comparing);
}

/** How pictures that consist of such strips are to be compared. */
export function tileOf(strips: readonly Strip[]): Tile | undefined {
  return strips.length > 1 ? { width: 0, height: STRIP_ROWS } : undefined;
}

export interface Comparing {
  /** Both pictures consist of tiles of this size; absent for pictures that are compared as a whole. */
  readonly tile?: Tile | undefined;
  /** The second may have stripes: it is of a format that makes them, of a picture of slopes. */
  readonly mayStripe?: boolean | undefined;
}

/**
 * What both opinions say of two pictures, or of two that consist of tiles. Both are read to their end and closed.
 * @param second the points of the second opinion, where that was asked for before
 * @throws RangeError when the sizes differ
 */
export async function compareRows(
  first: Rows,
  second: Rows,
  timeSlice: TimeSlice,
  comparing: Comparing = {},
  secondPoints?: number,
): Promise<Judgement> {
  const comparisons: Comparison[] = [];
  let opinion: VisibleDifference | undefined;
  try {
    const { compared, opaque } = together(first, second);
    if (secondPoints === undefined) opinion = secondOpinionOn(first, { compared, opaque }, comparing);
    for (const shown of backgroundsOf(opaque))
      comparisons.push(openComparison(compared.width, compared.height, shown, comparing.tile));
    const maxRows = Math.min(...comparisons.map((comparison) => comparison.maxRows));
    const ofSecond = opinion ? secondOpinionNanoseconds({ opaque }) : 0;
    const nanoseconds = COMPARE_NS * comparisons.length + ofSecond;
    await pushAll(
      [first, second],
      opinion ? [...comparisons, opinion] : comparisons,
      { maxRows, nanoseconds },
      timeSlice,
    );
    const score = Math.min(...comparisons.map((comparison) => comparison.result()));
    return opinion ? judgementOf(score, opinion) : { score, points: Math.min(score, secondPoints ?? score) };
  } finally {
    for (const comparison of comparisons) comparison.close();
    opinion?.close();
    first.close();
    second.close();
  }
}

/**
 * The points of the second opinion alone on two pictures: a sixth of the work of both. Both are read to their end and closed.
 * @throws RangeError when the sizes differ
 */
export async function secondPointsOf(
  first: Rows,
  second: Rows,
  timeSlice: TimeSlice,
  comparing: Comparing = {},
): Promise<number> {
  let opinion: VisibleDifference | undefined;
  try {
    const both = together(first, second);
    opinion = secondOpinionOn(first, both, comparing);
    const nanoseconds = secondOpinionNanoseconds(both);
    await pushAll([first, second], [opinion], { maxRows: MAX_ROWS, nanoseconds }, timeSlice);
    return pointsAt(opinion.result());
  } finally {
    opinion?.close();
    first.close();
    second.close();
  }
}

/** What two pictures are compared as. */
interface Together {
  readonly compared: Size;
  /** Nothing can be seen through either of them. */
  readonly opaque: boolean;
}

function together(first: Rows, second: Rows): Together {
  if (first.width !== second.width || first.height !== second.height) throw new RangeError("sizes differ");
  return { compared: completedSize(first), opaque: first.opaque && second.opaque };
}

function secondOpinionOn(
  size: Size,
  { compared, opaque }: Together,
  { tile, mayStripe }: Comparing,
): VisibleDifference {
  return openSecondOpinion(size, opaque, { compared, tile, mayStripe });
}

/** Shows both pictures to those who compare them. */
async function pushAll(
  [first, second]: readonly [Rows, Rows],
  comparisons: readonly Pick<VisibleDifference, "push">[],
  { maxRows, nanoseconds }: { readonly maxRows: number; readonly nanoseconds: number },
  timeSlice: TimeSlice,
): Promise<void> {
  const [one, other] = [completed(first), completed(second)];
  const { width, height } = one;
  const bands = [new Uint8Array(width * 4 * maxRows), new Uint8Array(width * 4 * maxRows)] as const;
  for (let y = 0; y < height; y += maxRows) {
    const rows = Math.min(maxRows, height - y);
    const [shown, made] = bands.map((band) => band.subarray(0, rows * width * 4)) as [Uint8Array, Uint8Array];
    await filled(one, shown);
    await filled(other, made);
    for (const comparison of comparisons) comparison.push(shown, made);
    await timeSlice.spend((rows * width * nanoseconds) / 1e6);
  }
}
