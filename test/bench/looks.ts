/**
 * How often the opinions of the engine agree with marks that somebody made of pairs by looking at them: `npm run bench -- looks`.
 * The pairs are those of the bench `look-pairs`, the marks and what the opinions say of them are in look-marks.tsv, and in
 * look-marks-flat.tsv those of drawings of flat tones, slopes and edges: of 217 pairs the 176 whose points, the fewer of both
 * opinions, were 60 to 94 when they were marked, and in look-marks-slopes.tsv those of skies and glows, of which those of presets are as
 * they were then. Those of look-marks-held-out.tsv were marked later, and nothing was fitted to them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../../src/cli/wrangler.ts";
import { type Looks, LOOKS, looksAt } from "../../src/image/search/second-opinion.ts";

interface Marked {
  readonly kind: string;
  readonly mark: Looks;
  /** Points of the score, and of the second opinion. */
  readonly score: number;
  readonly second: number;
}

const OPINIONS: Readonly<Record<string, (one: Marked) => number>> = {
  "score alone": ({ score }) => score,
  "second opinion alone": ({ second }) => second,
  both: ({ score, second }) => Math.min(score, second),
};

/** The marks that the constants of the second opinion were fitted to, three files of them, and those that they were not. */
const SETS = {
  fitted: "look-marks.tsv",
  "flat tones and slopes, fitted as well": "look-marks-flat.tsv",
  "slopes of color, fitted as well": "look-marks-slopes.tsv",
  "held out": "look-marks-held-out.tsv",
} as const;

export async function main(): Promise<void> {
  for (const [name, file] of Object.entries(SETS)) {
    console.log(`\n# ${name}`);
    tell(marked(file));
  }
}

function tell(all: readonly Marked[]): void {
  const counts = LOOKS.map((looks) => `${all.filter(({ mark }) => mark === looks).length} ${looks}`);
  console.log(`${all.length} pairs: ${counts.join(", ")} (looked at twice as large)`);
  for (const [name, points] of Object.entries(OPINIONS)) {
    console.log(`\n${name}`);
    console.log("               marked same, nearly, visible");
    for (const looks of LOOKS) {
      const said = all.filter((one) => looksAt(points(one)) === looks);
      const row = LOOKS.map((mark) => String(said.filter((one) => one.mark === mark).length).padStart(6));
      console.log(`  says ${looks.padEnd(8)}${row.join("")}`);
    }
    console.log(agreement(all, points));
  }
  console.log("\nby kind: agreement of score, second opinion, both");
  for (const kind of new Set(all.map((one) => one.kind))) {
    const own = all.filter((one) => one.kind === kind);
    const parts = Object.values(OPINIONS).map((points) => `${percent(own.filter(agrees(points)).length, own.length)}`);
    console.log(`  ${kind.padEnd(11)}${String(own.length).padStart(4)}  ${parts.join("  ")}`);
  }
}

/** At the size that it has, what was marked as nearly the same at twice the size is taken for the same. */
const agrees = (points: (one: Marked) => number) => (one: Marked) =>
  looksAt(points(one)) === "same" ? one.mark !== "visible" : one.mark === "visible";

function agreement(all: readonly Marked[], points: (one: Marked) => number): string {
  const passed = all.filter((one) => looksAt(points(one)) === "same");
  const ruins = passed.filter(({ mark }) => mark === "visible").length;
  const fine = all.filter(({ mark }) => mark !== "visible");
  const refused = fine.length - (passed.length - ruins);
  const share = percent(all.filter(agrees(points)).length, all.length);
  return `  agrees on ${share}: ${ruins} of ${all.length - fine.length} that are visible pass, ${refused} of ${fine.length} others do not`;
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(0)} %`;
}

function marked(file: string): Marked[] {
  const [head = "", ...lines] = readFileSync(join(ROOT, "test/bench", file), "utf8")
    .trim()
    .split("\n");
  const names = head.split("\t");
  return lines.map((line) => {
    const fields = line.split("\t");
    const field = (name: string) => fields[names.indexOf(name)] ?? "";
    const mark = LOOKS.find((looks) => looks === field("mark"));
    if (!mark) throw new Error(`a pair without a mark: ${line}`);
    return { kind: field("kind"), mark, score: Number(field("score")), second: Number(field("second")) };
  });
}
