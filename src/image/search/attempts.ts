/** The file that is asked for, by the ways to get it, in the order in which they are tried. */
import type { Estimate } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import { isolateBudget, tooLarge } from "../../scheduler/budget.ts";
import { type JobLimits, TooLong } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import { type TimeSlice, UNPAUSED } from "../../scheduler/time-slice.ts";
import type { FormatDefinition } from "../codec/format.ts";
import { turnsByStrips, withNarrowStrips } from "../plan/planned-picture.ts";
import { type Attempt, BEATEN, hasAny, hasPreferred, type Outcome, type Ways } from "./attempt.ts";
import { encodeBlind, encodeDrawnExactly, encodeExactly, encodeExactlyInstead, reencodePlanes } from "./encode-once.ts";
import { fits } from "./estimates.ts";
import { fitSize, fitSizeFast } from "./fit-size.ts";
import { keepFitting, keepMarked, keepOriginal } from "./keep-original.ts";
import { correctedBy, lookedAt } from "./look-once.ts";
import { asNamed, inOneScan } from "./other-encoding.ts";
import { deadlineOf, ENDLESS, Overrun } from "./overrun.ts";
import { aimedAt, nextPromise, TARGET_SCORE } from "./presets.ts";
import { recompressOnly, recompressToo, repackOriginal } from "./recompress.ts";
import { type Rendition, withBytes } from "./rendition.ts";
import { requantize } from "./requantize.ts";
import { searchExactly } from "./search-exactly.ts";
import { searchedScore, searchFiles, searchPixels, searchPixelsInLeastMemory, searchTiles } from "./search-pixels.ts";
import { Session } from "./session.ts";
import { type EncodeOptions, type Task, taskOf } from "./task.ts";
import type { NotMade, TraceEvent } from "./trace.ts";
import { refusalOfWay, withoutMore } from "./ways.ts";

/**
 * The ways to get the file that a task asks for. The first whose estimate can be paid makes a file; those after it are
 * asked whether they may beat it.
 */
export function attemptsFor(task: Task): readonly Attempt[] {
  const attempts = [
    keepMarked(task),
    keepFitting(task),
    fitSize(task),
    fitSizeFast(task),
    recompressOnly(task),
    requantize(task),
    searchFiles(task),
    searchPixels(task),
    searchPixelsInLeastMemory(task),
    searchTiles(task),
    searchExactly(task),
    encodeDrawnExactly(task),
    reencodePlanes(task),
    repackOriginal(task),
    encodeExactly(task),
    encodeBlind(task),
    encodeExactlyInstead(task),
    recompressToo(task),
    keepOriginal(task),
  ];
  return attempts.filter((attempt) => attempt !== null);
}

/** What an estimate is to cover: every attempt, or those that pictures usually come to, and what others take is charged as it grows. */
export type Coverage = "most" | "usual";

/**
 * The estimate of options before anything is known: the time of the first attempt that can be made, and of searches that most
 * pictures come to besides, and the memory of those that are covered. Null where none can.
 */
export function estimateOfOptions(options: EncodeOptions, coverage: Coverage = "most"): Estimate | null {
  const { task, attempts } = inNarrowStrips(waysOf(taskOf(options)));
  const possible = attempts.filter(({ estimate }) => fits(task, estimate));
  const first = possible.find(({ isBesides }) => !isBesides);
  const covered = possible.filter((one) => coverage === "most" || one === first || !one.isUnlikely);
  const besides = possible.filter(({ isSearch, isUnlikely, mayBeat }) => isSearch && !isUnlikely && mayBeat);
  const ms = new Set([first, ...besides]).values().reduce((sum, one) => sum + (one?.estimate.ms ?? 0), 0);
  return first ? { bytes: Math.max(...covered.map(({ estimate: { bytes } }) => bytes)), ms } : null;
}

/** Whether some way fits in the memory that there is. */
export function hasWay(options: EncodeOptions): boolean {
  return hasAny(inNarrowStrips(waysOf(taskOf(options))));
}

/** Whether a way that is preferred fits in the memory that there is, and not only one for what cannot be had otherwise. */
export function hasPreferredWay(options: EncodeOptions): boolean {
  return hasPreferred(inNarrowStrips(waysOf(taskOf(options))));
}

function waysOf(task: Task): Ways {
  return { task, attempts: attemptsFor(task) };
}

/** The ways to get the file of a task: where none that is preferred fits beside the strips that it is turned by, in narrow strips. */
function inNarrowStrips(usual: Ways): Ways {
  const { task } = usual;
  const { stored, plan } = task;
  if (!turnsByStrips(stored, plan.view) || hasPreferred(usual)) return usual;
  const narrow = waysOf(taskOf({ ...task, plan: withNarrowStrips(plan) }, task.unchanged));
  return hasPreferred(narrow) || !hasAny(usual) ? narrow : usual;
}

