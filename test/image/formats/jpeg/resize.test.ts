/** JPEG files of another size that are made plane by plane, beside what is made of their pixels. */
import { afterEach, describe, expect, it, vi } from "vitest";

import { parseBody, UploadBody } from "../../../../src/contract/request.ts";
import { ApiError } from "../../../../src/errors.ts";
import type { Resized } from "../../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { type Box, type Size, whole } from "../../../../src/image/pixels/geometry.ts";
import { firstFrame } from "../../../../src/image/pixels/picture.ts";
import { startStopwatch } from "../../../../src/image/pixels/stopwatch.ts";
import { type Plan, planSteps, resizedOnly, storedSize } from "../../../../src/image/plan/plan.ts";
import { pictureOf as planned, pictureEstimate } from "../../../../src/image/plan/planned-picture.ts";
import { renderOne } from "../../../../src/image/render/render.ts";
import { SharedBytes } from "../../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpegModule } from "../../../../wasm/jpeg/instance.ts";
import { readHeader } from "../../../../wasm/jpeg/jpeg.ts";
import { heapOf, nativeMemoryBytes, trimNative } from "../../../../wasm/load.ts";
import macaw from "../../../fixtures/score/macaw.png";
import { decodeFile } from "../../../support/files.ts";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { decode, encode } from "../../../support/jpeg-pixels.ts";
import { drain, paint, type Pixels, psnr, rowsOf, sample, scene } from "../../../support/rows.ts";
import { scoreRows } from "../../../support/scores.ts";

const SETTINGS: EncodeSettings = { lossless: false, quality: 80, progressive: false, effort: 0.5, fast: true };

/** A photograph, repeated in mirror image. */
const photograph = mirrored(await decodeFile(png, new Uint8Array(macaw)), 4);

function mirrored({ width, height, data }: Pixels, times: number): Pixels {
  const within = (at: number, length: number) =>
    Math.floor(at / length) % 2 ? length - 1 - (at % length) : at % length;
  return paint(width * times, height * times, (x, y) => {
    const at = (within(y, height) * width + within(x, width)) * 4;
    return [sample(data, at), sample(data, at + 1), sample(data, at + 2), 255];
  });
}

/** A plan to take a part of a file, by default all of it, to another size. */
function planOf(file: Uint8Array, { width, height }: Size, box: Box = whole(jpeg.read.factsOf(file))): Plan {
  return planSteps(storedSize(jpeg.read.factsOf(file)), [
    { kind: "crop", box },
    { kind: "resize", width, height, kernel: "lanczos3" },
  ]);
}

function wantedOf(plan: Plan): Resized {
  const wanted = resizedOnly(plan);
  if (!wanted) throw new Error("not only resized");
  return wanted;
}

const storedOf = (file: Uint8Array) => ({ bytes: file, format: jpeg, facts: jpeg.read.factsOf(file) });

async function byPlanes(file: Uint8Array, plan: Plan, settings: EncodeSettings): Promise<Uint8Array | null> {
  return (await jpeg.coefficients.resize(file, settings, wantedOf(plan))?.run(UNPAUSED)) ?? null;
}

function byPixels(file: Uint8Array, plan: Plan, settings: EncodeSettings): Promise<Uint8Array> {
  return jpeg.write.encode(planned(storedOf(file), plan), settings, UNPAUSED);
}

const resizedPixels = async (file: Uint8Array, plan: Plan): Promise<Pixels> =>
  drain(await firstFrame(planned(storedOf(file), plan), UNPAUSED));

const scoreOf = (reference: Pixels, file: Uint8Array) => scoreRows(rowsOf(reference), rowsOf(decode(file)), UNPAUSED);

/** A drawing of pure colors: lines of single pixels on white. */
const drawing = paint(600, 400, (x, y) => {
  if (x % 9 === 0) return [255, 0, 0, 255];
  if (y % 7 === 0) return [0, 0, 255, 255];
  return (x + y) % 11 === 0 ? [0, 160, 0, 255] : [255, 255, 255, 255];
});

