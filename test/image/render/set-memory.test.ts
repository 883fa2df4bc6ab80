/** Sets in each of their memory tiers: the files are the same, and none holds more than it declares. */
import { afterEach, expect, it, vi } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { render } from "../../../src/image/render/render.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { admittedDuring } from "../../support/admitted.ts";
import { pictureOf, scene } from "../../support/rows.ts";

afterEach(() => void vi.restoreAllMocks());

/** Large enough that what is kept of the larger result is worth a tier of its own. */
const SIZE = { width: 1_216, height: 832 };
const ENTRIES = (
  [
    [1_100, "jpeg"],
    [800, "jpeg"],
  ] as const
).map(([width, format]) => ({
  name: `${width}.${format}`,
  operations: {
    resize: { width, mode: "auto", gravity: "center", upscale: false, background: "ffffff", linear: false },
  },
  output: { format },
  optimize: undefined,
  analyze: undefined,
}));

async function files(photo: Uint8Array): Promise<Map<string, Uint8Array>> {
  const made = new Map<string, Uint8Array>();
  const order = { operations: {}, analyze: undefined, overlays: new Map<string, Uint8Array>(), accept: undefined };
  const set = { ...order, entries: () => ENTRIES, refusalOf: (_entry: unknown, error: unknown) => error };
  await render(SharedBytes.of(photo.slice()), set, ({ name }, { output }) => {
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
  const settings = { lossless: false, quality: 92, progressive: false, effort: 0.5 };
  const photo = await FORMATS.jpeg.write.encode(pictureOf([scene(SIZE.width, SIZE.height)]), settings, UNPAUSED);
  const most = await files(photo);
  const seen = inLeast();
  let least = new Map<string, Uint8Array>();
  const pieces = await admittedDuring(
    async () => {
      least = await files(photo);
    },
    { now: () => performance.now(), memory: true },
  );
  expect(least).toEqual(most);
  expect(seen.tiers).toHaveLength(2);
  expect(seen.tiers[1]).toBeLessThan(seen.tiers[0] ?? 0);
  for (const { estimate, heldBytes } of pieces) expect(heldBytes).toBeLessThanOrEqual(estimate.bytes);
});
