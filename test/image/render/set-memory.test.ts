/** Sets in each of their memory tiers: the files are the same, and none holds more than it declares. */
import { afterEach, expect, it, vi } from "vitest";

import { render } from "../../../src/image/render/render.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import photo from "../../fixtures/avif/kodim03_yuv420_8bpc.avif";
import { admittedDuring } from "../../support/admitted.ts";

afterEach(() => void vi.restoreAllMocks());

const ENTRIES = [400, 240].flatMap((width) =>
  (["webp", "jpeg"] as const).map((format) => ({
    name: `${width}.${format}`,
    operations: {
      resize: { width, mode: "auto", gravity: "center", upscale: false, background: "ffffff", linear: false },
    },
    output: { format },
    optimize: undefined,
    analyze: undefined,
  })),
);

async function files(): Promise<Map<string, Uint8Array>> {
  const made = new Map<string, Uint8Array>();
  const order = { operations: {}, analyze: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const set = { ...order, entries: () => ENTRIES, refusalOf: (_entry: unknown, error: unknown) => error };
  await render(SharedBytes.of(new Uint8Array(photo).slice()), set, ({ name }, { output }) => {
    made.set(name, output.file.bytes.slice());
  });
  return made;
}

/** Has whole sets begin in the least memory; tells what each tier declares. */
function inLeast(): { tiers: readonly number[] } {
  const seen: { tiers: readonly number[] } = { tiers: [] };
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  vi.spyOn(isolateBudget, "runIn").mockImplementation((tiers, work, allowance) => {
    if (allowance?.within || tiers.length === 1) return runIn(tiers, work, allowance);
    seen.tiers = tiers.map(({ bytes }) => bytes);
    return runIn([tiers.at(-1) ?? tiers[0]], (timeSlice) => work(timeSlice, tiers.length - 1), allowance);
  });
  return seen;
}

it("have the same files in the least memory", async () => {
  const most = await files();
  const seen = inLeast();
  let least = new Map<string, Uint8Array>();
  const pieces = await admittedDuring(
    async () => {
      least = await files();
    },
    { now: () => performance.now(), memory: true },
  );
  expect(least).toEqual(most);
  expect(seen.tiers).toHaveLength(2);
  expect(seen.tiers[1]).toBeLessThan(seen.tiers[0] ?? 0);
  for (const { estimate, heldBytes } of pieces) expect(heldBytes).toBeLessThanOrEqual(estimate.bytes);
});
