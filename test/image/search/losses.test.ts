/** The search among kinds of loss: few colors, moved levels, none. */
import { afterEach, describe, expect, it, vi } from "vitest";

import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { assemble } from "../../../src/image/formats/png/assemble.ts";
import { compress, pngBandsOfPixels } from "../../../src/image/formats/png/compress.ts";
import { firstFrame, type Picture } from "../../../src/image/pixels/picture.ts";
import { type TimeSlice, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { COLOR_TYPE } from "../../../wasm/pixels/png-header.ts";
import photograph from "../../fixtures/score/macaw.png";
import { decoded } from "../../support/operations.ts";
import { rendered } from "../../support/render.ts";
import { drain, noise, paint, pictureOf, type Pixels, rowsOf } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

const LOSSLESS = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
const { png } = FORMATS;
const { factsOf } = png.read;

function encoded(picture: Picture, settings: EncodeSettings): Promise<Uint8Array> {
  return png.write.encode(picture, settings, UNPAUSED);
}

async function optimized(bytes: Uint8Array) {
  const order = { operations: {}, output: undefined, optimize: undefined, overlays: new Map(), accept: undefined };
  return (await rendered(bytes, order)).output;
}

/** A file of RGBA whatever the pixels are. */
async function withAlphaChannel({ width, height, data }: Pixels): Promise<Uint8Array> {
  const representation = { type: COLOR_TYPE.rgba, depth: 8 } as const;
  const choice = { representation, strategy: "sum", level: 4, kind: "photograph" } as const;
  const pieces = await compress(choice, { width, height, bands: pngBandsOfPixels(data, width) }, UNPAUSED);
  return assemble(representation, { width, height }, [], pieces);
}

/** Discs with soft edges in many colors: a palette shows them well, and takes fewer bytes than all colors do. */
const drawing = paint(300, 240, (x, y) => {
  const [column, row] = [Math.floor(x / 60), Math.floor(y / 60)];
  const distance = Math.hypot((x % 60) - 30, (y % 60) - 30);
  const part = Math.min(1, Math.max(0, (26 - distance) / 3));
  return [250 - part * column * 50, 250 - part * row * 60, 250 - part * 30 * (column ^ row), 255];
});

afterEach(() => vi.restoreAllMocks());

describe("a drawing in PNG", () => {
  it("is left with the colors that the promise takes, and no more", async () => {
    const source = await encoded(pictureOf([drawing]), LOSSLESS);
    const { bytes, score = 0, metric = score } = await optimized(source);
    const shown = await decoded(bytes);
    expect(factsOf(bytes).colorspace).toBe("Palette");
    expect(new Set(new Uint32Array(shown.data.buffer)).size).toBeLessThan(64);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(await scoreRows(rowsOf(drawing), rowsOf(shown), UNPAUSED)).toBeCloseTo(metric, 3);
    const moved = await encoded(pictureOf([drawing]), { ...LOSSLESS, lossless: false, quality: 70, loss: "levels" });
    expect(bytes.length).toBeLessThan(moved.length / 2);
  });

  it("keeps every pixel where that takes fewest bytes", async () => {
    const slope = paint(300, 240, (x, y) => [x & 255, y, (x + y) & 255, 255]);
    const { bytes, score } = await optimized(await encoded(pictureOf([slope]), { ...LOSSLESS, effort: 0 }));
    expect(score).toBe(100);
    expect((await decoded(bytes)).data).toEqual(slope.data);
  });
});

describe("a drawing with alpha in PNG", () => {
  const source = (pixels: Pixels) => encoded(pictureOf([pixels], { opaque: false }), LOSSLESS);

  it("is as good as it looks on the worse of all backgrounds", async () => {
    const translucent = paint(drawing.width, drawing.height, (x, y) => {
      const at = (y * drawing.width + x) * 4;
      const [red = 0, green = 0, blue = 0] = drawing.data.subarray(at, at + 3);
      return [red, green, blue, Math.min(255, Math.floor(y / 60) * 60 + x)];
    });
    const { bytes, score = 0, metric = score } = await optimized(await source(translucent));
    expect(score).toBeGreaterThanOrEqual(75);
    expect(score).toBeLessThan(90);
    expect(await scoreRows(rowsOf(translucent, false), rowsOf(await decoded(bytes), false), UNPAUSED)).toBeCloseTo(
      metric,
      3,
    );
  });

  it("is written as without alpha where nothing shows through", async () => {
    const whole = await optimized(await encoded(pictureOf([drawing]), LOSSLESS));
    const raw = await optimized(await withAlphaChannel(drawing));
    expect(raw.score).toBe(whole.score);
    expect(raw.bytes).toEqual(whole.bytes);
  });
});

describe("a picture whose tiles need fewer colors than it does", () => {
  it("reaches what is promised all the same", async () => {
    // Between the tiles that are looked at lies what a palette has no room for.
    const large = paint(1_400, 800, (x, y) => {
      const isPlain = (Math.floor(x / 40) + Math.floor(y / 40)) % 5 !== 0;
      return isPlain ? [240, 240, 240, 255] : [(x * 37) & 255, (y * 53) & 255, (x * y) & 255, 255];
    });
    const { bytes, score = 0, metric = score } = await optimized(await encoded(pictureOf([large]), LOSSLESS));
    expect(score).toBeGreaterThanOrEqual(75);
    expect(await scoreRows(rowsOf(large), rowsOf(await decoded(bytes)), UNPAUSED)).toBeCloseTo(metric, 3);
  });
});

/** The widths of pictures that are encoded from now on, be it through a study or without. */
function watchEncodings(): number[] {
  const widths: number[] = [];
  const { encode, study } = png.write;
  vi.spyOn(png.write, "encode").mockImplementation((picture, settings, timeSlice) => {
    widths.push(picture.width);
    return encode(picture, settings, timeSlice);
  });
  vi.spyOn(png.write, "study").mockImplementation((picture) => {
    const studied = study(picture);
    return {
      preview: (settings, timeSlice) => studied.preview(settings, timeSlice),
      encode(settings, timeSlice) {
        widths.push(picture.width);
        return studied.encode(settings, timeSlice);
      },
    };
  });
  return widths;
}

describe("nothing is searched for", () => {
  it("in a file so small that there is nothing to save", async () => {
    const square = paint(120, 120, (x, y) => (x > 20 && y > 30 ? [0, 40, 120, 255] : [255, 220, 0, 255]));
    const bytes = await encoded(pictureOf([square]), LOSSLESS);
    expect(bytes.length).toBeLessThan(1_000);
    const widths = watchEncodings();
    const result = await optimized(bytes);
    expect(widths).toEqual([]);
    expect(result.score).toBe(100);
    expect((await decoded(result.bytes)).data).toEqual(square.data);
  });

  it("and nothing of a whole picture encoded, where its tiles say that it cannot become smaller", async () => {
    // Rows that repeat take next to nothing in one piece; cut into tiles they do not.
    const row = noise(1_200, 1).data;
    const repeated = paint(1_200, 2_400, (x) => [row[x * 4] ?? 0, row[x * 4 + 1] ?? 0, row[x * 4 + 2] ?? 0, 255]);
    const bytes = await encoded(pictureOf([repeated]), { ...LOSSLESS, effort: 0.2 });
    const widths = watchEncodings();
    const result = await optimized(bytes);
    expect(widths.length).toBeGreaterThan(0);
    expect(widths).not.toContain(1_200);
    expect(result.bytes.length).toBeLessThanOrEqual(bytes.length + 13);
  });
});

it("tells the kinds of loss apart when it is told one", async () => {
  const facts = factsOf(new Uint8Array(photograph));
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const open = (timeSlice: TimeSlice) => png.read.open(new Uint8Array(photograph), facts, demand, timeSlice);
  const picture = { width, height, frames: 1, loops: 1, opaque: true, open };
  const settings = { ...LOSSLESS, lossless: false, quality: 60 };
  expect(factsOf(await encoded(picture, { ...settings, loss: "colors" })).colorspace).toBe("Palette");
  expect(factsOf(await encoded(picture, { ...settings, loss: "levels" })).colorspace).toBe("RGB");
  const exact = await decoded(await encoded(picture, { ...settings, loss: "nothing" }));
  expect(exact.data).toEqual((await drain(await firstFrame(picture, UNPAUSED))).data);
});
