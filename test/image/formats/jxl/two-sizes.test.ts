/** JPEG files that libjxl reads as another picture than everybody else: what packing them leaves for the next file. */
import { expect, it } from "vitest";

import { jxl } from "../../../../src/image/formats/jxl.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import cmyk from "../../../fixtures/jpeg/cmyk.jpg";
import s444 from "../../../fixtures/jpeg/s444.jpg";
import { twoSizes } from "../../../support/two-sizes.ts";

const packed = (file: Uint8Array) => jxl.repack.run(file, identify(file).facts, UNPAUSED);
const replaced = () => nativeStatistics().find(({ name }) => name === "jxl-encode")?.replaced ?? 0;

/** Coefficients of 65,535 by 65,535 pixels are two to the power of 32: in addresses of 32 bits none at all. */
const ALL = { width: 65_535, height: 65_535 };

it.each([
  ["over its first pages", { ...ALL, blank: 8, filled: 392 }],
  ["over its tables", { ...ALL, blank: 5_000, filled: 4_000 }],
  ["nowhere", { ...ALL, width: 800, height: 800, blank: 10, filled: 10 }],
])(
  "a file that hides a picture from others writes %s, and the next file is packed as before",
  async (_where, hidden) => {
    const next = new Uint8Array(s444);
    const before = await packed(next);
    const file = twoSizes(hidden);
    expect(identify(file).facts.width).toBeLessThan(hidden.width);
    const count = replaced();
    expect(await packed(file)).toBeNull();
    expect(replaced()).toBe(count + 1);
    expect(await packed(next)).toEqual(before);
  },
);

it("a picture that others see in another size is not packed", async () => {
  const whole = { blank: 4, filled: 0, isWhole: true };
  const same = twoSizes({ width: 16, height: 16, ...whole });
  expect(await packed(same)).not.toBeNull();
  const other = twoSizes({ width: 8, height: 32, ...whole });
  expect(identify(other).facts).toMatchObject({ width: 16, height: 16 });
  expect(await packed(other)).toBeNull();
});

it("what refused a file is not there for the next one", async () => {
  const count = replaced();
  expect(await packed(new Uint8Array(cmyk))).toBeNull();
  expect(replaced()).toBe(count + 1);
});
