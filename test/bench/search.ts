/**
 * What the search for a quality takes and finds, beside one blind encoding by sharp in the same run:
 * `IMAGES=folder npm run bench -- search`. `FORMATS="jpeg webp"` chooses formats, `KINDS=photographs` or `drawings`
 * what is measured, `ONLY="kodim03 …"` pictures with one of these words in their names. With `RESUME=file` what was
 * measured is kept in that file, and pictures that it has are not measured again. With `SSIMULACRA2=tool` scores are
 * those of the reference tool. With `BESIDE=jpeg` times are held against a blind encoding by mozjpeg, whatever the
 * format.
 *
 * Pictures are given as PNG of at most 1,200 pixels on the longer side (test/bench/search-pictures.ts: nothing is
 * learned from them). Times are of processors, medians of rounds that take turns. Encodings and comparisons are counted
 * in whole pictures. Bytes are held against those by which sharp reaches the same score
 * (test/bench/search-baselines.ts).
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

import sharp from "sharp";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import type { Study } from "../../src/image/codec/writer.ts";
import { FORMATS } from "../../src/image/formats.ts";
import type { Extent, Picture } from "../../src/image/pixels/picture.ts";
import { TARGET_SCORE } from "../../src/image/search/presets.ts";
import { encodedFor } from "./encoded.ts";
import { chosen, given } from "./given.ts";
import { median, milliseconds } from "./harness.ts";
import { type BaselineName, BASELINES, baselineBytesAt } from "./search-baselines.ts";
import { KINDS, originalsOf } from "./search-originals.ts";
import { scorer } from "./search-scores.ts";

const ROUNDS = 3;
const PRESET = "medium";

interface Line {
  readonly ms: number;
  readonly baselineMs: number;
  readonly bytes: number;
  readonly score: number;
  /** Those by which sharp reaches the same score; null where it does not. */
  readonly baselineBytes: number | null;
  readonly counted: Counted;
}

/** A line in the file that is resumed. */
interface Kept {
  readonly key: string;
  readonly line: Line;
}

/** In whole pictures. */
interface Counted {
  encodings: number;
  comparisons: number;
}

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const [folder] = given("IMAGES");
  const [tool] = process.env["SSIMULACRA2"] ? given("SSIMULACRA2") : [];
  const kinds = chosen("KINDS", KINDS);
  const kept = keptIn(process.env["RESUME"]);
  for (const name of chosen("FORMATS", Object.keys(BASELINES) as BaselineName[])) {
    for (const kind of kinds) {
      const lines: Line[] = [];
      for (const [label, open] of originalsOf(kind, folder)) {
        const key = `${name} ${label}`;
        const line = kept.lines.get(key) ?? (await measured(await open(), name, tool));
        if (!kept.lines.has(key)) kept.add({ key, line });
        lines.push(line);
        console.log(`  ${name} ${label.padEnd(36)} ${told(line)}`);
      }
      if (lines.length > 0) summarize(`${name}, ${lines.length} ${kind}`, lines);
    }
  }
}

/** What was measured before, and a way to add to it; nothing is kept without a file. */
function keptIn(file: string | undefined) {
  const lines = new Map<string, Line>();
  const add = (one: Kept) => file && appendFileSync(file, `${JSON.stringify(one)}\n`);
  if (!file || !existsSync(file)) return { lines, add };
  for (const text of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const { key, line } = JSON.parse(text) as Kept;
    lines.set(key, line);
  }
  return { lines, add };
}

async function measured(original: Buffer, name: BaselineName, tool: string | undefined): Promise<Line> {
  const counted: Counted = { encodings: 0, comparisons: 0 };
  const bytes = await smart(original, countingIn(FORMATS[name], counted));
  const [times, baselineTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.threadCpuUsage();
    await smart(original, FORMATS[name]);
    times.push(milliseconds(process.threadCpuUsage(started)));
    const baselineStarted = process.cpuUsage();
    await BASELINES[beside(name)].blind(sharp(original)).toBuffer();
    baselineTimes.push(milliseconds(process.cpuUsage(baselineStarted)));
  }
  const { width, height } = FORMATS.png.read.factsOf(original);
  const pixels = width * height;
  const scores = scorer(original, tool);
  try {
    const score = await scores.ofFile(bytes, FORMATS[name]);
    const baselineBytes = await baselineBytesAt(score, name, original, scores);
    const { encodings, comparisons } = counted;
    return {
      ms: median(times),
      baselineMs: median(baselineTimes),
      bytes: bytes.length,
      score,
      baselineBytes,
      counted: { encodings: encodings / pixels, comparisons: comparisons / pixels },
    };
  } finally {
    scores.close();
  }
}

