/** The encoding of JPEG files that a request names: it is obeyed at every size, whatever the way to the result. */
import { describe, expect, it } from "vitest";

import gray from "../fixtures/jpeg/gray.jpg";
import progressive from "../fixtures/jpeg/progressive.jpg";
import s420 from "../fixtures/jpeg/s420.jpg";
import png from "../fixtures/png/rgb-8.png";
import animation from "../fixtures/webp/animated-red-blue.webp";
import { pixelsOf, read, walk } from "../support/walk.ts";

const FILES = { baseline: s420, progressive, gray, png, animation };

const OBJECTIVES = {
  default: {},
  low: { compression: "low" },
  ultra: { compression: "ultra" },
  quality: { quality: 60 },
  lossless: { lossless: true },
  "a size": { target_bytes: 1_500 },
  "a size that it has": { target_bytes: 50_000 },
};

const SIDES = [2, 8, 17, 40, 60, 100];

const ENCODINGS = ["baseline", "progressive"] as const;

async function failures(file: Uint8Array, operations: readonly object[], objectives: object): Promise<string[]> {
  const found: string[] = [];
  for (const operation of operations) {
    for (const [objective, optimize] of Object.entries(objectives)) {
      for (const encoding of ENCODINGS) {
        const { output, stored } = await walk(file, { ...operation, optimize, output: { format: "jpeg", encoding } });
        const said = await read(stored);
        const is = said?.progressive === true ? "progressive" : "baseline";
        if (said && is === encoding && output.interlaced === said.progressive) continue;
        found.push(`${JSON.stringify(operation)}, ${objective}: ${is}, not ${encoding}`);
      }
    }
  }
  return found;
}

describe.each(Object.entries(FILES))("the encoding that is named for %s", (_name, file) => {
  const bytes = new Uint8Array(file);

  it("is that of the result, whatever the objective", async () => {
    expect(await failures(bytes, [{}], OBJECTIVES)).toEqual([]);
  });

  it("is that of the result, whatever the size", async () => {
    const sizes = SIDES.map((width) => ({ resize: { width, height: Math.ceil((width * 2) / 3), mode: "exact" } }));
    expect(await failures(bytes, sizes, { default: {}, quality: { quality: 60 } })).toEqual([]);
  });

  it("is that of an earlier result that comes back, of which nothing else changes", async () => {
    const { stored, output } = await walk(bytes, { output: { format: "jpeg" } });
    const expected = await pixelsOf(stored, output);
    for (const encoding of ENCODINGS) {
      const again = await walk(stored, { output: { encoding } });
      expect((await read(again.stored))?.progressive).toBe(encoding === "progressive");
      expect(await pixelsOf(again.stored, output)).toEqual(expected);
      const third = await walk(again.stored, { output: { encoding } });
      expect(third.stored).toEqual(again.stored);
    }
  });
});
