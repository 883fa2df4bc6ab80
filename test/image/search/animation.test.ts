/** Animations: how they are scored, and what presets promise of them. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import type { Picture } from "../../../src/image/pixels/picture.ts";
import { type TimeSlice, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import file from "../../fixtures/gif/TestImage.gif";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf as pictureIn } from "../../support/rows.ts";
import { scoreAnimation } from "../../support/scores.ts";

function pictureOf(bytes: Uint8Array, name: "gif" | "png" | "webp" | "avif"): Picture {
  const facts = FORMATS[name].read.factsOf(bytes);
  const demand = { box: whole(facts), width: facts.width, height: facts.height };
  const open = (timeSlice: TimeSlice) => FORMATS[name].read.open(bytes, facts, demand, timeSlice);
  return { ...facts, opaque: !facts.alpha, open };
}

/** The same animation with every frame twice, for half the time. */
async function doubled(picture: Picture): Promise<Picture> {
  const twice = picture.frames * 2;
  const delays = await Array.fromAsync(picture.open(UNPAUSED), (frame) => {
    frame.rows.close();
    return frame.delayMs;
  });
  return {
    ...picture,
    frames: twice,
    async *open(timeSlice) {
      for (let at = 0; at < twice; at++) {
        const frames = picture.open(timeSlice)[Symbol.asyncIterator]();
        let next = await frames.next();
        for (let skipped = 0; skipped < at >> 1; skipped++) {
          if (!next.done) next.value.rows.close();
          next = await frames.next();
        }
        if (next.done) return;
        yield { ...next.value, delayMs: (delays[at >> 1] ?? 0) / 2 };
        next.value.rows.close();
      }
    },
  };
}

async function optimized(optimize: object, format?: string, original: Uint8Array = new Uint8Array(file)) {
  const {
    output,
    optimize: wanted,
    ...operations
  } = parseBody(UploadBody, {
    optimize,
    ...(format && { output: { format } }),
  });
  const order = { operations, output, optimize: wanted, overlays: new Map(), accept: undefined };
  return (await rendered(original, order)).output;
}

describe("the score of an animation", () => {
  const original = pictureOf(new Uint8Array(file), "gif");

  it("is 100 for the same animation", async () => {
    expect(await scoreAnimation(original, original, UNPAUSED)).toBe(100);
  });

  it("compares what is shown at the same time", async () => {
    expect(await scoreAnimation(original, await doubled(original), UNPAUSED)).toBe(100);
    expect(await scoreAnimation(await doubled(original), original, UNPAUSED)).toBe(100);
  });

  it.each(["gif", "png", "webp", "avif"] as const)("is what presets promise and answers report: %s", async (name) => {
    for (const [compression, target] of [
      ["low", 90],
      ["high", 65],
    ] as const) {
      const { bytes, score, metric = score } = await optimized({ compression }, name);
      expect(score).toBeGreaterThanOrEqual(target);
      expect(await scoreAnimation(original, pictureOf(bytes, name), UNPAUSED)).toBeCloseTo(metric ?? 0, 5);
    }
  });
});

describe("an animation whose format is left open", () => {
  it("is the smallest that moves, AVIF among them", async () => {
    const sizes: number[] = [];
    for (const name of ["webp", "avif"]) sizes.push((await optimized({}, name)).bytes.length);
    const { bytes, facts } = await optimized({}, "auto");
    expect(facts.frames).toBeGreaterThan(1);
    expect(bytes.length).toBeLessThanOrEqual(Math.min(...sizes));
  });
});

describe("an animation as a format without animation", () => {
  it("is its first frame, scored", async () => {
    const { score, facts } = await optimized({}, "jpeg");
    expect(facts.frames).toBe(1);
    // Flat colors in small dots: no JPEG file does them justice.
    expect(score).toBeGreaterThan(25);
  });
});

describe("an animation that is drawn", () => {
  // A disc that grows on white, with a bar below it.
  const frameAt = (at: number) =>
    paint(160, 120, (x, y) => {
      if (y > 100 && x > 20 && x < 20 + at * 12) return [20, 20, 60, 255];
      return (x - 80) ** 2 + (y - 50) ** 2 < (12 + 4 * at) ** 2 ? [230, 50, 50, 255] : [255, 255, 255, 255];
    });
  const picture = pictureIn([frameAt(0), ...[1, 2, 3, 4, 5, 6, 7].map(frameAt)]);
  /** Of the mark by which a result is known when it comes back. */
  const MARK_BYTES = 16;
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0.5 };

  it.each(["webp", "jxl"] as const)("takes no more with loss than without: %s", async (name) => {
    const original = await FORMATS.gif.write.encode(picture, settings, UNPAUSED);
    const exact = await optimized({ lossless: true }, name, original);
    for (const compression of ["low", "medium", "high"]) {
      const { bytes, score } = await optimized({ compression }, name, original);
      expect(bytes.length, compression).toBeLessThanOrEqual(exact.bytes.length + MARK_BYTES);
      expect(score).toBeGreaterThan(60);
    }
  });
});
