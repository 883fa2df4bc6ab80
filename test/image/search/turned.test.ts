/** Files of formats in which a turn is part of the picture: they stay as they are where nothing smaller looks as good. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { turnSize } from "../../../src/image/pixels/geometry.ts";
import avif from "../../fixtures/avif/abc_color_irot_alpha_irot.avif";
import heic from "../../fixtures/heic/turn-1-none.heic";
import jxl from "../../fixtures/jxl/turned.jxl";
import { rendered } from "../../support/render.ts";

async function made(file: ArrayBuffer, format: string, data: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format }, ...data });
  const order = { operations, output, optimize, overlays: new Map(), accept: undefined };
  return (await rendered(new Uint8Array(file), order)).output;
}

/** Width and height of the picture as a file shows it. */
function shownSize(format: FormatDefinition, bytes: Uint8Array) {
  const { width, height, orientation } = format.read.factsOf(bytes);
  return turnSize({ width, height }, orientation);
}

const files = [
  ["avif", avif],
  ["heic", heic],
  ["jxl", jxl],
] as const;

describe.each(files)("a turned picture: %s", (name, file) => {
  const format = FORMATS[name];

  it("is turned by what its file says", () => {
    expect(format.read.factsOf(new Uint8Array(file)).orientation).toBeGreaterThan(1);
  });

  it.each([{}, { optimize: { compression: "low" } }, { optimize: { quality: 100 } }])(
    "becomes no larger: %j",
    async (data) => {
      const { bytes } = await made(file, name, data);
      expect(bytes.length).toBeLessThanOrEqual(file.byteLength);
      expect(shownSize(format, bytes)).toEqual(shownSize(format, new Uint8Array(file)));
    },
  );

  it("is made anew where something else is asked for besides", async () => {
    const { bytes } = await made(file, name, { flip: { mode: "horizontal" } });
    expect(format.read.factsOf(bytes).orientation).toBe(1);
    expect(shownSize(format, bytes)).toEqual(shownSize(format, new Uint8Array(file)));
  });
});

it.each([
  ["avif", avif],
  ["jxl", jxl],
] as const)("a turned picture keeps its file where nothing may be lost: %s", async (name, file) => {
  const { bytes } = await made(file, name, { optimize: { lossless: true }, output: { format: name, metadata: "all" } });
  expect(bytes.length).toBeLessThanOrEqual(file.byteLength);
});
