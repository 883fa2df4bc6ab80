/**
 * What becomes of high dynamic range: the gain map of a result, which is that of its original, worked on as the picture
 * is, and how it gets into the file; or samples that stay what they are.
 */
import { ApiError } from "../../errors.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import type { Space } from "../color/space.ts";
import type { GainMap } from "../gain-map/gain-map.ts";
import { noGain } from "../gain-map/terms.ts";
import { type Size, turnSize } from "../pixels/geometry.ts";
import { identify } from "../plan/detect.ts";
import { namedFormat, type Objective, type Output } from "../plan/output.ts";
import { type Plan, planSteps, storedSize } from "../plan/plan.ts";
import { type Stored, withSixteenBits } from "../plan/planned-picture.ts";
import { optimized } from "../search/attempts.ts";
import { type FormattedRendition, withBytes } from "../search/rendition.ts";
import { rowStep } from "../steps/effect.ts";
import type { Step } from "../steps/operation.ts";
import { mapLevels, mapLevelsEstimate } from "../steps/tables.ts";
import { stepsOnMap } from "./gain-map-plan.ts";

/** Half a level of a usual map is a hundredth of a stop: above this quality its file only grows. */
const QUALITY = 85;
/** Of a file that may have a size, a map takes this part at most: the picture is what everybody sees. */
const SHARE_OF_SIZE = 0.2;
/** A map may be larger than its picture, but not by so many times in either direction. */
const MAX_SCALE = 2;
/** By how much the scales of the two directions may differ: cameras round to whole pixels, and so to blocks. */
const MAX_SKEW = 1.1;

/**
 * A file whose gain map is to be kept, if it has one.
 * @param read finds the map of the original, once for all results
 * @throws ApiError 422 when the format that is named cannot hold any
 */
export function withGainMap<Own extends Stored>(
  stored: Own,
  output: Output | undefined,
  read: () => GainMap | undefined,
): Own {
  if ((output?.hdr ?? "drop") === "drop") return stored;
  const named = namedFormat(output);
  if (named && !named.gainMap?.write) {
    throw new ApiError(422, "output.hdr must be drop in this output.format, which cannot hold a gain map");
  }
  const gainMap = stored.facts.frames === 1 ? read() : undefined;
  return gainMap ? { ...stored, gainMap } : stored;
}

/** What is known of a result before its gain map is made. */
interface Wanted {
  /** Those that are tried. */
  readonly formats: readonly FormatDefinition[];
  /** All that is done with the stored picture. */
  readonly steps: readonly Step[];
  readonly objective: Objective;
  readonly encoding: Output["encoding"];
}

/** A gain map for a file that is not written yet. */
export interface ResultGainMap extends GainMap {
  /** Of its file, and so that of the result. */
  readonly format: FormatDefinition;
  /**
   * The profile of the picture whose red, green and blue have gains of their own; absent where they have one, or are
   * sRGB.
   */
  readonly colors?: Uint8Array | undefined;
  /** The original, where nothing happens to it but that it may become smaller. */
  readonly unchanged?: { readonly format: FormatDefinition; readonly bytes: number } | undefined;
}

/**
 * The gain map that a result gets; undefined where its original has none to be kept, or a damaged one.
 * @throws ApiError 503; what the limits of its job end it with
 */
export async function resultGainMap(
  stored: Stored,
  wanted: Wanted,
  jobLimits?: JobLimits,
): Promise<ResultGainMap | undefined> {
  const { gainMap } = stored;
  // Where several formats are tried, one of them holds maps.
  const format = wanted.formats.find((one) => one.gainMap?.write);
  if (!gainMap || !format) return undefined;
  try {
    const found = identify(gainMap.file);
    if (!fitsOver(lying(found.facts), stored.facts)) return undefined;
    const { terms, profile, primaries } = gainMap;
    const file = await encoded(stored, { ...gainMap, ...found }, { ...wanted, format }, jobLimits);
    const isColored = found.facts.colorspace !== "Gray" && terms.inBaseColors;
    const { changesPixels } = planSteps(storedSize(stored.facts), wanted.steps);
    const unchanged = changesPixels ? undefined : { format: stored.format, bytes: stored.bytes.length };
    return { file, format, terms, profile, primaries, unchanged, ...(isColored && { colors: stored.facts.profile }) };
  } catch (error) {
    if (error instanceof ApiError && (error.status === 422 || error.status === 415)) return undefined;
    throw error;
  }
}

/** The size of a map as it lies over the picture. */
function lying(facts: Facts): Size {
  return turnSize(storedSize(facts), facts.orientation);
}

/** Whether a map can lie over a picture: it has about its shape, and is not much larger. */
function fitsOver(map: Size, picture: Size): boolean {
  const [across, down] = [map.width / picture.width, map.height / picture.height];
  // A pixel is a large part of what is small.
  const skew = Math.abs(across - down) * Math.min(picture.width, picture.height);
  return Math.max(across, down) <= MAX_SCALE && (skew <= 1 || Math.max(across / down, down / across) <= MAX_SKEW);
}

