/**
 * The way to encode that takes the fewest bytes on the sample, where files have to be written to be looked at. One rendition
 * of the sample says where on the curve of all pictures this one lies (losses.ts); the whole picture is encoded there
 * (whole.ts): mostly that is near enough, and what it scores says where to look next.
 */
import type { EncodeSettings, Variant } from "../codec/writer.ts";
import { NEAR_POINTS, type Probed, settled, type Settled } from "./by-losses.ts";
import { isDrawn } from "./exact.ts";
import { fadesInHalf, hasAllChroma, unfaded } from "./faded-chroma.ts";
import { bytesAtTarget, MAX_QUALITY } from "./find-quality.ts";
import type { Search } from "./goal.ts";
import { expectedQuality, firstQuality, mostScoreOf, type Scored, steepnessOf } from "./losses.ts";
import { isSmall } from "./presets.ts";
import { probeAtOf, type Encoder, type PictureEncoder } from "./probe.ts";
import type { Start } from "./rendition.ts";
import { hasManyTiles } from "./sample.ts";
import { endsByMetric, modeOfWhole, nearest } from "./whole.ts";

/**
 * On a sample that is the picture, which is small, scores this part of the usual above the target are close enough. With
 * 0.5 one small AVIF in four was written once more, for 0.2 % fewer bytes.
 */
const CLOSER_ON_SAMPLE = 0.65;
/** Renditions that are tried at most. */
const MAX_TRIES = 6;
const MAX_SAMPLE_TRIES = 3;
const MAX_DRAFTS = 2;
/** A draft takes up to so many times the bytes of a rendition. */
const MOST_OF_DRAFT = 1.6;
/** A further way to encode is taken where it saves this part of the bytes. */
const WORTH_TRYING = 0.01;
/** By other chroma than the first a rendition is taken at once where it is closer than others by this part. */
const CLOSER_BESIDE = 0.6;
/**
 * Choices beside the first are looked at from this quality on: below, hardly a photograph has bytes to win by them. Of drawings
 * they always are: with all chroma a fifth of the bytes was saved of some, which halved chroma needs for thin colored lines.
 */
const CHOICE_QUALITY = 82;
/** A drawing with halved chroma loses what its letters and edges have of color: it takes all of it for so many times the bytes. */
const WORTH_ALL_CHROMA = 1.1;

/**
 * The choice of chroma and loss that takes the fewest bytes on the sample.
 * @param most bytes of the sample at the target score from which on the first choice is given up, and with it all
 */
export async function bestChoice(search: Search, encoder: PictureEncoder, most: number): Promise<Probed> {
  const { reference, settings, start } = search;
  const { tiles, picture } = reference.sample;
  const triesAll = search.patience.triesAll || isSmall(picture);
  // A look at tiles is little beside one at a large picture, of which a neighbor says as much as several.
  const isSettled = !tiles || (hasManyTiles(reference.size) && !start);
  const sampleEncoder = tiles ? await encoder.onSample(reference.sample) : encoder;
  const variants = settings.subsample ? [{}] : variantsFrom(triesAll ? undefined : start, encoder);
  const begun = await firstOnSample(search, sampleEncoder, { ...settings, ...variants[0] }, most);
  if (begun.beaten) return { encoder, ...begun.beaten };
  const beyond = variants.length > 1 ? begun.beyond : undefined;
  const isHopeless = beyond !== undefined;
  const waysOf = (variant: Variant) => ({
    encoder,
    sampleEncoder,
    settings: { ...settings, ...variant },
    begun: beyond ?? begun,
    isSettled,
    most,
  });
  const [first, ...others] = isHopeless ? variants.toReversed() : variants;
  if (!first) throw new RangeError("no way to encode");
  const begins = await better(search, undefined, { ...waysOf(first), mayFade: others.some(hasAllChroma) });
  let best = begins;
  for (const variant of others) {
    if (best.isBeaten || !(await isWorthALook(search, best, { triesAll, isHopeless }))) continue;
    best = await better(search, best, waysOf(variant));
  }
  return begins.isFaded ? pursued(search, begins, best, waysOf(first)) : best;
}

