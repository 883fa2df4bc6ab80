/** Which format a result has when the request leaves it open. */
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { png } from "../../../src/image/formats/png.ts";
import { OPERATIONS } from "../../../src/image/operations.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { bestOf, inTryingOrder, outputFormatsOf } from "../../../src/image/render/output-formats.ts";
import { optimized } from "../../../src/image/search/attempts.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { SharedBytes } from "../../../src/scheduler/shared-bytes.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import macaw from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels, scene } from "../../support/rows.ts";

const AUTO = { format: "auto", encoding: "progressive" } as const;

async function storedOf(pixels: Pixels, opaque: boolean) {
  const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
  const stored = identify(await png.write.encode({ ...pictureOf([pixels]), opaque }, settings, UNPAUSED));
  return { stored, plan: planSteps(storedSize(stored.facts), []) };
}

async function labels(pixels: Pixels, opaque: boolean, accept?: string): Promise<string> {
  const { stored, plan } = await storedOf(pixels, opaque);
  const formats = await outputFormatsOf(stored, plan, { output: AUTO, accept });
  return formats.map(({ label }) => label).join(" ");
}

describe("the formats that are tried", () => {
  const opaque = scene(40, 30);
  const translucent = scene(40, 30, false);

  it.each([
    [undefined, "JPEG PNG WEBP AVIF"],
    ["*/*", "JPEG PNG WEBP AVIF"],
    ["image/jpeg, image/png;q=0.9", "JPEG PNG"],
    ["image/avif,image/webp,image/apng,image/*,*/*;q=0.8", "JPEG PNG WEBP AVIF"],
    ["image/*, image/png;q=0, image/AVIF; q=0.0", "JPEG GIF WEBP"],
    ["image/jxl,image/avif,image/*;q=0.8", "JPEG PNG WEBP AVIF JXL"],
    ["image/jxl;q=0,image/avif", "AVIF"],
    ["text/html", "PNG"],
  ])("are those that the client takes: %s", async (accept, expected) => {
    expect(await labels(opaque, true, accept)).toBe(expected);
  });

  it("are those with alpha where something can be seen through", async () => {
    expect(await labels(translucent, false)).toBe("PNG WEBP AVIF");
    expect(await labels(translucent, false, "image/jpeg")).toBe("JPEG");
    expect(await labels({ ...opaque }, false)).toBe("JPEG PNG WEBP AVIF");
  });

  it("have GIF beside PNG only where something moves", async () => {
    const moving = pictureOf([opaque, scene(40, 30, false)]);
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const stored = identify(await png.write.encode(moving, settings, UNPAUSED));
    const plan = planSteps(storedSize(stored.facts), []);
    const formats = await outputFormatsOf(stored, plan, { output: AUTO, accept: "image/png, image/gif" });
    expect(formats.map(({ label }) => label)).toEqual(["PNG", "GIF"]);
    const any = await outputFormatsOf(stored, plan, { output: AUTO, accept: undefined });
    expect(any.map(({ label }) => label)).toEqual(["PNG", "GIF", "WEBP", "AVIF"]);
  });

  it("have AVIF for what moves without loss, and say nothing against it", async () => {
    const frame = (at: number) =>
      paint(96, 72, (x, y) => {
        const light = 128 + 60 * Math.sin((x + at) / 9) * Math.cos(y / 7);
        return [Math.round(light), Math.round(light / 2) + y, 255 - y, 255];
      });
    const film = pictureOf([frame(0), ...Array.from({ length: 7 }, (_, at) => frame(at + 1))]);
    const file = await png.write.encode(
      film,
      { lossless: true, quality: 100, progressive: false, effort: 0 },
      UNPAUSED,
    );
    const accept = "image/png, image/avif";
    const { output } = await rendered(file, { output: AUTO, optimize: { lossless: true }, accept });
    expect([output.format.label, output.facts.frames]).toEqual(["AVIF", 8]);
    expect(output.limits).toBeUndefined();
  });
});

it("are tried in an order in which most are given up at the first look", () => {
  const { jpeg, gif, webp, avif } = FORMATS;
  const formats = [jpeg, png, gif, webp, avif];
  expect(inTryingOrder(formats, { kind: "smart", preset: "medium" }, {})).toEqual([avif, jpeg, webp, png, gif]);
  expect(inTryingOrder(formats, { kind: "quality", quality: 80 }, {})).toEqual(formats);
});

it("have JPEG before WebP, but at the end where few bytes without loss say that it is a drawing", () => {
  const { jpeg, png, webp, avif } = FORMATS;
  const smart = { kind: "smart", preset: "medium" } as const;
  expect(inTryingOrder([jpeg, png, webp, avif], smart, { detail: 0.2 })).toEqual([avif, webp, png, jpeg]);
  expect(inTryingOrder([jpeg, png, webp, avif], smart, { detail: 0.9 })).toEqual([avif, jpeg, webp, png]);
});

