/** What is to be written of a picture, and what of its original stays as it is. */
import { parallel, NO_WORK } from "../../../wasm/estimate.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { EncodeSettings } from "../codec/writer.ts";
import { WHITE } from "../color/rgba.ts";
import { isIn, meansSrgb } from "../color/space.ts";
import { asItIs, type Stripped } from "../containers/stripped.ts";
import type { Orientation } from "../pixels/geometry.ts";
import { firstFrame, mapFrames, type Picture, stillPicture } from "../pixels/picture.ts";
import type { Objective } from "../plan/output.ts";
import { enlargementOf, onlyTurns, type Plan, storedSize } from "../plan/plan.ts";
import { withSixteenBits, pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import { flatten } from "../steps/flatten.ts";
import { carefulSettings, encodeSettings } from "./presets.ts";
import type { Start } from "./rendition.ts";
import { canScore } from "./score.ts";
import type { Trace } from "./trace.ts";

/** At which presets and sizes mostly end, and encoders need no more memory than they usually do. */
const TYPICAL_QUALITY = 80;

/** A format that can be written. */
export type WritableFormat = FormatDefinition & Required<Pick<FormatDefinition, "write">>;

/** What is asked for, in one output format. */
export interface EncodeOptions {
  readonly stored: Stored;
  readonly plan: Plan;
  readonly format: FormatDefinition;
  readonly objective: Objective;
  /** The encoding that the caller named; absent: progressive, but where the other takes fewer bytes. */
  readonly encoding?: "baseline" | "progressive" | undefined;
  /** Bytes of the best file so far in another format: one that is plainly larger need not be made. */
  readonly upperBoundBytes?: number | undefined;
  /** About what that format takes for the sample of the picture at the target score; absent where that is not known. */
  readonly upperBoundSampleBytes?: number | undefined;
  /** All metadata of the original is kept: its file may be held as it is. */
  readonly keepsMetadata?: boolean | undefined;
  /** No other format is tried after this one. */
  readonly isLast: boolean;
  /** Where the search in a neighbor of the picture, which is the same in another size, ended. */
  readonly start?: Start | undefined;
  /** Pixels of all files of this format that the request makes; absent where this is the only one. */
  readonly allPixels?: number | undefined;
  /** Told what is done; absent: nobody asks. */
  readonly trace?: Trace | undefined;
  /** The coefficients of the original turned out not to be readable, though its pixels may be. */
  readonly leavesCoefficients?: boolean | undefined;
}

/** A picture of which nothing changes but, perhaps, how it lies. */
interface Unchanged {
  /** How its pixels are turned, without any loss. */
  readonly turn: Orientation;
  /** The orientation tag of the result. */
  readonly tag: Orientation;
  /** The original without its metadata, where it shows what is asked for. */
  readonly original: Stripped | null;
}

/** What is to be done, with all that is known before anything is decoded. */
export interface Task extends EncodeOptions {
  readonly settings: EncodeSettings;
  /** What the plan makes of what is stored, as the format can hold it. */
  readonly picture: Picture;
  readonly unchanged: Unchanged | null;
  /** What the encoder said of what the format cannot hold of the picture, so far. */
  readonly limits: ReadonlySet<string>;
}

/** @param unchanged what stays of the original, where that is known */
export function taskOf(options: EncodeOptions, unchanged = unchangedBy(options)): Task {
  const picture = plannedPicture(options);
  const { allPixels } = options;
  const limits = new Set<string>();
  const wanted = {
    ...encodeSettings(options.objective, options.format, options.encoding !== "baseline"),
    allPixels,
    sides: options.plan.sides,
    hasEdgesAlone: hasEdgesAlone(options),
    tell: (limit: string) => void limits.add(limit),
  };
  const isSmall = options.objective.kind === "smart" && picture.frames === 1 && !canScore(picture);
  const settings = isSmall ? carefulSettings(wanted, options.format) : wanted;
  return { ...options, picture, settings, unchanged, limits };
}

/** From here on the smooth edges of a shape are as wide as a shade. */
const MOST_ENLARGED = 2;

/** Whether what is half transparent in a picture can only be the edges of its shapes. */
function hasEdgesAlone({ stored, plan }: EncodeOptions): boolean {
  return stored.format.can.allOrNothing === true || enlargementOf(plan) > MOST_ENLARGED;
}

/**
 * A task whose picture has 16-bit rows; null where these would not come as far as its encoder, or no further. All but
 * the file that stays is made of rows of 8 bits: what is compared, above all.
 */
export function sixteenBitTask(task: Task): Task | null {
  const { stored, plan, format, settings } = task;
  const isKept =
    format.write?.sixteenBit?.(settings, stored.space) === true && (format.can.alpha || task.picture.opaque);
  const sixteenBit = isKept ? withSixteenBits(stored, plan) : null;
  return sixteenBit && { ...task, stored: sixteenBit, picture: pictureOf(sixteenBit, plan) };
}

/** Whether a result has more bits than pixels that are kept in memory. */
export function keepsMoreBits(options: EncodeOptions): boolean {
  return sixteenBitTask(taskOf(options)) !== null;
}

/**
 * The planned picture as a format can hold it: one frame where it knows no animation, on white where it has no alpha.
 */
function plannedPicture({ stored, plan, format }: Pick<EncodeOptions, "stored" | "plan" | "format">): Picture {
  const planned = pictureOf(stored, plan);
  const isStill = planned.frames === 1 || format.can.animation;
  const picture = isStill ? planned : stillPicture(planned, (timeSlice) => firstFrame(planned, timeSlice));
  if (format.can.alpha || picture.opaque) return picture;
  return { ...mapFrames(picture, (rows) => flatten(rows, WHITE)), opaque: true };
}

/**
 * What stays of the original; null when pixels or format change. The orientation of a JPEG file is applied to its
 * coefficients. Where its edges do not allow that, the orientation tag stays if nothing may be lost, or if the pixels
 * do not fit into memory: such a picture is better handed out as it lies than refused. Or else the pixels are turned
 * and encoded. A file of a format in which a turn is part of the picture stays as it is.
 */
function unchangedBy({
  stored,
  plan,
  format,
  objective,
  leavesCoefficients = false,
}: Pick<EncodeOptions, "stored" | "plan" | "format" | "objective" | "leavesCoefficients">): Unchanged | null {
  const { bytes, facts } = stored;
  const { orientation } = plan.view;
  if (plan.sides || stored.firstOnly || !keepsColors(stored, objective) || (facts.frames > 1 && !format.can.animation))
    return null;
  if (format !== stored.format || !onlyTurns(plan, facts)) return null;
  if (orientation === 1) return { turn: 1, tag: 1, original: withoutMetadata(stored, 1) };
  const { coefficients } = format;
  if (!coefficients) {
    if (!format.can.turned || orientation !== facts.orientation) return null;
    return { turn: 1, tag: orientation, original: withoutMetadata(stored, orientation) };
  }
  const settings = { progressive: true, turn: orientation, quality: 100 };
  const turns = !leavesCoefficients && coefficients.turns(bytes, orientation);
  if (turns && isolateBudget.canHold(coefficients.estimate(bytes, facts, settings), bytes.length)) {
    return { turn: orientation, tag: 1, original: null };
  }
  if (orientation !== facts.orientation || (objective.kind !== "lossless" && fitsAsPixels(stored, plan))) return null;
  return { turn: 1, tag: orientation, original: withoutMetadata(stored, orientation) };
}

/** Whether a picture, in one scan, can be turned pixel by pixel and encoded in the memory there is. */
function fitsAsPixels(stored: Stored, plan: Plan): boolean {
  const { facts, format } = stored;
  const settings = { lossless: false, quality: TYPICAL_QUALITY, progressive: true, effort: 1 };
  const decode = pictureEstimate({ ...stored, facts: { ...facts, interlaced: false } }, plan);
  const encode = format.write?.estimate({ ...plan.size, opaque: !facts.alpha, frames: 1 }, settings) ?? NO_WORK;
  return isolateBudget.canHold(parallel(decode, encode), stored.bytes.length);
}

/**
 * Whether the colors of the file are those of the result as they are. Where nothing may be lost a file keeps colors
 * that are not sRGB, because converting them rounds.
 */
export function keepsColors({ space, facts }: Stored, { kind }: Objective): boolean {
  return space ? isIn(space, facts.profile) : kind === "lossless" || meansSrgb(facts);
}

function withoutMetadata({ bytes, format }: Stored, tag: Orientation): Stripped | null {
  const stripped = format.strip?.(bytes, tag);
  if (stripped === null) return null;
  return stripped && stripped.length <= bytes.length ? stripped : asItIs(bytes);
}

/** The plan without its turn: the picture as it lies in the file. */
export function asStored(plan: Plan, { facts }: Stored): Plan {
  return { ...plan, view: { ...plan.view, orientation: 1 }, size: storedSize(facts) };
}

/** The format of a task as one that can be written; null where it cannot. */
export function writableIn({ format }: Pick<Task, "format">): WritableFormat | null {
  return isWritable(format) ? format : null;
}

function isWritable(format: FormatDefinition): format is WritableFormat {
  return format.write !== undefined;
}

/** Whether a file has another encoding than the one that the caller named, and could have that. */
export function isEncodedOtherwise(
  { encoding }: Pick<EncodeOptions, "encoding">,
  { bytes, format, facts }: Stored,
): boolean {
  if (encoding === undefined || !format.coefficients?.divides(bytes)) return false;
  return facts.interlaced !== (encoding === "progressive");
}

/** Whether a smaller file can be had by dividing the original's coefficients anew, without any pixels. */
export function canDivide({ unchanged, stored, leavesCoefficients = false }: Task): boolean {
  return unchanged !== null && !leavesCoefficients && hasCoefficients(stored);
}

/** Whether a file has coefficients that can be divided anew, if they can be read. */
export function hasCoefficients({ format, bytes }: Stored): boolean {
  return format.coefficients?.divides(bytes) === true;
}
