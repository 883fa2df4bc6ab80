/**
 * What `output.format: "auto"` takes beside the dearest of the formats that it may hand out, each asked for by name:
 * `IMAGES=folder npm run bench -- auto`. `KINDS` and `ONLY` choose pictures as in `search`. Times are of processors,
 * medians of rounds that take turns.
 */
import type { SingleOrder } from "../../src/image/render/order.ts";
import { renderOne } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { chosen, given } from "./given.ts";
import { median, milliseconds } from "./harness.ts";
import { KINDS, originalsOf } from "./search-originals.ts";

const ROUNDS = 3;
/** What browsers say that show the most. */
const ACCEPT = "image/avif,image/webp,*/*";
const NAMED = ["jpeg", "png", "webp", "avif"] as const;

type Word = (typeof NAMED)[number] | "auto";

export async function main(): Promise<void> {
  const [folder] = given("IMAGES");
  for (const kind of chosen("KINDS", KINDS)) {
    const ratios: number[] = [];
    for (const [label, open] of originalsOf(kind, folder)) {
      const original = await open();
      const times = await timesOf(original);
      const dearest = NAMED.reduce((most, word) => (times[word] > times[most] ? word : most));
      const { format } = await made(original, "auto");
      const ratio = times.auto / times[dearest];
      ratios.push(ratio);
      console.log(`  ${label.padEnd(36)} ${ratio.toFixed(2)} of ${dearest}, ${times.auto.toFixed(0)} ms: ${format}`);
    }
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    console.log(`## ${ratios.length} ${kind}: median ${median(ratios).toFixed(2)}, mean ${mean.toFixed(2)}`);
  }
}

/** Milliseconds. */
async function timesOf(original: Buffer): Promise<Readonly<Record<Word, number>>> {
  const words = [...NAMED, "auto"] as const;
  const times: Record<Word, number[]> = { jpeg: [], png: [], webp: [], avif: [], auto: [] };
  for (const word of words) await made(original, word);
  for (let round = 0; round < ROUNDS; round++) {
    for (const word of words) times[word].push((await made(original, word)).ms);
  }
  return Object.fromEntries(words.map((word) => [word, median(times[word])])) as Record<Word, number>;
}

async function made(original: Buffer, word: Word): Promise<{ readonly ms: number; readonly format: string }> {
  const rest = { operations: {}, optimize: undefined, overlays: new Map<string, Uint8Array>(), accept: ACCEPT };
  const order: SingleOrder = { ...rest, output: { format: word } };
  const started = process.threadCpuUsage();
  const { output } = await renderOne(SharedBytes.of(new Uint8Array(original)), order);
  const ms = milliseconds(process.threadCpuUsage(started));
  output.file.release();
  return { ms, format: output.format.mime };
}
