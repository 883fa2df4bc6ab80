/** A batch as a terminal, a log and a table have it. */
import type { BatchRecord, DuplicateList, FailureList } from "../../../clients/api-types.d.ts";
import { alignRows, sizeText, waitText } from "../screen.ts";
import { shown } from "../shown.ts";

type Failed = FailureList["failures"][number];
type Duplicate = DuplicateList["duplicates"][number];

const BAR = 24;
/** A log of a long batch has a line so often. */
const LOG_SECONDS = 15;
/** The pace is that of the last minute: a batch that slows down is seen to. */
const PACE_SECONDS = 60;

/** What follows a batch tells, in one line that moves or in lines of a log. */
export interface Follower {
  readonly seen: (batch: BatchRecord) => void;
  readonly waiting: (seconds: number, reason: string) => void;
  /** Leaves the line, so that others can be written. */
  readonly end: () => void;
}

/** @param now milliseconds of any clock */
export function createFollower(stream: NodeJS.WriteStream, now: () => number): Follower {
  const pace = new Pace(now);
  return stream.isTTY ? movingLine(stream, pace) : logLines(stream, pace, now);
}

function movingLine(stream: NodeJS.WriteStream, pace: Pace): Follower {
  const draw = (line: string) => void stream.write(`\r\u001b[K${line.slice(0, (stream.columns || 80) - 1)}`);
  return {
    seen: (batch) => {
      pace.note(batch);
      const { counts } = batch;
      const share = counts.found === 0 ? 0 : overOf(batch) / counts.found;
      const filled = Math.round(share * BAR);
      draw(`${"█".repeat(filled)}${"░".repeat(BAR - filled)} ${progressText(batch, pace)}`);
    },
    waiting: (seconds, reason) => draw(waitText(seconds, reason)),
    end: () => void stream.write("\r\u001b[K"),
  };
}

function logLines(stream: NodeJS.WriteStream, pace: Pace, now: () => number): Follower {
  let last: { readonly at: number; readonly state: string } | undefined;
  return {
    seen: (batch) => {
      pace.note(batch);
      if (last?.state === batch.state && now() - last.at < LOG_SECONDS * 1_000) return;
      last = { at: now(), state: batch.state };
      stream.write(`${batch.state}: ${progressText(batch, pace)}\n`);
    },
    waiting: (seconds, reason) => void stream.write(`${waitText(seconds, reason)}\n`),
    end: () => undefined,
  };
}

/** Objects that are over in a second, of those that were seen to be. */
class Pace {
  readonly #now: () => number;
  #seen: { readonly at: number; readonly over: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  note(batch: BatchRecord): void {
    const at = this.#now();
    this.#seen = [...this.#seen.filter((one) => at - one.at <= PACE_SECONDS * 1_000), { at, over: overOf(batch) }];
  }

  /** Undefined: too little was seen. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || !last || last.at === first.at || last.over === first.over) return undefined;
    return ((last.over - first.over) * 1_000) / (last.at - first.at);
  }
}

/** Objects that need no more work. */
function overOf({ counts: { done, skipped, failed } }: BatchRecord): number {
  return done + skipped + failed;
}

function progressText(batch: BatchRecord, pace: Pace): string {
  const { found, failed, listed, bytes_before: before, bytes_after: after } = batch.counts;
  const { perSecond } = pace;
  const left = perSecond === undefined || !listed ? undefined : (found - overOf(batch)) / perSecond;
  return [
    `${numberText(overOf(batch))}/${numberText(found)}${listed ? "" : "+"}`,
    `${sizeText(before - after)} saved`,
    ...(failed > 0 ? [`${numberText(failed)} failed`] : []),
    ...(perSecond === undefined ? [] : [`${perSecond.toFixed(1)}/s`]),
    ...(left !== undefined && left >= 1 ? [`${timeText(left)} left`] : []),
  ].join(", ");
}

