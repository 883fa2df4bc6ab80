/**
 * What the container of a file costs before it has an estimate: files of 1, 2 and 4 MB of nothing but their smallest part, and
 * of references that multiply. A table of processor time, and of what is allocated on the heap and in buffers, garbage
 * included: it is measured in a process whose young generation is so large that nothing is collected in between.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Megabytes in which all that one file takes stays. */
const YOUNG_MEGABYTES = 512;
const MEGABYTE = 1 << 20;

export interface FramingCost {
  readonly name: string;
  /** What was asked for; a family may make fewer bytes. */
  readonly megabytes: number;
  readonly bytes: number;
  /** `read`, or the status of the refusal. */
  readonly outcome: string;
  /** Milliseconds of processor time. */
  readonly ms: number;
  /** Bytes. */
  readonly allocated: number;
  /** Bytes that stay. */
  readonly kept: number;
}

/**
 * @param names parts of the names of files that are wanted; none: all of them
 * @param isWhole reading that has an estimate is done as well
 */
export function framingCosts(names: readonly string[] = [], isWhole = false): FramingCost[] {
  const space = [`--min-semi-space-size=${YOUNG_MEGABYTES}`, `--max-semi-space-size=${YOUNG_MEGABYTES}`];
  const thread = join(import.meta.dirname, "framing-thread.ts");
  // Threads that free buffers beside the process would be late on a busy machine.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--expose-gc", "--single-threaded-gc", ...space, thread, ...(isWhole ? ["--whole"] : []), ...names],
    {
      encoding: "utf8",
      maxBuffer: 1 << 24,
    },
  );
  if (status !== 0) throw new Error(`the process ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FramingCost);
}

export async function main(): Promise<void> {
  const costs = Map.groupBy(framingCosts(), ({ name }) => name);
  console.log("| File | 1 MB | 2 MB | 4 MB |\n| --- | --- | --- | --- |");
  for (const [name, sizes] of costs) {
    const cells = sizes.map(({ outcome, ms, allocated }) => {
      return `${outcome}, ${ms.toFixed(0)} ms, ${(allocated / MEGABYTE).toFixed(1)} MiB`;
    });
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}
