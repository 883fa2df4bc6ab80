/**
 * The smallest encoding that looks as good as asked: quality is searched on a sheet of tiles, and the whole picture is
 * encoded and scored with what was found. What the whole scores corrects the sheet, once or twice. Where a format knows
 * what a file will show, none is written for that, and about how much is lost at a quality says where to look.
 */
import type { EncodeSettings } from "../format.ts";
import type { Picture } from "../picture.ts";
import { isPromising, smallerExact } from "./exact.ts";
import { type Curve, lowestByDamage, lowestQuality, MAX_QUALITY, qualityOf, type Scale, scaleOf } from "./quality.ts";
import type { Reference } from "./reference.ts";
import type { Sheet } from "./sheet.ts";
import {
  curveOf,
  damageOf,
  decoded,
  type Encoder,
  type EncodeWhole,
  type Found,
  type Look,
  lookOn,
  type Maker,
  surely,
  type Trial,
} from "./trial.ts";

/** What is remembered of a trial that missed. */
type Known = Pick<Trial, "quality" | "score">;

type Variant = Pick<EncodeSettings, "subsample" | "loss">;

/** A way to encode: one for tries, which show what the picture shows, and one to finish with. */
export interface Way extends Maker {
  readonly finish: EncodeWhole;
  /** What `encode` does to the sheet. */
  readonly encodeSheet: (sheet: Sheet) => EncodeWhole;
  /** The same for another picture in place of this one, where it is pixels that are encoded. */
  readonly over?: (pixels: Picture) => Pick<Way, "encode" | "finish" | "preview">;
  /** Only where the ways before it miss the target by much: their qualities are far apart. */
  readonly spare?: boolean;
  /** What there is a choice among, unless the settings say it. */
  readonly variants?: readonly Variant[] | undefined;
}

/** A result this close above its aim is close enough. */
const CLOSE_POINTS = 0.4;
/** And so is one this close that a further try would make smaller by less than this part. */
const WORTH_TRYING = 0.015;
const NEAR_POINTS = 2;
/** A further way to encode is looked for where the best so far is this far above the target. */
const SPARE_POINTS = 1.2;
/** Trials of a further candidate: enough to tell whether it is better. */
const FURTHER_TRIALS = 4;
/** Trials on the sheet where the kinds of loss are a choice. */
const TRIALS_OF_LOSS = 6;
/** What is aimed at above the target, so that most tries reach it. */
const AIM_POINTS = 0.3;
/** The same between two whole pictures, from which more is known. */
const SURE_POINTS = 0.15;
/** Encodings of the whole picture, each of which is scored. */
const MAX_WHOLE_TRIES = 4;
/** The same where they need not be encoded to be scored. */
const MAX_PREVIEWED_TRIES = 6;
/** Tries after which the best is taken, if there is one that reaches the target. */
const ENOUGH_TRIES = 3;

/** Tries made in haste take up to half as many bytes again, and tiles are not quite the picture. */
const HOPELESS = 2;

/** Tries that differ by less may differ the other way round when they are finished, above all without loss. */
const NEARLY_ALIKE = 1.1;
const NEARLY_ALIKE_EXACT = 1.5;
/** Then they are told apart by what they take with this part of the effort, if not by less than this. */
const RIVAL_EFFORT = 0.4;
const ALIKE = 1.03;
/** A file without loss that is larger by more with little effort stays larger with all of it, but for small pictures. */
const HOPELESS_EXACT = 1.3;
const SMALL_PIXELS = 1 << 16;

/** Where moved levels take so many times the bytes of few colors, what loses nothing takes too many as well. */
const HOPELESS_LEVELS = 2;

/** A way with its settings, and how it does on the sheet. */
interface Candidate {
  readonly way: Way;
  readonly settings: EncodeSettings;
  readonly curve: Curve<Trial>;
  /** About the points that the sheet loses at a quality, where that is known. */
  readonly damageAt?: ((quality: number) => number) | undefined;
  /** On the sheet, at the target. */
  readonly best: Trial;
}

interface Options {
  /** No encoding of the whole picture is held beside another: the first that reaches the target is taken. */
  readonly frugal?: boolean;
  /** Encodings without loss are tried as well where that is promising. */
  readonly exactly?: boolean;
  /** What the result competes with. */
  readonly rivalBytes?: number;
}

/**
 * The smallest encoding of a still picture found whose score is at least `target`, or the best one where none was found;
 * null where it is plain from the sheet that none is smaller than its rival.
 * @param ways the first is preferred where they do equally well
 */
