/** The formats that a result may have, and the best of what they make of it. */
import { ApiError } from "../../errors.ts";
import { isolateBudget } from "../../scheduler/budget.ts";
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { fullness } from "../codec/complexity.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { ProfileOption } from "../color/profile-option.ts";
import type { Space } from "../color/space.ts";
import { FORMATS } from "../formats.ts";
import { isOpaque } from "../pixels/bands.ts";
import { type Extent, firstFrame } from "../pixels/picture.ts";
import { chosenFor, namedFormat, type Objective, type Output } from "../plan/output.ts";
import type { Plan } from "../plan/plan.ts";
import { pictureOf, pictureEstimate, type Stored } from "../plan/planned-picture.ts";
import { plainestRefusal } from "../search/fit-size.ts";
import type { FormattedRendition, Rendition } from "../search/rendition.ts";

/** What a request says about the format of its result. */
interface FormatOptions {
  readonly output: Output | undefined;
  /** Media types that the client takes, for `auto`; absent: what the open web takes. */
  readonly accept: string | undefined;
  /** Of the job. */
  readonly jobLimits?: JobLimits | undefined;
}

/** The output formats to try: one, unless the request leaves it open. */
export async function outputFormatsOf(
  stored: Stored,
  plan: Plan,
  { output, accept, jobLimits }: FormatOptions,
): Promise<FormatDefinition[]> {
  const isOpen = output?.format === undefined;
  const named = namedFormat(output);
  const { format, facts, firstOnly, space, gainMap } = stored;
  const isStill = facts.frames === 1 || firstOnly === true;
  if (named) return [inSpace(roomy(suitable(named, isStill), plan), space, output?.profile)];
  const isByName = format.role !== undefined && format.role.tried === undefined;
  // Drawings stay drawings unless pixels are asked for.
  const keeps = (isByName ? undefined : format.write) ?? (isOpen && !plan.changesPixels && !space && format.recompress);
  const moves = !isStill && (!keeps || !format.can.animation);
  const same = keeps && !moves ? format : fallbackFor(pictureOf(stored, plan).opaque, moves);
  if (isOpen) return [inSpace(roomy(same, plan), space)];
  const able = Object.values<FormatDefinition>(FORMATS).filter(
    (row) =>
      row.write &&
      row.role?.tried !== undefined &&
      isTaken(row, accept) &&
      (isStill || row.can.animation) &&
      holds(row, space) &&
      hasRoom(row, plan) &&
      (!gainMap || row.gainMap?.web),
  );
  const taken = isStill ? able.filter((row) => !isLargerThanOneOf(row, able)) : able;
  const withAlpha = taken.filter((row) => row.can.alpha);
  const choice = withAlpha.length > 0 && withAlpha.length < taken.length;
  const candidates = choice && (await isTranslucent(stored, plan, jobLimits)) ? withAlpha : taken;
  return candidates.length > 0 ? candidates : [inSpace(roomy(same, plan), space)];
}

/** A format whose files can hold a picture that moves or not. @throws ApiError 422 */
function suitable(format: FormatDefinition, isStill: boolean): FormatDefinition {
  if (!isStill || !format.can.movesAlone) return format;
  throw new ApiError(
    422,
    `output.format must not be ${format.extensions[0]}: it holds animations, and this is a still`,
  );
}

/** Whether files of a format are written with sides as long as those of a result. */
function hasRoom({ can: { mostSide = Infinity } }: FormatDefinition, { size }: Plan): boolean {
  return Math.max(size.width, size.height) <= mostSide;
}

/** A format that has room for a result. @throws ApiError 422 */
function roomy(format: FormatDefinition, plan: Plan): FormatDefinition {
  if (hasRoom(format, plan)) return format;
  throw new ApiError(
    422,
    `The result must be at most ${format.can.mostSide} pixels on each side in this output format`,
  );
}

/** A format, if its files can have the colors of a space. @throws ApiError 422 */
function inSpace(format: FormatDefinition, space: Space | undefined, option: ProfileOption = "srgb"): FormatDefinition {
  const isRefused = option !== "srgb" && !format.can.spaces;
  if (!isRefused && holds(format, space)) return format;
  const spaces = format.can.spaces === "p3" ? "srgb or p3" : "srgb";
  throw new ApiError(422, `output.profile must be ${spaces} in this output format, which cannot hold another`);
}

