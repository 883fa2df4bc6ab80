/**
 * The smallest encoding that looks as good as asked: quality is searched on a sheet of tiles, and the whole picture is
 * encoded and scored with what was found. What the whole scores corrects the sheet, once or twice.
 */
import { toSrgb } from "../color/convert.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import { firstFrame } from "../picture.ts";
import type { Rows } from "../rows.ts";
import { type Curve, lowestQuality, MAX_QUALITY, MIN_QUALITY } from "./quality.ts";
import type { Reference } from "./reference.ts";
import type { Sheet } from "./sheet.ts";

export interface Found {
  readonly bytes: Uint8Array;
  readonly score: number;
}

interface Trial extends Found {
  readonly quality: number;
}

export type Encoder = Pick<FormatDefinition, "can" | "probe" | "open" | "subsamplings" | "qualityStep"> &
  Required<Pick<FormatDefinition, "encode">>;

/** How a picture is encoded. */
export type EncodeWhole = (settings: EncodeSettings) => Uint8Array;

/** A way to encode: one for tries, which show what the picture shows, and one to finish with. */
export interface Way {
  readonly encode: EncodeWhole;
  readonly finish: EncodeWhole;
  /** What `encode` does to the sheet. */
  readonly encodeSheet: (sheet: Sheet) => EncodeWhole;
  /** Only where the ways before it miss the target by much: their qualities are far apart. */
  readonly spare?: boolean;
  /** The chroma resolutions among which there is a choice. */
  readonly subsamplings?: readonly NonNullable<EncodeSettings["subsample"]>[] | undefined;
}

/** Where searches start: the middle of what photographs need. */
const FIRST_QUALITY = 80;
/** A result this close above its aim is close enough. */
const CLOSE_POINTS = 1;
/** And so is one this close that a further try would make smaller by less than this part. */
const WORTH_TRYING = 0.015;
const NEAR_POINTS = 2;
/** A further way to encode is looked for where the best so far is this far above the target. */
const SPARE_POINTS = 1.2;
/** Trials of a further candidate: enough to tell whether it is better. */
const FURTHER_TRIALS = 4;
/** What is aimed at above the target, so that most tries reach it. */
const AIM_POINTS = 0.3;
/** Encodings of the whole picture, each of which is scored. */
const MAX_WHOLE_TRIES = 4;
/** Tries after which the best is taken, if there is one that reaches the target. */
const ENOUGH_TRIES = 3;

/** A way with its settings, and how it does on the sheet. */
interface Candidate {
  readonly way: Way;
  readonly settings: EncodeSettings;
  readonly curve: Curve<Trial>;
  /** On the sheet, at the target. */
  readonly best: Trial;
}

/**
 * The smallest encoding of a still picture found whose score is at least `target`, or the best one where none was found.
 * @param ways the first is preferred where they do equally well
 */
export function smallestAbove(
  reference: Reference,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  ways: readonly Way[],
): Found {
  const { way, settings: chosen, curve, best } = cheapest(reference, format, settings, target, ways);
  const scoreOf = (bytes: Uint8Array) => reference.score(decoded(format, bytes));
  const found = reference.sheet.tiles
    ? confirmed(curve, (quality) => tried(way.encode, { ...chosen, quality }, scoreOf), target, format.qualityStep)
    : best;
  const final = way.finish({ ...chosen, quality: found.quality });
  const keeps = way.finish === way.encode && found.bytes.length < final.length;
  return { bytes: keeps ? found.bytes : final, score: found.score };
}

/** The way and the chroma resolution whose sheet is smallest where it reaches the target. */
function cheapest(
  reference: Reference,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  ways: readonly Way[],
): Candidate {
  const { sheet } = reference;
  const scoreOf = (bytes: Uint8Array) => reference.scoreSheet(decoded(format, bytes));
  const step = format.qualityStep ?? 1;
  let cheapestYet: Candidate | undefined;
  for (const way of ways) {
    if (way.spare && cheapestYet && cheapestYet.best.score < target + SPARE_POINTS) continue;
    const encode = sheet.tiles ? way.encodeSheet(sheet) : way.encode;
    const choices = settings.subsample ? undefined : way.subsamplings;
    for (const subsample of choices ?? [settings.subsample]) {
      const chosen = { ...settings, ...(subsample && { subsample }) };
      const curve = remembered((quality) => tried(encode, { ...chosen, quality }, scoreOf));
      const best = cheapestYet
        ? lowestQuality(curve, target, { first: cheapestYet.best.quality, step, trials: FURTHER_TRIALS })
        : lowestQuality(curve, target, { first: FIRST_QUALITY, step });
      const candidate = { way, settings: chosen, curve, best };
      if (!cheapestYet || better(cheapestYet.best, best, target) === best) cheapestYet = candidate;
    }
  }
  if (!cheapestYet) throw new RangeError("no way to encode");
  return cheapestYet;
}