const KINDS = Object.keys(JPEG_FILES).filter((name) => !["cmyk", "rgb", "twelve-bits", "odd-factors"].includes(name));

describe("a JPEG file of another size", () => {
  it.each(KINDS)("is made of planes as of pixels: %s", async (name) => {
    const file = jpegFile(name);
    const { width, height } = jpeg.read.factsOf(file);
    for (const [size, box] of [
      [{ width: 40, height: 30 }, undefined],
      [
        { width: 33, height: 25 },
        { x: 10.5, y: 7.25, width: 70, height: 55.5 },
      ],
      [
        { width: 17, height: 16 },
        { x: 31, y: 20, width: width - 31, height: height - 20 },
      ],
    ] as const) {
      const plan = planOf(file, size, box);
      const settings = { ...SETTINGS, quality: 89, subsample: "4:2:0" } as const;
      const made = await byPlanes(file, plan, settings);
      // Where chroma is stored at less than half, there may be too little of it.
      if (!made && readHeader(file).components.some(({ h, v }) => h > 2 || v > 2)) continue;
      if (!made) throw new Error("planes were not taken");
      const pixels = await byPixels(file, plan, settings);
      expect(readHeader(made)).toMatchObject({ ...size, components: readHeader(pixels).components });
      const reference = await resizedPixels(file, plan);
      expect(psnr(decode(made), reference)).toBeGreaterThan(psnr(decode(pixels), reference) - 1);
      expect(made.length).toBeLessThan(pixels.length * 1.03);
    }
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it.each([
    ["4:2:0", 0.45, 60],
    ["4:2:0", 0.45, 80],
    ["4:2:0", 0.3, 80],
    ["4:2:0", 0.3, 93],
    ["4:2:0", 0.9, 80],
    ["4:2:2", 0.45, 80],
    ["4:4:4", 0.45, 80],
    ["4:4:4", 0.45, 93],
  ] as const)(
    "looks the same and takes the same bytes: from %s, %d times the size, at %i",
    async (subsampling, factor, quality) => {
      const file = encode(photograph, { subsampling });
      const size = { width: Math.round(photograph.width * factor), height: Math.round(photograph.height * factor) };
      const plan = planOf(file, size);
      const settings = { ...SETTINGS, quality, ...(quality < 90 && ({ subsample: "4:2:0" } as const)) };
      const made = await byPlanes(file, plan, settings);
      if (!made) throw new Error("planes were not taken");
      const pixels = await byPixels(file, plan, settings);
      expect(jpeg.read.factsOf(made).subsample).toBe(jpeg.read.factsOf(pixels).subsample);
      const reference = await resizedPixels(file, plan);
      expect(await scoreOf(reference, made)).toBeGreaterThan((await scoreOf(reference, pixels)) - 0.3);
      expect(made.length / pixels.length).toBeGreaterThan(0.99);
      expect(made.length / pixels.length).toBeLessThan(1.025);
    },
  );

  it("shifts nothing: the colors of a ramp stay where they are", async () => {
    const ramp = paint(256, 64, (x) => [x, 128, 255 - x, 255]);
    for (const subsampling of ["4:2:0", "4:4:4"] as const) {
      const file = encode(ramp, { quality: 97, subsampling });
      for (const box of [whole(ramp), { x: 13.5, y: 3, width: 200.25, height: 57 }]) {
        const plan = planOf(file, { width: 101, height: 25 }, box);
        const made = await byPlanes(file, plan, { ...SETTINGS, quality: 89 });
        if (!made) throw new Error("planes were not taken");
        const { data } = decode(made);
        const columns = Array.from({ length: 60 }, (_, index) => 20 + index);
        const errors = columns.flatMap((x) => {
          const level = box.x + ((x + 0.5) * box.width) / 101 - 0.5;
          const at = (12 * 101 + x) * 4;
          return [sample(data, at) - level, 255 - level - sample(data, at + 2)];
        });
        expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.4);
      }
    }
  });

  it.each([
    { width: 1, height: 1 },
    { width: 1, height: 25 },
    { width: 30, height: 1 },
    { width: 17, height: 3 },
  ])("has its colors at the last pixels of odd sizes too: %o", async (size) => {
    const file = encode(
      paint(400, 300, (x, y) => [x / 2, 100 + y / 3, x > 360 ? 200 : 90, 255]),
      { quality: 97, subsampling: "4:4:4" },
    );
    const plan = planOf(file, size);
    const settings = { ...SETTINGS, quality: 89, subsample: "4:2:0" } as const;
    const made = await byPlanes(file, plan, settings);
    expect(psnr(decode(made ?? file), decode(await byPixels(file, plan, settings)))).toBeGreaterThan(33);
  });

  it("has no color that lies outside of a crop", async () => {
    const halves = paint(256, 128, (x) => (x < 128 ? [200, 30, 30, 255] : [30, 30, 200, 255]));
    const file = encode(halves, { quality: 97, subsampling: "4:4:4" });
    const plan = planOf(file, { width: 51, height: 51 }, { x: 0, y: 0, width: 128, height: 128 });
    const made = await byPlanes(file, plan, { ...SETTINGS, subsample: "4:2:0" });
    const { data } = decode(made ?? file);
    for (let y = 0; y < 51; y++) expect(Math.abs(sample(data, (y * 51 + 50) * 4 + 2) - 30)).toBeLessThan(6);
  });

  it("is left to pixels where halved chroma might not do, unless it is asked for", async () => {
    const file = encode(drawing, { quality: 92, subsampling: "4:4:4" });
    const plan = planOf(file, { width: 400, height: 267 });
    expect(jpeg.read.factsOf(await byPixels(file, plan, SETTINGS)).subsample).toBe("4:4:4");
    expect(await byPlanes(file, plan, SETTINGS)).toBeNull();
    expect(heapOf(jpegModule).used).toBe(0);
    expect(await byPlanes(file, plan, { ...SETTINGS, subsample: "4:2:0" })).not.toBeNull();
    const soft = encode(scene(600, 400), { subsampling: "4:4:4" });
    expect(await byPlanes(soft, plan, SETTINGS)).not.toBeNull();
  });

  it.each(["odd-factors", "rgb", "cmyk", "twelve-bits"])("is left to pixels: %s", async (name) => {
    expect(await byPlanes(jpegFile(name), planOf(jpegFile(name), { width: 20, height: 15 }), SETTINGS)).toBeNull();
  });

  it("is left to pixels where they are picked, not filtered", async () => {
    const file = jpegFile("s420");
    const wanted = wantedOf(planOf(file, { width: 40, height: 30 }));
    expect(jpeg.coefficients.resize(file, SETTINGS, wanted)).not.toBeNull();
    expect(jpeg.coefficients.resize(file, SETTINGS, { ...wanted, kernel: "nearest" })).toBeNull();
  });

  it.each([
    ["luma", "s444", { width: 140, height: 60 }, SETTINGS],
    ["chroma", "s411", { width: 120, height: 60 }, SETTINGS],
    ["chroma, for all of it", "s420", { width: 60, height: 45 }, { ...SETTINGS, quality: 95 }],
  ] as const)("is left to pixels where planes would have to grow: %s", async (_plane, name, size, settings) => {
    expect(await byPlanes(jpegFile(name), planOf(jpegFile(name), size), settings)).toBeNull();
  });

  it.each(["s420", "gray", "progressive", "restart", "several-scans"])(
    "refuses %s when it is cut short",
    async (name) => {
      const file = jpegFile(name);
      const cut = file.subarray(0, Math.floor(file.length * 0.7));
      const run = () => byPlanes(cut, planOf(file, { width: 40, height: 30 }), SETTINGS);
      await expect(run()).rejects.toThrow(ApiError);
      await expect(run()).rejects.toThrow("damaged");
      expect(heapOf(jpegModule).used).toBe(0);
    },
  );

  it("times decoding and resizing", async () => {
    let ticks = 0;
    const timeSlice = { ...UNPAUSED, worked: () => ticks++ };
    const stopwatch = startStopwatch();
    const wanted = wantedOf(planOf(jpegFile("s420"), { width: 40, height: 30 }));
    await jpeg.coefficients.resize(jpegFile("s420"), SETTINGS, wanted, stopwatch)?.run(timeSlice);
    expect(stopwatch.spent.decode).toBeGreaterThan(0);
    expect(stopwatch.spent.operations).toBeGreaterThan(0);
  });
});

describe("the service", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["makes a smaller file at a given quality of planes", {}, false],
    ["sees pixels for anything more", { flip: { vertical: false, horizontal: true } }, true],
    ["sees pixels where light is filtered", { resize: { width: 200, linear: true } }, true],
    ["sees pixels for another format", { output: { format: "webp" } }, true],
    ["sees pixels to score them", { optimize: { compression: "medium" } }, true],
  ] as const)("%s", async (_name, members, seesPixels) => {
    const file = encode(paint(600, 400, (x, y) => [x / 3, y / 2, 90, 255]));
    const body = { resize: { width: 200 }, optimize: { quality: 80 }, ...members };
    const { output, optimize, ...operations } = parseBody(UploadBody, body);
    const opened = vi.spyOn(jpeg.read, "open");
    const order = { operations, output, optimize, overlays: new Map(), accept: undefined };
    const { facts } = (await renderOne(SharedBytes.of(file.slice()), order)).output;
    expect(facts).toMatchObject({ width: 200, height: 133 });
    expect(opened.mock.calls.length > 0).toBe(seesPixels);
  });

  it("sees pixels of a drawing, and keeps its chroma", async () => {
    const file = encode(drawing, { quality: 92, subsampling: "4:4:4" });
    const { output, optimize, ...operations } = parseBody(UploadBody, {
      resize: { width: 400 },
      optimize: { quality: 80 },
    });
    const opened = vi.spyOn(jpeg.read, "open");
    const order = { operations, output, optimize, overlays: new Map(), accept: undefined };
    expect((await renderOne(SharedBytes.of(file.slice()), order)).output.facts.subsample).toBe("4:4:4");
    expect(opened).toHaveBeenCalled();
  });
});

