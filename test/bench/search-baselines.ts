/**
 * What the search is held against: sharp's encoders, blind at their usual quality, and at the quality that reaches a
 * score.
 */
import sharp, { type Sharp } from "sharp";

import type { Scorer } from "./search-scores.ts";

interface Baseline {
  /** As it is used without a thought. */
  readonly blind: (picture: Sharp) => Sharp;
  readonly at: (picture: Sharp, quality: number) => Sharp;
  /** The quality of the blind encoding: where to begin. */
  readonly usual: number;
}

export const BASELINES = {
  jpeg: {
    blind: (picture) => picture.jpeg({ mozjpeg: true }),
    at: (picture, quality) => picture.jpeg({ mozjpeg: true, quality }),
    usual: 80,
  },
  webp: {
    blind: (picture) => picture.webp(),
    at: (picture, quality) => picture.webp({ quality }),
    usual: 80,
  },
  png: {
    blind: (picture) => picture.png({ palette: true }),
    at: (picture, quality) => picture.png({ palette: true, quality }),
    usual: 90,
  },
  avif: {
    blind: (picture) => picture.avif({ effort: 4 }),
    at: (picture, quality) => picture.avif({ effort: 4, quality }),
    usual: 60,
  },
} as const satisfies Readonly<Record<string, Baseline>>;
export type BaselineName = keyof typeof BASELINES;

const [LEAST_QUALITY, MOST_QUALITY] = [1, 100];
const MOST_TRIES = 6;
/** Points by which a score may be off beside another whose score is on the other side. */
const NEAR_POINTS = 1;
/** Points that a step of quality is taken to win before two qualities say it. */
const USUAL_SLOPE = 0.5;

interface Tried {
  readonly quality: number;
  readonly score: number;
  readonly bytes: number;
}

/** The bytes by which sharp reaches a score, between two qualities that do and do not; null where there are not two. */
export async function baselineBytesAt(
  score: number,
  name: BaselineName,
  original: Buffer,
  scores: Scorer,
): Promise<number | null> {
  const { usual, at } = BASELINES[name];
  return bytesAt(score, usual, async (quality) => {
    const file = await at(sharp(original), quality).toBuffer();
    return { score: await scores.ofBaseline(file), bytes: file.length };
  });
}

/**
 * The bytes by which an encoder reaches a score, worked out between two qualities that do and do not; null where there
 * are not two. The first quality tried is the usual one.
 */
export async function bytesAt(
  score: number,
  usual: number,
  encoded: (quality: number) => Promise<Pick<Tried, "score" | "bytes">>,
): Promise<number | null> {
  const tried: Tried[] = [];
  let quality: number | undefined = usual;
  while (quality !== undefined && tried.length < MOST_TRIES) {
    tried.push({ quality, ...(await encoded(quality)) });
    quality = nextQuality(tried, score);
  }
  const { above, below } = around(tried, score);
  if (!above || !below) return null;
  const part = (score - below.score) / (above.score - below.score);
  return below.bytes * (above.bytes / below.bytes) ** part;
}

/** Undefined where what was tried says enough. */
function nextQuality(tried: readonly Tried[], score: number): number | undefined {
  const { above, below } = around(tried, score);
  if (above && below) {
    const isNear = Math.min(above.score - score, score - below.score) <= NEAR_POINTS;
    if (isNear || above.quality - below.quality <= 1) return undefined;
    const part = (score - below.score) / (above.score - below.score);
    const between = Math.round(below.quality + part * (above.quality - below.quality));
    return Math.min(above.quality - 1, Math.max(below.quality + 1, between));
  }
  const nearest = above ?? below;
  if (!nearest) return undefined;
  const steps = Math.ceil(Math.abs(score - nearest.score) / USUAL_SLOPE) + 1;
  const next = Math.min(MOST_QUALITY, Math.max(LEAST_QUALITY, nearest.quality + (above ? -steps : steps)));
  return tried.some(({ quality }) => quality === next) ? undefined : next;
}

/** The nearest that reach the score and do not. */
function around(tried: readonly Tried[], score: number): { readonly above?: Tried; readonly below?: Tried } {
  const sorted = tried.toSorted((one, other) => one.score - other.score);
  const above = sorted.find((one) => one.score >= score);
  const below = sorted.findLast((one) => one.score < score);
  return { ...(above && { above }), ...(below && { below }) };
}