/** Trials, each made once. */
function remembered(trial: Curve<Trial>): Curve<Trial> {
  const known = new Map<number, Trial>();
  return (quality) => {
    const found = known.get(quality) ?? trial(quality);
    known.set(quality, found);
    return found;
  };
}

/** The whole picture at the quality at which the sheet reaches what the picture has to. */
function confirmed(sheet: Curve<Trial>, wholeAt: Curve<Trial>, target: number, step = 1): Trial {
  let low: Trial | undefined;
  let high: Trial | undefined;
  let wanted = lowestQuality(sheet, target, { first: FIRST_QUALITY, step }).quality;
  for (let tries = 1; ; tries++) {
    const found = wholeAt(wanted);
    if (found.score >= target) {
      const gained = high ? 1 - found.bytes.length / high.bytes.length : 1;
      if (gained >= 0) high = found;
      if (found.score < target + CLOSE_POINTS || tries >= ENOUGH_TRIES || gained < WORTH_TRYING) return high ?? found;
    } else {
      low = found;
      if (tries >= (high ? ENOUGH_TRIES : MAX_WHOLE_TRIES) || wanted >= MAX_QUALITY) return high ?? found;
    }
    wanted = nextQuality(sheet, low, high, target, step);
    if (high && (wanted <= (low?.quality ?? MIN_QUALITY) || wanted >= high.quality)) return high;
    const near = high && high.score < target + NEAR_POINTS;
    if (near && gain(sheet, high!.quality, wanted) < WORTH_TRYING) return high!;
  }
}

/** Between two whole pictures, what lies between them; else what the sheet says, corrected by the one that is known. */
function nextQuality(
  sheet: Curve<Trial>,
  low: Trial | undefined,
  high: Trial | undefined,
  target: number,
  step: number,
): number {
  if (low && high) {
    const part = (target + AIM_POINTS - low.score) / (high.score - low.score);
    return Math.ceil((low.quality + part * (high.quality - low.quality)) / step) * step;
  }
  const known = low ?? high;
  if (!known) return FIRST_QUALITY;
  const aim = target + AIM_POINTS + sheet(known.quality).score - known.score;
  const { quality } = lowestQuality(sheet, aim, { first: known.quality, step });
  return low ? Math.min(MAX_QUALITY, Math.max(quality, known.quality + 2 * step)) : quality;
}

/** The part of its bytes that the sheet loses from one quality to another. */
function gain(sheet: Curve<Trial>, from: number, to: number): number {
  return 1 - sheet(to).bytes.length / sheet(from).bytes.length;
}

/** Of two encodings the smaller one that reaches the target, or else the one that comes nearer to it. */
function better<Candidate extends Found>(one: Candidate, other: Candidate, target: number): Candidate {
  const reach = [one, other].filter((found) => found.score >= target);
  if (reach.length === 2) return one.bytes.length <= other.bytes.length ? one : other;
  return reach[0] ?? (one.score >= other.score ? one : other);
}

/**
 * Tries are made in haste, and in a single scan: a decoder of several scans keeps the whole picture in memory, one of a
 * single scan some rows.
 */
function tried(encode: EncodeWhole, settings: EncodeSettings, scoreOf: (bytes: Uint8Array) => number): Trial {
  const bytes = encode({ ...settings, progressive: false, trial: true });
  return { bytes, quality: settings.quality, score: scoreOf(bytes) };
}

/** The pixels of an encoding. */
function decoded(format: Encoder, bytes: Uint8Array): Rows {
  const facts = format.probe(bytes);
  const { width, height, frames, loops, alpha, profile, colorspace } = facts;
  const demand = { box: whole(facts), width, height };
  const open = () => format.open(bytes, facts, demand);
  const rows = firstFrame({ width, height, frames, loops, opaque: !alpha, open });
  return toSrgb(rows, profile, colorspace);
}