export function smallestAbove(
  reference: Reference,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  ways: readonly Way[],
  { frugal = false, exactly = false, rivalBytes = Infinity }: Options = {},
): Found | null {
  const scoreOf = (bytes: Uint8Array) => reference.score(decoded(format, bytes));
  const look = lookOn(format, reference.sheet.picture.opaque, reference.score);
  const [first, ...others] = candidatesFor(reference, format, settings, target, ways);
  const { picture, tiles } = reference.sheet;
  const parts = (reference.width * reference.height) / (picture.width * picture.height);
  if (first.best.bytes.length * parts > rivalBytes * HOPELESS) return null;
  let chosen = first;
  let found = wholeOf(chosen, reference, look, target, frugal);
  // Tiles can do with less than the whole picture does, with fewer colors above all.
  for (const other of others) {
    if (found.score >= target) break;
    chosen = other;
    found = wholeOf(chosen, reference, look, target, frugal);
  }
  const { way, curve } = chosen;
  const isWritten = way.finish === way.encode && !way.preview;
  if (frugal && isWritten) return found;
  const candidate = { ...chosen, best: found };
  const lossy = way.preview
    ? finished(candidate, frugal ? [] : rivalsOf(found, first, others, target, reference.sheet), reference, frugal)
    : written(candidate, isWritten);
  const levels = exactly ? format.nearLosslessLevels : undefined;
  if (!levels) return lossy;
  const exact = { ...chosen.settings, lossless: true };
  const onSheet = () => isPromising(format.encode(picture, exact), curve(found.quality).bytes);
  if (tiles && found.score >= target && !onSheet()) return lossy;
  return smallerExact(way.encode, scoreOf, chosen.settings, target, levels, lossy);
}

/** A candidate, written to stay, unless the try is smaller and may stay. */
function written({ way, settings, best }: Candidate, mayStay: boolean): Found {
  const final = way.finish({ ...settings, quality: best.quality });
  return { bytes: mayStay && best.bytes.length < final.length ? best.bytes : final, score: best.score };
}

/** Candidates whose tries were nearly as small as those of the first: tries do not tell them apart. */
function rivalsOf(
  found: Trial,
  first: Candidate,
  others: readonly Candidate[],
  target: number,
  { tiles }: Sheet,
): Candidate[] {
  return others.filter(({ settings, best }) => {
    const isExact = settings.loss === "nothing";
    const mostBytes = first.best.bytes.length * (isExact ? NEARLY_ALIKE_EXACT : NEARLY_ALIKE);
    if (isExact ? found.score === 100 : tiles) return false;
    return best.bytes.length <= mostBytes && best.score >= target;
  });
}

/** The smallest of a candidate and its rivals, written to stay: those that turn out small when written with less effort. */
function finished(
  candidate: Candidate,
  rivals: readonly Candidate[],
  { width, height, sheet }: Reference,
  frugal: boolean,
): Found {
  const write = ({ way, settings, best }: Candidate, effort: number) =>
    way.finish({ ...settings, quality: best.quality, effort }).length;
  const all = [candidate, ...rivals];
  const sizes = all.map((one) => (rivals.length > 0 ? write(one, one.settings.effort * RIVAL_EFFORT) : 0));
  const least = Math.min(...sizes);
  let smallest: Found | undefined;
  for (const [index, one] of all.entries()) {
    if (sizes[index]! > least * ALIKE) continue;
    // How a large picture is best written is found on a part of it.
    const made = written(one, one === candidate && sheet.tiles !== undefined && !frugal);
    if (!smallest || made.bytes.length <= smallest.bytes.length) smallest = made;
  }
  const exactBytes = sizes[all.findIndex(({ settings }) => settings.loss === "nothing")] ?? 0;
  const isHopeless = width * height > SMALL_PIXELS && exactBytes > smallest!.bytes.length * HOPELESS_EXACT;
  return { ...smallest!, beatsExact: isHopeless };
}

