/** Films of AV1: what is written, and what is read of those of others. */
import { describe, expect, it } from "vitest";

import { mp4 } from "../../../../src/image/formats/mp4.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { detect } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import colorful from "../../../fixtures/gif/animated-red-blue.gif";
import gray from "../../../fixtures/gif/muybridge.gif";
import foreign from "../../../fixtures/mp4/sound.mp4";
import photo from "../../../fixtures/png/rgb-8.png";
import { boxTypes } from "../../../support/heif-boxes.ts";
import { refusal } from "../../../support/refusal.ts";
import { rendered } from "../../../support/render.ts";
import { drain, noise, paint, pictureOf, type Pixels, psnr, sample } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 90, progressive: false, effort: 0.5 };

/** A square that moves over a slope. */
function film(width: number, height: number, count: number): [Pixels, ...Pixels[]] {
  const frame = (at: number) =>
    paint(width, height, (x, y) => {
      const isInside = Math.abs(x - ((at * 3) % width)) < 8 && Math.abs(y - height / 2) < 6;
      return isInside ? [230, 60, 40, 255] : [(x * 255) / width, (y * 255) / height, 90, 255];
    });
  return [frame(0), ...Array.from({ length: count - 1 }, (_, at) => frame(at + 1))];
}

async function framesOf(bytes: Uint8Array): Promise<{ readonly delayMs: number; readonly pixels: Pixels }[]> {
  const facts = mp4.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  return Array.fromAsync(mp4.read.open(bytes, facts, demand, UNPAUSED), async ({ delayMs, rows }) => {
    return { delayMs, pixels: await drain(rows) };
  });
}

/** Where the bytes behind the name of a box begin, wherever it is; one for each. */
function placesOf(bytes: Uint8Array, type: string): number[] {
  const text = Buffer.from(bytes);
  const found: number[] = [];
  for (let at = text.indexOf(type); at >= 0; at = text.indexOf(type, at + 4)) found.push(at + 4);
  return found;
}

const numberAt = (bytes: Uint8Array, at: number) => new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0);
const textAt = (bytes: Uint8Array, at: number) => new TextDecoder().decode(bytes.subarray(at, at + 4));

