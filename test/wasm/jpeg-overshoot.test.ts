/** Samples beyond white and black in JPEG files that are written. */
import { describe, expect, it } from "vitest";

import { decode, encode } from "../support/jpeg-pixels.ts";
import { digest, paint, type Pixels, psnr } from "../support/rows.ts";

/** Strokes like those of letters, in ink on paper. */
function letters(paper: number, ink: number): Pixels {
  return paint(240, 160, (x, y) => {
    const [column, line] = [x % 11, y % 17];
    const kind = (Math.floor(x / 11) * 5 + Math.floor(y / 17) * 3) % 7;
    const upright = column === 2 || column === 3 || (kind > 2 && column === 7);
    const across = line === 4 + kind && column > 1 && column < 8;
    const value = line > 3 && line < 14 && (upright || across) ? ink : paper;
    return [value, value, value, 255];
  });
}

const SETTINGS = [{ quality: 20 }, { quality: 60 }, { quality: 95 }, { quality: 60, fast: true }];

/** Files at all settings. Those expected come from the scalar code (`wasm/jpeg/build.sh scalar OUT`). */
async function filesOf(pixels: Pixels): Promise<string> {
  const digests = await Promise.all(SETTINGS.map((settings) => digest(encode(pixels, settings))));
  return digests.join(" ");
}

describe("samples of JPEG files beyond white and black", () => {
  it.each([
    ["ink on white", 255, 60],
    ["white on black", 0, 255],
    ["light on black", 0, 200],
  ])("take fewer bytes, and show less of rings, than samples next to those: %s", (_name, paper, ink) => {
    const inside = (value: number) => Math.min(247, Math.max(8, value));
    const pixels = letters(paper, ink);
    const other = letters(inside(paper), inside(ink));
    for (const quality of [20, 60]) {
      const file = encode(pixels, { quality });
      const otherFile = encode(other, { quality });
      expect(file.length).toBeLessThan(otherFile.length * 0.96);
      expect(psnr(decode(file), pixels)).toBeGreaterThan(psnr(decode(otherFile), other));
    }
  });

  it("are where the scalar code puts them", async () => {
    const onWhite = "979e3cca81163670 676d76c0c8fed327 08c7310c6d40e408 04b60ec401ae2626";
    const onBlack = "2b79697126931809 6b5dabb9a6cee82e abf3d29322612033 3cb49d719a870ea9";
    expect(await filesOf(letters(255, 60))).toBe(onWhite);
    expect(await filesOf(letters(0, 255))).toBe(onBlack);
  });

  it("do not exist where nothing is white or black: the file is as it is without them", async () => {
    const clamped = "8934917081a35a3d d90935908f688e6e 1a36e7262825ce40 6651f53f409cb1a7";
    expect(await filesOf(letters(240, 20))).toBe(clamped);
  });

  it("stay near enough for a file that is decoded at an eighth of its size", () => {
    const pixels = letters(255, 60);
    const small = decode(encode(pixels, { quality: 20, subsampling: "4:4:4" }), { eighths: 1 });
    const means = paint(30, 20, (x, y) => {
      let sum = 0;
      for (let i = 0; i < 64; i++) sum += pixels.data[((y * 8 + (i >> 3)) * 240 + x * 8 + (i & 7)) * 4] ?? 0;
      return [sum / 64, sum / 64, sum / 64, 255];
    });
    expect(psnr(small, means)).toBeGreaterThan(25);
  });
});
