/** Pictures whose coefficients or pixels do not fit into memory. */
import { expect, it } from "vitest";

import { render } from "../../../src/image/render.ts";
import { openEncoder } from "../../../wasm/jpeg/jpeg.ts";
import { nativeMemoryBytes, trimNative } from "../../../wasm/load.ts";
import { scene } from "../../support/rows.ts";

const WIDTH = 7_000;
const HEIGHT = 5_000;

/** A picture in several scans whose coefficients take 106 MiB. */
function large(): Uint8Array {
  const encoder = openEncoder({ width: WIDTH, height: HEIGHT, quality: 95, progressive: true });
  const band = scene(WIDTH, 40).data;
  for (let y = 0; y < HEIGHT; y += 40) encoder.write(band, 40);
  return encoder.finish();
}

it("finds the quality of a progressive picture that cannot be decoded in its memory", async () => {
  const bytes = large();
  trimNative(0);
  const order = { operations: {}, output: undefined, optimize: undefined, overlays: new Map(), accept: undefined };
  const { output } = await render(bytes, order);
  expect(output.facts).toMatchObject({ width: WIDTH, height: HEIGHT, interlaced: true });
  expect(output.bytes.length).toBeLessThan(bytes.length * 0.8);
  expect(output.score).toBeGreaterThanOrEqual(75);
  expect(output.score).toBeLessThan(99);
  expect(nativeMemoryBytes()).toBeLessThan(64 << 20);
});
