/**
 * What smart lossy saves, and against whom: `PHOTOS="a.jpg b.png" npm run bench -- optimize`. For every picture the
 * preset `medium`, then sharp at the lowest quality that scores as high, and the lossless aim.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import sharp from "sharp";

import { identify } from "../../src/image/detect.ts";
import { scoreRows } from "../../src/image/optimize/score.ts";
import { firstFrame } from "../../src/image/picture.ts";
import { pictureOf } from "../../src/image/pipeline.ts";
import { planSteps, storedSize } from "../../src/image/plan.ts";
import { render } from "../../src/image/render.ts";
import type { Rows } from "../../src/image/rows.ts";

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const shares = { smart: [] as number[], lossless: [] as number[], against: [] as number[] };
  for (const path of (process.env["PHOTOS"] ?? "").split(" ").filter(Boolean)) {
    const bytes = new Uint8Array(readFileSync(path));
    const smart = await optimized(bytes, false);
    const lossless = await optimized(bytes, true);
    const other = await sharpAt(bytes, smart.score ?? 75);
    shares.smart.push(smart.bytes.length / bytes.length);
    shares.lossless.push(lossless.bytes.length / bytes.length);
    shares.against.push(smart.bytes.length / other.bytes);
    console.log(
      `  ${basename(path).padEnd(36)} ${bytes.length} -> ${smart.bytes.length} (${saved(shares.smart)}), score ${smart.score?.toFixed(1)}, ${smart.elapsedMs.toFixed(0)} ms; lossless ${saved(shares.lossless)}; sharp ${other.bytes} at quality ${other.quality}, score ${other.score.toFixed(1)}: ratio ${shares.against.at(-1)?.toFixed(3)}`,
    );
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(
    `  mean saving ${percent(mean(shares.smart))} smart, ${percent(mean(shares.lossless))} lossless; mean of the ratios to sharp at equal score ${mean(shares.against).toFixed(3)}`,
  );
}

function saved(shares: readonly number[]): string {
  return percent(shares.at(-1) ?? 1);
}

function percent(share: number): string {
  return `${((1 - share) * 100).toFixed(1)} %`;
}

async function optimized(bytes: Uint8Array, lossless: boolean) {
  const order = {
    operations: {},
    output: undefined,
    optimize: { lossless },
    overlays: new Map<string, Uint8Array>(),
    accept: undefined,
  };
  const started = performance.now();
  const { output } = await render(bytes, order);
  return { bytes: output.bytes, score: output.score, elapsedMs: performance.now() - started };
}

/** Sharp's smallest file of the same format that scores at least `target`: mozjpeg, or a palette. */
async function sharpAt(bytes: Uint8Array, target: number) {
  const isPng = identify(bytes).name === "png";
  let low = 1;
  let high = 100;
  let best = { bytes: bytes.length, quality: 100, score: 100 };
  while (low <= high) {
    const quality = (low + high) >> 1;
    const upright = sharp(bytes).rotate().toColorspace("srgb");
    const encoded = new Uint8Array(
      await (
        isPng ? upright.png({ palette: true, quality, effort: 7 }) : upright.jpeg({ quality, mozjpeg: true })
      ).toBuffer(),
    );
    const score = scoreRows(rowsOf(bytes), rowsOf(encoded));
    if (score >= target) {
      best = { bytes: encoded.length, quality, score };
      high = quality - 1;
    } else {
      low = quality + 1;
    }
  }
  return best;
}

/** The upright pixels of a file in sRGB. */
function rowsOf(bytes: Uint8Array): Rows {
  const stored = identify(bytes);
  const { facts } = stored;
  const plan = planSteps(storedSize(facts), [{ kind: "turn", orientation: facts.orientation }]);
  return firstFrame(pictureOf(stored, plan));
}
