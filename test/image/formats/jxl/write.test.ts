/** Writing JPEG XL files, and packing JPEG files into them. */
import { describe, expect, it } from "vitest";

import { jxl } from "../../../../src/image/formats/jxl.ts";
import { openFile } from "../../../../src/image/formats/jxl/facts.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { joined } from "../../../../src/joined.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import {
  encodeEstimate as lossEstimate,
  type EncoderSettings,
  JxlEncoder,
  peakBytes,
} from "../../../../wasm/jxl-encode/encoder.ts";
import { jxlEncodeHeap } from "../../../../wasm/jxl-encode/instance.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import arithmetic from "../../../fixtures/jpeg/arithmetic.jpg";
import cmyk from "../../../fixtures/jpeg/cmyk.jpg";
import gray from "../../../fixtures/jpeg/gray.jpg";
import progressiveRestart from "../../../fixtures/jpeg/progressive-restart.jpg";
import progressive from "../../../fixtures/jpeg/progressive.jpg";
import restart from "../../../fixtures/jpeg/restart.jpg";
import rgb from "../../../fixtures/jpeg/rgb.jpg";
import s411 from "../../../fixtures/jpeg/s411.jpg";
import s420 from "../../../fixtures/jpeg/s420.jpg";
import s422 from "../../../fixtures/jpeg/s422.jpg";
import s440 from "../../../fixtures/jpeg/s440.jpg";
import s444 from "../../../fixtures/jpeg/s444.jpg";
import severalScans from "../../../fixtures/jpeg/several-scans.jpg";
import twelveBits from "../../../fixtures/jpeg/twelve-bits.jpg";
import moreZeros from "../../../fixtures/jxl/more-zeros.jxl";
import photograph from "../../../fixtures/score/macaw.png";
import { daily } from "../../../support/exhaustive.ts";
import { decodeFile, mutations } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { drain, noise, pictureOf, type Pixels, psnr, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const LOSSLESS = { ...SETTINGS, lossless: true };

const encoded = (pixels: Pixels, settings: typeof SETTINGS, opaque = true) =>
  jxl.write.encode(pictureOf([pixels], { opaque }), settings, UNPAUSED);

function alphaOf({ data }: Pixels): Uint8Array {
  return data.filter((_, index) => index % 4 === 3);
}

/** Sides around those of blocks, of groups, and of groups with what they look at around them. */
const SIZES = [
  [1, 1],
  [7, 9],
  [256, 8],
  [257, 263],
  [300, 264],
  [513, 520],
] as const;

describe("JPEG XL that is written", () => {
  it.each(SIZES)("loses nothing without loss: %i x %i", async (width, height) => {
    for (const [pixels, opaque] of [
      [scene(width, height), true],
      [noise(width, height, false), false],
    ] as const) {
      const file = await encoded(pixels, LOSSLESS, opaque);
      expect(await decodeFile(jxl, file)).toEqual(pixels);
      expect(identify(file).facts).toMatchObject({ width, height, alpha: !opaque, frames: 1, quality: 100 });
    }
  });

  it.each(SIZES)("looks alike with loss: %i x %i", async (width, height) => {
    const pixels = scene(width, height);
    expect(psnr(await decodeFile(jxl, await encoded(pixels, SETTINGS)), pixels)).toBeGreaterThan(26);
  });

  it("keeps alpha exactly with loss", async () => {
    for (const side of [40, 300]) {
      const pixels = scene(side, side, false);
      const decoded = await decodeFile(jxl, await encoded(pixels, SETTINGS, false));
      expect(alphaOf(decoded)).toEqual(alphaOf(pixels));
    }
  });

  it("makes flat pictures of few colors small without loss", async () => {
    const pixels = scene(200, 100);
    for (let at = 0; at < pixels.data.length; at += 4) pixels.data.set([at % 1_600 < 800 ? 10 : 200, 20, 30, 255], at);
    expect((await encoded(pixels, LOSSLESS)).length).toBeLessThan(200);
  });

  it("is better and larger with a higher quality", async () => {
    const pixels = scene(300, 200);
    const files = await Promise.all([30, 60, 90, 100].map((quality) => encoded(pixels, { ...SETTINGS, quality })));
    const sizes = files.map((file) => file.length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    const likeness = await Promise.all(files.map(async (file) => psnr(await decodeFile(jxl, file), pixels)));
    expect(Math.max(...likeness)).toBe(likeness[3]);
    expect(Math.max(...likeness)).toBeGreaterThan(Math.min(...likeness) + 3);
  });

  it("has the same bytes every time, with little effort and much", async () => {
    const pixels = scene(300, 270);
    for (const effort of [0, 1]) {
      const [one, other] = await Promise.all([1, 2].map(() => encoded(pixels, { ...SETTINGS, effort })));
      expect(one).toEqual(other);
    }
  });

  it.each([SETTINGS, LOSSLESS])("plays all frames of an animation", async (settings) => {
    const frames = [scene(60, 40, false), noise(60, 40, false), scene(60, 40, false)] as const;
    const picture = pictureOf([...frames], { opaque: false, delayMs: 70, loops: 5 });
    const file = await jxl.write.encode(picture, settings, UNPAUSED);
    const { facts } = identify(file);
    expect(facts).toMatchObject({ frames: 3, loops: 5, alpha: true });
    const demand = { box: { x: 0, y: 0, width: 60, height: 40 }, width: 60, height: 40 };
    const shown: number[] = [];
    for await (const { delayMs, rows } of jxl.read.open(file, facts, demand, UNPAUSED)) {
      const pixels = await drain(rows);
      const frame = frames[shown.length] ?? pixels;
      expect(alphaOf(pixels)).toEqual(alphaOf(frame));
      if (settings.lossless) expect(pixels).toEqual(frame);
      shown.push(delayMs);
    }
    expect(shown).toEqual([70, 70, 70]);
  });

  it("holds no more than its estimate, or than it is given of noise, and gives it back", async () => {
    for (const [pixels, most] of [
      [scene(1_200, 900), (shape: EncoderSettings) => lossEstimate(shape).bytes],
      [noise(1_200, 900), peakBytes],
      [noise(520, 600), peakBytes],
    ] as const) {
      for (const distance of daily([0, 4], [0, 0.7, 4])) {
        const { width, height } = pixels;
        const shape = { width, height, opaque: true, distance, tier: "thorough" } as const;
        const { used } = jxlEncodeHeap(true);
        const encoder = new JxlEncoder(shape);
        encoder.frame(0);
        for (let y = 0, count = encoder.wanted(); count > 0; y += count, count = encoder.wanted()) {
          encoder.band().set(pixels.data.subarray(y * width * 4, (y + count) * width * 4));
          await encoder.push(count, UNPAUSED);
        }
        await encoder.finish(true, UNPAUSED);
        expect(jxlEncodeHeap().peak - used).toBeLessThan(most(shape));
        encoder.close();
        expect(jxlEncodeHeap().used).toBe(used);
      }
    }
  });

  it("is not written of a picture that ends early", async () => {
    const pixels = scene(30, 20);
    const picture = { ...pictureOf([pixels]), height: 25 };
    await expect(jxl.write.encode(picture, SETTINGS, UNPAUSED)).rejects.toMatchObject({ status: 422 });
    expect(nativeStatistics().find(({ name }) => name === "jxl-encode")?.memoryBytes).toBeGreaterThan(0);
  });
});

const PACKED = { s420, s422, s440, s444, gray, rgb, progressive, progressiveRestart, restart, severalScans };
const NOT_PACKED = { cmyk, arithmetic, twelveBits, s411 };

const packed = (file: Uint8Array) => jxl.repack.run(file, identify(file).facts, UNPAUSED);

async function original(file: Uint8Array | null): Promise<Uint8Array> {
  if (!file) throw new Error("nothing was packed");
  return jxl.unpack.run(file, identify(file).facts, UNPAUSED);
}

/** The file with comments, each of so many equal letters. */
function withComments(jpeg: Uint8Array, count: number, length: number): Uint8Array {
  const comment = new Uint8Array(4 + length).fill(0x61);
  comment.set([0xff, 0xfe, (length + 2) >> 8, (length + 2) & 0xff]);
  const comments = Array.from({ length: count }, () => comment);
  return joined([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]);
}

describe("a JPEG file packed as JPEG XL", () => {
  it.each(Object.entries(PACKED))("can be made again: %s", async (_name, jpeg) => {
    const bytes = new Uint8Array(jpeg);
    const file = await packed(bytes);
    expect(await original(file)).toEqual(bytes);
  });

  it("can be made again with whatever else is in it", async () => {
    const bytes = withSegments(new Uint8Array(s444));
    const file = await packed(bytes);
    expect(await original(file)).toEqual(bytes);
    expect(jxl.metadata.read(file ?? bytes)).toMatchObject({ xmp: expect.any(Uint8Array) });
  });

  it("holds what its segments say compressed, and what is too long for that as it is", async () => {
    const bare = new Uint8Array(s444);
    const bareBytes = (await packed(bare))?.length ?? 0;
    for (const [segments, most] of [
      [3, 1_000],
      // More than a mebibyte.
      [20, 20 * 60_000 + 1_000],
    ] as const) {
      const bytes = withComments(bare, segments, 60_000);
      const file = await packed(bytes);
      expect(await original(file)).toEqual(bytes);
      expect((file?.length ?? 0) - bareBytes).toBeLessThan(most);
    }
  });

  it.each(Object.entries(NOT_PACKED))("is none where JPEG XL has no place for it: %s", async (_name, jpeg) => {
    expect(await packed(new Uint8Array(jpeg))).toBeNull();
  });

  it("is not made again where a block is said to end in more zeros than it can have", async () => {
    await expect(original(new Uint8Array(moreZeros))).rejects.toMatchObject({ status: 422 });
  });

  it("is none, or can be made again, whatever byte is wrong", async () => {
    for (const bytes of mutations(new Uint8Array(progressive), 60)) {
      let facts;
      try {
        facts = identify(bytes).facts;
      } catch {
        continue;
      }
      const file = await jxl.repack.run(bytes, facts, UNPAUSED).catch((error: unknown) => {
        expect(error).toMatchObject({ status: 422 });
        return null;
      });
      if (file) expect(await original(file)).toEqual(bytes);
    }
  });
});

describe("a request for JPEG XL", () => {
  it("gets what looks as promised", async () => {
    for (const [compression, score] of [
      ["low", 90],
      ["high", 65],
    ] as const) {
      const { output } = await rendered(new Uint8Array(photograph), {
        output: { format: "jxl" },
        optimize: { compression, lossless: false },
      });
      expect(identify(output.bytes).name).toBe("jxl");
      expect(output.score).toBeGreaterThanOrEqual(score);
    }
  });

  it("gets the JPEG file itself where nothing may be lost and nothing changes", async () => {
    const bytes = new Uint8Array(s420);
    const order = { output: { format: "jxl" }, optimize: { lossless: true } } as const;
    const { output } = await rendered(bytes, order);
    expect(await original(output.bytes)).toEqual(bytes);
    const whole = withSegments(bytes);
    expect(await original((await rendered(whole, order)).output.bytes)).toEqual(bytes);
    const kept = await rendered(whole, { ...order, output: { format: "jxl", metadata: "all" } });
    expect(await original(kept.output.bytes)).toEqual(whole);
    const turned = await rendered(bytes, { ...order, operations: { flip: { horizontal: true } } });
    expect(openFile(turned.output.bytes).hasOriginal).toBe(false);
  });
});

/** EXIF, XMP, a comment, a segment of an application and bytes behind the end. */
function withSegments(jpeg: Uint8Array): Uint8Array {
  const text = (characters: string) => new TextEncoder().encode(characters);
  const segment = (marker: number, content: Uint8Array) =>
    Uint8Array.of(0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255, ...content);
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0];
  return Uint8Array.of(
    ...jpeg.subarray(0, 2),
    ...segment(0xe1, Uint8Array.of(...text("Exif\0\0"), ...tiff)),
    ...segment(0xe1, text("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")),
    ...segment(0xe5, new Uint8Array(1_000).fill(7)),
    ...segment(0xfe, text("a comment")),
    ...jpeg.subarray(2),
    ...new Uint8Array(70_000).map((_, index) => index * 7),
  );
}
