/**
 * The smallest encoding that looks as good as asked, where it is known what a file will show: the ways to encode that stand
 * out on the sample, of which the whole is previewed, and written with those that come close.
 */
import type { EncodeSettings, Preview } from "../codec/writer.ts";
import {
  CLOSE_POINTS,
  type DistortionSearch,
  isLikelyLarger,
  likelyQualityOf,
  lowestByDistortion,
} from "./distortion.ts";
import { isFlat } from "./exact.ts";
import { isBeaten, MAX_QUALITY } from "./find-quality.ts";
import { mostInFastPass, type Search } from "./goal.ts";
import { isSmall, type Patience } from "./presets.ts";
import {
  type ProbeAt,
  probeAtOf,
  type DistortionAt,
  distortionOf,
  type EncodedBy,
  type Encoder,
  type Found,
  type Judge,
  type PictureEncoder,
  type Probe,
  writtenToStay,
} from "./probe.ts";
import type { Sample } from "./sample.ts";

/** A way with its settings, and how it does on the sample. */
interface Candidate extends EncodedBy {
  /** About the points that the sample is expected to lose where it reaches the target score. */
  readonly distortion: number;
}

/** Previews of the whole picture, none of which need be encoded to be scored. */
const MAX_PREVIEWED_TRIES = 4;

/** Tries that differ by less may differ the other way round when they are finished, above all without loss. */
const NEARLY_ALIKE = 1.1;
const NEARLY_ALIKE_EXACT = 1.5;
/**
 * A file without loss that is larger by more with little effort stays larger with all of it, but for small pictures.
 */
const HOPELESS_EXACT = 1.3;
/** The part of the points that are close enough where a rendition must be written to be looked at. */
const PREVIEWED = 0.5;
/** Probes on the sample where the kinds of loss are a choice. */
const PROBES_OF_LOSS = 6;
/**
 * Where a palette of up to this quality, which has 32 colors, reaches the target score, other losses take far more:
 * moved levels 1.6 to 6 times its bytes on 16 of 27 drawings. Not of what is gray, of which moved levels leave few.
 */
const PLAIN_QUALITY = 53;
/**
 * The same where the sample is the whole picture, which needs no more than that: 48 colors. None of 370 drawings and
 * small wallpapers became larger; with 64 colors one took a tenth more, and with 48 on tiles one a third.
 */
const PLAIN_QUALITY_OF_WHOLE = 60;
/** By a fast pass, and a guess of its quality, what is smaller in the end takes up to so many times the bytes. */
const MORE_IN_FAST_PASS = 1.25;
/** Where moved levels take so many times the bytes of few colors, what loses nothing takes too many as well. */
const HOPELESS_LEVELS = 2;

/** What candidates are sought for. */
interface SampleSearch extends Pick<Search, "settings" | "targetScore" | "patience" | "timeSlice"> {
  readonly sample: Sample;
  readonly judge: Judge;
  /** Bytes of the sample from which on all is given up. */
  readonly most?: number;
  /** The file of a more lenient search of the same picture: what is larger at the target score is not looked at. */
  readonly leastBytes?: number | undefined;
  /** What was found out of the sample by such a search. */
  readonly probes?: Map<string, ProbeAt> | undefined;
}

/**
 * The smallest file found that reaches the target score; null where it is plain from the sample that none is smaller than
 * its upper bound.
 */
export async function smallestPreviewed(search: Search, encoder: PictureEncoder): Promise<Found | null> {
  const { reference, keepsResults, onSample } = search;
  const most = mostInFastPass(search);
  const sought = { ...search, sample: reference.sample, judge: onSample, most };
  const [first, ...others] = await candidatesFor(sought, encoder);
  if (!first || !(await isWithin(first, most))) return null;
  const { chosen, found } = await chosenOf(search, first, others);
  const close = keepsResults ? await closeCandidates(search, found, first, others) : [];
  return finished(search, { ...chosen, best: found }, close);
}

/** The first candidate that reaches the target score on the whole picture, or else the last. */
async function chosenOf(search: Search, first: Candidate, others: readonly Candidate[]) {
  let chosen = first;
  let found = await wholeOf(search, chosen);
  // The sample can do with less than the whole picture does, with fewer colors above all.
  for (const other of others) {
    if ((await found.score()) >= search.targetScore) break;
    chosen = other;
    found = await wholeOf(search, chosen);
  }
  return { chosen, found };
}

/** A candidate as it does on the whole picture. */
async function wholeOf(search: Search, { encoder, settings, best, distortion }: Candidate): Promise<Probe> {
  const { reference, onWhole, targetScore, keepsResults, patience } = search;
  const wholeDistortionAt = distortionOf(encoder, settings);
  if (!reference.sample.tiles || !wholeDistortionAt) return best;
  const wholeAt = probeAtOf(encoder, settings, onWhole);
  // The first guess takes the whole to lose as much as the sample; the next one corrects that.
  const first = await likelyQualityOf(wholeDistortionAt, distortion);
  const close = keepsResults ? closePoints(patience) : Infinity;
  const tuning = { first, probes: MAX_PREVIEWED_TRIES, close };
  return lowestByDistortion(wholeAt, wholeDistortionAt, targetScore, tuning);
}

