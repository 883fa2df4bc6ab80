/** Large photographs that lie on their side, as phones store those that are upright. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import type { Orientation } from "../../../src/image/pixels/geometry.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { estimateOfOptions } from "../../../src/image/search/attempts.ts";
import type { Step } from "../../../src/image/steps/operation.ts";
import { openEncoder } from "../../../wasm/jpeg/jpeg.ts";
import { nativeMemoryBytes, trimNative } from "../../../wasm/load.ts";
import { IS_WHOLE } from "../../support/exhaustive.ts";
import { atOnce } from "../../support/pieces.ts";
import { rendered } from "../../support/render.ts";
import { scene } from "../../support/rows.ts";

const [WIDTH, HEIGHT] = [6_000, 4_000];

/** A photograph of 24 megapixels, in one scan. */
function large(): Uint8Array {
  const encoder = openEncoder({ width: WIDTH, height: HEIGHT, quality: 60, progressive: false });
  const band = scene(WIDTH, 40).data;
  for (let y = 0; y < HEIGHT; y += 40) encoder.write(band, 40);
  return atOnce(encoder.finish());
}

const bytes = large();

describe.each(["jpeg", "png", "webp", "avif", "gif", "tiff", "jxl"] as const)("as %s", (name) => {
  it.each([
    [6, 2_000],
    [6, 3_000],
    [6, 3_900],
    [8, 4_000],
    [3, 5_000],
  ] as const)("has a way, turned by orientation %i, to a width of %i", (orientation: Orientation, width) => {
    const stored = identify(bytes);
    const height = (width * (orientation === 3 ? HEIGHT : WIDTH)) / (orientation === 3 ? WIDTH : HEIGHT);
    const steps: Step[] = [
      { kind: "turn", orientation },
      { kind: "resize", width, height: Math.round(height), kernel: "lanczos3" },
    ];
    const plan = planSteps(storedSize(stored.facts), steps);
    const objective = { kind: "quality", quality: 80 } as const;
    expect(estimateOfOptions({ stored, plan, format: FORMATS[name], objective, isLast: true })).not.toBeNull();
  });
});

it.runIf(IS_WHOLE)("becomes a PNG in the memory that there is", async () => {
  trimNative(0);
  const order = { overlays: new Map<string, Uint8Array>(), accept: undefined, optimize: undefined };
  const operations = { rotate: { angle: 90 }, resize: { width: 3_900, mode: "auto" } };
  const { output } = await rendered(bytes, { ...order, operations, output: { format: "png" } });
  expect(output.facts).toMatchObject({ width: 3_900, height: 5_850 });
  expect(nativeMemoryBytes()).toBeLessThan(64 << 20);
});
