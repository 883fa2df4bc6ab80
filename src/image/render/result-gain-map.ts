/**
 * What becomes of high dynamic range: the gain map of a result, which is that of its original, worked on as the picture
 * is, and how it gets into the file; or samples that stay what they are.
 */
import { ApiError } from "../../errors.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import type { Rgba } from "../color/rgba.ts";
import type { Space } from "../color/space.ts";
import type { GainMap } from "../gain-map/gain-map.ts";
import { noGain } from "../gain-map/terms.ts";
import { type Box, type Size, area, isWhole, turnBox, turnSize, whole } from "../pixels/geometry.ts";
import { identify } from "../plan/detect.ts";
import { type Objective, type Output, namedFormat } from "../plan/output.ts";
import { type Plan, planSteps, sizeAfter, storedSize } from "../plan/plan.ts";
import { type Stored, withSixteenBits } from "../plan/planned-picture.ts";
import { optimized } from "../search/attempts.ts";
import { type FormattedRendition, withBytes } from "../search/rendition.ts";
import { rowStep } from "../steps/effect.ts";
import type { Kernel, Step } from "../steps/operation.ts";
import { turnedSize } from "../steps/rotate.ts";
import { mapLevels, mapLevelsEstimate } from "../steps/tables.ts";

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

/**
 * The least scale of a map beside a picture that was reduced, as far as it has as many pixels: at a quarter, which cameras
 * write, a small picture would lose highlights that can be seen in it.
 */
const LEAST_SCALE = 0.5;
const KERNEL: Kernel = "mitchell";

/**
 * The steps of a map over a picture to which other steps are done.
 * @param picture its size before them
 * @param none the value of no gain
 * @param isPicture the map is made of the picture, and needs no more than the least scale
 */
function stepsOnMap(
  picture: Size,
  map: Size,
  steps: readonly Step[],
  { none, isPicture = false }: { readonly none: Rgba; readonly isPicture?: boolean | undefined },
): Step[] {
  const zooms = zoomsOf(picture, steps);
  const available = scaleAfter(Math.sqrt(area(map) / area(picture)), zooms[0] ?? 1);
  const scale = isPicture ? Math.min(LEAST_SCALE, available) : available;
  const planner = new MapPlanner(picture, map, none);
  for (const [index, step] of steps.entries()) planner.add(step, scale * (zooms[index] ?? 1));
  return planner.finish(scale);
}

/** By how much each step, and those after it, enlarge what the picture shows. */
function zoomsOf(picture: Size, steps: readonly Step[]): readonly number[] {
  const own: number[] = [];
  let size = picture;
  for (const step of steps) {
    const after = sizeAfter(step, size);
    const scales = step.kind === "resize" || (step.kind === "rows" && !step.gains);
    own.push(scales ? Math.sqrt(area(after) / area(step.kind === "resize" ? (step.box ?? size) : size)) : 1);
    size = after;
  }
  return own.map((_, index) => own.slice(index).reduce((product, zoom) => product * zoom, 1));
}

/** The scale of the map beside the result: what is reduced needs fewer pixels of the map, what is enlarged has no more. */
function scaleAfter(scale: number, zoom: number): number {
  const available = scale / zoom;
  return zoom >= 1 ? available : Math.min(available, Math.max(LEAST_SCALE, Math.min(1, scale)));
}

class MapPlanner {
  private readonly steps: Step[] = [];
  private picture: Size;
  private map: Size;
  /** The part of the map that shows the picture: not always whole pixels. */
  private box: Box;
  private readonly none: Rgba;

  constructor(picture: Size, map: Size, none: Rgba) {
    this.picture = picture;
    this.map = map;
    this.box = whole(map);
    this.none = none;
  }

  /** @param scale of the map, should it be filtered before this step */
  add(step: Step, scale: number): void {
    switch (step.kind) {
      case "turn":
        this.steps.push(step);
        this.box = turnBox(this.box, this.map, step.orientation);
        this.map = turnSize(this.map, step.orientation);
        break;
      case "crop":
        this.cut(step.box);
        break;
      case "resize":
        if (step.box) this.cut(step.box);
        break;
      case "rotate":
        this.settle(scale);
        this.rotate(step);
        break;
      case "rows":
        if (step.gains) {
          this.settle(scale);
          const across = this.map.width / this.picture.width;
          const down = this.map.height / this.picture.height;
          this.push(step.gains({ map: this.map, across, down, none: this.none }));
        }
        break;
    }
    this.picture = sizeAfter(step, this.picture);
  }

  finish(scale: number): Step[] {
    this.settle(scale);
    return this.steps;
  }

  private push(steps: readonly Step[]): void {
    for (const step of steps) {
      this.steps.push(step);
      this.map = sizeAfter(step, this.map);
    }
    this.box = whole(this.map);
  }

  private cut({ x, y, width, height }: Box): void {
    const across = this.box.width / this.picture.width;
    const down = this.box.height / this.picture.height;
    const box = { x: this.box.x + x * across, y: this.box.y + y * down, width: width * across, height: height * down };
    this.box = inside(box, this.map);
    this.picture = { width, height };
  }

  /** Makes the part that shows the picture all of the map, in whole pixels. */
  private settle(scale: number): void {
    const size = {
      width: Math.max(1, Math.round(this.picture.width * scale)),
      height: Math.max(1, Math.round(this.picture.height * scale)),
    };
    if (isWhole(this.box, this.map) && isAbout(this.map, size)) return;
    const isCut = Object.values(this.box).every(Number.isInteger) && isAbout(this.box, size);
    const cut: Step[] = isWhole(this.box, this.map) ? [] : [{ kind: "crop", box: this.box }];
    this.push(isCut ? cut : [...cut, { kind: "resize", ...size, kernel: KERNEL }]);
  }

  /** The center of the picture is that of the canvas before and after. */
  private rotate({ angle, ...canvas }: Extract<Step, { kind: "rotate" }>): void {
    const across = this.map.width / this.picture.width;
    const down = this.map.height / this.picture.height;
    const least = turnedSize(this.map, angle);
    const wanted = { width: canvas.width * across, height: canvas.height * down };
    const width = Math.max(least.width, Math.ceil(wanted.width));
    const height = Math.max(least.height, Math.ceil(wanted.height));
    this.push([{ kind: "rotate", angle, width, height, background: this.none }]);
    this.box = { x: (width - wanted.width) / 2, y: (height - wanted.height) / 2, ...wanted };
  }
}

/** A pixel more or less is not worth filtering a map for. */
function isAbout(one: Size, other: Size): boolean {
  return Math.abs(one.width - other.width) <= 1 && Math.abs(one.height - other.height) <= 1;
}

/** What arithmetic left of whole numbers is one, and nothing is outside. */
function inside(box: Box, { width, height }: Size): Box {
  const [left, right] = [near(Math.max(0, box.x)), near(Math.min(width, box.x + box.width))];
  const [top, bottom] = [near(Math.max(0, box.y)), near(Math.min(height, box.y + box.height))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function near(place: number): number {
  return Math.abs(place - Math.round(place)) < 1e-6 ? Math.round(place) : place;
}
