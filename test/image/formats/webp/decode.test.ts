/** Reading WebP files. */
import { describe, expect, it } from "vitest";

import { webp } from "../../../../src/image/formats/webp.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import roseAlpha from "../../../fixtures/webp/1-webp-a.webp";
import roseLossless from "../../../fixtures/webp/1-webp-ll.webp";
import alphaFilter from "../../../fixtures/webp/alpha-filter.webp";
import blueTile from "../../../fixtures/webp/blue-tile.webp";
import denali from "../../../fixtures/webp/denali.webp";
import gopher1 from "../../../fixtures/webp/gopher-doc-1bpp-lossless.webp";
import gopher8 from "../../../fixtures/webp/gopher-doc-8bpp-lossless.webp";
import gopherAlpha from "../../../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import segments from "../../../fixtures/webp/segment01.webp";
import small from "../../../fixtures/webp/small-1x13.webp";
import veryShort from "../../../fixtures/webp/very-short.webp";
import video from "../../../fixtures/webp/video-001-lossy.webp";
import { rendered } from "../../../support/render.ts";
import { digest, drain, paint, pictureOf, type Pixels } from "../../../support/rows.ts";

/** Pixels as `dwebp -pam` of libwebp 1.6.0 writes them, built for x86-64: the SIMD of this build changes nothing. */
const FILES = [
  ["lossy with alpha", roseAlpha, 400, 301, "a8295b4a3cf0fd33"],
  ["lossless", roseLossless, 400, 301, "a3c26e32c03f6bb8"],
  ["filtered alpha", alphaFilter, 1600, 1600, "894d21ca8f2ddb0f"],
  ["one color", blueTile, 256, 256, "f1a4485a24e6664f"],
  ["profile and metadata", denali, 600, 315, "d10ca85c4977ecdb"],
  ["1 bit palette", gopher1, 75, 100, "a7fbecf021a4572d"],
  ["8 bit palette", gopher8, 75, 100, "b340f9cb723198af"],
  ["lossless with alpha", gopherAlpha, 75, 100, "b357f1bf4765f41a"],
  ["segments", segments, 160, 160, "181c4a9a12155173"],
  ["one column", small, 1, 13, "99f967ea3d0edc90"],
  ["shortest partition", veryShort, 63, 66, "74c9214f545a8a62"],
  ["odd height", video, 150, 103, "d211a83b7104eb12"],
] as const;

/** A file of the chunks that there are. */
function riff(...chunks: (Uint8Array | undefined)[]): Uint8Array<ArrayBuffer> {
  const body = chunks.flatMap((chunk) => [...(chunk ?? [])]);
  const bytes = Uint8Array.from([...ascii("RIFF"), 0, 0, 0, 0, ...ascii("WEBP"), ...body]);
  new DataView(bytes.buffer).setUint32(4, body.length + 4, true);
  return bytes;
}

const ascii = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** The chunk that says what others there are. */
function extended(width: number, height: number, alpha: boolean): Uint8Array {
  return Uint8Array.of(...ascii("VP8X"), 10, 0, 0, 0, alpha ? 0x10 : 0, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0);
}

interface Wanted {
  readonly box?: { x: number; y: number; width: number; height: number };
  readonly width?: number;
  readonly height?: number;
}

async function open(file: ArrayBuffer, wanted: Wanted = {}) {
  const bytes = new Uint8Array(file);
  const facts = webp.read.factsOf(bytes);
  const box = wanted.box ?? { x: 0, y: 0, width: facts.width, height: facts.height };
  const demand = { box, width: wanted.width ?? box.width, height: wanted.height ?? box.height };
  for await (const decoded of webp.read.open(bytes, facts, demand, UNPAUSED))
    return { pixels: await drain(decoded.rows, 7), box: decoded.box };
  throw new Error("no frame");
}

function cut({ width, data }: Pixels, box: { x: number; y: number; width: number; height: number }): Uint8Array {
  const rows = Array.from({ length: box.height }, (_, y) => {
    const start = ((box.y + y) * width + box.x) * 4;
    return data.subarray(start, start + box.width * 4);
  });
  return new Uint8Array(rows.flatMap((row) => [...row]));
}

