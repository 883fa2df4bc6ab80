/**
 * The whole picture, where files have to be written to be looked at: at which quality by what its tiles look like, or by where the
 * search in a neighbor ended, and how it is written to be looked at.
 */
import type { EncodeSettings, Scale } from "../codec/writer.ts";
import { bytesOnSample, type Probed, settled, type Settled } from "./by-losses.ts";
import { resultDecodeEstimate } from "./estimates.ts";
import { hasAllChroma, unfaded } from "./faded-chroma.ts";
import { MAX_QUALITY, MIN_QUALITY } from "./find-quality.ts";
import { partsOf, type Search } from "./goal.ts";
import { expectedQuality, steepnessOf } from "./losses.ts";
import { patienceFrom } from "./presets.ts";
import { probeAtOf, type EncoderMode, type PictureEncoder } from "./probe.ts";
import type { Start } from "./rendition.ts";
import { hasManyTiles, LEAST_TILES } from "./sample.ts";

/** Scores this part of the usual above the target are close enough of a small picture of which a few tiles are its sample. */
const CLOSER_WHERE_SMALL = 0.9;
/** Renditions that are tried at most. */
const MAX_WHOLE_TRIES = 4;
/**
 * What the whole of a picture loses by what its tiles lose, in points, whichever is more: their edges do not count, and
 * the rest is busier.
 */
const WHOLE_OF_TILES = {
  few: [
    { points: 2, part: 0.91 },
    { points: 0.7, part: 0.95 },
  ],
  many: [{ points: 1, part: 0.967 }],
} as const;

/** A way with which a search ended, and about what it takes for the sample at the target score. */
export type Ended = Probed & { readonly sampleBytes: number };

/** Whether halved chroma is all that there is, and a file without loss follows where it is too little. */
export function endsByMetric({ format }: Search, { variants }: PictureEncoder): boolean {
  return format.can.lossless && !variants.some(hasAllChroma);
}

/**
 * How the whole picture is written to be looked at. A large one with all chroma is not tried as it stays where that is in
 * several scans: their decoder would keep twice the coefficients that searches declare, which are those of halved chroma.
 */
export function modeOfWhole(
  { triesFinal, format, reference: { size, sample } }: Search,
  { progressive, subsample }: EncodeSettings,
): EncoderMode {
  if (!triesFinal) return "fast";
  if (!sample.tiles || !progressive || subsample !== "4:4:4") return "stays";
  const [several, one] = [true, false].map((interlaced) =>
    resultDecodeEstimate(format, { ...sample.picture, ...size }, { interlaced, subsample }),
  );
  return several!.bytes > one!.bytes ? "oneScan" : "stays";
}

/** The quality by which the whole is expected to look as good as asked, by what its tiles look like. */
export function qualityOfWhole(search: Search, { known, slope: expectedSlope }: Probed): number {
  const { reference, targetScore, patience, scale } = search;
  const tiles = hasManyTiles(reference.size) ? "many" : "few";
  const expected = known.map((one) => ({ ...one, score: scoreOfWhole(one.score, tiles) }));
  const slope = steepnessOf(known, scale, expectedSlope);
  return expectedQuality(expected, targetScore + patience.margin, scale, slope);
}

/** The whole picture, encoded by a way: with all of its chroma where tiles did not show that half of it is too little. */
export async function wholeBy(search: Search, probed: Probed): Promise<Settled & Pick<Probed, "settings">> {
  const { encoder, settings } = probed;
  const isHalved = !search.settings.subsample && settings.subsample === "4:2:0" && encoder.variants.some(hasAllChroma);
  const mayFade = isHalved && search.format.read.factsOf(await probed.best.bytes()).colorspace !== "Gray";
  const { reference, onWhole, scale, keepsResults, start } = search;
  const patience = start ? patienceFrom(search.patience) : search.patience;
  const isSmall = reference.sample.tiles?.places.length === LEAST_TILES;
  const slope = steepnessOf(probed.known, scale, probed.slope);
  const goal = {
    picture: reference.size,
    first: qualityOfWhole({ ...search, patience }, probed),
    close: keepsResults ? patience.close * (isSmall ? CLOSER_WHERE_SMALL : 1) : Number.POSITIVE_INFINITY,
    tries: MAX_WHOLE_TRIES,
    isNear: false,
    endsByMetric: endsByMetric(search, encoder),
    slope,
  };
  const by = (own: EncodeSettings, wanted: typeof goal & { readonly fadesBy?: 2 }) =>
    settled({ ...search, patience }, probeAtOf(encoder, own, onWhole, modeOfWhole(search, own)), wanted);
  const made = { ...(await by(settings, { ...goal, ...(mayFade && { fadesBy: 2 }) })), settings };
  if (!made.isFaded) return made;
  const full = { ...settings, subsample: "4:4:4" } as const;
  const other = await by(full, { ...goal, first: unfaded(search, made.known) });
  return (await other.best.score()) > (await made.best.score()) ? { ...other, settings: full } : made;
}

/**
 * The whole picture by the way that took the fewest bytes in a neighbor, from the quality that did there: no tiles are
 * looked at.
 */
export async function fromNeighbor(
  search: Search,
  encoder: PictureEncoder,
  start: Start,
  most: number,
): Promise<Ended> {
  const { reference, onWhole, targetScore, scale } = search;
  const settings = { ...search.settings, ...start.variant };
  const patience = patienceFrom(search.patience);
  const probeAt = probeAtOf(encoder, settings, onWhole, modeOfWhole(search, settings));
  const goal = {
    picture: reference.size,
    first: nearest(start.quality, scale),
    close: patience.close,
    tries: MAX_WHOLE_TRIES,
    isNear: false,
    most,
  };
  const made = await settled({ ...search, patience }, probeAt, goal);
  const [score, { length }] = [await made.best.score(), await made.best.bytes()];
  const bytes = length / partsOf(reference);
  const sampleBytes = bytesOnSample(score, bytes, targetScore);
  const quality = expectedQuality(made.known, targetScore, scale);
  return { encoder, settings, ...made, score, quality, bytes, sampleBytes };
}

/** The quality of a scale that is nearest to one between those that there are. */
export function nearest(quality: number, { step, least = MIN_QUALITY }: Scale): number {
  return Math.min(MAX_QUALITY, Math.max(least, least + Math.round((quality - least) / step) * step));
}

/** Ends are said between qualities that there are: rounded up at each width they would drift. */
const PART_OF_STEP = 0.1;

/** Where a search ended, for a neighbor of the picture. */
export function endOf(
  { targetScore, patience, scale }: Pick<Search, "targetScore" | "patience" | "scale">,
  { settings: { subsample, loss }, known, slope: expected }: Pick<Probed, "settings" | "known" | "slope">,
): Start {
  const slope = steepnessOf(known, scale, expected);
  const between = { ...scale, step: scale.step * PART_OF_STEP };
  const quality = expectedQuality(known, targetScore + patienceFrom(patience).margin, between, slope);
  return { quality, variant: { ...(subsample && { subsample }), ...(loss && { loss }) } };
}

function scoreOfWhole(score: number, tiles: keyof typeof WHOLE_OF_TILES): number {
  return 100 - Math.max(...WHOLE_OF_TILES[tiles].map(({ points, part }) => points + part * (100 - score)));
}
