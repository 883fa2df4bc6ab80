/**
 * `IMAGES=folder npm run bench -- bucket`: ten thousand real pictures in a store, optimized in place by the command while the
 * service is killed, the batch paused, the store slow and the owner at work; then compared object by object. OBJECTS says
 * how many others.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { interruptedBucket } from "../support/interrupted-bucket.ts";
import { given } from "./given.ts";

const OBJECTS = Number(process.env["OBJECTS"] ?? 10_000);

export async function main(): Promise<void> {
  const [folder] = given("IMAGES");
  const names = await readdir(folder, { recursive: true });
  const pictures = names.filter((name) => /\.(?:jpe?g|png)$/i.test(name)).map((name) => join(folder, name));
  const report = await interruptedBucket({ objects: OBJECTS, pictures: pictures.sort().slice(0, 60) }, (line) =>
    console.log(`  ${new Date().toISOString().slice(11, 19)} ${line}`),
  );
  const { batch, replaced, results, originals, leastDb, wrong, seconds } = report;
  const { found, done, skipped, failed, bytes_before: before, bytes_after: after } = batch.counts;
  console.log(`  found ${found}: ${done} done, ${skipped} skipped, ${failed} failed, in ${seconds.toFixed(0)} s`);
  console.log(`  ${before} bytes became ${after} (${((1 - after / before) * 100).toFixed(1)} % saved)`);
  console.log(`  ${replaced} replaced by their owner meanwhile; in the end ${results} results, ${originals} originals`);
  console.log(`  a result is at least ${leastDb.toFixed(1)} dB like its original`);
  console.log(wrong.length === 0 ? "  nothing lost, nothing done twice" : `  WRONG: ${wrong.join("; ")}`);
}
