/** Orders from file to file: what only shows when operations, formats and the budget come together. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { webp } from "../../../src/image/formats/webp.ts";
import type { OperationName } from "../../../src/image/operations.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { NativeInstance } from "../../../wasm/load.ts";
import over from "../../fixtures/effects/over.png";
import disposing from "../../fixtures/gif/dispose-previous.gif";
import sourceAlpha from "../../fixtures/resample/source-alpha.png";
import source from "../../fixtures/resample/source.png";
import animated from "../../fixtures/webp/animated-blend.webp";
import { isForToday } from "../../support/exhaustive.ts";
import { applied, decoded, largestDifference } from "../../support/operations.ts";
import { rendered as renderedFile, type RenderedFile } from "../../support/render.ts";
import { drain, type Pixels } from "../../support/rows.ts";

function rendered(file: ArrayBuffer, body: object): Promise<RenderedFile> {
  const { output, optimize, ...operations } = parseBody(UploadBody, body);
  const overlays = new Map([["mark", new Uint8Array(over)]]);
  return renderedFile(new Uint8Array(file), { operations, output, optimize, overlays });
}

const LOSSLESS = { output: { format: "png" }, optimize: { lossless: true } };

async function pixels(file: ArrayBuffer, body: object): Promise<Pixels> {
  const { output } = await rendered(file, { ...LOSSLESS, ...body });
  return decoded(output.bytes.slice().buffer);
}

describe("the first frame alone", () => {
  it.each([
    ["GIF", disposing],
    ["WEBP", animated],
  ])("is what a %s shows first, and nothing else of it", async (label, file) => {
    const whole = await rendered(file, LOSSLESS);
    expect(whole.output.facts.frames).toBeGreaterThan(1);
    const { output, input } = await rendered(file, { ...LOSSLESS, output: { format: "png", animation: false } });
    expect([output.facts.frames, input.facts.frames]).toEqual([1, whole.output.facts.frames]);
    const first = await decoded(whole.output.bytes.slice().buffer);
    expect(largestDifference(await decoded(output.bytes.slice().buffer), first)).toBe(0);
    // Nothing else changes, and the original is not what is asked for.
    const kept = await rendered(file, { output: { animation: false } });
    expect([kept.output.format.label, kept.output.facts.frames]).toEqual([label, 1]);
  });

  it("may have any format that a still picture may have", async () => {
    const body = { output: { format: "auto", animation: false }, optimize: { quality: 50 } };
    expect((await rendered(animated, body)).output.facts.frames).toBe(1);
  });
});

describe("render", () => {
  it("refuses a picture for which native code has no memory left", async () => {
    const none = vi.spyOn(NativeInstance.prototype, "run").mockReturnValue(0);
    const refused = expect(rendered(source, LOSSLESS)).rejects;
    await refused.toMatchObject({ status: 422, message: expect.stringContaining("not enough memory") });
    none.mockRestore();
  });

  it("runs operations in the order of the list, whatever the order of members", async () => {
    const watermark = { id: "mark", gravity: "top-left" };
    const body = { mask: { shape: "ellipse" }, watermark, filter: { sepia: { value: 100 } }, rotate: { angle: 90 } };
    let expected: Pixels = await decoded(source);
    for (const name of ["rotate", "filter", "watermark", "mask"] as const) {
      expected = await applied(name, body[name], expected, { overlay: over });
    }
    expect(largestDifference(await pixels(source, body), expected)).toBe(0);
  });

  it("plans every operation on the picture as it then is", async () => {
    const { output } = await rendered(source, { ...LOSSLESS, rotate: { angle: 90 }, padding: { top: 6 } });
    expect(output.facts).toMatchObject({ width: 64, height: 102 });
  });

  it("looks at the picture as the operations before leave it", async () => {
    const { output } = await rendered(source, { ...LOSSLESS, adjust: { contrast: -50 } });
    const foggy = output.bytes.slice().buffer;
    const levels = (await pixels(foggy, { auto: { enhance: true } })).data.filter((_, at) => at % 4 === 1);
    expect(Math.max(...levels) - Math.min(...levels)).toBeGreaterThan(180);
    // A piece with hardly any tones is left alone, although the whole is not.
    const crop = { width: 2, height: 2 };
    expect((await pixels(foggy, { crop, auto: { enhance: true } })).data).toEqual((await pixels(foggy, { crop })).data);
  });

  it("has transparent surroundings where the output can hold them, else white", async () => {
    const body = { mask: { shape: "ellipse" } };
    expect((await rendered(source, body)).output.facts.alpha).toBe(true);
    const white = await rendered(source, { ...body, output: { format: "jpg", quality: 100 } });
    expect(white.output.facts.alpha).toBe(false);
  });

  it("keeps alpha through filters", async () => {
    const body = { filter: { sepia: { value: 100 }, monochrome: { value: 50, color: "08f" } } };
    const before = (await decoded(sourceAlpha)).data.filter((_, at) => at % 4 === 3);
    expect((await pixels(sourceAlpha, body)).data.filter((_, at) => at % 4 === 3)).toEqual(before);
  });

  it("hands back what it was given where every value is neutral", async () => {
    const neutral = { adjust: { contrast: 0 }, filter: { blur: { value: 0 } }, border: { size: 0 } };
    const { output } = await rendered(source, { ...LOSSLESS, ...neutral });
    expect((await decoded(output.bytes.slice().buffer)).data).toEqual((await decoded(source)).data);
  });

  it("refuses more pixels than it can make, all frames together", async () => {
    const { frames } = webp.read.factsOf(new Uint8Array(animated));
    const side = Math.floor(Math.sqrt(110e6 / frames)) + 1;
    const resize = { width: side, height: side, mode: "exact" };
    const message = "The result must have at most 110 megapixels, all frames together";
    await expect(rendered(animated, { resize })).rejects.toMatchObject({ status: 422, message });
  });

  it("refuses a watermark that is not there", async () => {
    const missing = rendered(source, { watermark: { id: "another" } });
    await expect(missing).rejects.toMatchObject({
      status: 422,
      message: "watermark.id is not the id of a saved watermark",
    });
  });
});

/** One request with each operation; each changes the picture. */
const ONE_OF_EACH: Readonly<Record<OperationName, object>> = {
  trim: { left: 3 },
  flip: { mode: "both" },
  rotate: { angle: 10 },
  upscale: { factor: 2 },
  crop: { width: 60, height: 50 },
  resize: { width: 30, height: 17, mode: "fit" },
  scale: { size: 0.5, linear: true },
  auto: { enhance: true, redeye: true },
  adjust: { invert: true, sharpen: 20 },
  filter: { blur: { value: 2 }, pixellate: { value: 4 } },
  redact: { faces: "fill", color: "0a0" },
  text: { value: "Seen", size: 0.4, color: "f0f" },
  watermark: { id: "mark", fit: true },
  mask: { shape: "ellipse" },
  border: { size: 2, radius: 9 },
  padding: { left: 3 },
  background: { color: "08f" },
};
const ANIMATED = Object.entries<FormatDefinition>(FORMATS).filter(([, row]) => row.write && row.can.animation);

