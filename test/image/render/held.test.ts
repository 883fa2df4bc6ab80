/**
 * What work declares beside what it takes of an isolate with its buffers outside of native memory, which only Node tells:
 * `npm run bench -- held`, by photographs and pages. Sets are among them, and PNG, which is written from such buffers.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { ROOT } from "../../../src/cli/wrangler.ts";

/** How many times of what is taken may be declared, and mebibytes besides. */
const FACTOR = 1.6;
const BESIDE = 1;

interface Line {
  readonly work: string;
  readonly declared: number;
  readonly held: number;
  readonly taken: number;
}

const LINE = /^\s+(\S.*?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+[\d.]+(?: BELOW| ABOVE)?$/;

async function linesOf(only: string, sizes: string): Promise<readonly Line[]> {
  const env = { ...process.env, ONLY: only, SIZES: sizes };
  const bench = ["test/bench/run.ts", "held"];
  const { stdout } = await promisify(execFile)(process.execPath, bench, { cwd: ROOT, env });
  return stdout.split("\n").flatMap((line) => {
    const [, work, ...numbers] = LINE.exec(line) ?? [];
    const [declared = 0, held = 0, taken = 0] = numbers.map(Number);
    return work === undefined || work.includes("noise") ? [] : [{ work, declared, held, taken }];
  });
}

/** Photographs and pages are declared alike: those that take more decide. */
function byKind(lines: readonly Line[]): readonly Line[] {
  const kinds = Map.groupBy(lines, ({ work }) => work.replace(/photo|page/, "picture"));
  return [...kinds].map(([work, [first, ...others]]) => ({
    work,
    declared: first?.declared ?? 0,
    held: Math.max(first?.held ?? 0, ...others.map(({ held }) => held)),
    taken: Math.max(first?.taken ?? 0, ...others.map(({ taken }) => taken)),
  }));
}

it.each([
  ["JPEG that is written", "write: jpeg quality", "0.02 0.1 0.5 1", 4, (work: string) => !work.includes("jpeg2000")],
  ["searches for JPEG", "search: jpeg", "0.5 1", 2, () => true],
  ["searches for WebP", "search: webp photo", "0.5", 1, () => true],
  ["stills of PNG", "write: png MP", "0.1 1", 4, (work: string) => !work.includes("frames")],
  ["PNG that is read", "read: png MP", "0.1 1 4", 15, () => true],
])("%s declare not less than they hold, and not much more", async (_what, only, sizes, count, isJudged) => {
  const lines = byKind(await linesOf(only, sizes)).filter(({ work }) => isJudged(work));
  expect(lines).toHaveLength(count);
  for (const { work, declared, held, taken } of lines) {
    expect(declared, work).toBeGreaterThanOrEqual(held);
    expect(declared, work).toBeLessThanOrEqual(FACTOR * taken + BESIDE);
  }
});

it("sets declare not less than they hold, and not much more", async () => {
  const lines = await linesOf("set: photo", "1");
  // The whole comes last, behind its results.
  const { declared = 0, held = 0, taken = 0 } = lines.at(-1) ?? {};
  expect(lines).toHaveLength(7);
  expect(declared).toBeGreaterThanOrEqual(held);
  expect(declared).toBeLessThanOrEqual(FACTOR * taken + BESIDE);
});