describe("the memory of a JPEG file of another size", () => {
  /** What fresh instances of two modules have before anything is opened in them. */
  const INSTANCES_BYTES = 2 << 20;

  it.each([
    ["in one scan", 0.3, false],
    ["in one scan, hardly smaller", 0.95, false],
    ["a thumbnail", 0.03, false],
    ["in several scans", 0.3, true],
  ] as const)("is what is declared, and less than that of pixels: %s", async (_name, factor, progressive) => {
    const file = encode(scene(3_000, 2_000), { progressive });
    const size = { width: Math.round(3_000 * factor), height: Math.round(2_000 * factor) };
    const plan = planOf(file, size);
    const settings = { ...SETTINGS, subsample: "4:2:0" } as const;
    const shortcut = jpeg.coefficients.resize(file, settings, wantedOf(plan));
    trimNative(0);
    const made = await shortcut?.run(UNPAUSED);
    if (!shortcut || !made) throw new Error("planes were not taken");
    const bytes = nativeMemoryBytes() + made.length;
    expect(bytes).toBeLessThanOrEqual(shortcut.estimate.bytes + INSTANCES_BYTES);
    const picture = { ...size, opaque: true, frames: 1 };
    const declared = pictureEstimate(storedOf(file), plan).bytes + jpeg.write.estimate(picture, settings).bytes;
    expect(shortcut.estimate.bytes).toBeLessThan(declared);
  });
});