function holds({ can }: FormatDefinition, space: Space | undefined): boolean {
  return !space || can.spaces === "any" || (can.spaces === "p3" && space.isP3);
}

/** What a picture becomes whose own format cannot be written. */
function fallbackFor(opaque: boolean, moves: boolean): FormatDefinition {
  return FORMATS[chosenFor("fallback", moves ? "animations" : "stills", { alpha: !opaque })];
}

/** Formats that only some browsers show are for clients that name them. */
function isTaken({ can, mime }: FormatDefinition, accept: string | undefined): boolean {
  if (can.web) return accepts(accept, mime);
  const isNamed = accept?.split(",").some((range) => range.split(";")[0]?.trim().toLowerCase() === mime) === true;
  return can.named === true && isNamed && accepts(accept, mime);
}

/** Whether stills of a format are larger than those of one of others. */
function isLargerThanOneOf({ role }: FormatDefinition, others: readonly FormatDefinition[]): boolean {
  return others.some(({ mime }) => mime === role?.largerThan?.mime);
}

/**
 * Whether an Accept header names a media type, and does not refuse it; without one, browsers' common ground is assumed.
 */
function accepts(accept: string | undefined, mime: string): boolean {
  if (accept === undefined) return true;
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
  const named = [mime, "image/*", "*/*"].map((name) => ranges.find(([range]) => range === name)).find(Boolean);
  return named !== undefined && !named.slice(1).some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

/** Whether something of a still picture can be seen through: files with alpha often make no use of it. */
async function isTranslucent(stored: Stored, plan: Plan, jobLimits?: JobLimits): Promise<boolean> {
  const picture = pictureOf(stored, plan);
  if (picture.opaque) return false;
  const look = async (timeSlice: TimeSlice) => !(await isOpaque(await firstFrame(picture, timeSlice)));
  return isolateBudget.run(pictureEstimate(stored, plan), look, jobLimits);
}

/**
 * Formats in the order in which they are tried; where nothing is given up, that is as they come.
 * @param picture that is to be written
 */
export function inTryingOrder(
  formats: readonly FormatDefinition[],
  { kind }: Objective,
  picture: Pick<Extent, "detail">,
): readonly FormatDefinition[] {
  if (kind !== "smart") return formats;
  const isDrawing = fullness(picture) < 1;
  const place = ({ role }: FormatDefinition) =>
    isDrawing && role?.lastOfDrawings ? Infinity : (role?.tried ?? Infinity);
  return formats.toSorted((one, other) => place(one) - place(other));
}

/**
 * The best that formats make of a picture. What one of them cannot do does not matter as long as another can.
 * @param write gives null for a file that would plainly be larger than `upperBoundBytes`, the best so far, whose format
 *   takes about `upperBoundSampleBytes` for the sample of the picture
 * @throws ApiError 422 when none can, 503
 */
export async function bestOf(
  formats: readonly FormatDefinition[],
  objective: Objective,
  write: (
    format: FormatDefinition,
    upperBoundBytes: number | undefined,
    upperBoundSampleBytes: number | undefined,
  ) => Promise<Rendition | null>,
): Promise<FormattedRendition> {
  let best: FormattedRendition | undefined;
  const refusals: ApiError[] = [];
  const givenUp: FormatDefinition[] = [];
  for (const format of formats) {
    if (isLargerThanOneOf(format, givenUp)) continue;
    try {
      const made = await write(format, best?.file.bytes.length, best?.sampleBytes);
      if (!made) {
        givenUp.push(format);
        continue;
      }
      const isBest = !best || isBetter(made, best, objective);
      (isBest ? best : made)?.file.release();
      if (isBest) best = { ...made, format };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error;
      refusals.push(error);
    }
  }
  if (best) return best;
  const [first, ...others] = refusals;
  throw first ? plainestRefusal([first, ...others]) : new ApiError(422, "output.format cannot be written");
}

/**
 * Whether one file is to be preferred: one that was searched for to one whose search took too long; where files may
 * have a size, the one that looks better, else the smaller one.
 */
function isBetter(one: Rendition, other: Rendition, objective: Objective): boolean {
  if (one.isCutOff !== other.isCutOff) return !one.isCutOff;
  const looks = objective.kind === "size" ? (one.score ?? 0) - (other.score ?? 0) : 0;
  return looks > 0 || (looks === 0 && one.file.bytes.length < other.file.bytes.length);
}
