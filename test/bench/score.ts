/** What scoring two pictures takes: `npm run bench -- score`. "ns" is the time of a pixel, of one run. */
import { openComparison } from "../../wasm/score/score.ts";
import type { Bench, Candidate } from "./harness.ts";

const SIZES = [
  { width: 768, height: 576 },
  { width: 1_200, height: 900 },
  { width: 2_400, height: 1_600 },
];
const ROUNDS = 9;
const BAND_ROWS = 16;

export const benches: readonly Bench[] = SIZES.map((size) => ({
  title: `${size.width} x ${size.height}`,
  rounds: ROUNDS,
  candidates: () => Promise.resolve(candidatesOf(size)),
}));

function candidatesOf(size: (typeof SIZES)[number]): Candidate[] {
  const [first, second] = [bandsOf(textured(size, 0), size), bandsOf(textured(size, 12), size)];
  const run = () => {
    const comparison = openComparison(size.width, size.height);
    for (const [index, band] of first.entries()) comparison.push(band, second[index] ?? band);
    const score = comparison.result();
    comparison.close();
    return score;
  };
  return [{ name: "two pictures in step", run: timed(run, size.width * size.height) }];
}

function timed(run: () => unknown, pixels: number): () => { ns: string } {
  return () => {
    const start = performance.now();
    run();
    return { ns: (((performance.now() - start) * 1e6) / pixels).toFixed(1) };
  };
}

/** Slopes and edges, with some noise of this strength. */
function textured({ width, height }: (typeof SIZES)[number], noise: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  let random = 1;
  for (let at = 0; at < pixels.length; at += 4) {
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const level = 40 + ((at >> 5) & 127) + ((at >> 12) & 31) + ((random >> 16) % (noise + 1));
    for (let sample = 0; sample < 3; sample++) pixels[at + sample] = level + sample * 9;
  }
  return pixels;
}

function bandsOf(pixels: Uint8Array, { width }: (typeof SIZES)[number]): Uint8Array[] {
  const bytes = width * 4 * BAND_ROWS;
  return Array.from({ length: Math.ceil(pixels.length / bytes) }, (_, index) =>
    pixels.subarray(index * bytes, (index + 1) * bytes),
  );
}
