/** What a picture lacks, by its histogram. */
import { UNPAUSED } from "../../../scheduler/time-slice.ts";
import { luma } from "../../color/light.ts";
import { BAND_ROWS, bandsOf } from "../../pixels/bands.ts";
import type { Rows } from "../../pixels/rows.ts";
import type { Tone } from "../../steps/tone.ts";

/** The part of the samples at each end of the range that may be clipped. */
const CLIPPED = 0.005;
/** Ends this close to black and white, in levels, are good enough. */
const NEAR_END = 8;
/** The furthest that black and white are fetched from, in levels: fog is meant to stay foggy. */
const DARKEST_LIMIT = 48;
const BRIGHTEST_LIMIT = 176;
/** A picture whose tones are within so few levels is a flat area, not one that lacks contrast. */
const FLAT = 32;
/** The medians of luma that look neither dark nor pale, 0 to 1, and how far a gamma may go to reach them. */
const MEDIAN = [0.33, 0.62] as const;
const GAMMA = [0.72, 1.35] as const;
/** Below this mean chroma, 0 to 1, colors are dull; below the second they are meant to be gray. */
const DULL = 0.15;
const GRAY = 0.02;
const MOST_VIBRANCE = 0.3;

interface Measure {
  readonly count: number;
  /** The darkest and the brightest level that any channel reaches, but for what is clipped. */
  readonly darkest: number;
  readonly brightest: number;
  /** The median of luma, 0 to 1. */
  readonly median: number;
  /** The mean difference of the largest and the smallest channel, 0 to 1. */
  readonly chroma: number;
}

/**
 * The change of tone that improves a picture. Black and white points are the same for all channels (the lowest and the
 * highest that any of them reaches), so that no color cast comes or goes; the curve is monotone. Reads the rows to
 * their end and closes them.
 */
export async function enhancement(rows: Rows): Promise<Tone> {
  const { count, darkest, brightest, median, chroma } = await measure(rows);
  if (count === 0 || brightest - darkest < FLAT) return {};
  const low = darkest <= NEAR_END ? 0 : Math.min(darkest, DARKEST_LIMIT) / 255;
  const high = brightest >= 255 - NEAR_END ? 1 : Math.max(brightest, BRIGHTEST_LIMIT) / 255;
  const stretched = (level: number) => Math.min(1, Math.max(0, (level - low) / (high - low)));
  const middle = Math.min(0.99, Math.max(0.01, stretched(median)));
  const wanted = Math.min(MEDIAN[1], Math.max(MEDIAN[0], middle));
  const gamma = Math.min(GAMMA[1], Math.max(GAMMA[0], Math.log(wanted) / Math.log(middle)));
  const changes = low > 0 || high < 1 || Math.abs(gamma - 1) > 0.01;
  const dull = chroma > GRAY && chroma < DULL;
  return {
    curve: changes ? (level) => stretched(level) ** gamma : undefined,
    vibrance: dull ? MOST_VIBRANCE * (1 - chroma / DULL) : 0,
  };
}

async function measure(rows: Rows): Promise<Measure> {
  const channels = [new Uint32Array(256), new Uint32Array(256), new Uint32Array(256)] as const;
  const lumas = new Uint32Array(256);
  let count = 0;
  let chroma = 0;
  for await (const band of bandsOf(rows, { rows: BAND_ROWS, timeSlice: UNPAUSED })) {
    for (let at = 0; at < band.length; at += 4) {
      if (band[at + 3]! < 128) continue;
      const [red, green, blue] = [band[at]!, band[at + 1]!, band[at + 2]!];
      channels[0][red]!++;
      channels[1][green]!++;
      channels[2][blue]!++;
      lumas[Math.round(luma(red, green, blue))]!++;
      chroma += Math.max(red, green, blue) - Math.min(red, green, blue);
      count++;
    }
  }
  return {
    count,
    darkest: Math.min(...channels.map((levels) => quantile(levels, count * CLIPPED))),
    brightest: Math.max(...channels.map((levels) => quantile(levels, count * (1 - CLIPPED)))),
    median: quantile(lumas, count / 2) / 255,
    chroma: chroma / Math.max(1, count) / 255,
  };
}

/** The first level at or below which more than `rank` samples lie. */
function quantile(levels: Uint32Array, rank: number): number {
  let below = 0;
  const found = levels.findIndex((samples) => (below += samples) > rank);
  return found === -1 ? 255 : found;
}
