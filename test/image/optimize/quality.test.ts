import { describe, expect, it, vi } from "vitest";

import { lowestByDamage } from "../../../src/image/optimize/quality.ts";

/** Trials of a picture that loses so many points at a quality. */
function trialsOf(lostAt: (quality: number) => number) {
  return vi.fn((quality: number) => ({
    quality,
    score: 100 - lostAt(quality),
    bytes: new Uint8Array(Math.round(100 * 1.03 ** quality)),
  }));
}

const damageAt = (quality: number) => 100 - quality;

describe("the lowest quality by its damage", () => {
  it.each([0.3, 0.7, 1, 1.4])("is found in three trials where %f of what is expected is lost", (factor) => {
    const curve = trialsOf((quality) => damageAt(quality) * factor);
    const { quality } = lowestByDamage(curve, damageAt, 75, { first: 75 });
    const lowest = Math.ceil(100 - 25 / factor);
    expect(quality).toBe(Math.max(20, lowest));
    expect(curve.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it("is found behind a step, before which quality makes no difference", () => {
    const curve = trialsOf((quality) => (quality < 60 ? 27 : 10));
    const { quality } = lowestByDamage(curve, damageAt, 75, { first: 40 });
    expect(quality).toBe(60);
    expect(curve.mock.calls.length).toBeLessThanOrEqual(8);
  });

  it("is not looked for among qualities of the same damage", () => {
    const stairs = (quality: number) => 10 * Math.ceil((100 - quality) / 10);
    const curve = trialsOf(stairs);
    const found = lowestByDamage(curve, stairs, 75, { first: 50 });
    expect(found.score).toBe(80);
    expect(new Set(curve.mock.calls.map(([quality]) => stairs(quality))).size).toBe(curve.mock.calls.length);
  });

  it("is given up where not even the highest quality would do", () => {
    const curve = trialsOf(() => 80);
    const found = lowestByDamage(curve, (quality) => 60 - quality / 10, 75, { first: 80 });
    expect(found.score).toBe(20);
    expect(curve).toHaveBeenCalledTimes(1);
  });

  it("is given up at a trial from which there is no way to fewer bytes, before that is scored", () => {
    const score = vi.fn(() => 80);
    const curve = (quality: number) => ({
      quality,
      get score() {
        return score();
      },
      bytes: new Uint8Array(1_000),
    });
    lowestByDamage(curve, damageAt, 75, { first: 75, beat: 300 });
    expect(score).not.toHaveBeenCalled();
    lowestByDamage(curve, damageAt, 75, { first: 75, beat: 3_000 });
    expect(score).toHaveBeenCalled();
  });
});
