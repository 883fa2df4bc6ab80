/** The best file that is not larger than asked. */
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../budget.ts";
import type { EncodeSettings } from "../format.ts";
import { firstFrame } from "../picture.ts";
import { pictureOf, picturePeakBytes } from "../pipeline.ts";
import type { Optimized } from "./encode.ts";
import { asStored, type Kept, requantizer } from "./rewrite.ts";
import { canScore, scoreRows } from "./score.ts";
import { keepingPixels, pixelsOf, type Subject } from "./subject.ts";
import { decoded, type EncodeWhole } from "./trial.ts";

const MIN_QUALITY = 1;
const MAX_QUALITY = 100;

/** A file of this part of what there is room for is close enough: the rest is worth a tenth of a point. */
const CLOSE = 0.99;

/** By what a point of quality multiplies the bytes of most files, as a logarithm. */
const GROWTH = 0.04;

/** Where a file is this many times too large, the smallest comes next: it may be too large as well. */
const FAR = 4;

/** Tries after which bytes are not believed to grow evenly, and what is left is halved. */
const GUESSES = 4;

/** Even the smallest file is larger than asked. */
class TooSmall extends ApiError {
  readonly leastBytes: number;

  constructor(leastBytes: number) {
    super(422, `optimize.target_bytes is too small for this image: the least is ${leastBytes}`);
    this.leastBytes = leastBytes;
  }
}

/** Of what several formats were refused for: the least size that any of them has, or else the first reason. */
export function plainestRefusal([first, ...others]: readonly [ApiError, ...ApiError[]]): ApiError {
  const leastOf = (refusal: ApiError) => (refusal instanceof TooSmall ? refusal.leastBytes : Infinity);
  return others.reduce((least, other) => (leastOf(other) < leastOf(least) ? other : least), first);
}

/**
 * The subject at the best quality whose file has at most so many bytes, with its score where there is memory to take it;
 * null when the original is small enough.
 * @throws ApiError 422 naming the smallest size there is, when none fits
 */
export async function fitted(subject: Subject, kept: Kept | null, limitBytes: number): Promise<Optimized | null> {
  if (kept?.original && kept.original.length <= limitBytes) return null;
  const requantized = kept && requantizer(kept);
  const tried = requantized ? subject : keepingPixels(subject, kept === null);
  const { stored, plan, picture, format, settings } = tried;
  const pixels = pixelsOf(tried);
  const fits = isolateBudget.canHold(pixels.peakBytes);
  const blindBytes =
    requantized?.peakBytes ?? picturePeakBytes(stored, plan) + format.encodePeakBytes(picture, settings);
  const { finish } = requantized ?? pixels;
  const scores = fits && picture.frames === 1 && canScore(picture);
  const losses = (scores && !requantized && format.losses?.filter((loss) => loss !== "nothing")) || [undefined];
  // A file may lie as it is stored, and say how it is to be turned.
  const compared = kept && kept.note !== 1 ? pictureOf(stored, asStored(plan, stored)) : picture;
  return isolateBudget.run(fits ? Math.max(blindBytes, pixels.peakBytes) : blindBytes, () => {
    const files = losses.map((loss) => {
      const chosen = loss ? { ...settings, loss } : settings;
      return largestWithin(finish, chosen, limitBytes, format.qualityStep);
    });
    const fitting = files.filter(({ length }) => length <= limitBytes);
    const [first] = fitting;
    if (!first) throw new TooSmall(Math.min(...files.map(({ length }) => length)));
    if (!scores) return { bytes: first };
    const score = (bytes: Uint8Array) => scoreRows(firstFrame(compared), decoded(format, bytes));
    return fitting
      .map((bytes) => ({ bytes, score: score(bytes) }))
      .reduce((best, other) => (other.score > best.score ? other : best));
  });
}

interface Try {
  readonly quality: number;
  readonly bytes: Uint8Array;
}

/**
 * The encoding of about the highest quality whose bytes fit, or else the smallest one: bytes grow with quality, about
 * exponentially, which says where to look next.
 */
function largestWithin(encode: EncodeWhole, settings: EncodeSettings, limitBytes: number, step = 1): Uint8Array {
  let fits: Try | undefined;
  let over: Try | undefined;
  for (let tries = 0; !fits || fits.bytes.length < limitBytes * CLOSE; tries++) {
    const quality = nextQuality(fits, over, settings.quality, limitBytes, { step, tries });
    if (quality === undefined) break;
    const bytes = encode({ ...settings, quality });
    if (bytes.length <= limitBytes) fits = { quality, bytes };
    else over = { quality, bytes };
  }
  const found = fits ?? over;
  if (!found) throw new RangeError("no quality was tried");
  return found.bytes;
}

/** A quality between the best that fits and the worst that does not, undefined when there is none. */
function nextQuality(
  fits: Try | undefined,
  over: Try | undefined,
  first: number,
  limitBytes: number,
  { step, tries }: { readonly step: number; readonly tries: number },
): number | undefined {
  const low = fits ? fits.quality + step : MIN_QUALITY;
  const high = over ? over.quality - step : MAX_QUALITY;
  if (low > high) return undefined;
  const known = fits ?? over;
  if (!known) return first;
  if (!fits && known.bytes.length > limitBytes * FAR) return low;
  const room = (bytes: Uint8Array) => Math.log(limitBytes / bytes.length);
  const growth =
    fits && over ? (room(fits.bytes) - room(over.bytes)) / (over.quality - fits.quality) : GROWTH / 2 ** (tries - 1);
  const isHalved = fits && over && tries >= GUESSES;
  const guess = isHalved ? (low + high) / 2 : known.quality + room(known.bytes) / growth;
  return Math.min(high, Math.max(low, Math.floor(guess / step) * step));
}
