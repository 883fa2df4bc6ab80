/** Writing AVIF files. */
import { describe, expect, it } from "vitest";

import type { Chosen, EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { cellSettings } from "../../../../src/image/formats/avif/encode.ts";
import { unitsOnly } from "../../../../src/image/formats/avif/layer.ts";
import { skipTileInfo, writeTileInfo } from "../../../../src/image/formats/avif/tile-info.ts";
import { pictureOfTiles } from "../../../../src/image/formats/avif/tiles.ts";
import { Bits, WrittenBits } from "../../../../src/image/formats/heif/bits.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { Av1Cells } from "../../../../wasm/av1-encode/encoder.ts";
import { av1EncodeHeap, BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { decodeFile } from "../../../support/files.ts";
import { boxTypes } from "../../../support/heif-boxes.ts";
import { noise, paint, pictureOf, type Pixels, psnr, rowsOf, sample, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const EXACT = { ...SETTINGS, lossless: true };

function encode(pixels: Pixels, settings: EncodeSettings = SETTINGS, opaque = true): Promise<Uint8Array> {
  return avif.write.encode(pictureOf([pixels], { opaque }), settings, UNPAUSED);
}

/**
 * A quarter of a page of text, of letters that are nobody's, dark to the left and soft to the right; the same on every
 * run.
 */
function partOfPage(): Pixels {
  const [left, top, width, height] = [0, 416, 608, 416];
  const data = new Uint8Array(width * height * 4).fill(255);
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  const draw = (x: number, y: number, gray: number) => {
    const [column, row] = [x - left, y - top];
    if (column < 0 || column >= width || row < 0 || row >= height) return;
    const at = (row * width + column) * 4;
    data.fill(gray, at, at + 3);
  };
  for (let y = 20; y + 20 < 2 * height; y += 24) {
    for (let x = 20; x + 20 < 2 * width; x += 11) {
      if (next() % 6 === 0) continue;
      const letter = next() * 65_536 + next();
      for (let dot = 0; dot < 35; dot++) {
        if (((letter >>> (dot % 31)) & 1) === 0) continue;
        for (let part = 0; part < 4; part++) {
          const gray = part % 2 === 0 ? 32 : 40 + (next() % 120);
          draw(x + (dot % 5) * 2 + (part % 2), y + Math.floor(dot / 5) * 2 + (part >> 1), gray);
        }
      }
    }
  }
  return { width, height, data };
}

/**
 * Luma with which a color is as bright as it was where red and blue are so much above green, by the definition in
 * halved.c.
 */
function brightLuma([red, green, blue]: readonly [number, number, number], above: number): number {
  const slope = (level: number) => 0.014197 + (level / 255) * (0.512924 + (level / 255) * 0.508784);
  const [ofRed, ofGreen, ofBlue] = [0.265 * slope(red), 0.657 * slope(green), 0.078 * slope(blue)];
  const lost = ofRed * (red - green - above) + ofBlue * (blue - green - above);
  return green + (0.299 + 0.114) * above + lost / (ofRed + ofGreen + ofBlue);
}

describe("encoding AVIF", () => {
  it("writes the boxes that a still has", async () => {
    const bytes = await encode(scene(64, 48));
    expect(new TextDecoder().decode(bytes.subarray(8, 12))).toBe("avif");
    const meta = ["hdlr", "pitm", "iloc", "iinf", "iprp", "ipco", "av1C", "ispe", "pixi", "colr", "ipma"];
    expect(boxTypes(bytes)).toEqual(["ftyp", "meta", ...meta, "mdat"]);
  });

  it("keeps every pixel of a lossless picture", async () => {
    for (const pixels of [scene(67, 41), noise(50, 33), scene(120, 61, false)]) {
      const opaque = pixels.data.every((value, at) => at % 4 !== 3 || value === 255);
      const bytes = await encode(pixels, EXACT, opaque);
      expect((await decodeFile(avif, bytes)).data).toEqual(pixels.data);
      expect(avif.read.factsOf(bytes)).toMatchObject({
        quality: 100,
        colorspace: "RGB",
        subsample: "4:4:4",
        alpha: !opaque,
      });
    }
  });

  it("keeps alpha nearly as it is, and writes none where no pixel needs it", async () => {
    const pixels = scene(90, 70, false);
    const decoded = await decodeFile(avif, await encode(pixels, SETTINGS, false));
    for (let at = 3; at < pixels.data.length; at += 4) {
      expect(Math.abs(sample(decoded.data, at) - sample(pixels.data, at))).toBeLessThanOrEqual(6);
    }
    expect(avif.read.factsOf(await encode(scene(40, 40), SETTINGS, false)).alpha).toBe(false);
  });

  it("writes text of a high quality that can be read again", async () => {
    const pixels = partOfPage();
    const file = await encode(pixels, { ...SETTINGS, quality: 90, subsample: "4:4:4" });
    expect(psnr(await decodeFile(avif, file), pixels)).toBeGreaterThan(40);
  });

  it("has a file for every step of a quality, between those that libaom knows too", async () => {
    const pixels = scene(128, 96);
    const files: Uint8Array[] = [];
    for (const quality of [79, 78.5, 78, 79]) files.push(await encode(pixels, { ...SETTINGS, quality }));
    const [most, between, least, again] = files;
    expect(between).not.toEqual(most);
    expect(between).not.toEqual(least);
    // What one file was told does not stay for the next.
    expect(again).toEqual(most);
  });

  it("comes closer to the picture, and tells a higher quality, the higher the quality", async () => {
    const pixels = scene(200, 150);
    const qualities = [10, 30, 50, 70, 80, 90, 100];
    // With all of its chroma: what half of it loses is the most that there is to be lost.
    const settings = { ...SETTINGS, subsample: "4:4:4" } as const;
    const files = await Promise.all(qualities.map((quality) => encode(pixels, { ...settings, quality })));
    const near = await Promise.all(files.map(async (file) => psnr(await decodeFile(avif, file), pixels)));
    expect(near).toEqual([...near].sort((a, b) => a - b));
    qualities.forEach((quality, i) => {
      expect(Math.abs(avif.read.factsOf(files[i] ?? new Uint8Array(0)).quality - quality)).toBeLessThanOrEqual(2);
    });
  });

  it("halves chroma unless told otherwise", async () => {
    const red = paint(64, 64, (x) => (x % 2 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
    const half = await encode(red, { ...SETTINGS, quality: 95 });
    const full = await encode(red, { ...SETTINGS, quality: 95, subsample: "4:4:4" });
    expect(avif.read.factsOf(half).subsample).toBe("4:2:0");
    expect(avif.read.factsOf(full).subsample).toBe("4:4:4");
    expect(psnr(await decodeFile(avif, full), red)).toBeGreaterThan(psnr(await decodeFile(avif, half), red) + 10);
  });

  it("makes up by luma for the brightness that halved chroma loses", async () => {
    const colors = [
      [100, 100, 190],
      [190, 100, 100],
    ] as const;
    const pixels = paint(64, 100, (x) => [...colors[x % 2 ? 1 : 0], 255]);
    const { data } = await decodeFile(avif, await encode(pixels, { ...SETTINGS, quality: 99, subsample: "4:2:0" }));
    for (const [index, color] of colors.entries()) {
      const at = (50 * 64 + 30 + index) * 4;
      const luma = 0.299 * sample(data, at) + 0.587 * sample(data, at + 1) + 0.114 * sample(data, at + 2);
      // Without that it is 5 and 10 levels darker.
      expect(Math.abs(luma - brightLuma(color, 45))).toBeLessThan(2);
    }
  });

  it.each([1, 5, 31, 33])("does not depend on how many rows come at a time: %i", async (most) => {
    const pixels = scene(65, 99);
    const picture = {
      ...pictureOf([pixels]),
      async *open() {
        yield { delayMs: 0, rows: rowsOf(pixels, true, most) };
      },
    };
    expect(await avif.write.encode(picture, SETTINGS, UNPAUSED)).toEqual(await encode(pixels));
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 40],
    [17, 3],
    [16_384, 1],
    [1, 16_384],
  ])("takes %i x %i", async (width, height) => {
    const pixels = scene(width, height);
    expect(await decodeFile(avif, await encode(pixels))).toMatchObject({ width, height });
    expect((await decodeFile(avif, await encode(pixels, EXACT))).data).toEqual(pixels.data);
  });

  it("writes the same file for the same picture, whatever came before", async () => {
    const first = await encode(scene(150, 90));
    await encode(noise(70, 70), { ...SETTINGS, quality: 20 });
    await encode(noise(70, 70), EXACT);
    expect(await encode(scene(150, 90))).toEqual(first);
  });

  it("leaves no memory behind, and holds no more than it declares", async () => {
    await encode(scene(8, 8));
    const before = av1EncodeHeap().used;
    for (const [pixels, opaque] of [
      [noise(300, 200), true],
      [noise(130, 400, false), false],
    ] as const) {
      const full = { ...SETTINGS, subsample: "4:4:4" as const, quality: 100 };
      for (const settings of [SETTINGS, EXACT, full, { ...full, drawn: true }, { ...SETTINGS, drawn: true }]) {
        av1EncodeHeap(true);
        const chosen: Chosen = {};
        for (let times = 0; times < 2; times++) await encode(pixels, { ...settings, chosen }, opaque);
        const { peak, used } = av1EncodeHeap();
        expect(used).toBe(before);
        const picture = { width: pixels.width, height: pixels.height, opaque, frames: 1 };
        expect(peak - before).toBeLessThanOrEqual(avif.write.estimate(picture, settings).bytes);
      }
    }
  });
});

/**
 * Letters, lines and flat areas to the left, a soft picture with grain to the right, and a flat strip at the bottom.
 */
function mixed(width: number, height: number): Pixels {
  const page = partOfPage();
  const photo = scene(width, height);
  return paint(width, height, (x, y) => {
    if (y > height * 0.8) return [70, 90, 200, 255];
    const { data, at } =
      x < width / 2
        ? { data: page.data, at: ((y % page.height) * page.width + (x % page.width)) * 4 }
        : { data: photo.data, at: (y * width + x) * 4 };
    return [sample(data, at), sample(data, at + 1), sample(data, at + 2), 255];
  });
}

/** Holes in the middle third only: cells above and below it have none. */
function withHoles({ width, height, data }: Pixels): Pixels {
  return paint(width, height, (x, y) => {
    const at = (y * width + x) * 4;
    const isHole = y > height / 3 && y < height / 2 && (x >> 4) % 3 === 0;
    return [sample(data, at), sample(data, at + 1), sample(data, at + 2), isHole ? x & 255 : 255];
  });
}

describe("large AVIF files", () => {
  // Smooth, so that it is fast.
  const wide = paint(1_401, 901, (x, y) => [(x * 255) / 1_401, (y * 255) / 901, 120, 255]);

  it("are one picture of tiles whose seams do not show", async () => {
    const bytes = await encode(wide);
    expect(boxTypes(bytes)).not.toContain("iref");
    expect(avif.read.factsOf(bytes)).toMatchObject({ width: 1_401, height: 901, subsample: "4:2:0" });
    const decoded = await decodeFile(avif, bytes);
    expect(psnr(decoded, wide)).toBeGreaterThan(45);
    const { cell } = cellSettings({ width: 1_401, height: 901, opaque: true }, SETTINGS);
    let most = 0;
    for (let y = 0; y < 901; y++) {
      for (const x of [cell.width - 1, cell.width]) {
        for (let channel = 0; channel < 3; channel++) {
          const at = (y * 1_401 + x) * 4 + channel;
          most = Math.max(most, Math.abs(sample(decoded.data, at) - sample(wide.data, at)));
        }
      }
    }
    expect(most).toBeLessThanOrEqual(4);
  });

  it.each([
    ["rows", 401, 2_411, {}],
    ["columns and rows", 1_331, 1_277, {}],
    ["columns, fast", 1_203, 701, { allPixels: 9_000_000 }],
    ["columns, as a draft", 1_203, 701, { draft: true }],
    ["columns, with care", 1_203, 701, { effort: 1 }],
    ["columns, as is drawn", 1_203, 701, { drawn: true }],
    ["columns, as is drawn, fast", 1_203, 701, { drawn: true, allPixels: 9_000_000 }],
  ] as const)("have tiles that say the same of what they have in common, whatever they show: %s", async (...row) => {
    const [, width, height, settings] = row;
    const pixels = withHoles(mixed(width, height));
    const bytes = await encode(pixels, { ...SETTINGS, quality: 85, subsample: "4:4:4", ...settings }, false);
    expect(avif.read.factsOf(bytes)).toMatchObject({ width, height, quality: 85, alpha: true });
    const decoded = await decodeFile(avif, bytes);
    expect(psnr(decoded, pixels)).toBeGreaterThan(36);
    const alpha = (data: Uint8Array) => data.filter((_, at) => at % 4 === 3);
    const [was, is] = [alpha(pixels.data), alpha(decoded.data)];
    expect(was.reduce((most, value, at) => Math.max(most, Math.abs(value - sample(is, at))), 0)).toBeLessThan(40);
  });

  it("keep every pixel without loss", async () => {
    const pixels = withHoles(mixed(1_203, 701));
    expect((await decodeFile(avif, await encode(pixels, EXACT, false))).data).toEqual(pixels.data);
  });

  it("are refused where tiles do not say the same of what they have in common", async () => {
    const [cell, picture] = [
      { width: 64, height: 64 },
      { width: 128, height: 64 },
    ];
    const kind = { chroma: "4:2:0", opaque: true, alphaQuantizer: 1, speed: 9, drawn: false, bits: 8 } as const;
    const still = async (quantizer: number) => {
      const cells = new Av1Cells({ ...picture, ...kind, cell, quantizer });
      try {
        for (const gray of [90, 160]) {
          cells.band().fill(gray);
          cells.push(BAND_ROWS);
        }
        return unitsOnly(await cells.encode(0, "color", UNPAUSED));
      } finally {
        cells.close();
      }
    };
    const [fine, coarse] = [await still(20), await still(40)];
    expect(() => pictureOfTiles([fine, coarse], picture, cell)).toThrow("different headers");
    expect(pictureOfTiles([fine, fine], picture, cell).length).toBeLessThan(2 * fine.length);
  });

  it.each([
    [128, 64, 64, 64],
    [6_000, 4_000, 512, 512],
    [16_384, 90, 896, 128],
    [12_001, 9_001, 512, 512],
    [601, 16_384, 640, 1_216],
  ])("say where tiles are as it is read: %i x %i", (width, height, tileWidth, tileHeight) => {
    const written = new WrittenBits();
    writeTileInfo(written, { width, height }, { width: tileWidth, height: tileHeight }, 2);
    written.number(0xa5, 8);
    const bits = new Bits(written.bytes());
    skipTileInfo(bits, { largeBlocks: false }, { width, height });
    expect(bits.number(8)).toBe(0xa5);
  });

  it("are none with halved chroma up to a size that one with chroma in full is cut at", () => {
    const shape = { width: 1_200, height: 900, opaque: false };
    expect(cellSettings(shape, SETTINGS).cell).toEqual({ width: 1_200, height: 900 });
    expect(cellSettings(shape, { ...SETTINGS, subsample: "4:4:4" }).cell.width).toBeLessThan(1_200);
    expect(cellSettings({ ...shape, height: 1_100 }, SETTINGS).cell.width).toBeLessThan(1_200);
  });

  it("are cut sooner where samples have 10 bits, and hold less by that", () => {
    const shape = { width: 1_200, height: 900, opaque: true };
    const { cell, bits } = cellSettings(shape, SETTINGS);
    expect([cell.width, bits]).toEqual([640, 10]);
    expect(cellSettings({ ...shape, height: 650 }, SETTINGS).cell.width).toBe(1_200);
    const heldBytes = (opaque: boolean) => avif.write.estimate({ ...shape, opaque, frames: 1 }, SETTINGS).bytes;
    expect(heldBytes(true)).toBeLessThan(0.8 * heldBytes(false));
  });

  it.each([
    ["photographs", {}, 10],
    ["a try", { probe: true }, 10],
    ["a draft", { draft: true }, 10],
    ["chroma in full", { subsample: "4:4:4" }, 8],
    ["what is in a fast pass", { allPixels: 9_000_000 }, 8],
    ["what loses nothing", { lossless: true }, 8],
  ] as const)("have so many bits: %s", (_, settings, bits) => {
    expect(cellSettings({ width: 640, height: 480, opaque: true }, { ...SETTINGS, ...settings }).bits).toBe(bits);
    expect(cellSettings({ width: 640, height: 480, opaque: false }, { ...SETTINGS, ...settings }).bits).toBe(8);
  });

  it("are one cell up to a larger size where libaom is told to be fast, as a look at them is", () => {
    const shape = { width: 1_281, height: 1_281, opaque: true };
    const fast = { ...SETTINGS, allPixels: 9_000_000 };
    const cells = [SETTINGS, { ...SETTINGS, probe: true }, fast, { ...fast, probe: true }].map(
      (settings) => cellSettings(shape, settings).cell.width,
    );
    expect(cells).toEqual([704, 704, 1_281, 1_281]);
  });

  it("are written faster the more pixels there are, alone or in all files of a request", () => {
    const shape = { width: 1_400, height: 800, opaque: true };
    const speeds = [undefined, 3_000_000, 4_000_000, 26_000_000, 27_000_000].map(
      (allPixels) => cellSettings(shape, { ...SETTINGS, allPixels }).speed,
    );
    expect(speeds).toEqual([6, 6, 7, 8, 9]);
    const large = { width: 4_000, height: 3_000, opaque: true };
    expect(cellSettings(large, { ...SETTINGS, allPixels: 1 }).speed).toBe(7);
  });

  it("are cut into cells that cover them and keep memory bounded", () => {
    for (const [width, height] of [
      [4_000, 3_000],
      [6_000, 4_000],
      [16_384, 90],
      [3_001, 2_001],
      [12_000, 9_000],
    ] as const) {
      for (const settings of [SETTINGS, EXACT]) {
        const shape = { width, height, opaque: true };
        const { cell, chroma } = cellSettings(shape, settings);
        expect([cell.width % 64, cell.height % 64]).toEqual([0, 0]);
        expect(cell.width * Math.min(cell.height, height)).toBeLessThanOrEqual(900_000);
        expect(chroma === "4:2:0").toBe(!settings.lossless);
      }
      const { bytes } = avif.write.estimate({ width, height, opaque: true, frames: 1 }, SETTINGS);
      expect(bytes - width * height * 0.6).toBeLessThan(64 << 20);
    }
  });
});
