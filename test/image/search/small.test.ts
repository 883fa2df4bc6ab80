/** Pictures that are too small for a score. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { drain, paint, pictureOf, type Pixels, psnr } from "../../support/rows.ts";

function iconOf(side: number): Pixels {
  return paint(side, side, (x, y) => ((x + y) & 1 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
}

async function optimized(pixels: Pixels, format: "jpeg" | "png" | "gif" | "webp"): Promise<Pixels> {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const source = await FORMATS.png.write.encode(pictureOf([pixels]), settings, UNPAUSED);
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format } });
  const { bytes, facts } = (await rendered(source, { operations, output, optimize })).output;
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of FORMATS[format].read.open(bytes, facts, demand, UNPAUSED)) {
    return await drain(rows);
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