/** The better of a way that was left for what it loses of colors and what was found beside it, once it may be smaller. */
async function pursued(search: Search, faded: Probed, best: Probed, way: Further): Promise<Probed> {
  const { targetScore, patience, scale } = search;
  const { known } = faded;
  const isLeft = best === faded;
  if (!isLeft && (faded.bytes >= best.bytes * (1 - WORTH_TRYING) || mostScoreOf(known, scale) < targetScore))
    return best;
  const above = Math.max(...known.map(({ quality }) => quality)) + scale.step;
  const first = Math.max(above, expectedQuality(known, targetScore + patience.margin, scale));
  if (first > MAX_QUALITY) return best;
  return better(search, isLeft ? undefined : best, { ...way, before: { known, first } });
}

/** Whether a further choice may be better than the best so far: not where that has no chroma at all. */
async function isWorthALook(
  { format, targetScore, reference, timeSlice }: Search,
  best: Probed,
  { triesAll, isHopeless }: { readonly triesAll: boolean; readonly isHopeless: boolean },
): Promise<boolean> {
  if (isHopeless) return isMissed(best, targetScore);
  const mayPay = triesAll || best.isFaded || best.quality >= CHOICE_QUALITY;
  if (!mayPay && !(await isDrawn(reference.sample, timeSlice))) return false;
  return format.read.factsOf(await best.best.bytes()).colorspace !== "Gray";
}

/**
 * The choices that are looked at: the one that a neighbor of the picture ended with, if there is one that it can have.
 */
function variantsFrom(start: Start | undefined, { variants }: PictureEncoder): readonly Variant[] {
  const same = variants.filter((variant) => start && isSame(variant, start.variant));
  return same.length > 0 ? same : variants;
}

function isSame(one: Variant, other: Variant): boolean {
  return one.subsample === other.subsample && one.loss === other.loss;
}

interface Further {
  readonly encoder: PictureEncoder;
  readonly sampleEncoder: Encoder;
  readonly settings: EncodeSettings;
  /** Where to begin, unless another way ended before. */
  readonly begun: Begun;
  readonly isSettled: boolean;
  readonly most: number;
  /** It is left where halved chroma is to blame for what is missed. */
  readonly mayFade?: boolean;
  /** What is known of this way, and where it goes on. */
  readonly before?: { readonly known: readonly Scored[]; readonly first: number };
}

/** The better of what is known and a further way, which is given up where one look says that it is not. */
async function better(search: Search, known: Probed | undefined, further: Further): Promise<Probed> {
  const { onSample, targetScore, scale, reference, patience } = search;
  const { encoder, sampleEncoder, settings, begun, isSettled, most, mayFade = false, before } = further;
  const { picture, tiles } = reference.sample;
  const probeAt = probeAtOf(sampleEncoder, settings, onSample, tiles ? "fast" : modeOfWhole(search, settings));
  const { first: usual, slope } = known ? besideOf(search, known, settings) : begun;
  const first = before?.first ?? usual;
  const closeOnSample = patience.close * CLOSER_ON_SAMPLE;
  const closeFirst = closeOnSample * (begun.closer ?? 1);
  const [close, tries] = isSettled && !known ? [closeFirst, MAX_TRIES] : [NEAR_POINTS, MAX_SAMPLE_TRIES];
  const probed = async (one: Settled): Promise<Probed> => {
    const [score, { length }] = [await one.best.score(), await one.best.bytes()];
    const quality = expectedQuality(one.known, targetScore, scale);
    const bytes = length * bytesAtTarget(score, targetScore);
    return { encoder, settings, ...one, score, quality, bytes, slope, drafts: begun.drafts };
  };
  const isNear = !isSettled || known !== undefined;
  const goal = {
    picture,
    first,
    close,
    tries,
    isNear,
    endsByMetric: !tiles && endsByMetric(search, encoder),
    slope,
    ...(!known && { most }),
    ...(mayFade && { fadesBy: 1 as const }),
  };
  const made = await probed(await settled(search, probeAt, goal, before?.known));
  if (!known) return made;
  const fades = known.isFaded || (await fadesInHalf(search, known.settings, settings));
  const worth = fades ? WORTH_ALL_CHROMA : 1 - WORTH_TRYING;
  if (await isNoBetter(search, known, made, worth)) return known;
  if (!isSettled) return made;
  const isClose = made.score >= targetScore && made.score <= targetScore + closeOnSample * CLOSER_BESIDE;
  const closer = {
    picture,
    first: expectedQuality(made.known, targetScore + patience.margin, scale),
    close: closeOnSample,
    tries: MAX_TRIES,
    isNear: false,
  };
  const confirmed = isClose ? made : await probed(await settled(search, probeAt, closer, made.known));
  // Near the target is not above it: some chroma never gets there.
  if (known.score >= targetScore && confirmed.score < targetScore) return known;
  // The files of a picture that is its own sample are there: none need be expected.
  if (tiles || known.score < targetScore) return confirmed;
  const [own, other] = [await known.best.bytes(), await confirmed.best.bytes()];
  return other.length <= own.length * Math.max(1, worth) ? confirmed : known;
}

