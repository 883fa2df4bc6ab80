/** Writing BMP files, held against their layout as Microsoft wrote it down, and against our own reader. */
import { describe, expect, it } from "vitest";

import { displayP3 } from "../../../../src/image/color/space.ts";
import { bmp } from "../../../../src/image/formats/bmp.ts";
import { png } from "../../../../src/image/formats/png.ts";
import type { Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import pal8rle from "../../../fixtures/bmp/pal8rle.bmp";
import rgb24 from "../../../fixtures/bmp/rgb24.bmp";
import { decodeFile, fileDigest } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { paint, pictureOf, scene } from "../../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0.5 };

const written = (picture: Picture) => bmp.write.encode(picture, EXACT, UNPAUSED);
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

describe("BMP", () => {
  it("has 24 bits behind the header of Windows 3, the last row first, rows filled up to four bytes", async () => {
    const file = await written(pictureOf([paint(3, 2, (x, y) => [10 * y + x, 100, 200, 255])]));
    const view = viewOf(file);
    expect(new TextDecoder().decode(file.subarray(0, 2))).toBe("BM");
    const fields = [2, 10, 14, 18, 22, 30, 34].map((at) => view.getUint32(at, true));
    expect(fields).toEqual([54 + 2 * 12, 54, 40, 3, 2, 0, 24]);
    expect([view.getUint16(26, true), view.getUint16(28, true)]).toEqual([1, 24]);
    expect([...file.subarray(54, 66)]).toEqual([200, 100, 10, 200, 100, 11, 200, 100, 12, 0, 0, 0]);
    expect([...file.subarray(66, 69)]).toEqual([200, 100, 0]);
  });

  it("has 32 bits with alpha behind the header of Windows 5, where something shows through", async () => {
    const file = await written(pictureOf([paint(2, 1, (x) => [1, 2, 3, x * 90])], { opaque: false }));
    const view = viewOf(file);
    expect([14, 30, 70].map((at) => view.getUint32(at, true))).toEqual([124, 3, 0x73524742]);
    expect(view.getUint16(28, true)).toBe(32);
    expect([54, 58, 62, 66].map((at) => view.getUint32(at, true))).toEqual([0xff0000, 0xff00, 0xff, 0xff000000]);
    expect([...file.subarray(138)]).toEqual([3, 2, 1, 0, 3, 2, 1, 90]);
    const opaque = await written(pictureOf([paint(2, 1, () => [1, 2, 3, 255])], { opaque: false }));
    expect(viewOf(opaque).getUint16(28, true)).toBe(24);
  });

  it("is white where nothing at all shows, for readers take alpha that is 0 everywhere as none", async () => {
    const file = await written(pictureOf([paint(3, 2, () => [9, 9, 9, 0])], { opaque: false }));
    expect([...file.subarray(138, 146)]).toEqual([255, 255, 255, 0, 255, 255, 255, 0]);
    expect((await decodeFile(bmp, file)).data).toEqual(new Uint8Array(24).fill(255));
  });

  it.each([
    ["colors", scene(301, 200), true],
    ["colors and opacity", scene(301, 200, false), false],
    ["one row", scene(70_000, 1), true],
  ])("holds %s exactly", async (_name, pixels, opaque) => {
    const file = await written(pictureOf([pixels], { opaque }));
    expect((await decodeFile(bmp, file)).data).toEqual(pixels.data);
  });

  it.each([true, false])("has the profile of its picture behind the pixels (opaque: %s)", async (opaque) => {
    const space = displayP3();
    const file = await written({ ...pictureOf([scene(33, 20, opaque)], { opaque }), space });
    expect(bmp.read.factsOf(file)).toMatchObject({ profile: space.profile, depth: opaque ? 24 : 32 });
    expect(viewOf(file).getUint32(2, true)).toBe(file.length);
  });

  it("declares the bytes of its file and hardly more", async () => {
    const { bytes } = bmp.write.estimate({ width: 301, height: 200, opaque: true, frames: 1 });
    const file = await written(pictureOf([scene(301, 200)]));
    expect(bytes).toBeGreaterThanOrEqual(file.length);
    expect(bytes).toBeLessThan(file.length + 1_000);
  });
});

describe("a result in BMP", () => {
  const asBmp = { output: { format: "bmp" } } as const;

  it("loses nothing, and is never what auto chooses, or what a BMP file becomes unasked", async () => {
    const original = await png.write.encode(pictureOf([scene(300, 200)]), EXACT, UNPAUSED);
    const { output } = await rendered(original, asBmp);
    expect(output.format.label).toBe("BMP");
    expect(await fileDigest(bmp, output.bytes)).toBe(await fileDigest(png, original));
    const { output: chosen } = await rendered(original, { output: { format: "auto" }, accept: "image/bmp" });
    expect(chosen.format.label).not.toBe("BMP");
    expect((await rendered(new Uint8Array(rgb24))).output.format.label).toBe("JPEG");
  });

  it("is the original where that is smaller", async () => {
    const { output } = await rendered(new Uint8Array(pal8rle), asBmp);
    expect(output.bytes).toEqual(new Uint8Array(pal8rle));
  });

  it("cannot hold metadata, and says so", async () => {
    const order = { output: { format: "bmp", metadata: "all" } } as const;
    await expect(rendered(new Uint8Array(rgb24), order)).rejects.toThrow(
      "output.metadata must be none in this output.format, which cannot hold any",
    );
  });
});
