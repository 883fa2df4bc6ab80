/** Which ways to write the frames of an animation are tried, and what renditions share. */
import { describe, expect, it } from "vitest";

import type { Chosen, EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../../src/image/formats.ts";
import { FrameWays, Prospect } from "../../../../src/image/formats/webp/frame-ways.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { paint, pictureOf } from "../../../support/rows.ts";

describe("a way that was far from the best in three frames", () => {
  const lost = () => {
    const prospect = new Prospect();
    for (const pixels of [1_000, 1_200, 900]) {
      expect(prospect.isPromising(pixels)).toBe(true);
      prospect.told(pixels, 2);
    }
    return prospect;
  };

  it("is left out of five that follow, and tried again", () => {
    const prospect = lost();
    expect(Array.from({ length: 7 }, () => prospect.isPromising(1_000))).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
      false,
    ]);
  });

  it("is tried where far more or far less changes", () => {
    expect(lost().isPromising(2_500)).toBe(true);
    expect(lost().isPromising(400)).toBe(true);
  });

  it("is tried again once it was near", () => {
    const prospect = lost();
    prospect.told(1_000, 1.1);
    expect(prospect.isPromising(1_000)).toBe(true);
  });
});

describe("frames without loss", () => {
  const file = (length: number) => new Uint8Array(length);

  it("are made once for all renditions, and kept where they are shortest", async () => {
    const chosen: Chosen = {};
    const made: string[] = [];
    const ways = (lossy: number) =>
      (
        [
          ["lossy", lossy],
          ["exact", 50],
          ["blend", 80],
        ] as const
      ).map(([kind, length]) => ({
        kind,
        make: async () => {
          made.push(kind);
          return file(length);
        },
      }));
    const first = new FrameWays(chosen);
    expect(await first.shortest(0, 100, ways(100))).toEqual({ file: file(50), blend: false });
    expect(first.exactTimes).toBe(0.5);
    const second = new FrameWays(chosen);
    expect(await second.shortest(0, 100, ways(40))).toEqual({ file: file(40), blend: false });
    expect(await second.shortest(0, 100, ways(60))).toEqual({ file: file(50), blend: false });
    expect(made).toEqual(["lossy", "exact", "blend", "lossy", "lossy"]);
  });

  it("leave a rendition as it is alone", async () => {
    // A disc over noise that changes, and a bar that does not.
    const noise = (x: number, y: number, at: number) => (Math.imul(x * 31 + y * 17 + at * 7, 2_654_435_761) >>> 24) / 4;
    const frameAt = (at: number) =>
      paint(96, 64, (x, y) => {
        if (at % 3 === 2 && y > 20) return [20, 20, 60, 255];
        if ((x - 40) ** 2 + (y - 30) ** 2 < (8 + 2 * at) ** 2) return [200 + noise(x, y, at) / 2, 60, 60, 255];
        return [240, 240, 250, 255];
      });
    const picture = pictureOf([frameAt(0), ...[1, 2, 3, 4, 5, 6, 7].map(frameAt)], { delayMs: 80 });
    const at = (quality: number): EncodeSettings => ({ lossless: false, quality, progressive: false, effort: 0.5 });
    const chosen: Chosen = {};
    for (const quality of [60, 95, 30]) {
      const alone = await FORMATS.webp.write.encode(picture, at(quality), UNPAUSED);
      expect(await FORMATS.webp.write.encode(picture, { ...at(quality), chosen }, UNPAUSED)).toEqual(alone);
    }
    expect(chosen.frames?.size).toBeGreaterThan(0);
  });
});
