/** The memory that AVIF takes for what libaom takes for a screen: letters and signs, in photographs, too. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { av1EncodeHeap } from "../../../../wasm/av1-encode/module.ts";
import { paint, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

/** Two colors in turn over fine patterns, as libaom takes a screen to be: blocks of it have palettes. */
function screen(width: number, height: number): Pixels {
  return paint(width, height, (x, y) => {
    const isInk = (x * 7 + y * 13) % 11 < 4 && ((x >> 2) ^ (y >> 3)) % 3 !== 0;
    const level = isInk ? 20 : 240;
    return [level, (x >> 5) % 2 === 0 ? level : level ^ 60, level, 255];
  });
}

describe("cells that libaom takes for a screen", () => {
  it.each([
    ["10 bits, in a fast pass", 1_024, 768, { probe: true }],
    ["10 bits, in a fast pass, of an odd size", 896, 832, { probe: true }],
    ["10 bits, in a fast pass, long", 2_048, 384, { probe: true }],
    ["8 bits, fast", 1_024, 768, { allPixels: 9_000_000 }],
    ["chroma in full, in a fast pass", 1_024, 768, { probe: true, subsample: "4:4:4" }],
  ] as const)("are written in the memory that is declared for them: %s", async (...row) => {
    const [, width, height, wanted] = row;
    const settings = { ...SETTINGS, ...wanted };
    await avif.write.encode(pictureOf([scene(8, 8)]), settings, UNPAUSED);
    const before = av1EncodeHeap(true).used;
    const bytes = await avif.write.encode(pictureOf([screen(width, height)]), settings, UNPAUSED);
    expect(avif.read.factsOf(bytes)).toMatchObject({ width, height });
    const { peak } = av1EncodeHeap();
    expect(peak - before).toBeLessThanOrEqual(
      avif.write.estimate({ width, height, opaque: true, frames: 1 }, settings).bytes,
    );
  });
});
