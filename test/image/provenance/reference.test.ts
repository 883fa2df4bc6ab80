/** Results that are signed, judged by the reference implementation, which is not ours. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

/** What the reference finds in a result. */
export interface Found {
  readonly original: string;
  readonly format: string;
  readonly made: string;
  readonly algorithm: string;
  readonly state: string;
  /** The words of the standard for what is wrong and for what is to be known, of ingredients too. */
  readonly failures: readonly string[];
  readonly parents: number;
}

const FORMATS = ["jpeg", "png", "webp", "gif", "avif", "heic", "jxl", "tiff"];

describe("a result that is signed is trusted by the reference implementation, whatever was done to whatever original", () => {
  let found: readonly Found[] = [];
  beforeAll(() => {
    const lines = execFileSync(process.execPath, [join(import.meta.dirname, "reference-process.ts")], {
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    found = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Found);
  });

  it.for(FORMATS)("%s", (format) => {
    const own = found.filter((one) => one.format === format);
    // Nine originals, eight orders.
    expect(own).toHaveLength(72);
    expect(new Set(own.map(({ algorithm }) => algorithm)).size).toBe(4);
    const others = own.filter(
      ({ state, failures, parents }) => state !== "Trusted" || failures.length > 0 || parents !== 1,
    );
    expect(others).toEqual([]);
  });

  it("in no other format", () => {
    expect(new Set(found.map(({ format }) => format))).toEqual(new Set(FORMATS));
  });
});