/** Whether what one look at a further way says is no better than what is known. */
async function isNoBetter(
  { targetScore, reference, patience }: Search,
  known: Probed,
  made: Probed,
  worth: number,
): Promise<boolean> {
  // What misses the target with the highest quality is beaten by whatever has qualities left.
  if (isMissed(known, targetScore)) return isMissed(made, targetScore) && made.score <= known.score;
  if (reference.sample.tiles || known.score < targetScore) return made.bytes > known.bytes * worth;
  const [own, other] = [await known.best.bytes(), await made.best.bytes()];
  if (made.score >= targetScore && other.length < own.length * worth) return false;
  return made.bytes * bytesAtTarget(targetScore, targetScore + patience.margin) > own.length * worth;
}

/** Where to begin on the sample. */
interface Begun extends Pick<Probed, "slope" | "drafts"> {
  readonly first: number;
  /** The same by other chroma, where drafts say that no quality is enough by theirs: that is tried before. */
  readonly beyond?: Begun;
  /** Points above the target score that are close enough, as a part of the usual. */
  readonly closer?: number;
  /** A draft that is plainly larger than it may be. */
  readonly beaten?: Omit<Probed, "encoder">;
}

/** Where to begin on the sample: where a neighbor ended, or where drafts of it say, if the format makes any. */
async function firstOnSample(
  search: Search,
  sampleEncoder: Encoder,
  settings: EncodeSettings,
  most: number,
): Promise<Begun> {
  const { onSample, scale, reference, start } = search;
  if (start) return { first: nearest(start.quality, scale) };
  const first = firstQuality(settings.quality, scale);
  if (scale.draft === undefined) return { first };
  const targetScore = search.targetScore - scale.draft;
  const probeAt = probeAtOf(sampleEncoder, { ...settings, draft: true }, onSample);
  const { picture } = reference.sample;
  const goal = { picture, first, close: NEAR_POINTS, tries: MAX_DRAFTS, isNear: true, most: most * MOST_OF_DRAFT };
  const { known, best, isBeaten = false } = await settled({ ...search, targetScore }, probeAt, goal);
  if (isBeaten) {
    const [score, { length: bytes }] = [await best.score(), await best.bytes()];
    return { first, beaten: { settings, known, best, score, quality: best.quality, bytes, isBeaten } };
  }
  const begun = { first: expectedQuality(known, targetScore, scale), slope: steepnessOf(known, scale), drafts: known };
  if (mostScoreOf(known, scale) >= targetScore - NEAR_POINTS) return begun;
  // The metric alone does not see the color that is missing.
  const metrics = known.map(({ quality, score, metric = score }) => ({ quality, score: metric }));
  const beyond = expectedQuality(metrics, targetScore - (scale.fullChroma ?? 0), scale);
  return { ...begun, beyond: { first: beyond, drafts: known, closer: CLOSER_BESIDE } };
}

/** Where a further way is looked at, after another: with all chroma a picture looks better at the same quality. */
function besideOf(search: Search, before: Probed, { subsample }: EncodeSettings): Begun {
  const { scale, targetScore, patience } = search;
  const { quality, known, settings, slope, isFaded = false } = before;
  const isFull = subsample === "4:4:4" && settings.subsample === "4:2:0";
  if (!isFull || scale.fullChroma === undefined) return { first: quality, slope };
  if (isFaded) return { first: unfaded(search, known), slope };
  if (isMissed(before, targetScore)) return { first: quality, slope };
  return { first: expectedQuality(known, targetScore + patience.margin - scale.fullChroma, scale, slope), slope };
}

/** Whether not even the highest quality reaches the target score. */
function isMissed({ best, score }: Probed, targetScore: number): boolean {
  return score < targetScore && best.quality >= MAX_QUALITY;
}
