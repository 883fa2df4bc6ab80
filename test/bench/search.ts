/**
 * What the search for a quality takes and finds, beside one blind encoding by sharp in the same run:
 * `IMAGES=folder npm run bench -- search`. `FORMATS="jpeg webp"` chooses formats, `KINDS=photographs` or `drawings` what is
 * measured, and with `SSIMULACRA2=tool` scores are those of the reference tool.
 *
 * Pictures are given as PNG of at most 1,200 pixels on the longer side (test/bench/search-pictures.ts: nothing is learned from
 * them). Times are of processors, medians of rounds that take turns. Encodings and comparisons are counted in whole
 * pictures. Bytes are reduced to those at the target score, by what a point of it takes.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import sharp, { type Sharp } from "sharp";

import { UNPAUSED } from "../../src/image/breath.ts";
import { identify } from "../../src/image/detect.ts";
import type { FormatDefinition } from "../../src/image/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { optimized } from "../../src/image/optimize/attempts.ts";
import { TARGET_SCORE } from "../../src/image/optimize/presets.ts";
import { decoded } from "../../src/image/optimize/trial.ts";
import type { Extent, Picture } from "../../src/image/picture.ts";
import { planSteps, storedSize } from "../../src/image/plan.ts";
import { SharedBytes } from "../../src/image/shared-bytes.ts";
import type { Study } from "../../src/image/writer.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { DRAWINGS, MIDDLES, PHOTOGRAPHS } from "./search-pictures.ts";

const ROUNDS = 3;
/** Pixels. */
const LONGER_SIDE = 1_200;
const MIDDLE = { width: 1_200, height: 900 };
/** The part of its bytes that a file loses with a point of its score. */
const BYTES_PER_POINT = 0.04;
const PRESET = "medium";

const RIVALS = {
  jpeg: (picture: Sharp) => picture.jpeg({ mozjpeg: true }),
  webp: (picture: Sharp) => picture.webp(),
  png: (picture: Sharp) => picture.png({ palette: true }),
  avif: (picture: Sharp) => picture.avif({ effort: 4 }),
} as const;
type Name = keyof typeof RIVALS;

interface Line {
  readonly ms: number;
  readonly rivalMs: number;
  readonly bytes: number;
  readonly score: number;
  readonly counted: Counted;
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
  const words = (variable: string, all: readonly string[]) =>
    all.filter((word) => (process.env[variable] ?? all.join(" ")).split(" ").includes(word));
  const kinds = words("KINDS", ["photographs", "drawings"]);
  for (const name of words("FORMATS", Object.keys(RIVALS)) as Name[]) {
    for (const kind of kinds) {
      const lines: Line[] = [];
      for await (const [label, original] of originalsOf(kind, folder)) {
        const line = await measured(original, name, tool);
        lines.push(line);
        console.log(`  ${name} ${label.padEnd(36)} ${told(line)}`);
      }
      summarize(`${name}, ${lines.length} ${kind}`, lines);
    }
  }
}

