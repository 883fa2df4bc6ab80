/** Pictures whose coefficients or pixels do not fit into memory. */
import { describe, expect, it } from "vitest";

import { openEncoder } from "../../../wasm/jpeg/jpeg.ts";
import { nativeMemoryBytes, trimNative } from "../../../wasm/load.ts";
import { IS_WHOLE } from "../../support/exhaustive.ts";
import { atOnce } from "../../support/pieces.ts";
import { rendered } from "../../support/render.ts";
import { scene } from "../../support/rows.ts";

const WIDTH = 7_000;
const HEIGHT = 5_000;

/** A picture in several scans; the coefficients of 35 megapixels take 106 MiB. */
function large(width: number, height: number): Uint8Array {
  const encoder = openEncoder({ width, height, quality: 95, progressive: true });
  const band = scene(width, 40).data;
  for (let y = 0; y < height; y += 40) encoder.write(band, 40);
  return atOnce(encoder.finish());
}

it("finds the quality of a progressive picture that cannot be decoded in its memory", async () => {
  const bytes = large(WIDTH, HEIGHT);
  trimNative(0);
  const order = { operations: {}, output: undefined, optimize: undefined, overlays: new Map(), accept: undefined };
  const { output } = await rendered(bytes, order);
  expect(output.facts).toMatchObject({ width: WIDTH, height: HEIGHT, interlaced: true });
  expect(output.bytes.length).toBeLessThan(bytes.length * 0.8);
  expect(output.score).toBeGreaterThanOrEqual(75);
  expect(output.score).toBeLessThan(99);
  expect(nativeMemoryBytes()).toBeLessThan(64 << 20);
});

describe.runIf(IS_WHOLE)("a progressive picture that does not fit beside an encoder of another format", () => {
  const [width, height] = [6_000, 4_000];
  const bytes = IS_WHOLE ? large(width, height) : new Uint8Array();
  const order = { operations: {}, overlays: new Map<string, Uint8Array>(), accept: undefined };

  it("is encoded at a quality", async () => {
    const { output } = await rendered(bytes, { ...order, output: webp({ quality: 80 }), optimize: undefined });
    expect(output.facts).toMatchObject({ width, height, subsample: "4:2:0" });
    expect(output.bytes.length).toBeLessThan(bytes.length);
  });

  it("is searched for a quality, and scored", async () => {
    const { output } = await rendered(bytes, { ...order, output: webp({}), optimize: undefined });
    expect(output.facts).toMatchObject({ width, height, subsample: "4:2:0" });
    expect(output.score).toBeGreaterThanOrEqual(75);
    expect(output.score).toBeLessThan(99);
  });

  it("is written without loss", async () => {
    const output = { format: "png", encoding: "progressive" } as const;
    const made = await rendered(bytes, { ...order, output, optimize: { lossless: true } });
    expect(made.output.facts).toMatchObject({ width, height, colorspace: "RGB" });
  });
});

function webp(rest: { quality?: number }) {
  return { format: "webp", encoding: "progressive", ...rest } as const;
}