describe("animations as films", () => {
  it("say where frames lie before these come, have one track, no sound, and halved chroma that all decoders take", async () => {
    const bytes = await mp4.write.encode(pictureOf(film(64, 48, 4), { delayMs: 40 }), SETTINGS, UNPAUSED);
    expect(boxTypes(bytes)).toEqual(["ftyp", "moov", "mdat"]);
    expect(detect(bytes)).toBe("mp4");
    expect(placesOf(bytes, "trak")).toHaveLength(1);
    expect(placesOf(bytes, "hdlr").map((at) => textAt(bytes, at + 8))).toEqual(["vide"]);
    const [offset = 0] = placesOf(bytes, "stco");
    expect(numberAt(bytes, offset + 8)).toBe(placesOf(bytes, "mdat")[0]);
    const [config = 0] = placesOf(bytes, "av1C");
    // The profile Main, 8 bits, halved both ways, and the header of the sequence.
    expect([bytes[config], (bytes[config + 1] ?? 0) >> 5, (bytes[config + 2] ?? 0) & 0x5c]).toEqual([0x81, 0, 0x0c]);
    expect(((bytes[config + 4] ?? 0) >> 3) & 15).toBe(1);
  });

  it.each([
    [64, 48, 2],
    [33, 21, 3],
    [70, 51, 12],
    [2, 2, 2],
  ])("of %i x %i in %i frames come back, of odd sizes, too", async (width, height, count) => {
    const frames = film(width, height, count);
    const bytes = await mp4.write.encode(pictureOf(frames, { delayMs: 70, loops: 3 }), SETTINGS, UNPAUSED);
    expect(mp4.read.factsOf(bytes)).toMatchObject({ width, height, frames: count, alpha: false, subsample: "4:2:0" });
    const shown = await framesOf(bytes);
    expect(shown.map(({ delayMs }) => delayMs)).toEqual(frames.map(() => 70));
    for (const [at, { pixels }] of shown.entries()) expect(psnr(pixels, frames[at] ?? pixels)).toBeGreaterThan(24);
  });

  it.each([
    [1_920, 1_080],
    [200, 6_000],
  ])(
    "of %i x %i are written in the memory that is declared for them, and no more than a job has",
    async (width, height) => {
      const frames = film(width, height, 4);
      const picture = pictureOf(frames, { delayMs: 40 });
      expect(mp4.write.estimate(picture, SETTINGS).bytes).toBeLessThan(85 * 2 ** 20);
      const shown = await framesOf(await mp4.write.encode(picture, SETTINGS, UNPAUSED));
      expect(shown).toHaveLength(frames.length);
      for (const [at, { pixels }] of shown.entries()) expect(psnr(pixels, frames[at] ?? pixels)).toBeGreaterThan(30);
    },
  );

  it.each([
    [1_920, 1_080],
    [200, 6_000],
  ])("of noise, %i x %i, are written in the memory that is declared for them", async (width, height) => {
    const frames = Array.from({ length: 5 }, () => noise(width, height)) as [Pixels, ...Pixels[]];
    const settings = { ...SETTINGS, quality: 96 };
    const bytes = await mp4.write.encode(pictureOf(frames, { delayMs: 40 }), settings, UNPAUSED);
    expect(mp4.read.factsOf(bytes).frames).toBe(frames.length);
  });

  it("are searched for as sequences are, and keep the time of every frame", async () => {
    const { input, output } = await rendered(new Uint8Array(gray), { output: { format: "mp4" } });
    expect(output.format.mime).toBe("video/mp4");
    expect(output.facts).toMatchObject({ frames: input.facts.frames, alpha: false });
    expect(output.score).toBeGreaterThan(74);
    expect(output.score).toBeLessThan(90);
  });

  it.each([
    ["white", {}, 255],
    ["the color that is asked for", { background: { color: "000" } }, 0],
  ])("have %s where something could be seen through", async (_name, operations, level) => {
    // The left half is clear.
    const frame = (red: number) => paint(32, 16, (x) => [red, 40, 60, x < 16 ? 0 : 255]);
    const moving = pictureOf([frame(200), frame(90)], { opaque: false, delayMs: 50 });
    const file = await png.write.encode(moving, { ...SETTINGS, lossless: true }, UNPAUSED);
    const { output } = await rendered(file, {
      operations,
      output: { format: "mp4" },
      optimize: { lossless: false, quality: 90 },
    });
    const frames = await framesOf(output.bytes);
    expect(frames).toHaveLength(2);
    for (const { pixels } of frames) expect(Math.abs(sample(pixels.data, (5 * 32 + 4) * 4) - level)).toBeLessThan(12);
  });

  it("are not made of stills, which are refused by that name", async () => {
    const message = "output.format must not be mp4: it holds animations, and this is a still";
    for (const file of [photo, colorful]) {
      const order = rendered(new Uint8Array(file), { output: { format: "mp4", animation: false } });
      expect(await refusal(order)).toEqual({ status: 422, message });
    }
  });

  it("are not chosen where the format is open", async () => {
    const accept = "video/mp4,image/gif";
    const { output } = await rendered(new Uint8Array(colorful), { output: { format: "auto" }, accept });
    expect(output.format.label).not.toBe("MP4");
  });
});

describe("films of others", () => {
  it("are read with their sound left out, wherever their tables lie", async () => {
    const bytes = new Uint8Array(foreign);
    expect(boxTypes(bytes).indexOf("mdat")).toBeLessThan(boxTypes(bytes).indexOf("moov"));
    expect(detect(bytes)).toBe("mp4");
    expect(mp4.read.factsOf(bytes)).toMatchObject({ width: 64, height: 48, frames: 6, loops: 0 });
    expect((await framesOf(bytes)).map(({ delayMs }) => Math.round(delayMs))).toEqual(Array(6).fill(100));
    const { output } = await rendered(bytes, { output: { format: "gif" } });
    expect(output.facts).toMatchObject({ width: 64, height: 48, frames: 6, loops: 0 });
  });

  it("are written anew as films, without their sound, and stay as they are once they have none", async () => {
    const bytes = new Uint8Array(foreign);
    const { output } = await rendered(bytes, { output: { format: "mp4" } });
    expect([placesOf(bytes, "soun").length, placesOf(output.bytes, "soun").length]).toEqual([1, 0]);
    expect(output.facts).toMatchObject({ width: 64, height: 48, frames: 6 });
    const again = await rendered(output.bytes, { output: { format: "mp4" } });
    expect(again.output.bytes).toEqual(output.bytes);
  });

  it("become animations of another format where none is named", async () => {
    const { output } = await rendered(new Uint8Array(foreign));
    expect(output.format.can).toMatchObject({ animation: true, web: true });
  });

  it("are refused where they have no pictures, or are cut short", async () => {
    const bytes = new Uint8Array(foreign);
    const without = (name: string, other: string) => {
      const copy = bytes.slice();
      for (const at of placesOf(bytes, name)) copy.set(new TextEncoder().encode(other), at - 4);
      return copy;
    };
    for (const file of [
      without("vide", "text"),
      without("moov", "free"),
      without("stco", "free"),
      bytes.slice(0, -40),
    ]) {
      expect((await refusal(rendered(file))).status).toBe(422);
    }
  });
});