/** Pictures as PNG, upright and in sRGB. */
async function* originalsOf(kind: string, folder: string): AsyncGenerator<[label: string, original: Buffer]> {
  const upright = (name: string) => sharp(join(folder, name)).rotate().toColorspace("srgb");
  const within = { width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside", withoutEnlargement: true } as const;
  for (const name of kind === "drawings" ? DRAWINGS : PHOTOGRAPHS) {
    const picture = upright(name).resize(within);
    yield [basename(name), await (kind === "drawings" ? picture : picture.removeAlpha()).png().toBuffer()];
  }
  if (kind === "drawings") return;
  for (const name of MIDDLES) {
    const { info, data } = await upright(name).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const [left, top] = [(info.width - MIDDLE.width) >> 1, (info.height - MIDDLE.height) >> 1];
    const raw = { width: info.width, height: info.height, channels: 3 } as const;
    const middle = sharp(data, { raw }).extract({ left, top, ...MIDDLE });
    yield [`middle of ${basename(name)}`, await middle.png().toBuffer()];
  }
}

async function measured(original: Buffer, name: Name, tool: string | undefined): Promise<Line> {
  const counted: Counted = { encodings: 0, comparisons: 0 };
  const made = await smart(original, countingIn(FORMATS[name], counted));
  const [times, rivalTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.threadCpuUsage();
    await smart(original, FORMATS[name]);
    times.push(milliseconds(process.threadCpuUsage(started)));
    const rivalStarted = process.cpuUsage();
    await RIVALS[name](sharp(original)).toBuffer();
    rivalTimes.push(milliseconds(process.cpuUsage(rivalStarted)));
  }
  const { width, height } = FORMATS.png.read.probe(original);
  const pixels = width * height;
  return {
    ms: median(times),
    rivalMs: median(rivalTimes),
    bytes: made.bytes.length,
    score: tool ? await referenceScore(original, made.bytes, FORMATS[name], tool) : (made.score ?? Number.NaN),
    counted: { encodings: counted.encodings / pixels, comparisons: counted.comparisons / pixels },
  };
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

async function smart(original: Buffer, format: FormatDefinition): Promise<{ bytes: Uint8Array; score?: number }> {
  const source = SharedBytes.of(new Uint8Array(original));
  const stored = identify(source.bytes);
  const plan = planSteps(storedSize(stored.facts), []);
  const best = await optimized({ stored, plan, format, aim: { kind: "smart", preset: PRESET }, isLast: true }, source);
  if (!best) throw new Error("nothing was made");
  return { ...best, bytes: best.file.bytes };
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
        const open: typeof preview.open = (breath) => ((counted.comparisons += area(picture)), preview.open(breath));
        return { ...preview, open };
      },
    };
  };
  return {
    ...format,
    read: {
      ...read,
      open(bytes, facts, demand, breath) {
        counted.comparisons += facts.width * facts.height;
        return read.open(bytes, facts, demand, breath);
      },
    },
    write: {
      ...write,
      ...(study && { study }),
      encode(picture, settings, breath) {
        counted.encodings += area(picture);
        return write.encode(picture, settings, breath);
      },
    },
  };
}

async function referenceScore(original: Buffer, made: Uint8Array, format: FormatDefinition, tool: string) {
  const folder = mkdtempSync(join(tmpdir(), "search-"));
  try {
    const paths = [join(folder, "original.png"), join(folder, "made.png")] as const;
    await sharp(original).png({ compressionLevel: 1 }).toFile(paths[0]);
    const rows = await decoded(format, made, UNPAUSED);
    const pixels = new Uint8Array(rows.width * rows.height * 4);
    let at = 0;
    for (let band = await rows.read(16); band; band = await rows.read(16)) {
      pixels.set(band, at);
      at += band.length;
    }
    rows.close();
    const shown = sharp(pixels, { raw: { width: rows.width, height: rows.height, channels: 4 } });
    await (rows.opaque ? shown.removeAlpha() : shown).png({ compressionLevel: 1 }).toFile(paths[1]);
    return Number(execFileSync(tool, paths, { encoding: "utf8" }));
  } catch {
    return Number.NaN;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function told({ ms, rivalMs, bytes, score, counted: { encodings, comparisons } }: Line): string {
  const columns = [
    `${ms.toFixed(0)} ms`,
    `sharp ${rivalMs.toFixed(0)} ms`,
    (ms / rivalMs).toFixed(2),
    `${bytes} bytes`,
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
  const atTarget = lines.map(({ bytes, score }) => Math.log(bytes) - BYTES_PER_POINT * Math.min(score - target, 10));
  const ratio = median(lines.map(({ ms }) => ms)) / median(lines.map(({ rivalMs }) => rivalMs));
  console.log(`## ${title}`);
  console.log(
    `   time ${ratio.toFixed(2)} of sharp's (medians), ${mean(lines.map(({ ms }) => ms)).toFixed(0)} ms on average`,
  );
  console.log(
    `   above the target ${mean(scored.map((score) => score - target)).toFixed(2)}, worst ${Math.min(...scored).toFixed(2)}`,
  );
  console.log(`   below it ${scored.filter((score) => score < target - 0.01).length} of ${lines.length}`);
  console.log(`   bytes at the target ${Math.exp(mean(atTarget.filter(Number.isFinite))).toFixed(0)} (geometric mean)`);
  console.log(
    `   encoded ${mean(lines.map(({ counted }) => counted.encodings)).toFixed(2)} times, compared ${mean(lines.map(({ counted }) => counted.comparisons)).toFixed(2)}`,
  );
}