/**
 * The file that is asked for, never a larger one than there was where neither pixels nor format change; null where it
 * would plainly be larger than its upper bound in another format.
 * @param source the bytes of the original, which are released when they will not be read again
 * @param jobLimits what the job cannot afford is not tried
 * @throws ApiError 422 when no way leads to a file in the memory and the time that there is, 503 when too much work
 *   waits
 */
export async function optimized(
  options: EncodeOptions,
  source: SharedBytes,
  jobLimits?: JobLimits,
): Promise<Rendition | null> {
  let session: Session | undefined;
  try {
    const planned = waysOf(taskOf(options));
    const inScan = await inOneScan(planned, jobLimits);
    const { task, attempts } = inNarrowStrips(inScan ? waysOf(inScan) : planned);
    session = new Session(task, source);
    const best = await firstOrBetter(session, attempts, jobLimits);
    const looked = best && (await corrected(session, best, jobLimits));
    return looked && (await asNamed(task, looked, jobLimits));
  } finally {
    if (session) session.close();
    else source.release();
  }
}

async function firstOrBetter(
  session: Session,
  attempts: readonly Attempt[],
  jobLimits?: JobLimits,
): Promise<Rendition | null> {
  if (attempts.length === 0) throw new ApiError(422, "output.format cannot be written");
  let isBeaten = false;
  let isOverrun = false;
  // What a way failed for says more than that there was no room for another.
  let failure: ApiError | undefined;
  let refusal: (() => ApiError) | undefined;
  let left = attempts;
  for (let attempt = left[0]; attempt; attempt = left[0]) {
    left = left.slice(1);
    const { mayBeat, isSearch, onCoefficients } = attempt;
    const estimate = session.beside(attempt.estimate);
    const { task, best } = session;
    const mayMatter = mayBeat ? mayBeat(best, session) : !best && !isBeaten;
    const why = whyNotMade(task, estimate, { mayMatter, isOut: isOverrun && isSearch === true, jobLimits });
    if (why) {
      task.trace?.({ kind: "not made", format: task.format.label, name: attempt.name, estimate, why });
      if (why === "no memory") refusal ??= tooLarge;
      if (why === "no time") refusal = () => new TooLong();
      continue;
    }
    let outcome: Outcome;
    try {
      outcome = await outcomeOf(attempt, session, jobLimits);
    } catch (error) {
      if (error instanceof Overrun) {
        jobLimits?.goOn();
        isOverrun = true;
        session.predictions = error.predicted ? [error.predicted] : [];
        session.wasCutOff = !error.best;
        outcome = error.best ? session.rendition(error.best) : null;
      } else {
        if (error instanceof TooLong) return best ?? (await withoutWork(session, left, error));
        const lost = jobLimits?.signal?.aborted ? null : refusalOfWay(error);
        if (!lost) throw error;
        failure ??= lost;
        outcome = null;
        if (onCoefficients && !task.leavesCoefficients) {
          session.leaveCoefficients();
          left = attemptsFor(session.task);
        }
      }
    }
    if (outcome === BEATEN && !best && isFarAbove(task) && session.exactBesideBytes === 0) return null;
    if (outcome === BEATEN) isBeaten = true;
    if (!outcome || outcome === BEATEN) continue;
    const made = marked(task, outcome);
    session.best = best ? better(task, best, made) : made;
    if (session.best.isFinal) break;
  }
  const { best } = session;
  if (!best && !isBeaten && failure) throw failure;
  if (!best && !isBeaten && refusal) throw refusal();
  return best;
}

/** Files that are made of one whose quality nobody looked at: each at what the look at the one before says. */
const MAX_CORRECTIONS = 2;

/**
 * The file with what a look at it says, if it was encoded at a quality which nobody looked at; one that looks better in its
 * place, while it does not look as promised and there is time.
 */
async function corrected(session: Session, made: Rendition, jobLimits?: JobLimits): Promise<Rendition> {
  const { task } = session;
  let best = await lookedAt(session, made, jobLimits);
  for (let left = MAX_CORRECTIONS; left > 0; left--) {
    session.predictions = correctedBy(session, best);
    const again = session.predictions.length > 0 ? encodeBlind(task) : null;
    if (!again || whyNotMade(task, session.beside(again.estimate), { mayMatter: true, isOut: false, jobLimits })) break;
    const outcome = await outcomeOf(again, session, jobLimits).catch(withoutMore);
    if (!outcome || outcome === BEATEN) break;
    const other = await lookedAt(session, marked(task, outcome), jobLimits);
    if (other.score === undefined || other.score <= (best.score ?? 0)) {
      other.file.release();
      break;
    }
    best.file.release();
    best = other;
  }
  return best;
}

/** Why an attempt is not made; undefined where it is. */
function whyNotMade(
  task: Task,
  estimate: Estimate,
  asked: { readonly mayMatter: boolean; readonly isOut: boolean; readonly jobLimits: JobLimits | undefined },
): NotMade | undefined {
  if (!asked.mayMatter) return "cannot beat the best so far";
  if (asked.isOut) return "a search overran its estimate";
  if (!fits(task, estimate)) return "no memory";
  return asked.jobLimits?.affords(estimate) === false ? "no time" : undefined;
}

