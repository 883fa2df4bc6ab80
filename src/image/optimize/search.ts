/**
 * The smallest encoding that looks as good as asked: quality is searched on a sheet of tiles, and the whole picture is
 * encoded and scored with what was found. What the whole scores corrects the sheet, once or twice.
 */
import { toSrgb } from "../color/convert.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import { firstFrame, type Picture } from "../picture.ts";
import { scoreRows } from "./score.ts";
import { sheetOf } from "./sheet.ts";

export interface Found {
  readonly bytes: Uint8Array;
  readonly score: number;
}

interface Trial extends Found {
  readonly quality: number;
}

type Encoder = Pick<FormatDefinition, "can" | "probe" | "open" | "subsamplings"> &
  Required<Pick<FormatDefinition, "encode">>;

/** How the whole picture is encoded. */
export type EncodeWhole = (settings: EncodeSettings) => Uint8Array;

const MIN_QUALITY = 20;
const MAX_QUALITY = 98;
/** Where searches start: the middle of what photographs need. */
const FIRST_QUALITY = 80;
/** Points that a quality step is worth, before anything is known. */
const POINTS_PER_QUALITY = 0.7;
/** A sheet this close above its aim is close enough. */
const CLOSE_POINTS = 0.5;
const MAX_SHEET_PROBES = 6;
/** Points of the sheet for one of the picture: more is no measurement. */
const MAX_SLOPE = 4;
/** Encodings of the whole picture, each of which is scored. */
const MAX_WHOLE_TRIES = 3;

/** Another way to encode than the format's: one for tries, which show what the picture shows, and one to finish with. */
interface Way {
  readonly encode: EncodeWhole;
  readonly finish: EncodeWhole;
}

/**
 * The smallest encoding of a still picture found whose score is at least `target`. When none reaches it, the exact
 * encoding, or the best one where the format has none.
 */
export function smallestAbove(
  picture: Picture,
  format: Encoder,
  settings: EncodeSettings,
  target: number,
  way?: Way,
): Found {
  const sheet = sheetTrials(sheetOf(picture).picture, format);
  const chroma = way ? settings : cheapestChroma(sheet, format, settings, target);
  const sheetScore = (quality: number) => sheet({ ...chroma, quality }).score;
  const encodePixels: EncodeWhole = (wanted) => format.encode(picture, wanted);
  const { encode, finish } = way ?? { encode: encodePixels, finish: encodePixels };
  let aim = target;
  let best: Trial | undefined;
  const pairs: Pair[] = [];
  for (let tries = 0, tried = new Set<number>(); tries < MAX_WHOLE_TRIES; tries++) {
    const quality = lowestQuality(sheetScore, aim);
    if (tried.has(quality)) break;
    tried.add(quality);
    const found = scored(picture, format, { ...chroma, quality }, encode);
    best = best ? better(best, found, target) : found;
    if (found.score >= target && found.score < target + CLOSE_POINTS * 2) break;
    pairs.push({ sheet: sheetScore(quality), whole: found.score });
    aim = sheetAim(pairs, target);
  }
  if (!best) throw new RangeError("no encoding was tried");
  if (best.score < target && format.can.lossless) {
    return { bytes: format.encode(picture, { ...settings, lossless: true }), score: 100 };
  }
  const final = finish({ ...chroma, quality: best.quality });
  return { bytes: final.length <= best.bytes.length || finish !== encode ? final : best.bytes, score: best.score };
}

/** Trials on a sheet, each made once. */
function sheetTrials(sheet: Picture, format: Encoder): (settings: EncodeSettings) => Trial {
  const known = new Map<string, Trial>();
  return (settings) => {
    const key = `${settings.subsample} ${settings.quality}`;
    const trial = known.get(key) ?? scored(sheet, format, settings, (tried) => format.encode(sheet, tried));
    known.set(key, trial);
    return trial;
  };
}

/** The settings with the chroma resolution whose sheet is smallest where it reaches the target. */
function cheapestChroma(
  sheet: (settings: EncodeSettings) => Trial,
  { subsamplings }: Encoder,
  settings: EncodeSettings,
  target: number,
): EncodeSettings {
  if (!subsamplings || settings.subsample) return settings;
  const candidates = subsamplings.map((subsample) => {
    const tried = { ...settings, subsample };
    const quality = lowestQuality((wanted) => sheet({ ...tried, quality: wanted }).score, target);
    return { settings: tried, ...sheet({ ...tried, quality }) };
  });
  return candidates.reduce((one, other) => better(one, other, target)).settings;
}

/** The scores of the sheet and of the whole picture at a quality. */
interface Pair {
  readonly sheet: number;
  readonly whole: number;
}

/** What the sheet has to reach for the picture to reach `target`: it is easier or harder by as much as the pairs say. */
function sheetAim(pairs: readonly Pair[], target: number): number {
  const [near, other] = pairs.toSorted((a, b) => Math.abs(a.whole - target) - Math.abs(b.whole - target));
  if (!near) return target;
  const slope = other ? (other.sheet - near.sheet) / (other.whole - near.whole) : 1;
  return near.sheet + (target - near.whole) * (slope > 0 && slope < MAX_SLOPE ? slope : 1);
}

/** Of two encodings the smaller one that reaches the target, or else the one that comes nearer to it. */
export function better<Candidate extends Found>(one: Candidate, other: Candidate, target: number): Candidate {
  const reach = [one, other].filter((found) => found.score >= target);
  if (reach.length === 2) return one.bytes.length <= other.bytes.length ? one : other;
  return reach[0] ?? (one.score >= other.score ? one : other);
}

/** The lowest quality whose sheet reaches `aim`, found by interpolation between the nearest scores known. */
function lowestQuality(sheetScore: (quality: number) => number, aim: number): number {
  let low = MIN_QUALITY - 1;
  let high = MAX_QUALITY;
  let lowScore = Number.NaN;
  let highScore = Number.NaN;
  let quality = FIRST_QUALITY;
  for (let probes = 0; probes < MAX_SHEET_PROBES && low < high; probes++) {
    const score = sheetScore(quality);
    if (score >= aim) {
      high = quality;
      highScore = score;
      if (score - aim <= CLOSE_POINTS) break;
    } else {
      low = quality;
      lowScore = score;
    }
    if (high - low <= 1) break;
    quality = between(low, high, next(low, lowScore, high, highScore, aim));
  }
  return high;
}

function next(low: number, lowScore: number, high: number, highScore: number, aim: number): number {
  if (Number.isNaN(lowScore)) return high - (highScore - aim) / POINTS_PER_QUALITY;
  if (Number.isNaN(highScore)) return low + (aim - lowScore) / POINTS_PER_QUALITY;
  return low + ((aim - lowScore) * (high - low)) / (highScore - lowScore);
}

function between(low: number, high: number, quality: number): number {
  return Math.min(high - 1, Math.max(low + 1, Math.ceil(quality)));
}

/**
 * Tries are made in haste, and in a single scan: a decoder of several scans keeps the whole picture in memory, one of a
 * single scan some rows.
 */
function scored(picture: Picture, format: Encoder, settings: EncodeSettings, encode: EncodeWhole): Trial {
  const bytes = encode({ ...settings, progressive: false, trial: true });
  const facts = format.probe(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  for (const decoded of format.open(bytes, facts, demand)) {
    const rows = toSrgb(decoded.rows, facts.profile, facts.colorspace);
    return { bytes, quality: settings.quality, score: scoreRows(firstFrame(picture), rows) };
  }
  throw new RangeError("nothing was encoded");
}