describe("decoding WebP", () => {
  it.each(FILES)("gives the pixels of the reference decoder: %s", async (_name, file, width, height, expected) => {
    const { pixels } = await open(file);
    expect([pixels.width, pixels.height]).toEqual([width, height]);
    expect(await digest(pixels.data)).toBe(expected);
  });

  it("is opaque where the header says so, whatever is coded, in whole and smaller", async () => {
    // The bit alpha_is_used, behind two sides of 14 bits (RFC 9649, section 3.4).
    const hinted = (file: ArrayBuffer) => {
      const bytes = new Uint8Array(file);
      const start = String.fromCharCode(...bytes).indexOf("VP8L");
      const picture = bytes.slice(start, start + 8 + new DataView(file).getUint32(start + 4, true));
      picture[12] = (picture[12] ?? 0) & ~0x10;
      return riff(picture).buffer;
    };
    for (const wanted of [{}, { width: 37, height: 50 }]) {
      const seen = (await open(gopherAlpha, wanted)).pixels.data;
      const { data } = (await open(hinted(gopherAlpha), wanted)).pixels;
      const alpha = data.filter((_, index) => index % 4 === 3);
      expect(Math.min(...seen.filter((_, index) => index % 4 === 3))).toBe(0);
      expect(Math.min(...alpha)).toBe(255);
      if (!wanted.width)
        expect(data.filter((_, index) => index % 4 < 3)).toEqual(seen.filter((_, index) => index % 4 < 3));
    }
    const { output } = await rendered(new Uint8Array(hinted(gopherAlpha)), {
      output: { format: "png" },
      optimize: { lossless: true },
    });
    expect(output.facts.alpha).toBe(false);
  });

  it("counts alpha of few colors where its header or that of the file says so", async () => {
    const pixels = paint(40, 30, (x) => (x < 20 ? [20, 200, 30, 90] : [200, 40, 60, 255]));
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
    const plain = await webp.write.encode(pictureOf([pixels]), settings, UNPAUSED);
    const start = String.fromCharCode(...plain).indexOf("VP8L");
    const chunk = (hinted: boolean) => {
      const bytes = plain.slice(start);
      // The bit alpha_is_used, behind two sides of 14 bits (RFC 9649, section 3.4).
      bytes[12] = ((bytes[12] ?? 0) & ~0x10) | (hinted ? 0x10 : 0);
      return bytes;
    };
    for (const [says, hinted, alpha] of [
      ["nothing", false, 255],
      ["nothing", true, 90],
      ["alpha", false, 90],
      ["no alpha", false, 255],
      ["no alpha", true, 90],
    ] as const) {
      const file = riff(says === "nothing" ? undefined : extended(40, 30, says === "alpha"), chunk(hinted));
      const { data } = (await open(file.buffer)).pixels;
      expect([says, hinted, ...data.subarray(0, 4)]).toEqual([says, hinted, 20, 200, 30, alpha]);
      expect(webp.read.factsOf(file).alpha).toBe(alpha === 90);
    }
  });

  it.each([
    ["lossy with alpha", roseAlpha],
    ["lossless", roseLossless],
    ["lossy", denali],
  ])("decodes a region to the pixels it has in the whole: %s", async (_name, file) => {
    const whole = (await open(file)).pixels;
    const box = { x: 51, y: 33, width: 101, height: 77 };
    const part = await open(file, { box });
    const region = { ...part.box, width: box.width, height: box.height };
    expect(part.pixels.width).toBeLessThan(110);
    // The upsampled colors of a lossy region differ at its rim, where they lack their neighbors.
    const inner = { x: region.x + 4, y: region.y + 4, width: 90, height: 60 };
    expect(cut(part.pixels, inner)).toEqual(cut(whole, { ...inner, x: box.x + 4, y: box.y + 4 }));
  });

  it("holds what later pixels refer to, and no more, of a large picture without loss", async () => {
    // What is coded once is referred to from far below.
    const [width, height, far] = [1_400, 1_700, 730];
    const pixels = paint(width, height, (x, y) => {
      const noise = Math.imul(x + width * (y % far) + 1, 0x9e3779b1) >>> 0;
      return [noise >>> 24, (noise >>> 16) & 255, (noise >>> 8) & 255, 255];
    });
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
    const file = await webp.write.encode(pictureOf([pixels]), settings, UNPAUSED);
    expect(file.length).toBeLessThan(width * far * 3 * 1.5);
    expect(await digest((await open(file.slice().buffer)).pixels.data)).toBe(await digest(pixels.data));
    const { decodeBytes: _, ...known } = webp.read.factsOf(file);
    const facts = { ...known, width: 16_000, height: 10_000 };
    expect(webp.read.estimate(facts).bytes).toBeLessThan(facts.width * facts.height * 2);
  });

  it("decodes alpha of a large lossy picture as a small part of it shows it", async () => {
    const [width, height] = [2_000, 1_100];
    const pixels = paint(width, height, (x, y) => [
      200,
      40,
      60,
      Math.round(127 + 127 * Math.sin(x / 90) * Math.sin(y / 70)),
    ]);
    const settings = { lossless: false, quality: 60, progressive: false, effort: 0.5 };
    const file = await webp.write.encode(pictureOf([pixels]), settings, UNPAUSED);
    const whole = (await open(file.slice().buffer)).pixels;
    const alpha = (data: Uint8Array) => digest(data.filter((_, index) => index % 4 === 3));
    for (const y of [0, 34, 638, 1_040]) {
      const box = { x: 1_200, y, width: 300, height: 60 };
      const part = await open(file.slice().buffer, { box });
      expect(await alpha(part.pixels.data)).toBe(await alpha(cut(whole, box)));
    }
  });

  it("decodes smaller, but never below what is wanted", async () => {
    expect((await open(denali, { width: 150, height: 78 })).pixels).toMatchObject({ width: 150, height: 79 });
    expect((await open(denali, { width: 151, height: 78 })).pixels).toMatchObject({ width: 300, height: 158 });
    expect((await open(roseLossless, { width: 40, height: 30 })).pixels).toMatchObject({ width: 50, height: 38 });
    expect((await open(roseAlpha, { width: 40, height: 30 })).pixels).toMatchObject({ width: 400, height: 301 });
  });

  it("keeps the mean color when it decodes smaller", async () => {
    const mean = ({ data }: Pixels) => data.reduce((sum, value) => sum + value, 0) / data.length;
    const whole = mean((await open(denali)).pixels);
    expect(mean((await open(denali, { width: 75, height: 39 })).pixels)).toBeCloseTo(whole, 0);
  });
});

describe("facts about WebP files", () => {
  it("come from the headers", () => {
    expect(webp.read.factsOf(new Uint8Array(denali))).toMatchObject({
      width: 600,
      height: 315,
      frames: 1,
      alpha: false,
      colorspace: "YCbCr",
      subsample: "4:2:0",
      depth: 24,
    });
    expect(webp.read.factsOf(new Uint8Array(denali)).profile?.length).toBeGreaterThan(100);
    expect(webp.read.factsOf(new Uint8Array(gopherAlpha))).toMatchObject({ alpha: true, depth: 32, quality: 100 });
    expect(webp.read.factsOf(new Uint8Array(roseAlpha))).toMatchObject({ alpha: true, colorspace: "YCbCr" });
  });
});
