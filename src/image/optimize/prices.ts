/** What the attempts take, composed of what decoders, encoders and the score declare. */
import { beside, either, FREE, held, type Price, sequence, times } from "../../../wasm/price.ts";
import { isolateBudget } from "../budget.ts";
import { byDetail } from "../content.ts";
import type { Facts, FormatDefinition } from "../format.ts";
import { type Size, whole } from "../geometry.ts";
import { collectPrice } from "../kept.ts";
import type { Extent } from "../picture.ts";
import { pictureOf, picturePrice } from "../pipeline.ts";
import { flattenPrice } from "../steps/flatten.ts";
import type { EncodeSettings } from "../writer.ts";
import { comparedPixelsPrice, type Keeping, preparedSamplePrice } from "./reference.ts";
import { hasManyTiles, sampleBytes, samplePart, sampleSize } from "./sample.ts";
import { comparePreparedPrice, preparePrice, scorePrice } from "./score.ts";
import { deepTask, type Task, type WritableFormat } from "./task.ts";

/** Larger pictures are computed anew each time that they are read. */
const MAX_KEPT_PIXELS = 4_000_000;

/**
 * Renditions that a search mostly looks at: of tiles, or of a picture that is its own sample, and of the whole beside tiles.
 * Where a format shows what it would write, as many for each choice that it leaves. Qualities of flat pictures are farther
 * from where searches begin: so many times as many are looked at.
 */
const TRIES = { tiles: 1.4, sample: 2.5, whole: 1.4, flat: 1.25 };
const PREVIEWED_TRIES = { tiles: 1.1, sample: 1.4, whole: 0.8, flat: 1.2 };
/** Coarser divisors of coefficients have no quality to begin at: more of them are tried on the whole. */
const DIVIDED_TRIES = { ...TRIES, whole: 1.8 };
/** From where the search in a neighbor of the picture ended fewer renditions are looked at. */
const STARTED_TRIES = { ...TRIES, tiles: 1.1, sample: 1.4, whole: 1.3 };
/** Of many tiles more renditions are looked at, unless a neighbor says as much: what they say of a large picture saves tries of it. */
const TRIES_OF_MANY = { tiles: 2.5, whole: 1.25 };

/** Renditions that a search mostly looks at which writes files. */
export function triesOf(picture: Size, kind: "divided" | "started" | "usual"): typeof TRIES {
  const tries = { divided: DIVIDED_TRIES, started: STARTED_TRIES, usual: TRIES }[kind];
  return hasManyTiles(picture) && kind !== "started" ? { ...tries, ...TRIES_OF_MANY } : tries;
}

/** The price of looking at a result of this format: decoding it, and comparing it with the picture. */
export function lookPrice(format: FormatDefinition, picture: Extent): Price {
  return sequence(resultDecodePrice(format, picture), scorePrice(picture));
}

/** The price of decoding a result that is not written yet, in one scan unless told otherwise. */
export function resultDecodePrice(
  format: FormatDefinition,
  { width, height, opaque, frames, bits }: Extent,
  interlaced = false,
): Price {
  const facts: Facts = {
    width,
    height,
    orientation: 1,
    frames,
    loops: 0,
    alpha: !opaque,
    colorspace: "YCbCr",
    interlaced,
    subsample: "4:2:0",
    depth: 24,
    ...(bits !== undefined && { bits }),
    quality: 80,
  };
  return format.read.price(facts, { box: whole(facts), width, height });
}

/** Bytes that comparing with a picture of this size holds, besides the two pictures. */
export function comparingBytes(picture: Extent): number {
  return sampleBytes(picture) + scorePrice(picture).bytes;
}

/** The price of encoding the picture once, decoded as it is written, as often as that reads it. */
export function encodePrice(task: Task, { write }: WritableFormat, settings: EncodeSettings): Price {
  const readings = write.readings?.(task.picture) ?? 1;
  return beside(times(readings, sourcePrice(task)), write.price(task.picture, settings));
}

/** The price of the pixels that are to be encoded: decoded, worked on, and laid on white where the format has no alpha. */
export function sourcePrice({ stored, plan, picture }: Task): Price {
  const planned = picturePrice(stored, plan);
  return picture.opaque && !pictureOf(stored, plan).opaque ? beside(planned, flattenPrice(picture)) : planned;
}

