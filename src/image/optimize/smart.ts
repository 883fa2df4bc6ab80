/** The search for the smallest file that looks as good as a preset promises, in the memory there is. */
import { scorePeakBytes } from "../../../wasm/score/score.ts";
import { isolateBudget } from "../budget.ts";
import type { EncodeSettings } from "../format.ts";
import { pictureOf, picturePeakBytes } from "../pipeline.ts";
import { smallestAnimation } from "./animation.ts";
import type { Optimized } from "./encode.ts";
import { knownToBeOpaque } from "./opaque.ts";
import { keptReferenceBytes, referenceOf } from "./reference.ts";
import { asStored, inOneScan, type Kept, readThrough, recompressed, requantizer } from "./rewrite.ts";
import { smallestAbove, type Way } from "./search.ts";
import { comparingBytes, keepingPixels, pixelsOf, resultDecodeBytes, type Subject } from "./subject.ts";
import type { Found } from "./trial.ts";

/** A file of so few bytes is written anew without loss only: there is nothing worth searching for. */
const LEAST_BYTES = 1_000;

/** A result of more than this part of the original may be larger than what loses nothing, once that is done thoroughly. */
const LITTLE_SAVED = 0.75;

/** Whether qualities of the picture can be searched for as freely as they can. */
export function fitsSearch(subject: Subject): boolean {
  return subject.picture.frames > 1 || isolateBudget.canHold(pixelsOf(subject).peakBytes);
}

/** Null when the original is the best there is, or the rival. */
export async function searched(subject: Subject, kept: Kept | null, target: number): Promise<Optimized | null> {
  if (subject.picture.frames > 1) return searchedAnimation(subject, kept, target);
  const tried = keepingPixels(subject, kept === null);
  const { stored, plan, picture, format, settings } = tried;
  const pixels = pixelsOf(tried);
  const requantized = kept && requantizer(kept);
  const fits = isolateBudget.canHold(pixels.peakBytes);
  if (!kept || !requantized) {
    const peakBytes = fits ? pixels.peakBytes : pixels.frugalBytes;
    if (!isolateBudget.canHold(peakBytes)) return encodeUnscored(subject);
    const original = kept?.original?.length;
    if (kept && format.recompress && original && original <= LEAST_BYTES) return exactly(kept, settings);
    const rivalBytes = Math.min(original ?? Infinity, subject.rivalBytes ?? Infinity);
    const found = await run(tried, peakBytes, target, [pixels], { frugal: !fits, rivalBytes });
    if (!found) return kept && exactly(kept, settings);
    // Who asks for nothing but the same takes longer over it, and keeps colors as they are stored.
    const savesLittle = original !== undefined && found.bytes.length > original * LITTLE_SAVED;
    const isClose = found.score === 100 || (savesLittle && !found.beatsExact);
    const exact = kept && isClose ? await recompressed(kept, settings) : null;
    const { bytes, score } = found;
    return exact && exact.bytes.length < bytes.length ? exact : { bytes, score };
  }
  // Every decode of several scans takes longer, and the memory of the whole picture.
  const simpler = await inOneScan(stored, kept.note);
  if (simpler) {
    const picture = pictureOf(simpler, plan);
    return searched({ ...subject, stored: simpler, picture }, { ...kept, stored: simpler }, target);
  }
  const lying = asStored(plan, stored);
  const score = comparingBytes(picture) + resultDecodeBytes(format, picture);
  const leanBytes = score + Math.max(picturePeakBytes(stored, lying), requantized.peakBytes);
  if (!isolateBudget.canHold(leanBytes)) return recompressed(kept, settings);
  // Pixels can be written with less chroma, and at qualities between those at which divisors of coefficients grow.
  const alsoPixels = plan.view.orientation === 1 && fits;
  const spare: Way =
    stored.facts.subsample === "4:2:0" ? { ...pixels, spare: true, variants: [{ subsample: "4:2:0" }] } : pixels;
  const ways = alsoPixels ? [requantized, spare] : [requantized];
  const peakBytes = Math.max(leanBytes, alsoPixels ? pixels.peakBytes : 0);
  const compared = alsoPixels ? tried : { ...subject, picture: pictureOf(stored, lying) };
  const found = await run(compared, peakBytes, target, ways);
  return found && found.score >= target ? found : recompressed(kept, settings);
}