async function delaysOf(format: FormatDefinition, bytes: Uint8Array): Promise<number[]> {
  const facts = format.read.factsOf(bytes);
  const { width, height } = facts;
  const delays: number[] = [];
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { delayMs, rows } of format.read.open(bytes, facts, demand, UNPAUSED)) {
    await drain(rows);
    delays.push(delayMs);
  }
  return delays;
}

describe.each(ANIMATED)("an animation written as %s", (name, format) => {
  const column = ANIMATED.findIndex(([other]) => other === name);
  const operations = Object.entries(ONE_OF_EACH).filter((_, row) => isForToday(row + column, ANIMATED.length));
  let small: ArrayBuffer;

  // All that is asked here is asked of a small animation as well.
  beforeAll(async () => {
    const resize = { width: 96, height: 96, mode: "fit" };
    const { output } = await rendered(animated, { resize, output: { format: "webp" }, optimize: { quality: 80 } });
    small = output.bytes.slice().buffer;
  });

  it.each(operations)("keeps frames, timing and loops through %s", async (operation, params) => {
    const { frames, loops } = webp.read.factsOf(new Uint8Array(animated));
    const body = { [operation]: params, output: { format: name }, optimize: { quality: 80 } };
    const { output } = await rendered(small, body);
    expect(output.facts).toMatchObject({ frames, loops });
    expect(await delaysOf(format, output.bytes)).toEqual(await delaysOf(webp, new Uint8Array(animated)));
  });
});