async function encoded(
  original: Stored,
  { terms, levels, isPicture, ...found }: Stored & Pick<GainMap, "terms" | "levels" | "isPicture">,
  { steps, objective, encoding, format }: Wanted & Pick<ResultGainMap, "format">,
  jobLimits?: JobLimits,
): Promise<Uint8Array> {
  const size = storedSize(found.facts);
  const { orientation } = found.facts;
  const over = stepsOnMap(storedSize(original.facts), lying(found.facts), steps, { none: noGain(terms), isPicture });
  const own: readonly Step[] = orientation === 1 ? over : [{ kind: "turn", orientation }, ...over];
  const plan = planSteps(size, levels ? [...own, inTerms(levels, planSteps(size, own).size)] : own);
  const heldBytes = original.bytes.length + 2 * found.bytes.length;
  const stored = { ...found, stopwatch: original.stopwatch, heldBytes };
  const make = async (options: Objective): Promise<Uint8Array> => {
    const source = SharedBytes.of(found.bytes.slice());
    const common = { stored, plan, format, encoding, isLast: true };
    const made = await optimized({ ...common, objective: options }, source, jobLimits);
    if (!made) throw new ApiError(422, "The gain map cannot be written");
    return made.file.bytes;
  };
  const isSame = !plan.changesPixels && found.format === format;
  const best =
    isSame && !format.recompress
      ? found.bytes
      : await make(isSame ? { kind: "lossless" } : { kind: "quality", quality: QUALITY });
  const most = objective.kind === "size" ? Math.floor(objective.bytes * SHARE_OF_SIZE) : Infinity;
  return best.length <= most ? best : make({ kind: "size", bytes: most });
}

/** Values of another kind as those of the terms. */
function inTerms(levels: Uint8Array, size: Size): Step {
  return rowStep(size, mapLevelsEstimate(size), (rows) =>
    mapLevels(rows, { red: levels, green: levels, blue: levels }),
  );
}

/** A size that is asked for is that of the file with its gain map. */
export function besideGainMap(objective: Objective, map: ResultGainMap | undefined): Objective {
  return objective.kind === "size" && map
    ? { ...objective, bytes: Math.max(1, objective.bytes - addedBytes(map)) }
    : objective;
}

function addedBytes({ format, colors, profile = colors, ...map }: ResultGainMap): number {
  return format.gainMap?.addedBytes?.({ ...map, profile }) ?? 0;
}

/** A file that is worked on while a gain map is held. */
export function besideHeld(stored: Stored, map: GainMap | undefined): Stored {
  return map ? { ...stored, heldBytes: (stored.heldBytes ?? stored.bytes.length) + map.file.length } : stored;
}

/**
 * A result with its gain map, not larger than an original that only becomes smaller; the file without the map is
 * released.
 */
export function withResultGainMap(made: FormattedRendition, map: ResultGainMap | undefined): FormattedRendition {
  const { write } = made.format.gainMap ?? {};
  if (!write || !map || made.format !== map.format) return made;
  const { bytes } = made.file;
  const most = made.format === map.unchanged?.format ? map.unchanged.bytes : Infinity;
  return withBytes(made, write(bytes, inColorsOf(map, made.format.read.factsOf(bytes)), most));
}

/** Gains of red, green and blue are those of the original's red, green and blue, whatever the result's are. */
function inColorsOf({ file, terms, colors, primaries, profile: own }: ResultGainMap, { profile }: Facts): GainMap {
  const isSame = !colors || (profile?.length === colors.length && profile.every((byte, at) => byte === colors[at]));
  return isSame
    ? { file, terms, profile: own, primaries }
    : { file, terms: { ...terms, inBaseColors: false }, profile: colors };
}

/**
 * A file whose picture keeps its own range on its way into a format, where that is wanted, the format can hold it, and
 * all that is done on the way knows such samples; or else the file as it is.
 */
export function inOwnRange<Own extends Stored>(
  stored: Own,
  plan: Plan,
  formats: readonly FormatDefinition[],
  output: Output | undefined,
): Own {
  const [format, ...others] = formats;
  const space = ownSpace(stored.facts);
  // Ordinary colors that are named are those of a picture for ordinary screens.
  const isWanted = output?.hdr === "keep" && (output.profile ?? "keep") === "keep" && others.length === 0;
  if (!isWanted || !space || !format?.can.highDynamicRange || filtersLight(plan)) return stored;
  return withSixteenBits({ ...stored, space, gainMap: undefined }, plan) ?? stored;
}

/** Whether something is resized in linear light, which is known of sRGB alone. */
function filtersLight({ view, steps }: Plan): boolean {
  return view.target?.linear === true || steps.some((step) => step.kind === "resize" && step.linear === true);
}

function ownSpace({ profile, codePoints }: Facts): Space | undefined {
  return profile && codePoints && { profile, isP3: false, codePoints };
}