/** The same picture in fewer bytes, or null; what cannot be decoded is refused either way. */
async function exactly(kept: Kept, settings: EncodeSettings): Promise<Optimized | null> {
  const smaller = await recompressed(kept, settings);
  if (!smaller) await readThrough(kept);
  return smaller;
}

async function searchedAnimation(subject: Subject, kept: Kept | null, target: number): Promise<Optimized | null> {
  const { stored, plan, picture, format, settings } = subject;
  const encoder = format.encodePeakBytes(picture, settings);
  const comparing = resultDecodeBytes(format, picture) + scorePeakBytes(picture) * (picture.opaque ? 1 : 2);
  const peakBytes = picturePeakBytes(stored, plan) + Math.max(encoder, comparing) + encoder / 2;
  if (!isolateBudget.canHold(peakBytes)) return encodeUnscored(subject);
  const found = await isolateBudget.run(peakBytes, () => {
    const best = smallestAnimation(picture, format, settings, target, kept?.original?.length);
    if (best.score >= target || !format.can.lossless || kept) return best;
    return { bytes: format.encode(picture, { ...settings, lossless: true }), score: 100 };
  });
  return kept && found.score < target ? recompressed(kept, settings) : found;
}

async function run(
  { picture, isKept, format, settings }: Subject,
  peakBytes: number,
  target: number,
  ways: readonly Way[],
  { frugal = false, rivalBytes = Infinity }: { frugal?: boolean; rivalBytes?: number } = {},
): Promise<Found | null> {
  const lossy = format.encodePeakBytes(picture, settings);
  const besides = Math.max(0, format.encodePeakBytes(picture, { ...settings, lossless: true }) - lossy);
  const exactly = !frugal && isolateBudget.canHold(peakBytes + besides);
  const ownBytes = exactly ? peakBytes + besides : peakBytes;
  const withReference = ownBytes + keptReferenceBytes(picture);
  const keeps = !isKept && isolateBudget.canHold(withReference);
  return isolateBudget.run(keeps ? withReference : ownBytes, () => {
    const options = { frugal, exactly, rivalBytes };
    const pixels = isKept ? knownToBeOpaque(picture) : picture;
    const known = pixels === picture ? ways : ways.map((way) => ({ ...way, ...way.over?.(pixels) }));
    const found = smallestAbove(referenceOf(pixels, keeps), format, settings, target, known, options);
    if (!found || !exactly || found.score >= target || !format.can.lossless) return found;
    return { bytes: format.encode(pixels, { ...settings, lossless: true }), score: 100 };
  });
}

/**
 * A picture that is too large to be scored beside its encoding: at the quality that reaches the preset's target on
 * average, or exactly, where that takes less memory.
 * @throws ApiError 422 when the job does not fit into memory either way
 */
async function encodeUnscored({ stored, plan, picture, format, settings }: Subject): Promise<Optimized> {
  const sourceBytes = picturePeakBytes(stored, plan);
  const encodeAt = (chosen: EncodeSettings) => ({
    peakBytes: sourceBytes + format.encodePeakBytes(picture, chosen),
    run: () => format.encode(picture, chosen),
  });
  const lossy = encodeAt(settings);
  if (isolateBudget.canHold(lossy.peakBytes) || !format.can.lossless) {
    return isolateBudget.run(lossy.peakBytes, () => ({ bytes: lossy.run() }));
  }
  const exact = encodeAt({ ...settings, lossless: true });
  return isolateBudget.run(exact.peakBytes, () => ({ bytes: exact.run(), score: 100 }));
}
