/** What programs read: a line of JSON for each image, and one with the sums. */
import type { Looks } from "./client.ts";
import type { Outcome } from "./outcome.ts";
import { type Report, waitText } from "./screen.ts";

/** Lines for standard output; waits are told on the other stream, which people read. */
export function createJsonReport(out: NodeJS.WritableStream, aside: NodeJS.WritableStream): Report {
  const write = (line: object): void => void out.write(`${JSON.stringify(line)}\n`);
  return {
    settled: (outcome) => write(lineOf(outcome)),
    waiting: (seconds, reason) => void aside.write(`${waitText(seconds, reason)}\n`),
    end: (outcomes, missing) => write(sumsOf(outcomes, missing)),
  };
}

function lineOf(outcome: Outcome): object {
  const { kind, path } = outcome;
  if (kind === "failed") return { path, error: outcome.error };
  if (kind === "kept") return { path, kept: true, bytes_before: outcome.before, bytes_after: outcome.after };
  if (kind === "skipped") return { path, output: outcome.target, skipped: true };
  const { target, before, after, ms, picture, files } = outcome;
  const sizes = { path, output: target, bytes_before: before, bytes_after: after };
  if (!picture) return { ...sizes, files: files?.map((file) => ({ ...file, ...shownLooks(file) })), ms };
  return { ...sizes, ...shownLooks(picture), ms };
}

function shownLooks({ format, width, height, score, looks }: Looks): object {
  return { format, width, height, score: score ?? null, looks: looks ?? null };
}

function sumsOf(outcomes: readonly Outcome[], missing: number): object {
  const written = outcomes.filter((outcome) => outcome.kind === "written");
  const sum = (of: (outcome: (typeof written)[number]) => number): number =>
    written.reduce((total, outcome) => total + of(outcome), 0);
  return {
    images: written.length,
    skipped: outcomes.filter(({ kind }) => kind === "skipped").length,
    kept: outcomes.filter(({ kind }) => kind === "kept").length,
    failed: outcomes.filter(({ kind }) => kind === "failed").length,
    not_begun: missing,
    bytes_before: sum(({ before }) => before),
    bytes_after: sum(({ after }) => after),
    ms: sum(({ ms }) => ms),
  };
}
