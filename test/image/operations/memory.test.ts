/** What operations hold, against what they say before they start. */
import { describe, expect, it } from "vitest";

import type { OperationName } from "../../../src/image/operations.ts";
import { stepEstimate } from "../../../src/image/plan/planned-picture.ts";
import { nativeStatistics } from "../../../wasm/load.ts";
import { applied } from "../../support/operations.ts";
import { noise } from "../../support/rows.ts";

/** What a fresh instance has before anything is opened in it, and what its allocator rounds up. */
const OVERHEAD_BYTES = 512 * 1024;

function memoryBytes(): number {
  return nativeStatistics().find(({ name }) => name === "effects")?.memoryBytes ?? 0;
}

// Each holds more than an idle instance may keep, so that each begins with a fresh one.
const WIDE = noise(16_000, 300);

describe("the memory of an effect is what it declares", () => {
  it.each<readonly [OperationName, object]>([
    ["filter", { blur: { mode: "gaussian", value: 6 } }],
    ["filter", { blur: { mode: "box", value: 90 } }],
    ["filter", { blur: { mode: "median", value: 20 } }],
    ["filter", { blur: { mode: "motion", value: 100, angle: 90 } }],
    ["filter", { blur: { mode: "zoom", value: 100 } }],
    ["rotate", { angle: 3 }],
  ])("%s %o", async (operation, params) => {
    const { steps } = await applied(operation, params, WIDE);
    const declared = steps.reduce((sum, step) => sum + stepEstimate(step, WIDE, true).bytes, 0);
    expect(declared).toBeGreaterThan(8 << 20);
    expect(memoryBytes()).toBeLessThan(declared + OVERHEAD_BYTES);
    expect(memoryBytes()).toBeGreaterThan(declared * 0.7);
  });
});