/** The format whose blind encoding times are held against. */
function beside(name: BaselineName): BaselineName {
  const given = process.env["BESIDE"];
  return given && given in BASELINES ? (given as BaselineName) : name;
}

function smart(original: Buffer, format: FormatDefinition): Promise<Uint8Array> {
  return encodedFor(original, format, { kind: "smart", preset: PRESET });
}

/** A format that counts the pixels that it encodes, and those of its files or previews that are looked at. */
function countingIn(format: FormatDefinition, counted: Counted): FormatDefinition {
  const { read, write } = format;
  if (!write) return format;
  const area = ({ width, height }: Extent) => width * height;
  const { study: open } = write;
  const study = open && ((picture: Picture) => studied(picture, open(picture)));
  const studied = (picture: Picture, own: Study): Study => {
    return {
      encode: (...rest: Parameters<typeof own.encode>) => ((counted.encodings += area(picture)), own.encode(...rest)),
      preview: async (...rest: Parameters<typeof own.preview>) => {
        const preview = await own.preview(...rest);
        const open: typeof preview.open = (timeSlice) => (
          (counted.comparisons += area(picture)),
          preview.open(timeSlice)
        );
        return { ...preview, open };
      },
    };
  };
  return {
    ...format,
    read: {
      ...read,
      open(bytes, facts, demand, timeSlice) {
        counted.comparisons += facts.width * facts.height;
        return read.open(bytes, facts, demand, timeSlice);
      },
    },
    write: {
      ...write,
      ...(study && { study }),
      encode(picture, settings, timeSlice) {
        counted.encodings += area(picture);
        return write.encode(picture, settings, timeSlice);
      },
    },
  };
}

function told({ ms, baselineMs, bytes, score, baselineBytes, counted: { encodings, comparisons } }: Line): string {
  const columns = [
    `${ms.toFixed(0)} ms`,
    `sharp ${baselineMs.toFixed(0)} ms`,
    (ms / baselineMs).toFixed(2),
    `${bytes} bytes`,
    baselineBytes ? `${(bytes / baselineBytes).toFixed(3)} of sharp's` : "",
    `score ${score.toFixed(2)}`,
    `encoded ${encodings.toFixed(1)}`,
    `compared ${comparisons.toFixed(1)}`,
  ];
  return columns.map((column) => column.padStart(13)).join(" ");
}

function summarize(title: string, lines: readonly Line[]): void {
  const target = TARGET_SCORE[PRESET];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const scored = lines.map(({ score }) => score).filter((score) => score < 99);
  const ratio = median(lines.map(({ ms }) => ms)) / median(lines.map(({ baselineMs }) => baselineMs));
  const ratios = lines.map(({ ms, baselineMs }) => ms / baselineMs);
  const parts = lines.flatMap(({ bytes, baselineBytes }) => (baselineBytes ? [Math.log(bytes / baselineBytes)] : []));
  const [least, most] = [Math.min(...scored), Math.max(...scored)];
  console.log(`## ${title}`);
  console.log(
    `   time ${ratio.toFixed(2)} of sharp's (medians), ${median(ratios).toFixed(2)} (median of quotients), ${mean(lines.map(({ ms }) => ms)).toFixed(0)} ms on average`,
  );
  console.log(`   score ${least.toFixed(2)} to ${most.toFixed(2)}, mean ${mean(scored).toFixed(2)}`);
  console.log(`   below the target ${scored.filter((score) => score < target - 0.01).length} of ${lines.length}`);
  console.log(
    `   bytes ${Math.exp(mean(parts)).toFixed(3)} of sharp's at the same score (geometric mean of ${parts.length})`,
  );
  console.log(
    `   encoded ${mean(lines.map(({ counted }) => counted.encodings)).toFixed(2)} times, compared ${mean(lines.map(({ counted }) => counted.comparisons)).toFixed(2)}`,
  );
}
