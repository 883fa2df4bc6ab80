import { describe, expect, it } from "vitest";

import { openTransform } from "../../wasm/color/color.ts";
import { nativeMemoryBytes, nativeStatistics, trimNative } from "../../wasm/load.ts";
import { openComparison } from "../../wasm/score/score.ts";
import adobeRgb from "../fixtures/profiles/adobe-rgb.icc";

function memoryOf(name: string): number {
  return nativeStatistics().find((module) => module.name === name)?.memoryBytes ?? 0;
}

describe("idle native memory", () => {
  it("gives way from the longest unused module on, and never under a job", () => {
    openTransform(new Uint8Array(adobeRgb), "rgba")?.close();
    openComparison(2_000, 16).close();
    const job = openTransform(new Uint8Array(adobeRgb), "rgba");
    expect(memoryOf("score")).toBeGreaterThan(0);
    trimNative(0);
    expect(memoryOf("score")).toBe(0);
    expect(memoryOf("color")).toBeGreaterThan(0);
    expect([...(job?.convert(Uint8Array.of(255, 255, 255, 255)) ?? [])]).toEqual([255, 255, 255, 255]);
    job?.close();
    openComparison(64, 64).close();
    trimNative(memoryOf("score"));
    expect(memoryOf("color")).toBe(0);
    expect(nativeMemoryBytes()).toBe(memoryOf("score"));
  });
});
