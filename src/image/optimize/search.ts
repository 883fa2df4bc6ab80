/**
 * The smallest encoding that looks as good as asked: quality is searched on a sheet of tiles, and the whole picture is
 * encoded and scored with what was found. What the whole scores corrects the sheet, once or twice.
 */
import { toSrgb } from "../color/convert.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import { firstFrame } from "../picture.ts";
import type { Rows } from "../rows.ts";
import { isPromising, smallerExact } from "./exact.ts";
import { type Curve, lowestQuality, MAX_QUALITY, type Scale, scaleOf } from "./quality.ts";
import type { Reference } from "./reference.ts";
import type { Sheet } from "./sheet.ts";

export interface Found {
  readonly bytes: Uint8Array;
  readonly score: number;
}

interface Trial extends Found {
  readonly quality: number;
}

/** What is remembered of a trial that missed. */
type Known = Pick<Trial, "quality" | "score">;

export type Encoder = Pick<
  FormatDefinition,
  "can" | "probe" | "open" | "qualityStep" | "leastQuality" | "nearLosslessLevels"
> &
  Required<Pick<FormatDefinition, "encode">>;

/** How a picture is encoded. */
export type EncodeWhole = (settings: EncodeSettings) => Uint8Array;

type Variant = Pick<EncodeSettings, "subsample" | "loss">;

/** A way to encode: one for tries, which show what the picture shows, and one to finish with. */
export interface Way {
  readonly encode: EncodeWhole;
  readonly finish: EncodeWhole;
  /** What `encode` does to the sheet. */
  readonly encodeSheet: (sheet: Sheet) => EncodeWhole;
  /** Only where the ways before it miss the target by much: their qualities are far apart. */
  readonly spare?: boolean;
  /** What there is a choice among, unless the settings say it. */
  readonly variants?: readonly Variant[] | undefined;
}

/** A result this close above its aim is close enough. */
const CLOSE_POINTS = 1;
/** And so is one this close that a further try would make smaller by less than this part. */
const WORTH_TRYING = 0.015;
const NEAR_POINTS = 2;
/** A further way to encode is looked for where the best so far is this far above the target. */
const SPARE_POINTS = 1.2;
/** Trials of a further candidate: enough to tell whether it is better. */
const FURTHER_TRIALS = 4;
/** Trials on the sheet where the kinds of loss are a choice. */
const TRIALS_OF_LOSS = 5;
/** What is aimed at above the target, so that most tries reach it. */
const AIM_POINTS = 0.3;
/** Encodings of the whole picture, each of which is scored. */
const MAX_WHOLE_TRIES = 4;
/** Tries after which the best is taken, if there is one that reaches the target. */
const ENOUGH_TRIES = 3;

/** Tries made in haste take up to half as many bytes again, and tiles are not quite the picture. */
const HOPELESS = 2;

/** Tries that differ by less may differ the other way round when they are finished, above all without loss. */
const NEARLY_ALIKE = 1.1;
const NEARLY_ALIKE_EXACT = 1.5;

/** A way with its settings, and how it does on the sheet. */
interface Candidate {
  readonly way: Way;
  readonly settings: EncodeSettings;
  readonly curve: Curve<Trial>;
  /** On the sheet, at the target. */
  readonly best: Trial;
}

interface Options {
  /** No encoding of the whole picture is held beside another: the first that reaches the target is taken. */
  readonly frugal?: boolean;
  /** Encodings without loss are tried as well where that is promising. */
  readonly exactly?: boolean;
  /** What the result competes with. */
  readonly originalBytes?: number;
}

/**
 * The smallest encoding of a still picture found whose score is at least `target`, or the best one where none was found;
 * null where it is plain from the sheet that none is smaller than the original.
 * @param ways the first is preferred where they do equally well
 */
export function smallestAbove(
  reference: Reference,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  ways: readonly Way[],
  { frugal = false, exactly = false, originalBytes = Infinity }: Options = {},
): Found | null {
  const scoreOf = (bytes: Uint8Array) => reference.score(decoded(format, bytes));
  const [first, ...others] = candidatesFor(reference, format, settings, target, ways);
  const { picture, tiles } = reference.sheet;
  const parts = (reference.width * reference.height) / (picture.width * picture.height);
  if (first.best.bytes.length * parts > originalBytes * HOPELESS) return null;
  let chosen = first;
  let found = wholeOf(chosen, reference, scoreOf, target, { format, frugal });
  // Tiles can do with less than the whole picture does, with fewer colors above all.
  for (const other of others) {
    if (found.score >= target) break;
    chosen = other;
    found = wholeOf(chosen, reference, scoreOf, target, { format, frugal });
  }
  const { way, curve } = chosen;
  if (frugal && way.finish === way.encode) return found;
  const final = way.finish({ ...chosen.settings, quality: found.quality });
  const keeps = way.finish === way.encode && found.bytes.length < final.length;
  const finished = { bytes: keeps ? found.bytes : final, score: found.score };
  const lossy = smallestRival(finished, first, others, target, reference.sheet);
  const levels = exactly ? format.nearLosslessLevels : undefined;
  if (!levels) return lossy;
  const exact = { ...chosen.settings, lossless: true };
  const onSheet = () => isPromising(format.encode(picture, exact), curve(found.quality).bytes);
  if (tiles && found.score >= target && !onSheet()) return lossy;
  return smallerExact(way.encode, scoreOf, chosen.settings, target, levels, lossy);
}

