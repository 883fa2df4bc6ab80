import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { render } from "../../../src/image/render.ts";
import { drain, paint, pictureOf, type Pixels, psnr } from "../../support/rows.ts";

function iconOf(side: number): Pixels {
  return paint(side, side, (x, y) => ((x + y) & 1 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
}

async function optimized(pixels: Pixels, format: "jpeg" | "png" | "gif" | "webp"): Promise<Pixels> {
  const source = FORMATS.png.encode(pictureOf([pixels]), {
    lossless: true,
    quality: 100,
    progressive: false,
    effort: 0,
  });
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format } });
  const rendered = await render(source, { operations, output, optimize, overlays: new Map(), accept: undefined });
  const { bytes, facts } = rendered.output;
  const { width, height } = facts;
  for (const { rows } of FORMATS[format].open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height })) {
    return drain(rows);
  }
  throw new Error("no frame");
}

describe("pictures too small for a score", () => {
  it.each(["png", "gif", "webp"] as const)("keep every pixel as %s", async (format) => {
    for (const side of [1, 2, 8, 16]) expect((await optimized(iconOf(side), format)).data).toEqual(iconOf(side).data);
  });

  it("keep their look as JPEG", async () => {
    for (const side of [2, 8, 32])
      expect(psnr(await optimized(iconOf(side), "jpeg"), iconOf(side))).toBeGreaterThan(22);
  });
});