/** What came of an attempt, as it is told. */
function endOf(outcome: Outcome): TraceEvent {
  if (!outcome) return { kind: "ended", came: "no file" };
  if (outcome === BEATEN) return { kind: "ended", came: "larger than another format" };
  const { file, score, isFinal } = outcome;
  return { kind: "ended", came: "a file", bytes: file.bytes.length, score, isFinal };
}

/** What comes of an attempt once its turn has come. */
async function outcomeOf(attempt: Attempt, session: Session, jobLimits?: JobLimits): Promise<Outcome> {
  const { name, isSearch, run } = attempt;
  const { trace, format, stored } = session.task;
  const { stopwatch } = stored;
  const estimate = session.beside(attempt.estimate);
  const tiers: [Estimate, ...Estimate[]] = [estimate, ...(attempt.lean ? [session.beside(attempt.lean)] : [])];
  const timed = (own: TimeSlice, tier: number) => {
    // The lean tier takes longer: it keeps less of what saves time.
    const deadline = isSearch ? deadlineOf(own, tiers[tier] ?? estimate, jobLimits) : undefined;
    const timeSlice = deadline?.timeSlice ?? own;
    session.deadline = deadline ?? ENDLESS;
    const work = () => run(session, timeSlice, tier);
    // All but what is spent on decoding and operations is encoding.
    return stopwatch ? stopwatch.run("encode", timeSlice, work) : work();
  };
  trace?.({ kind: "attempt", format: format.label, name, estimate });
  try {
    const outcome = await isolateBudget.runIn(tiers, timed, jobLimits);
    trace?.(endOf(outcome));
    return outcome;
  } catch (error) {
    trace?.({ kind: "ended", came: error instanceof Overrun ? "overrun" : "refused" });
    throw error;
  }
}

/**
 * The original, where the job has taken all that it may take and the original needs no work any more.
 * @throws what ended the job, otherwise
 */
async function withoutWork(session: Session, left: readonly Attempt[], ended: TooLong): Promise<Rendition> {
  const keeping = left.find(({ name }) => name === "keep original");
  const kept = session.wasRead ? await keeping?.run(session, UNPAUSED, 0) : undefined;
  if (!kept || kept === BEATEN) throw ended;
  return kept;
}

/**
 * Once a search was given up, files of more than so many times the bytes of their upper bound are not worth writing
 * anew.
 */
const FAR_ABOVE = 2;

/** Whether the original is so much larger than what another format makes of it that it need not be recompressed. */
function isFarAbove({ upperBoundBytes = Infinity, unchanged }: Task): boolean {
  return upperBoundBytes < Infinity && (unchanged?.original?.length ?? Infinity) > upperBoundBytes * FAR_ABOVE;
}

/**
 * Edges of strong colors look the same at each quality where color has half the resolution. A file that misses what is promised
 * for them alone, and keeps what the next preset promises, is handed out where that without loss has so many times its bytes.
 */
const FAR_LARGER = 3;

/** Picks one of two files: the one that looks as promised, unless it is far larger, or else the smaller one. */
function better(task: Task, one: Rendition, other: Rendition): Rendition {
  const { picture, objective, format } = task;
  const promised = searchedScore(task) ?? 0;
  const targetScore = picture.frames === 1 ? aimedAt(promised, picture) : promised;
  const keepsPromise = ({ score = 100 }: Rendition) => score >= targetScore;
  const leastScore = objective.kind === "smart" ? nextPromise(objective.preset) : Infinity;
  const missesEdgesAlone = ({ file, score = 0, metric = 0 }: Rendition) =>
    metric >= targetScore && score >= leastScore && format.read.factsOf(file.bytes).subsample === "4:2:0";
  const isSmallerByFar =
    other.file.bytes.length > FAR_LARGER * one.file.bytes.length && !keepsPromise(one) && missesEdgesAlone(one);
  const isBetter =
    keepsPromise(other) === keepsPromise(one)
      ? other.file.bytes.length <= one.file.bytes.length
      : keepsPromise(other) && !isSmallerByFar;
  (isBetter ? one : other).file.release();
  if (isBetter) return other;
  return isSmallerByFar ? { ...one, limits: [...(one.limits ?? []), softEdges(format)] } : one;
}

function softEdges({ label }: FormatDefinition): string {
  return `${label} keeps color at half the resolution: edges of strong colors are softer; AVIF, JPEG and PNG keep all of it`;
}

/** A result with the mark by which it is known when it comes back; originals stay as they are. */
function marked({ objective, format }: Task, rendition: Rendition): Rendition {
  if (objective.kind !== "smart" || !format.mark || rendition.isOriginal) return rendition;
  return withBytes(rendition, format.mark.write(rendition.file.bytes, TARGET_SCORE[objective.preset]));
}