/** What a dry run has found. */
export function estimateText({ estimate, counts }: BatchRecord): string {
  const others = counts.others > 0 ? `; ${numberText(counts.others)} others stay as they are` : "";
  const found = `${numberText(counts.found)} objects of ${sizeText(counts.found_bytes)}`;
  if (!estimate) return `${found}${others}.`;
  const { credits, dollars, bytes_saved: saved, rests_on: base } = estimate;
  const failed = base.sampled_failed > 0 ? `, of which ${base.sampled_failed} failed` : "";
  const sample = `${numberText(base.sampled)} objects of ${sizeText(base.sampled_bytes)}${failed}`;
  const each = `${base.queue_operations} operations of the queue, ${base.calls} calls, ${base.rows} rows, ${base.reads} reads and ${base.writes} write`;
  return [
    `${found}, at most ${numberText(credits)} credits${others}.`,
    ...(base.sampled === 0 ? [] : [`About ${sizeText(saved)} saved${shareText(saved, estimate.bytes)}.`]),
    `About $${dollars.toFixed(dollars < 1 ? 4 : 2)} on the operator's bill, beyond what the plan includes.`,
    ...(base.sampled === 0
      ? []
      : [`It rests on a trial of ${sample}, ${timeText(base.sampled_ms / 1_000)} of processor time,`]),
    ...(base.sampled === 0 ? [] : [`and for each object on ${each}.`]),
  ].join("\n");
}

function shareText(part: number, whole: number): string {
  return whole === 0 ? "" : ` (${((part / whole) * 100).toFixed(1)} %)`;
}

/** What became of a batch, in lines. */
export function summaryText(batch: BatchRecord): string {
  const { counts, state, reason } = batch;
  const { done, skipped, failed, bytes_before: before, bytes_after: after } = counts;
  const share = shareText(before - after, before);
  return [
    `${batch.id}: ${state}${reason === undefined ? "" : `, ${shown(reason)}`}`,
    ...(batch.dry_run ? [estimateText(batch)] : []),
    ...(done > 0 ? [`${numberText(done)} done: ${sizeText(before)} to ${sizeText(after)}${share}.`] : []),
    ...(skipped > 0 ? [`${numberText(skipped)} kept as they are.`] : []),
    ...(failed > 0 ? [`${numberText(failed)} failed: darkroom bucket failures ${batch.id}`] : []),
  ].join("\n");
}

/** Batches as a table. */
export function tableText(batches: readonly BatchRecord[]): string {
  const rows = batches.map((batch) => {
    const { counts, state, id, dry_run: isDryRun, created_at: at } = batch;
    const saved = sizeText(counts.bytes_before - counts.bytes_after);
    const over = isDryRun ? numberText(counts.found) : `${numberText(overOf(batch))}/${numberText(counts.found)}`;
    return [id, `${state}${isDryRun ? ", dry run" : ""}`, over, saved, at];
  });
  return alignRows([["Batch", "State", "Objects", "Saved", "Begun"], ...rows]).join("\n");
}

export function failureText({ key, reason }: Failed): string {
  return `${shown(key)}: ${shown(reason)}`;
}

export const CSV_HEAD = "key,error,reason,at";

/** A line of CSV (RFC 4180). */
export function failureCsv({ key, error, reason, at }: Failed): string {
  return [key, error, reason, at].map(cellOf).join(",");
}

export function duplicateText({ key, count, keys }: Duplicate): string {
  const more = count > keys.length ? [`… and ${numberText(count - keys.length)} more`] : [];
  return [shown(key), ...[...keys.map(shown), ...more].map((one) => `  ${one}`)].join("\n");
}

export const DUPLICATES_CSV_HEAD = "key,duplicate,phash";

/** Lines of CSV, one for each duplicate that the service names. */
export function duplicateCsv({ key, keys, phash }: Duplicate): string {
  return keys.map((other) => [key, other, phash].map(cellOf).join(",")).join("\n");
}

function cellOf(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function numberText(count: number): string {
  return count.toLocaleString("en-US");
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
