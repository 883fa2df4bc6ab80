/** Reading a drawing holds no more than its price says: each is read by a process that has no more memory. */
import "../support/imports-on-node.ts";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { FRAMINGS } from "../support/hostile-framing.ts";
import { shared } from "../support/share.ts";

const { plainSvg } = await import("../../src/image/formats/svg/document.ts");
const { marksOf, readingEstimate } = await import("../../src/image/formats/svg/weight.ts");

const MEGABYTE = 1 << 20;
const EMPTY = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>');
const YOUNG_MEGABYTES = 2;
const FAMILIES = shared(Object.entries(FRAMINGS).filter(([name]) => name.startsWith("SVG")));

/**
 * The status of reading a file within so much memory; none where that does not do. Garbage is collected by the thread that
 * makes it: threads beside it would keep up on an idle machine alone.
 */
function readWithin(bytes: Uint8Array, megabytes: number): number | undefined {
  const limits = [`--max-old-space-size=${megabytes}`, `--max-semi-space-size=${YOUNG_MEGABYTES}`];
  const reader = join(import.meta.dirname, "../bench/drawing-process.ts");
  const { status, stdout } = spawnSync(process.execPath, ["--single-threaded-gc", ...limits, reader], { input: bytes });
  return status === 0 ? Number(stdout.toString()) : undefined;
}

function askedMegabytes(file: Uint8Array): number {
  try {
    return Math.ceil(readingEstimate(marksOf(plainSvg(file))).bytes / MEGABYTE);
  } catch {
    // What is refused before it has a price asks for nothing.
    return 0;
  }
}

describe("a drawing of nothing but its smallest part", () => {
  /** What the engine and the modules of all formats hold in a thread that reads an empty drawing. */
  let base = 30;
  beforeAll(() => {
    while (readWithin(EMPTY, base) === undefined) base += 2;
  });

  it.each(FAMILIES)("is read in the memory that it asks for: %s", (_name, make) => {
    for (const megabytes of [1, 2, 3.9]) {
      const bytes = make(megabytes * MEGABYTE);
      expect(readWithin(bytes, base + askedMegabytes(bytes)), `${megabytes} MB`).toEqual(expect.any(Number));
    }
  });

  it("that asks for more than it may is refused by the process", () => {
    const bytes = FRAMINGS["SVG, all elements"]?.(MEGABYTE) ?? new Uint8Array(0);
    expect(readWithin(bytes, base + askedMegabytes(bytes) / 4)).toBeUndefined();
  });
});