/** What a search for a quality keeps, as far as there is memory for it. */
export interface Room {
  readonly price: Price;
  /** The pixels are computed once. */
  readonly keepsPixels: boolean;
  /** What is kept of what renditions are compared with. */
  readonly reference: Keeping;
  /** The best result so far is kept while another is made. */
  readonly keepsResults: boolean;
  /** The whole picture is tried as it is written to stay, in several scans where it may have them. */
  readonly triesFinal: boolean;
  /** A file without loss can be made beside. */
  readonly triesExact: boolean;
}

/** Whether work of this price could ever run beside the original of its task. */
export function fits({ stored }: Task, price: Price): boolean {
  const { heldBytes = stored.bytes.length, keptBytes = 0 } = stored;
  return isolateBudget.canHold(beside(price, held(keptBytes)), heldBytes);
}

/** The most room that a search through pixels can be given; null when there is not enough even for the least. */
export function roomFor(task: Task, format: WritableFormat): Room | null {
  const { picture } = task;
  const isSmall = picture.frames === 1 && picture.width * picture.height <= MAX_KEPT_PIXELS;
  const isKept = task.stored.isKept === true && !task.plan.changesPixels;
  const keepsPixels = isSmall && !isKept && fits(task, pixelsPrice(task, format, { keepsPixels: true }));
  const triesFinal = fits(task, pixelsPrice(task, format, { keepsPixels, triesFinal: true }));
  const roomy = pixelsPrice(task, format, { keepsPixels, triesFinal });
  if (!fits(task, roomy)) return null;
  const exact = withExact(roomy, task, format);
  const triesExact = fits(task, exact);
  const own = triesExact ? exact : roomy;
  const { price, keeps } = withReference(own, task, { pixels: keptForLooks(format, keepsPixels || isKept) });
  if (!fits(task, price)) return null;
  return { price, keepsPixels, triesFinal, reference: keeps, keepsResults: true, triesExact };
}

/** The least room in which a search is possible: nothing is kept but what must be. */
export function leastRoom(task: Task, format: WritableFormat): Room {
  const own = pixelsPrice(task, format, { keepsPixels: false, keepsResults: false });
  const { price, keeps } = withReference(own, task, { pixels: keptForLooks(format, false) });
  return { price, reference: keeps, keepsPixels: false, triesFinal: false, keepsResults: false, triesExact: false };
}

/** Whether the pixels that renditions are compared with are kept. */
type Worth = "needless" | "worthwhile" | "necessary";

/**
 * A format that shows what it would write reads the picture for that, while it is compared: nothing has two decoders at
 * once, so one of the two sides is kept.
 */
function keptForLooks({ write }: WritableFormat, keepsPixels: boolean): Worth {
  if (keepsPixels) return "needless";
  return write.study ? "necessary" : "worthwhile";
}

/** A price with what is kept of the reference: what is necessary, and as far as there is memory for it what saves time. */
export function withReference(
  own: Price,
  task: Task,
  wants: { readonly pixels: Worth },
): { readonly price: Price; readonly keeps: Keeping } {
  const { picture } = task;
  const withPixels = beside(own, comparedPixelsPrice(picture));
  const pixels = wants.pixels === "necessary" || (wants.pixels === "worthwhile" && fits(task, withPixels));
  const kept = pixels ? withPixels : own;
  const withSample = beside(kept, preparedSamplePrice(picture));
  const prepared = fits(task, withSample);
  return { price: prepared ? withSample : kept, keeps: { pixels, prepared } };
}

/** The price of a search through pixels. */
function pixelsPrice(
  task: Task,
  format: WritableFormat,
  {
    keepsPixels,
    triesFinal = false,
    keepsResults = true,
  }: Partial<Omit<Room, "keepsPixels">> & Pick<Room, "keepsPixels">,
): Price {
  const { picture, settings } = task;
  const deep = keepsResults ? deepTask(task) : null;
  const source = either(sourcePrice(task), ...(deep ? [sourcePrice(deep)] : []));
  const pixels = keepsPixels ? collectPrice(picture) : FREE;
  const encode = format.write.price(picture, { ...settings, trial: true });
  const final = format.write.price(deep?.picture ?? picture, settings);
  const decode = resultDecodePrice(format, picture, triesFinal && settings.progressive);
  const comparing = held(comparingBytes(picture));
  // A format decodes in the memory that it encodes in.
  const work = either(encode, final, decode).bytes;
  const results = keepsResults ? final.bytes / 4 : 0;
  const bytes = source.bytes + pixels.bytes + comparing.bytes + work + results;
  // The picture is read for what renditions are compared with, for every try of the whole, and for the result.
  const tried = samplePart(picture) < 1 ? triesOf(picture, "usual").whole : 0;
  // No try is the result where that has more bits than what is compared.
  const isTried = triesFinal && !deep;
  const readings = keepsPixels ? (deep ? 2 : 1) : 1 + 2 * tried + (isTried ? 0 : 1);
  const lastMs = isTried && !format.write.study ? 0 : chosenMs(format, deep?.picture ?? picture, settings);
  const ms = source.ms * readings + pixels.ms + triesMs(format, picture, settings, task.start !== undefined) + lastMs;
  return { bytes: Math.ceil(bytes), ms };
}