/** Candidates whose tries were nearly as small as those of the first: tries do not tell them apart. */
async function closeCandidates(
  { reference, targetScore }: Search,
  found: Probe,
  first: Candidate,
  others: readonly Candidate[],
): Promise<Candidate[]> {
  const { tiles }: Sample = reference.sample;
  const close: Candidate[] = [];
  for (const other of others) {
    const { settings, best } = other;
    const isExact = settings.loss === "nothing";
    if (isExact ? (await found.score()) === 100 : tiles) continue;
    const mostBytes = (await first.best.bytes()).length * (isExact ? NEARLY_ALIKE_EXACT : NEARLY_ALIKE);
    if ((await best.bytes()).length <= mostBytes && (await best.score()) >= targetScore) close.push(other);
  }
  return close;
}

/** The smallest of a candidate and its close candidates, written to stay. */
async function finished(
  { reference: { size } }: Search,
  candidate: Candidate,
  close: readonly Candidate[],
): Promise<Found> {
  let smallest = await writtenToStay(candidate, false);
  let exactBytes = 0;
  for (const one of close) {
    const made = await writtenToStay(one, false);
    if (one.settings.loss === "nothing") exactBytes = made.bytes.length;
    if (made.bytes.length <= smallest.bytes.length) smallest = made;
  }
  return { ...smallest, beatsExact: !isSmall(size) && exactBytes > smallest.bytes.length * HOPELESS_EXACT };
}

/**
 * The candidates that stand out on the sample, the best first: of every kind of loss one way with one chroma
 * resolution. None where first looks show that all would take too many bytes.
 */
export async function candidatesFor(search: SampleSearch, encoder: PictureEncoder): Promise<readonly Candidate[]> {
  const { sample, settings, targetScore } = search;
  const standing = new Map<EncodeSettings["loss"], Candidate>();
  let cheapest: Candidate | undefined;
  const sampleEncoder = sample.tiles ? await encoder.onSample(sample) : encoder;
  const probesAt = probesByLoss(sampleEncoder, search.judge, search.probes);
  if (await isOver(sampleEncoder, probesAt, search)) return [];
  for (const variant of settings.subsample ? [{}] : encoder.variants) {
    const chosen = { ...settings, ...variant };
    if (await isNeedless(sampleEncoder, search, standing.get("colors"), chosen)) continue;
    if (chosen.loss === "nothing" && (await isHopeless(sampleEncoder, search, cheapest, standing.get("levels"))))
      continue;
    const distortionAt = distortionOf(sampleEncoder, chosen);
    if (!distortionAt) throw new RangeError("a way without previews");
    const first = await likelyQuality(distortionAt, search, chosen);
    if (await isBeyond(search, await probesAt(chosen)(first), distortionAt, chosen)) continue;
    const tuning = { ...(await searchAfter(search, cheapest, chosen)), first };
    const best = await lowestByDistortion(probesAt(chosen), distortionAt, targetScore, tuning);
    const candidate = { encoder, settings: chosen, distortion: await distortionAt(best.quality), best };
    const before = standing.get(chosen.loss);
    if (!before || (await isBetter(candidate.best, before.best, targetScore))) standing.set(chosen.loss, candidate);
    if (!cheapest || (await isBetter(candidate.best, cheapest.best, targetScore))) cheapest = candidate;
  }
  if (!cheapest) return [];
  const sized: { readonly one: Candidate; readonly bytes: number }[] = [];
  // One after the other: they have the thread by one time slice, which cannot be given back twice.
  for (const one of standing.values()) {
    if (one !== cheapest) sized.push({ one, bytes: (await one.best.bytes()).length });
  }
  return [cheapest, ...sized.toSorted((one, other) => one.bytes - other.bytes).map(({ one }) => one)];
}

/** The curves of an encoder: one for each kind of loss, so that nothing is made twice. */
function probesByLoss(
  sampleEncoder: Encoder,
  judge: Judge,
  known = new Map<string, ProbeAt>(),
): (settings: EncodeSettings) => ProbeAt {
  return (settings) => {
    const key = `${settings.loss} ${settings.subsample}`;
    const probeAt = known.get(key) ?? probeAtOf(sampleEncoder, settings, judge);
    known.set(key, probeAt);
    return probeAt;
  };
}

/**
 * Whether a palette that is likely to reach the target score takes too many bytes, and of what is flat also what loses
 * nothing.
 */
