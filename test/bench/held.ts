/**
 * What work holds of what it declares, over sizes from 0.1 to 24 megapixels: `npm run bench -- held`. Every format is read
 * and written, stills and animations, and searched for, and sets are made. `ONLY="gif webp"` takes the lines that contain one of the
 * words, `SIZES="0.1 4"` megapixels.
 */
import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { admittedDuring } from "../support/admitted.ts";
import { heldJobs } from "./held-jobs.ts";

setFlagsFromString("--expose-gc");
setFlagsFromString("--no-concurrent-array-buffer-sweeping");
const collectGarbage = runInNewContext("gc") as () => void;

function buffers(sure: boolean): number {
  if (sure) collectGarbage();
  return memoryUsage().arrayBuffers;
}

export async function main(): Promise<void> {
  const words = (process.env["ONLY"] ?? "").split(" ").filter(Boolean);
  const sizes = (process.env["SIZES"] ?? "0.1 1 4 12 24").split(" ").map(Number);
  console.log(`  ${"".padEnd(56)}   declared      held   declared / held`);
  for await (const { name, run } of heldJobs(sizes, (job) => words.every((word) => job.includes(word)))) {
    const looked = { now: () => performance.now(), memory: true, buffers };
    const pieces = await admittedDuring(run, looked).catch((error: unknown) => {
      // What no isolate could hold, or a format has no room for, is refused, and the next line goes on.
      console.log(`  ${name.padEnd(56)} ${String(error).slice(0, 90)}`);
      return [];
    });
    for (const { estimate, heldBytes, takenBytes } of pieces) {
      const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(2).padStart(8);
      const ratio = estimate.bytes / takenBytes;
      console.log(
        `  ${name.padEnd(56)} ${mib(estimate.bytes)}  ${mib(heldBytes)}  ${mib(takenBytes)}  ${ratio.toFixed(2).padStart(8)}${estimate.bytes < heldBytes ? " BELOW" : estimate.bytes > takenBytes * 1.6 + 2 ** 20 ? " ABOVE" : ""}`,
      );
    }
  }
}