/** Milliseconds of writing the result once it is known what to choose: whatever that is, on average. */
function chosenMs(format: WritableFormat, picture: Extent, settings: EncodeSettings): number {
  const { write } = format;
  const all = write.variants.map((variant) => write.price(picture, { ...settings, ...variant }).ms);
  return all.reduce((sum, ms) => sum + ms, 0) / all.length;
}

/** Of flat pictures fewer choices are tried: they have no more colors than a palette. */
const FLAT_CHOICES = 0.4;

/** Milliseconds of the tries of a search through pixels, the reading of the picture left out. */
export function triesMs(format: WritableFormat, picture: Extent, settings: EncodeSettings, isStarted = false): number {
  const { study, qualities, variants } = format.write;
  const isHasty = (extent: Extent) => extent !== picture && qualities.haste === undefined;
  if (!study)
    return searchMs(
      picture,
      (extent) => tryMs(format, extent, { ...settings, ...variants[0], trial: isHasty(extent) }),
      triesOf(picture, isStarted ? "started" : "usual"),
    );
  const encodingMs = (extent: Extent, studied: boolean) => {
    const of = { ...settings, progressive: false, trial: true, studied };
    const all = variants.map((variant) => format.write.price(extent, { ...of, ...variant }).ms);
    return all.reduce((sum, ms) => sum + ms, 0) * byDetail(picture, FLAT_CHOICES, 1);
  };
  const previewed = (extent: Extent) => {
    const all = encodingMs(extent, true);
    const decode = resultDecodePrice(format, extent).ms;
    return extent === picture ? all / variants.length + decode : all + decode * variants.length;
  };
  // What is found out of the sample, and of the whole where that is another picture, is found out once.
  const studying = (extent: Extent) => encodingMs(extent, false) - encodingMs(extent, true);
  const sample = { ...picture, ...sampleSize(picture), frames: 1 };
  const once = studying(sample) + (samplePart(picture) < 1 ? studying(picture) / variants.length : 0);
  return once + searchMs(picture, previewed, PREVIEWED_TRIES);
}

/** Milliseconds of writing a file and decoding it. */
function tryMs(format: WritableFormat, extent: Extent, settings: EncodeSettings): number {
  return format.write.price(extent, settings).ms + resultDecodePrice(format, extent).ms;
}

/**
 * Milliseconds of a search that looks at renditions of the sample, and then of the whole picture where that is another.
 * @param oneMs of making and decoding one rendition of the whole, or one of the sample for each choice that there is
 */
export function searchMs(picture: Extent, oneMs: (extent: Extent) => number, tries = TRIES): number {
  const sample = { ...picture, ...sampleSize(picture), frames: 1 };
  const sampleMs = oneMs(sample) + comparePreparedPrice(sample).ms;
  const more = byDetail(picture, tries.flat, 1);
  if (samplePart(picture) === 1) return preparePrice(sample).ms + more * tries.sample * sampleMs;
  const wholeMs = oneMs(picture) + scorePrice(picture).ms;
  return preparePrice(sample).ms + more * (tries.tiles * sampleMs + tries.whole * wholeMs);
}

/** Files without loss, or nearly, that are made of what is flat, their looks included; of photographs seldom one. */
const EXACT_FILES = { flat: 3, photograph: 0.1 };

/** A price with a file without loss made besides: where there are several kinds of it, or nothing else will do. */
function withExact(price: Price, { picture, settings }: Task, { write, can }: WritableFormat): Price {
  if (!can.lossless) return price;
  const lossy = write.price(picture, settings);
  const [nearLossless] = write.nearLosslessLevels ?? [];
  const exact = write.price(picture, {
    ...settings,
    lossless: true,
    ...(nearLossless !== undefined && { nearLossless }),
  });
  const files = byDetail(picture, EXACT_FILES.flat, EXACT_FILES.photograph);
  const ms = write.nearLosslessLevels ? exact.ms * files : 0;
  return { bytes: price.bytes + Math.max(0, exact.bytes - lossy.bytes), ms: price.ms + ms };
}
