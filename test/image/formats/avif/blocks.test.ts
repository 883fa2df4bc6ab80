/** Sizes of blocks that a rendition takes from an earlier one of the same picture. */
import { describe, expect, it } from "vitest";

import type { Chosen, EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decodeFile } from "../../../support/files.ts";
import { paint, pictureOf, type Pixels, psnr, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const EXACT = { ...SETTINGS, lossless: true };

function encode(pixels: Pixels, settings: EncodeSettings, opaque = true): Promise<Uint8Array> {
  return avif.write.encode(pictureOf([pixels], { opaque }), settings, UNPAUSED);
}

describe("a further rendition as AVIF", () => {
  it("takes sizes of blocks from an earlier rendition of the same picture, of any size and alpha", async () => {
    for (const [width, height, opaque] of [
      [200, 150, true],
      [67, 41, true],
      [120, 61, false],
    ] as const) {
      const pixels = scene(width, height, opaque);
      const chosen: Chosen = {};
      const fresh = await encode(pixels, SETTINGS, opaque);
      expect(await encode(pixels, { ...SETTINGS, chosen }, opaque)).toEqual(fresh);
      expect(chosen.parts).toHaveLength(1);
      const again = await encode(pixels, { ...SETTINGS, chosen }, opaque);
      const finer = await encode(pixels, { ...SETTINGS, quality: 85, chosen }, opaque);
      const shown = async (file: Uint8Array) => psnr(await decodeFile(avif, file), pixels);
      expect(Math.abs((await shown(again)) - (await shown(fresh)))).toBeLessThan(0.5);
      expect(again.length).toBeLessThan(fresh.length * 1.05);
      expect(await shown(finer)).toBeGreaterThan(await shown(again));
    }
  });

  it("chooses anew with another chroma, far away, or at a speed that has no choice", async () => {
    const pixels = scene(90, 70);
    const chosen: Chosen = {};
    await encode(pixels, { ...SETTINGS, chosen });
    for (const settings of [
      { ...SETTINGS, subsample: "4:4:4" },
      { ...SETTINGS, subsample: "4:4:4", quality: 30 },
    ] as const) {
      expect(await encode(pixels, { ...settings, chosen })).toEqual(await encode(pixels, settings));
    }
    const { key } = chosen;
    for (const other of [EXACT, { ...SETTINGS, draft: true }, { ...SETTINGS, probe: true }]) {
      expect(await encode(pixels, { ...other, chosen })).toEqual(await encode(pixels, other));
      expect(chosen.key).toBe(key);
    }
  });

  it("takes sizes of blocks of each tile", async () => {
    const wide = paint(1_401, 901, (x, y) => [(x * 255) / 1_401, (y * 255) / 901, 120, 255]);
    const chosen: Chosen = {};
    const first = await encode(wide, { ...SETTINGS, chosen });
    expect(chosen.parts?.length).toBeGreaterThan(1);
    const again = await encode(wide, { ...SETTINGS, chosen });
    expect(psnr(await decodeFile(avif, again), wide)).toBeGreaterThan(45);
    expect(again.length).toBeLessThan(first.length * 1.05);
  });
});