describe("the best of them", () => {
  const [jpeg, webp, avif] = [FORMATS.jpeg, FORMATS.webp, FORMATS.avif];
  const file = (length: number, score: number) => ({ file: SharedBytes.of(new Uint8Array(length)), score });

  it("is the smallest, and the best-looking where the size is given", async () => {
    const encode = async (format: { label: string }) => (format.label === "JPEG" ? file(90, 20) : file(80, 10));
    expect(await bestOf([jpeg, webp, avif], { kind: "lossless" }, encode)).toMatchObject({ format: webp, score: 10 });
    expect((await bestOf([webp, jpeg, avif], { kind: "size", bytes: 99 }, encode)).format).toBe(jpeg);
  });

  it("has to beat the best so far", async () => {
    const encode =
      vi.fn<(format: unknown, upperBoundBytes: number | undefined) => Promise<ReturnType<typeof file> | null>>();
    encode.mockResolvedValueOnce(file(50, 80)).mockResolvedValueOnce(null).mockResolvedValueOnce(file(60, 80));
    expect((await bestOf([jpeg, webp, avif], { kind: "lossless" }, encode)).format).toBe(jpeg);
    expect(encode.mock.calls.map(([, upperBoundBytes]) => upperBoundBytes)).toEqual([undefined, 50, 50]);
  });

  it("is not GIF where PNG was given up", async () => {
    const encode = vi.fn<(format: unknown) => Promise<ReturnType<typeof file> | null>>();
    encode.mockResolvedValueOnce(file(50, 80)).mockResolvedValueOnce(null);
    expect((await bestOf([jpeg, FORMATS.png, FORMATS.gif], { kind: "lossless" }, encode)).format).toBe(jpeg);
    expect(encode.mock.calls.map(([format]) => format)).toEqual([jpeg, FORMATS.png]);
  });

  it("does without those that cannot, unless none can", async () => {
    const refuse = new ApiError(422, "too large");
    const encode = async (format: { label: string }) => {
      if (format.label === "WEBP") return file(50, 80);
      throw refuse;
    };
    expect((await bestOf([jpeg, webp, avif], { kind: "lossless" }, encode)).format).toBe(webp);
    await expect(bestOf([jpeg, avif], { kind: "lossless" }, encode)).rejects.toBe(refuse);
  });

  it("waits for nothing when there is no capacity", async () => {
    const busy = new ApiError(503, "busy");
    await expect(bestOf([jpeg, webp], { kind: "lossless" }, () => Promise.reject(busy))).rejects.toBe(busy);
  });
});

it("are made from pixels that are computed once", async () => {
  const source = await storedOf(scene(400, 300), true);
  const open = vi.spyOn(png.read, "open");
  const operations = { resize: v.parse(OPERATIONS.resize.params, { width: 300 }) };
  const { output } = await rendered(source.stored.bytes, {
    accept: "image/jpeg, image/webp",
    operations,
    output: AUTO,
  });
  expect(output.facts).toMatchObject({ width: 300, height: 225 });
  expect(open).toHaveBeenCalledTimes(1);
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
  open.mockRestore();
});

describe("a format", () => {
  const objective = { kind: "smart", preset: "medium" } as const;

  it("is given up where its file would plainly be larger", async () => {
    const made = async (upperBoundBytes: number) => {
      const { stored, plan } = await storedOf(scene(1_200, 900), true);
      const options = {
        stored,
        plan,
        format: FORMATS.webp,
        objective,
        progressive: true,
        isLast: false,
        upperBoundBytes,
      };
      return optimized(options, SharedBytes.of(stored.bytes));
    };
    expect(await made(500)).toBeNull();
    expect(await made(1_000_000)).not.toBeNull();
  });

  it("is given up after one look at the sample", async () => {
    const { stored, plan } = await storedOf(scene(1_200, 900), true);
    const encode = vi.fn<typeof FORMATS.webp.write.encode>(FORMATS.webp.write.encode);
    const webp = { ...FORMATS.webp, write: { ...FORMATS.webp.write, encode } };
    const options = {
      stored,
      plan,
      format: webp,
      objective,
      isLast: false,
      upperBoundBytes: 1_000_000,
      upperBoundSampleBytes: 500,
    };
    expect(await optimized(options, SharedBytes.of(stored.bytes))).toBeNull();
    expect(encode).toHaveBeenCalledTimes(1);
  });

  it("is written without loss alone where that is smaller than its upper bound, and what is lossy is not", async () => {
    const drawing = paint(160, 160, (x, y) => (((x >> 2) + (y >> 3)) % 3 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
    const { stored, plan } = await storedOf(drawing, true);
    const encode = vi.fn<typeof FORMATS.webp.write.encode>(FORMATS.webp.write.encode);
    const webp = { ...FORMATS.webp, write: { ...FORMATS.webp.write, encode } };
    const options = {
      stored,
      plan,
      format: webp,
      objective,
      isLast: false,
      upperBoundBytes: 400,
      upperBoundSampleBytes: 400,
    };
    const made = await optimized(options, SharedBytes.of(stored.bytes));
    expect(made).toMatchObject({ score: 100 });
    expect(made?.file.bytes.length).toBeLessThan(400);
    expect(encode.mock.calls.filter(([, { lossless }]) => !lossless)).toHaveLength(1);
  });

  it("is not written anew without loss where it was given up", async () => {
    const { stored, plan } = await storedOf(scene(1_200, 900), true);
    const run = vi.fn<typeof png.recompress.run>(png.recompress.run);
    const format = { ...png, recompress: { ...png.recompress, run } };
    const options = { stored: { ...stored, format }, plan, format, objective, isLast: false };
    expect(await optimized({ ...options, upperBoundBytes: 500 }, SharedBytes.of(stored.bytes))).toBeNull();
    expect(run).not.toHaveBeenCalled();
  });

  it("keeps what a mask makes transparent", async () => {
    const accept = "image/jpeg, image/webp";
    const mask = { shape: "ellipse" };
    const { output } = await rendered(new Uint8Array(macaw), { accept, operations: { mask }, output: AUTO });
    expect(output.format.label).toBe("WEBP");
    expect(output.facts.alpha).toBe(true);
  });
});
