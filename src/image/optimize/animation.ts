/** Animations that look as good as asked. */
import { toSrgb } from "../color/convert.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import type { Frame, Picture } from "../picture.ts";
import { scoreRows } from "./score.ts";
import type { Found } from "./trial.ts";

/** Frames that are compared: spread evenly, first and last included. */
const SAMPLED_FRAMES = 6;

/** The frames compared of an animation, by their numbers. */
function sampleOf(frames: number): number[] {
  const count = Math.min(frames, SAMPLED_FRAMES);
  return Array.from({ length: count }, (_, index) => Math.round((index * (frames - 1)) / Math.max(1, count - 1)));
}

/**
 * The score of an animation as a rendition of another: the least SSIMULACRA 2.1 of six frames as they are shown, since
 * the worst moment is what is noticed. Both are decoded to their end.
 * @throws RangeError when the sizes differ
 */
export function scoreAnimation(first: Picture, second: Picture): number {
  const sample = sampleOf(first.frames);
  const partners = first.frames === second.frames ? sample : shownAt(first, second, sample);
  const others = numbered(second.open(), partners);
  let worst = 100;
  let last = -1;
  for (const [at, frame] of numbered(first.open(), sample)) {
    const partner = partners[sample.indexOf(at)]!;
    // Two frames may be shown as one: it is compared with the first of them.
    const other = partner === last ? undefined : others.next().value;
    last = partner;
    if (other) worst = Math.min(worst, scoreRows(frame.rows, other[1].rows));
    else frame.rows.close();
  }
  others.return(undefined);
  return worst;
}

/** The frames with these numbers, which ascend. */
function* numbered(
  frames: Iterable<Frame>,
  numbers: readonly number[],
): Generator<[at: number, frame: Frame], undefined> {
  const wanted = new Set(numbers);
  let at = 0;
  for (const frame of frames) {
    if (wanted.has(at)) yield [at, frame];
    else frame.rows.close();
    at++;
  }
  return undefined;
}

/** For frames of one animation, which of another are shown at the same time; formats round times differently. */
function shownAt(first: Picture, second: Picture, sample: readonly number[]): number[] {
  const [ends, otherEnds] = [endsOf(first), endsOf(second)];
  const scale = (otherEnds.at(-1) ?? 0) / Math.max(1, ends.at(-1) ?? 0);
  return sample.map((at) => {
    const middle = ((ends[at - 1] ?? 0) + (ends[at] ?? 0)) / 2;
    const other = otherEnds.findIndex((end) => end > middle * scale);
    return other < 0 ? otherEnds.length - 1 : other;
  });
}

/** When each frame ends, in milliseconds. */
function endsOf(picture: Picture): number[] {
  let end = 0;
  return Array.from(picture.open(), ({ delayMs, rows }) => {
    rows.close();
    return (end += delayMs);
  });
}

type Encoder = Pick<FormatDefinition, "probe" | "open"> & Required<Pick<FormatDefinition, "encode">>;

/** Points that a quality step is worth. */
const POINTS_PER_QUALITY = 0.7;
/** A result this close above its aim is close enough. */
const CLOSE_POINTS = 2;
const MAX_QUALITY = 100;
const MIN_QUALITY = 20;
const HOPELESS = 2;
/** Encodings of an animation, and of one with more pixels in all its frames than `MANY_PIXELS`. */
const MAX_TRIES = 4;
const MAX_TRIES_OF_MANY = 2;
const MANY_PIXELS = 20_000_000;

/**
 * The smallest encoding found of an animation that scores at least `target`, or the best one; `settings` say where to
 * begin, `originalBytes` what it competes with. What it takes is bounded by the number of encodings.
 */
export function smallestAnimation(
  picture: Picture,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  originalBytes = Number.POSITIVE_INFINITY,
): Found {
  const tries = picture.width * picture.height * picture.frames > MANY_PIXELS ? MAX_TRIES_OF_MANY : MAX_TRIES;
  let best: Found | undefined;
  let low = MIN_QUALITY - 1;
  let high = MAX_QUALITY + 1;
  let quality = settings.quality;
  for (let count = 0; count < tries && high - low > 1; count++) {
    const bytes = format.encode(picture, { ...settings, quality });
    const score = scoreAnimation(picture, decoded(format, bytes));
    const reaches = score >= target;
    if (reaches) high = quality;
    else low = quality;
    const improves = !best || (reaches ? best.score < target || bytes.length < best.bytes.length : score > best.score);
    if (improves && (reaches || !best || best.score < target)) best = { bytes, score };
    if (reaches && score < target + CLOSE_POINTS) break;
    // An original so much smaller was made with means that no quality makes up for.
    if (bytes.length > originalBytes * HOPELESS) break;
    const step = (target + CLOSE_POINTS / 4 - score) / POINTS_PER_QUALITY;
    quality = Math.min(high - 1, Math.max(low + 1, Math.round(quality + step)));
  }
  if (!best) throw new RangeError("no encoding was tried");
  return best;
}

/** An encoded animation in sRGB. */
function decoded(format: Pick<Encoder, "probe" | "open">, bytes: Uint8Array): Picture {
  const facts = format.probe(bytes);
  const { width, height, frames, loops, alpha, profile, colorspace } = facts;
  return {
    width,
    height,
    frames,
    loops,
    opaque: !alpha,
    *open() {
      for (const { delayMs, rows } of format.open(bytes, facts, { box: whole(facts), width, height })) {
        yield { delayMs, rows: toSrgb(rows, profile, colorspace) };
      }
    },
  };
}