async function isOver(
  sampleEncoder: Encoder,
  probesAt: (settings: EncodeSettings) => ProbeAt,
  search: SampleSearch,
): Promise<boolean> {
  const { sample, settings, most = Infinity, timeSlice } = search;
  const inColors = { ...settings, loss: "colors" } as const;
  const distortionAt = most < Infinity ? distortionOf(sampleEncoder, inColors) : undefined;
  if (!distortionAt) return false;
  const likely = await probesAt(inColors)(await likelyQuality(distortionAt, search, inColors));
  if (await isWithin({ best: likely }, most)) return false;
  if (!(await isFlat(sample.picture, timeSlice))) return true;
  return (await (await probesAt({ ...settings, loss: "nothing" })(MAX_QUALITY)).bytes()).length > most;
}

/** Whether a rendition takes no more than so many bytes; none is written where that is known without. */
async function isWithin({ best }: Pick<Candidate, "best">, most: number): Promise<boolean> {
  return (best.mostBytes ?? Infinity) <= most || (await best.bytes()).length <= most;
}

/** Whether the first rendition of a way says, mostly before it is looked at, that it takes more than the file that there is. */
async function isBeyond(
  { targetScore, leastBytes }: SampleSearch,
  first: Probe,
  distortionAt: DistortionAt,
  { loss }: EncodeSettings,
): Promise<boolean> {
  if (leastBytes === undefined) return false;
  // What loses nothing takes no less at a lower quality.
  if (loss === "nothing") return (await first.bytes()).length > leastBytes * NEARLY_ALIKE_EXACT;
  const toBeat = { targetScore, bytes: leastBytes * MORE_IN_FAST_PASS };
  if (await isLikelyLarger(first, distortionAt, toBeat)) return true;
  return isBeaten(first, await first.score(), toBeat, { leaps: true });
}

/** A picture, or its sample, in the most colors of a palette: exact where that holds all of them. */
async function inMostColors(
  { preview }: Pick<Encoder, "preview">,
  settings: EncodeSettings,
): Promise<Preview | undefined> {
  return preview?.({ ...settings, loss: "colors", quality: MAX_QUALITY });
}

/**
 * Whether a few colors are enough, so that moved levels, and what loses nothing, need not be tried: unless the picture
 * is gray, or a palette holds all colors, which then may take less as they are.
 */
async function isNeedless(
  { preview }: Pick<Encoder, "preview">,
  { sample, settings, targetScore }: SampleSearch,
  inColors: Candidate | undefined,
  { loss }: EncodeSettings,
): Promise<boolean> {
  const plain = sample.tiles ? PLAIN_QUALITY : PLAIN_QUALITY_OF_WHOLE;
  if (!inColors || loss === "colors" || inColors.best.quality > plain) return false;
  if ((await inColors.best.score()) < targetScore) return false;
  const { exact = false, gray = false } = (await inMostColors({ preview }, settings)) ?? {};
  return !(exact && (gray || loss === "nothing"));
}

/**
 * Whether what loses nothing need not be tried: it takes about what moved levels take, or more, and of photographs far
 * too much, unless a palette holds all colors.
 */
async function isHopeless(
  { preview }: Pick<Encoder, "preview">,
  { sample, settings, targetScore, timeSlice }: SampleSearch,
  cheapest: Candidate | undefined,
  moved: Candidate | undefined,
): Promise<boolean> {
  if (!preview || !cheapest || !moved || (await cheapest.best.score()) < targetScore) return false;
  const least = (await cheapest.best.bytes()).length * HOPELESS_LEVELS;
  const isPhotograph = !(await isFlat(sample.picture, timeSlice));
  if (!isPhotograph && (await moved.best.bytes()).length < least) return false;
  return (await inMostColors({ preview }, settings))?.exact !== true;
}

/** Where to begin: no higher than without knowing the distortion, for what can be done about it is not all known. */
async function likelyQuality(
  distortionAt: DistortionAt,
  { targetScore }: SampleSearch,
  { quality }: EncodeSettings,
): Promise<number> {
  return Math.min(quality, await likelyQualityOf(distortionAt, 100 - targetScore));
}

/** Points above the target score that are close enough: another preview costs little, and comes in steps of about a point. */
function closePoints({ close }: Patience): number {
  return Math.max(CLOSE_POINTS, close * PREVIEWED);
}

/** How a candidate's quality is searched for on the sample, after others. */
async function searchAfter(
  { targetScore, patience }: SampleSearch,
  cheapest: Candidate | undefined,
  { loss }: EncodeSettings,
): Promise<Omit<DistortionSearch, "first">> {
  const reaches = cheapest && (await cheapest.best.score()) >= targetScore;
  const beat = reaches ? (await cheapest.best.bytes()).length : Infinity;
  return { beat, close: closePoints(patience), ...(loss && { probes: PROBES_OF_LOSS }) };
}

/** Whether `one` is better than `other`: smaller where both reach the target score, or else nearer to it. */
async function isBetter(one: Probe, other: Probe, targetScore: number): Promise<boolean> {
  const otherScore = await other.score();
  // What is no smaller need not be scored.
  if (otherScore >= targetScore && (await other.bytes()).length <= (await one.bytes()).length) return false;
  const score = await one.score();
  return score >= targetScore || (otherScore < targetScore && score > otherScore);
}
