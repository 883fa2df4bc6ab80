/**
 * What small pictures take beside one blind encoding by sharp: `IMAGES=folder npm run bench -- small`. `FORMATS="jpeg webp"`
 * chooses formats. A photograph, a logo and a screen are cut to squares of 16 to 400 pixels. Times are of processors,
 * medians of rounds that take turns; beside their quotients is how often a picture was encoded.
 */
import { join } from "node:path";

import sharp from "sharp";

import { renderOne } from "../../src/image/render/render.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { chosen, given } from "./given.ts";
import { median, milliseconds } from "./harness.ts";
import { type BaselineName, BASELINES } from "./search-baselines.ts";
import { upright } from "./search-originals.ts";

const ROUNDS = 7;
const SIDES = [16, 32, 48, 96, 200, 400] as const;
const PICTURES = {
  photograph: "photos/kodim23.png",
  logo: "graphics/wuffs-logo-1024x724.png",
  screen: "graphics/screenshot-clic-4cd6910a.png",
} as const;

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const [folder] = given("IMAGES");
  for (const name of chosen("FORMATS", Object.keys(BASELINES) as BaselineName[])) {
    for (const [kind, file] of Object.entries(PICTURES)) {
      const columns: string[] = [];
      for (const side of SIDES) {
        const square = upright(join(folder, file)).resize(side, side, { fit: "cover" });
        columns.push(`${side}: ${await told(await square.png().toBuffer(), name)}`.padEnd(22));
      }
      console.log(`${name.padEnd(5)} ${kind.padEnd(10)} ${columns.join(" ")}`);
    }
  }
}

/** The quotient of times, how often it was encoded, and bytes. */
async function told(original: Buffer, format: BaselineName): Promise<string> {
  const [times, baselineTimes]: [number[], number[]] = [[], []];
  let [encodings, bytes] = [0, 0];
  for (let round = -1; round < ROUNDS; round++) {
    encodings = 0;
    const started = process.threadCpuUsage();
    bytes = await made(original, format, () => void encodings++);
    const ms = milliseconds(process.threadCpuUsage(started));
    const baselineStarted = process.cpuUsage();
    await BASELINES[format].blind(sharp(original)).toBuffer();
    if (round < 0) continue;
    times.push(ms);
    baselineTimes.push(milliseconds(process.cpuUsage(baselineStarted)));
  }
  return `${(median(times) / median(baselineTimes)).toFixed(1)} (${encodings}), ${bytes}`;
}

/** Bytes of the result. */
async function made(original: Buffer, format: BaselineName, encoded: () => void): Promise<number> {
  const { output } = await renderOne(SharedBytes.of(new Uint8Array(original)), {
    operations: {},
    output: { format },
    optimize: undefined,
    overlays: new Map(),
    accept: undefined,
    trace: ({ kind }) => {
      if (kind === "encoded") encoded();
    },
  });
  const { length } = output.file.bytes;
  output.file.release();
  return length;
}
