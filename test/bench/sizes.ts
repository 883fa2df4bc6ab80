/**
 * The bytes by which each format reaches one score, in the engine's own encodings:
 * `IMAGES=folder SSIMULACRA2=tool npm run bench -- sizes`. `KINDS` and `ONLY` choose pictures as in `search`, FORMATS
 * formats, and SCORE the score (75). Scores are those of the reference tool where it is given.
 *
 * Bytes are worked out between two qualities, one on each side of the score, so that no format is charged for what its
 * search left over.
 */
import sharp from "sharp";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { encodedFor } from "./encoded.ts";
import { chosen, given } from "./given.ts";
import { median } from "./harness.ts";
import { bytesAt } from "./search-baselines.ts";
import { KINDS, originalsOf } from "./search-originals.ts";
import { type Scorer, scorer } from "./search-scores.ts";

const NAMES = ["jpeg", "webp", "avif", "jxl"] as const;
type Name = (typeof NAMES)[number];
/** Where each begins. */
const USUAL_QUALITY = 75;
const USUAL_SCORE = "75";

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const [folder] = given("IMAGES");
  const [tool] = process.env["SSIMULACRA2"] ? given("SSIMULACRA2") : [];
  const score = Number(process.env["SCORE"] ?? USUAL_SCORE);
  const names = chosen("FORMATS", NAMES);
  for (const kind of chosen("KINDS", KINDS)) {
    const lines: Sizes[] = [];
    for (const [label, open] of originalsOf(kind, folder)) {
      const line = await sizes(await open(), names, score, tool);
      lines.push(line);
      console.log(`  ${label.padEnd(44)} ${names.map((name) => `${name} ${told(line[name])}`).join("  ")}`);
    }
    summarize(`${lines.length} ${kind} at a score of ${score}`, names, lines);
  }
}

/** Bytes; null where a format does not reach the score, or never falls below it. */
type Sizes = Readonly<Partial<Record<Name, number | null>>>;

async function sizes(original: Buffer, names: readonly Name[], score: number, tool: string | undefined) {
  const scores = scorer(original, tool);
  try {
    const entries: [Name, number | null][] = [];
    for (const name of names) {
      entries.push([name, await bytesAt(score, USUAL_QUALITY, (quality) => encoded(original, name, quality, scores))]);
    }
    return Object.fromEntries(entries) as Sizes;
  } finally {
    scores.close();
  }
}

async function encoded(original: Buffer, name: Name, quality: number, scores: Scorer) {
  const format: FormatDefinition = FORMATS[name];
  const bytes = await encodedFor(original, format, { kind: "quality", quality });
  return { score: await scores.ofFile(bytes, format), bytes: bytes.length };
}

function told(bytes: number | null | undefined): string {
  return bytes ? String(Math.round(bytes)).padStart(8) : "       –";
}

/** Each format beside the first, over the pictures in which both reach the score. */
function summarize(title: string, names: readonly Name[], lines: readonly Sizes[]): void {
  const [first] = names;
  if (!first) return;
  for (const name of names) {
    const quotients = lines.flatMap((line) => {
      const [own, other] = [line[name], line[first]];
      return own && other ? [own / other] : [];
    });
    if (quotients.length === 0) continue;
    const mean = Math.exp(quotients.reduce((sum, quotient) => sum + Math.log(quotient), 0) / quotients.length);
    console.log(
      `${title}: ${name} ${mean.toFixed(3)} of ${first} (geometric mean of ${quotients.length}, median ${median(quotients).toFixed(3)})`,
    );
  }
}