/** The smallest of what was found and of candidates whose tries were nearly as small: those do not tell them apart. */
function smallestRival(
  found: Found,
  first: Candidate,
  others: readonly Candidate[],
  target: number,
  { tiles }: Sheet,
): Found {
  let smallest = found;
  for (const { way, settings, best } of others) {
    const isExact = settings.loss === "nothing";
    const rivalBytes = first.best.bytes.length * (isExact ? NEARLY_ALIKE_EXACT : NEARLY_ALIKE);
    if (best.score < target || best.bytes.length > rivalBytes || (tiles && !isExact)) continue;
    const bytes = way.finish({ ...settings, quality: best.quality });
    if (bytes.length <= smallest.bytes.length) smallest = { bytes, score: best.score };
  }
  return smallest;
}

/** A candidate as it does on the whole picture. */
function wholeOf(
  { way, settings, curve, best }: Candidate,
  { sheet }: Reference,
  scoreOf: (bytes: Uint8Array) => number,
  target: number,
  { format, frugal }: { format: Encoder; frugal: boolean },
): Trial {
  if (!sheet.tiles) return best;
  const wholeAt: Curve<Trial> = (quality) => tried(way.encode, { ...settings, quality }, scoreOf);
  if (settings.loss === "nothing") return exactTrial(way.encode, settings);
  return confirmed(curve, wholeAt, { target, first: settings.quality, scale: scaleOf(format), frugal });
}

/** The candidates that stand out on the sheet, the best first: of every kind of loss one way with one chroma resolution. */
function candidatesFor(
  reference: Reference,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  ways: readonly Way[],
): [Candidate, ...Candidate[]] {
  const { sheet } = reference;
  const scoreOf = (bytes: Uint8Array) => reference.scoreSheet(decoded(format, bytes));
  const standing = new Map<EncodeSettings["loss"], Candidate>();
  let cheapest: Candidate | undefined;
  for (const way of ways) {
    if (way.spare && cheapest && cheapest.best.score < target + SPARE_POINTS) continue;
    const encode = sheet.tiles ? way.encodeSheet(sheet) : way.encode;
    for (const variant of (settings.subsample ? undefined : way.variants) ?? [{}]) {
      const chosen = { ...settings, ...variant };
      const curve = remembered((quality) => tried(encode, { ...chosen, quality }, scoreOf));
      const best =
        chosen.loss === "nothing"
          ? exactTrial(encode, chosen)
          : lowestQuality(curve, target, searchAfter(cheapest, chosen, target, scaleOf(format)));
      const candidate = { way, settings: chosen, curve, best };
      const rival = standing.get(chosen.loss);
      if (!rival || better(rival.best, best, target) === best) standing.set(chosen.loss, candidate);
      if (!cheapest || better(cheapest.best, best, target) === best) cheapest = candidate;
    }
  }
  if (!cheapest) throw new RangeError("no way to encode");
  const others = [...standing.values()].filter((candidate) => candidate !== cheapest);
  return [cheapest, ...others.toSorted((one, other) => one.best.bytes.length - other.best.bytes.length)];
}

/** How a candidate's quality is searched for on the sheet, after others. */
function searchAfter(cheapest: Candidate | undefined, { loss, quality }: EncodeSettings, target: number, scale: Scale) {
  const isAlike = cheapest?.settings.loss === loss;
  if (cheapest && isAlike) return { first: cheapest.best.quality, ...scale, trials: FURTHER_TRIALS };
  const beat = cheapest && cheapest.best.score >= target ? cheapest.best.bytes.length : Infinity;
  return { first: quality, ...scale, beat, ...(loss && { trials: TRIALS_OF_LOSS }) };
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
function confirmed(
  sheet: Curve<Trial>,
  wholeAt: Curve<Trial>,
  { target, first, scale, frugal }: { target: number; first: number; scale: Scale; frugal: boolean },
): Trial {
  let low: Known | undefined;
  let high: Trial | undefined;
  let wanted = lowestQuality(sheet, target, { first, ...scale }).quality;
  for (let tries = 1; ; tries++) {
    const found = wholeAt(wanted);
    if (found.score >= target) {
      const gained = high ? 1 - found.bytes.length / high.bytes.length : 1;
      if (gained >= 0) high = found;
      if (frugal || found.score < target + CLOSE_POINTS || tries >= ENOUGH_TRIES || gained < WORTH_TRYING)
        return high ?? found;
    } else {
      low = { quality: found.quality, score: found.score };
      if (tries >= (high ? ENOUGH_TRIES : MAX_WHOLE_TRIES) || wanted >= MAX_QUALITY) return high ?? found;
    }
    wanted = nextQuality(sheet, low, high, target, scale);
    if (high && (wanted <= (low?.quality ?? scale.least) || wanted >= high.quality)) return high;
    const near = high && high.score < target + NEAR_POINTS;
    if (near && gain(sheet, high!.quality, wanted) < WORTH_TRYING) return high!;
  }
}

/** Between two whole pictures, what lies between them; else what the sheet says, corrected by the one that is known. */
function nextQuality(
  sheet: Curve<Trial>,
  low: Known | undefined,
  high: Known | undefined,
  target: number,
  scale: Scale,
): number {
  if (low && high) {
    const part = (target + AIM_POINTS - low.score) / (high.score - low.score);
    return Math.ceil((low.quality + part * (high.quality - low.quality)) / scale.step) * scale.step;
  }
  const known = low ?? high;
  if (!known) throw new RangeError("no quality was tried");
  const aim = target + AIM_POINTS + sheet(known.quality).score - known.score;
  const { quality } = lowestQuality(sheet, aim, { first: known.quality, ...scale });
  return low ? Math.min(MAX_QUALITY, Math.max(quality, known.quality + 2 * scale.step)) : quality;
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

/** What loses nothing needs no score. */
function exactTrial(encode: EncodeWhole, settings: EncodeSettings): Trial {
  return { bytes: encode({ ...settings, progressive: false, trial: true }), quality: settings.quality, score: 100 };
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
