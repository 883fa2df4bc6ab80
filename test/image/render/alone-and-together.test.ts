/** Results of one request beside the same as requests of their own. */
import { describe, expect, it } from "vitest";

import { identify } from "../../../src/image/plan/detect.ts";
import photoFile from "../../fixtures/avif/kodim03_yuv420_8bpc.avif";
import pqFile from "../../fixtures/avif/pq.avif";
import sixteenBitFile from "../../fixtures/png/rgb-16.png";
import { rendered } from "../../support/render.ts";
import { entry, renderedSet } from "../../support/results.ts";

const photo = new Uint8Array(photoFile);
const lossless = { output: { format: "png" as const }, optimize: { lossless: true } };

describe("more than 8 bits of a sample", () => {
  const pq = { output: { hdr: "keep", profile: "keep" } as const, optimize: { quality: 60, lossless: false } };

  it("stay in every result that a request of its own would give them", async () => {
    const bytes = new Uint8Array(sixteenBitFile);
    const entries = [{ ...entry(24, lossless), name: "whole", operations: {} }, entry(24, lossless), entry(16)];
    const made = await renderedSet(entries, { bytes });
    for (const { name, operations, output, optimize } of entries) {
      const alone = await rendered(bytes, { operations, output, optimize });
      expect([name, made.get(name)?.facts.bits]).toEqual([name, alone.output.facts.bits]);
    }
    expect(made.get("24.png")?.facts.bits).toBe(16);
  });

  it("keep the range of a picture of high dynamic range, beside results without it", async () => {
    const bytes = new Uint8Array(pqFile);
    const whole = { ...entry(40, pq), operations: {} };
    const entries = [
      { ...whole, name: "hdr" },
      { ...entry(40, pq), name: "small hdr" },
      { ...whole, name: "ordinary", output: undefined },
      entry(40),
    ];
    const made = await renderedSet(entries, { bytes });
    for (const { name, operations, output, optimize } of entries.slice(0, 3)) {
      const alone = await rendered(bytes, { operations, output, optimize });
      expect(made.get(name)?.bytes, name).toEqual(alone.output.bytes);
    }
    expect(made.get("small hdr")?.facts).toMatchObject({ bits: 10, codePoints: identify(bytes).facts.codePoints });
    expect(made.get("40.webp")?.facts.bits).toBeUndefined();
  });
});

describe("one result of a set", () => {
  it("is the file of a request of its own, whatever its format", async () => {
    for (const output of [{ format: "auto" }, { format: "jpeg" }, { format: "avif" }] as const) {
      const own = entry(48, { output });
      const made = await renderedSet([own], { bytes: photo });
      const alone = await rendered(photo, { operations: own.operations, output });
      expect(made.get(own.name)?.bytes).toEqual(alone.output.bytes);
    }
  });
});
