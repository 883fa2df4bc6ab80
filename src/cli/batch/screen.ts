/** What the terminal shows: a line that moves, then a table. */
import { relative } from "node:path";

import type { Outcome } from "./outcome.ts";
import { shown } from "./shown.ts";

const BAR = 24;
/** A longer table scrolls away; its sum is what counts. */
const MAX_ROWS = 60;

/** Who is told how it goes. */
export interface Report {
  readonly settled: (outcome: Outcome) => void;
  readonly waiting: (seconds: number, reason: string) => void;
  /** All outcomes, and how many images were not begun. */
  readonly end: (outcomes: readonly Outcome[], missing: number) => void;
}

/** A line per image on a stream and a table at the end; on a terminal, one line that moves where the total is known. */
export function createScreen(total: number | undefined, stream: NodeJS.WriteStream): Report {
  return total !== undefined && stream.isTTY ? createBar(total, stream) : createLines(total, stream);
}

function createLines(total: number | undefined, stream: NodeJS.WriteStream): Report {
  let done = 0;
  return {
    settled: (outcome) => {
      done += 1;
      stream.write(`${total === undefined ? "" : `${done}/${total} `}${lineOf(outcome)}\n`);
    },
    waiting: (seconds, reason) => void stream.write(`${waitText(seconds, reason)}\n`),
    end: (outcomes) => console.log(summary(outcomes)),
  };
}

function createBar(total: number, stream: NodeJS.WriteStream): Report {
  let done = 0;
  let saved = 0;
  const draw = (note: string): void => {
    const filled = Math.round((done / Math.max(total, 1)) * BAR);
    const bar = "█".repeat(filled) + "░".repeat(BAR - filled);
    const line = `${bar} ${done}/${total}  ${sizeText(saved)} saved${note}`;
    stream.write(`\r\u001b[K${line.slice(0, (stream.columns || 80) - 1)}`);
  };
  draw("");
  return {
    settled: (outcome) => {
      done += 1;
      if (outcome.kind === "written") saved += outcome.before - outcome.after;
      draw("");
    },
    waiting: (seconds, reason) => draw(`  ${waitText(seconds, reason)}`),
    end: (outcomes) => {
      stream.write("\r\u001b[K");
      console.log(summary(outcomes));
    },
  };
}

export function waitText(seconds: number, reason: string): string {
  return `${shown(reason)}: waiting ${Math.ceil(seconds)} s`;
}

function lineOf(outcome: Outcome): string {
  const name = shortPath(outcome.path);
  if (outcome.kind === "failed") return `${name}: ${shown(outcome.reason)}`;
  if (outcome.kind === "skipped") return `${name}: done before`;
  if (outcome.kind === "kept") return `${name}: kept as it is`;
  return `${name}: ${sizeText(outcome.before)} to ${sizeText(outcome.after)}`;
}

/** The table of savings and the list of failures. */
export function summary(outcomes: readonly Outcome[]): string {
  const written = outcomes.filter((outcome) => outcome.kind === "written");
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  const kept = outcomes.filter((outcome) => outcome.kind === "kept").length;
  const skipped = outcomes.filter((outcome) => outcome.kind === "skipped").length;
  const before = written.reduce((sum, outcome) => sum + outcome.before, 0);
  const after = written.reduce((sum, outcome) => sum + outcome.after, 0);
  const shown = written.slice(0, MAX_ROWS).map((one) => [shortPath(one.target), ...figures(one.before, one.after)]);
  const rest = written.length - shown.length;
  const sum = [`${written.length} ${written.length === 1 ? "image" : "images"}`, ...figures(before, after)];
  const table = alignRows([["File", "Original", "Result", "Saved"], ...shown, sum]);
  const [head = "", ...rows] = table;
  const last = rows.pop() ?? "";
  const rule = "─".repeat(head.length);
  return [
    ...(written.length > 0 ? [head, rule, ...rows, ...(rest > 0 ? [`… and ${rest} more`] : []), rule, last] : []),
    ...(kept > 0 ? [`${kept} kept as they are.`] : []),
    ...(skipped > 0 ? [`${skipped} done before.`] : []),
    ...(failed.length > 0 ? ["", `${failed.length} failed:`, ...failed.map((one) => `  ${lineOf(one)}`)] : []),
  ].join("\n");
}

function figures(before: number, after: number): string[] {
  const share = before === 0 ? 0 : (1 - after / before) * 100;
  return [sizeText(before), sizeText(after), `${share.toFixed(1)} %`];
}

/** The first column to the left, numbers to the right. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return shown(short.startsWith("..") ? path : short);
}

/** In the decimal units that file managers show. */
export function sizeText(bytes: number): string {
  if (Math.abs(bytes) < 1000) return `${bytes} B`;
  if (Math.abs(bytes) < 999_500) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}
