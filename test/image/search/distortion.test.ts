/** The search for a quality by the distortion that it brings. */
import { describe, expect, it, vi } from "vitest";

import { lowestByDistortion } from "../../../src/image/search/distortion.ts";

/** Probes of a picture that loses so many points at a quality. */
function probesOf(lostAt: (quality: number) => number) {
  return vi.fn((quality: number) => ({
    quality,
    score: async () => 100 - lostAt(quality),
    bytes: async () => new Uint8Array(Math.round(100 * 1.03 ** quality)),
  }));
}

const distortionAt = async (quality: number) => 100 - quality;

describe("the lowest quality by its distortion", () => {
  it.each([0.3, 0.7, 1, 1.4])("is found in three probes where %f of what is expected is lost", async (factor) => {
    const probeAt = probesOf((quality) => (100 - quality) * factor);
    const { quality } = await lowestByDistortion(probeAt, distortionAt, 75, { first: 75 });
    const lowest = Math.ceil(100 - 25 / factor);
    expect(quality).toBe(Math.max(20, lowest));
    expect(probeAt.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it("is found behind a step, before which quality makes no difference", async () => {
    const probeAt = probesOf((quality) => (quality < 60 ? 27 : 10));
    const { quality } = await lowestByDistortion(probeAt, distortionAt, 75, { first: 40 });
    expect(quality).toBe(60);
    expect(probeAt.mock.calls.length).toBeLessThanOrEqual(8);
  });

  it("is not looked for among qualities of the same distortion", async () => {
    const stairs = (quality: number) => 10 * Math.ceil((100 - quality) / 10);
    const probeAt = probesOf(stairs);
    const found = await lowestByDistortion(probeAt, async (quality) => stairs(quality), 75, { first: 50 });
    expect(await found.score()).toBe(80);
    expect(new Set(probeAt.mock.calls.map(([quality]) => stairs(quality))).size).toBe(probeAt.mock.calls.length);
  });

  it.each([
    ["the lowest reaches the target", 24, 92],
    ["only a higher one does", 26, 98],
  ])("is the lowest of those of the least distortion, where %s", async (_name, lost, expected) => {
    // As of palettes: from 92 on they have all colors, and only dithering is added.
    const least = async (quality: number) => Math.max(22, 206 - 2 * quality);
    const probeAt = probesOf((quality) => (quality < 92 ? 40 : lost - (quality - 92) / 2));
    const { quality } = await lowestByDistortion(probeAt, least, 75, { first: 80 });
    expect(quality).toBe(expected);
  });

  it("is given up where not even the highest quality would do", async () => {
    const probeAt = probesOf(() => 80);
    const found = await lowestByDistortion(probeAt, async (quality) => 60 - quality / 10, 75, { first: 80 });
    expect(await found.score()).toBe(20);
    expect(probeAt).toHaveBeenCalledTimes(1);
  });

  it("is given up at a probe from which there is no way to fewer bytes, before that is scored", async () => {
    const score = vi.fn(() => 80);
    const probeAt = (quality: number) => ({
      quality,
      score: async () => score(),
      bytes: async () => new Uint8Array(1_000),
    });
    await lowestByDistortion(probeAt, distortionAt, 75, { first: 75, beat: 300 });
    expect(score).not.toHaveBeenCalled();
    await lowestByDistortion(probeAt, distortionAt, 75, { first: 75, beat: 3_000 });
    expect(score).toHaveBeenCalled();
  });
});
