/** Strips of comics and screenshots of whole pages: sides up to 65,500 pixels, in and out, where a format has room for them. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { png } from "../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { decodeFile } from "../../support/files.ts";
import { refusal } from "../../support/refusal.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, psnr } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const LOSSLESS = { compression: "lossless", lossless: true } as const;
const SIZES = [
  [65_500, 4],
  [4, 65_500],
] as const;

const stripOf = (width: number, height: number) =>
  paint(width, height, (x, y) => [((x + y) >> 3) & 255, (x >> 8) & 255, (y >> 8) & 255, 255]);
const fileOf = (width: number, height: number) =>
  png.write.encode(pictureOf([stripOf(width, height)]), EXACT, UNPAUSED);

describe.each(SIZES)("a picture of %i x %i pixels", (width, height) => {
  it("is read and written", async () => {
    const file = await fileOf(width, height);
    const exact = await rendered(file, { output: { format: "png" }, optimize: LOSSLESS });
    expect((await decodeFile(png, exact.output.bytes)).data).toEqual(stripOf(width, height).data);
    const lossy = await rendered(file, { output: { format: "jpeg" }, optimize: { lossless: false, quality: 90 } });
    expect(psnr(await decodeFile(jpeg, lossy.output.bytes), stripOf(width, height))).toBeGreaterThan(30);
    for (const format of ["gif", "jpeg2000"] as const) {
      const { facts } = (await rendered(file, { output: { format }, optimize: { lossless: false, quality: 80 } }))
        .output;
      expect([facts.width, facts.height]).toEqual([width, height]);
    }
    const again = await rendered(lossy.output.bytes);
    expect([again.output.facts.width, again.output.facts.height]).toEqual([width, height]);
  });

  it("is resized, cut and turned", async () => {
    const file = await fileOf(width, height);
    const order = { output: { format: "png" }, optimize: LOSSLESS } as const;
    const turned = await rendered(file, { ...order, operations: { rotate: { angle: 90, background: undefined } } });
    expect([turned.output.facts.width, turned.output.facts.height]).toEqual([height, width]);
    const crop = { mode: "rect", x: 0, y: 0, width: Math.min(width, 16_000), height: Math.min(height, 16_000) };
    const cut = await rendered(file, { ...order, operations: { crop } });
    expect([cut.output.facts.width, cut.output.facts.height]).toEqual([crop.width, crop.height]);
  });

  it.each([
    ["webp", 16_383],
    ["avif", 16_384],
    ["heic", 16_384],
    ["jxl", 16_384],
  ] as const)("is refused in a format that has no room for it, and left out of `auto`: %s", async (format, most) => {
    const file = await fileOf(width, height);
    expect(await refusal(rendered(file, { output: { format } }))).toEqual({
      status: 422,
      message: `The result must be at most ${most} pixels on each side in this output format`,
    });
    const mime = `image/${format}`;
    const { output } = await rendered(file, { output: { format: "auto" }, accept: `${mime},image/png` });
    expect(output.format.label).toBe("PNG");
  });
});

it("a longer side is refused, and one of a drawing from 16,385 on", async () => {
  const message = "The image must have at most 65500 pixels on each side";
  expect(await refusal(rendered(await fileOf(65_501, 1)))).toEqual({ status: 422, message });
  const drawing = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="9"/>');
  expect(await refusal(rendered(drawing, { output: { format: "png" } }))).toEqual({
    status: 422,
    message: "The image must have at most 16384 pixels on each side",
  });
});
