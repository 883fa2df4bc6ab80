/** How hard deflate works: its levels, what they take, and which one a picture is worth. */
import { type Estimate, estimated } from "../../../../wasm/estimate.ts";
import type { Extent } from "../../pixels/picture.ts";

/** What decides how long a level takes: where little repeats, more is searched for. */
type Kind = "photograph" | "flat";

/** How filtered rows are compressed. */
export interface Compression {
  /** The level of deflate, 1 to 12. */
  readonly level: number;
  readonly kind: Kind;
}

interface Level extends Readonly<Record<Kind, number>> {
  readonly level: number;
}

/**
 * Nanoseconds for a pixel of three bytes, about: what decides whether a level is worth its time. From 10 on deflate
 * parses near-optimally, by effort that goes with what is written: levels 8 and 9, which make larger files, are
 * left out. Of 32 drawings and dithered pictures those of 11 and 12 take 1.4 times and twice as long as those of 10 to
 * be 0.3 and 0.4 percent smaller. Level 1 takes matches only where they pay, which for photographs is the best of all
 * and the fastest.
 */
const MOST_NANOSECONDS: readonly Level[] = [
  { level: 12, photograph: 1_200, flat: 1_200 },
  { level: 11, photograph: 600, flat: 600 },
  { level: 10, photograph: 250, flat: 25 },
  { level: 7, photograph: 100, flat: 20 },
  { level: 6, photograph: 60, flat: 18 },
  { level: 5, photograph: 55, flat: 14 },
  { level: 4, photograph: 50, flat: 14 },
  { level: 1, photograph: 48, flat: 14 },
];

/**
 * Nanoseconds for a pixel, by level, as they are declared: halfway between what photographs of much and of little grain
 * take, and of pictures that are just flat; of flatter ones less, as their files are smaller.
 */
const NANOSECONDS: ReadonlyMap<number, Readonly<Record<Kind, number>>> = new Map([
  [12, { photograph: 700, flat: 180 }],
  [11, { photograph: 430, flat: 125 }],
  [10, { photograph: 290, flat: 85 }],
  [7, { photograph: 105, flat: 35 }],
  [6, { photograph: 85, flat: 30 }],
  [5, { photograph: 78, flat: 28 }],
  [4, { photograph: 74, flat: 26 }],
  [1, { photograph: 80, flat: 32 }],
]);

/**
 * The highest level up to which effort: beyond 10 a level takes as long again for less than half a percent of the
 * bytes. Not of icons, which take up to 6 % more without, and next to no time.
 */
const USUAL = { effort: 0.5, level: 10 };
/** Pixels up to which a picture is an icon. */
export const ICON_PIXELS = 1 << 14;
/** The lowest level that costs time worth weighing; below it time is no matter. */
const LEAST_WEIGHED_LEVEL = 6;
const FASTEST_LEVEL = 5;
/** Enough to tell choices apart. */
export const PROBE_LEVEL = 4;
/** The level that is made for what filters leave of photographs. */
export const PHOTOGRAPH_LEVEL = 1;

/** A picture is flat when it takes less than this part of its raw size. */
const FLAT_RATIO = 0.08;
/** What takes this part of it is a photograph. */
const PHOTOGRAPH_RATIO = 0.3;
/** Flatter pictures do not take less than this part of what flat ones do. */
const LEAST_SHARE = 0.3;
/**
 * Milliseconds for the last compression at full effort; half the effort, which is usual, may take a fiftieth of them.
 */
const MAX_MS = 4_150;
const EFFORT_POWER = 5.75;

/**
 * How `pixels` pixels are compressed at an effort of 0 to 1.
 * @param ratio how far a probe compressed them, of their raw size; unknown by default, which is a photograph's
 */
export function compressionFor(pixels: number, effort: number, ratio = 1): Compression {
  const ms = MAX_MS * effort ** EFFORT_POWER;
  const kind = ratio < FLAT_RATIO ? "flat" : "photograph";
  const most = effort <= USUAL.effort && pixels > ICON_PIXELS ? USUAL.level : Infinity;
  const affordable = MOST_NANOSECONDS.find(
    (row) => row.level >= LEAST_WEIGHED_LEVEL && row.level <= most && (row[kind] * pixels) / 1e6 <= ms,
  );
  return { level: affordable?.level ?? FASTEST_LEVEL, kind };
}

/**
 * The estimate of compressing so many pixels once they are filtered.
 * @param ratio how small they become, of their raw size; by default as is usual for their kind
 */
export function deflateEstimate({ level, kind }: Compression, pixels: number, ratio = usualRatio(kind)): Estimate {
  const known = NANOSECONDS.get(level);
  if (!known) throw new RangeError(`no estimate is known of level ${level}`);
  const { flat, photograph } = known;
  if (ratio <= FLAT_RATIO) return estimated(0, pixels, flat * Math.max(LEAST_SHARE, ratio / FLAT_RATIO));
  const share = Math.min(1, (ratio - FLAT_RATIO) / (PHOTOGRAPH_RATIO - FLAT_RATIO));
  return estimated(0, pixels, flat + (photograph - flat) * share);
}

function usualRatio(kind: Kind): number {
  return kind === "flat" ? FLAT_RATIO : PHOTOGRAPH_RATIO;
}

/** About how small a picture becomes of its raw size, by how much there is to be seen in it. */
export function ratioOf({ detail = 1 }: Pick<Extent, "detail">): number {
  return detail * PHOTOGRAPH_RATIO;
}

/** The estimate of compressing a picture with the effort that it is worth. */
export function lastCompressionMs(pixels: number, effort: number, ratio: number): number {
  return deflateEstimate(compressionFor(pixels, effort, ratio), pixels, ratio).ms;
}