/** A candidate as it does on the whole picture. */
function wholeOf(
  { way, settings, curve, best, damageAt }: Candidate,
  { sheet }: Reference,
  look: Look,
  target: number,
  frugal: boolean,
): Trial {
  if (!sheet.tiles) return best;
  const scale = scaleOf(look.format);
  const wholeAt = curveOf(way, settings, look);
  const wholeDamageAt = damageOf(way, settings);
  if (!damageAt || !wholeDamageAt) return confirmed(curve, wholeAt, { target, first: settings.quality, scale, frugal });
  // As much is lost of the whole as of the sheet, then what that says.
  const first = qualityOf(wholeDamageAt, damageAt(best.quality));
  const close = frugal ? Infinity : CLOSE_POINTS;
  const search = { first, trials: MAX_PREVIEWED_TRIES, close };
  return surely(() => lowestByDamage(wholeAt, wholeDamageAt, target, search));
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
  const look = lookOn(format, sheet.picture.opaque, reference.scoreSheet);
  const standing = new Map<EncodeSettings["loss"], Candidate>();
  let cheapest: Candidate | undefined;
  for (const way of ways) {
    if (way.spare && cheapest && cheapest.best.score < target + SPARE_POINTS) continue;
    const onSheet: Maker = sheet.tiles ? (way.over?.(sheet.picture) ?? { encode: way.encodeSheet(sheet) }) : way;
    for (const variant of (settings.subsample ? undefined : way.variants) ?? [{}]) {
      const chosen = { ...settings, ...variant };
      if (chosen.loss === "nothing" && isHopeless(onSheet, settings, cheapest, standing.get("levels"), target))
        continue;
      const curve = curveOf(onSheet, chosen, look);
      const damageAt = damageOf(onSheet, chosen);
      const search = searchAfter(cheapest, chosen, target, scaleOf(format));
      const first = damageAt && likelyQuality(damageAt, target, chosen);
      const byDamage = () => lowestByDamage(curve, damageAt!, target, { ...search, first: first! });
      const best = !damageAt ? lowestQuality(curve, target, search) : sheet.tiles ? byDamage() : surely(byDamage);
      const candidate = { way, settings: chosen, curve, damageAt, best };
      const rival = standing.get(chosen.loss);
      if (!rival || better(rival.best, best, target) === best) standing.set(chosen.loss, candidate);
      if (!cheapest || better(cheapest.best, best, target) === best) cheapest = candidate;
    }
  }
  if (!cheapest) throw new RangeError("no way to encode");
  const others = [...standing.values()].filter((candidate) => candidate !== cheapest);
  return [cheapest, ...others.toSorted((one, other) => one.best.bytes.length - other.best.bytes.length)];
}

/**
 * Whether what loses nothing need not be tried: it takes about what moved levels take, or more, unless a palette holds
 * all colors.
 */
function isHopeless(
  { preview }: Pick<Maker, "preview">,
  settings: EncodeSettings,
  cheapest: Candidate | undefined,
  moved: Candidate | undefined,
  target: number,
): boolean {
  if (!preview || !cheapest || !moved || cheapest.best.score < target) return false;
  if (moved.best.bytes.length < cheapest.best.bytes.length * HOPELESS_LEVELS) return false;
  return !preview({ ...settings, loss: "colors", quality: MAX_QUALITY }).exact;
}

/** Where to begin: no higher than without knowing the damage, for what can be done about it is not all known. */
function likelyQuality(damageAt: (quality: number) => number, target: number, { quality }: EncodeSettings): number {
  return Math.min(quality, qualityOf(damageAt, 100 - target));
}

/** How a candidate's quality is searched for on the sheet, after others. */
function searchAfter(cheapest: Candidate | undefined, { loss, quality }: EncodeSettings, target: number, scale: Scale) {
  const isAlike = cheapest?.settings.loss === loss;
  if (cheapest && isAlike) return { first: cheapest.best.quality, ...scale, trials: FURTHER_TRIALS };
  const beat = cheapest && cheapest.best.score >= target ? cheapest.best.bytes.length : Infinity;
  return { first: quality, ...scale, beat, ...(loss && { trials: TRIALS_OF_LOSS }) };
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

/** What the sheet says, corrected by the whole pictures that are known: of two, by what lies between them. */
function nextQuality(
  sheet: Curve<Trial>,
  low: Known | undefined,
  high: Known | undefined,
  target: number,
  scale: Scale,
): number {
  const known = low ?? high;
  if (!known) throw new RangeError("no quality was tried");
  const aim = target + AIM_POINTS;
  const errorAt = ({ quality, score }: Known) => score - sheet(quality).score;
  if (!low || !high) {
    const { quality } = lowestQuality(sheet, aim - errorAt(known), { first: known.quality, ...scale });
    return low ? Math.min(MAX_QUALITY, Math.max(quality, known.quality + 2 * scale.step)) : quality;
  }
  const width = high.quality - low.quality;
  const corrected: Curve<Trial> = (quality) => {
    const trial = sheet(quality);
    const part = (quality - low.quality) / width;
    return { ...trial, score: trial.score + (1 - part) * errorAt(low) + part * errorAt(high) };
  };
  const straight = low.quality + (width * (aim - low.score)) / (high.score - low.score);
  const first = Math.ceil(Math.min(high.quality, straight) / scale.step) * scale.step;
  const { quality } = lowestQuality(corrected, target + SURE_POINTS, { first, ...scale, close: 0 });
  return Math.min(high.quality, Math.max(quality, low.quality + scale.step));
}

/** The part of its bytes that the sheet loses from one quality to another. */
function gain(sheet: Curve<Trial>, from: number, to: number): number {
  return 1 - sheet(to).bytes.length / sheet(from).bytes.length;
}

/** Of two encodings the smaller one that reaches the target, or else the one that comes nearer to it. */
function better<Candidate extends Found>(one: Candidate, other: Candidate, target: number): Candidate {
  // What is no smaller need not be scored.
  if (one.score >= target && one.bytes.length <= other.bytes.length) return one;
  if (other.score >= target) return other;
  return one.score >= target || one.score >= other.score ? one : other;
}
