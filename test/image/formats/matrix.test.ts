/** Every format that can be read, written in every format that can be written. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { pictureOf } from "../../../src/image/plan/planned-picture.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import avif from "../../fixtures/avif/premultiplied.avif";
import avifAnimated from "../../fixtures/avif/sequence-alpha.avif";
import bmp from "../../fixtures/bmp/rgba32.bmp";
import gif from "../../fixtures/gif/dispose-background.gif";
import heic from "../../fixtures/heic/alpha.heic";
import ico from "../../fixtures/ico/hippopotamus.regular.ico";
import jpeg from "../../fixtures/jpeg/s444.jpg";
import jpeg2000 from "../../fixtures/jpeg2000/alpha.jp2";
import jxl from "../../fixtures/jxl/alpha-lossless.jxl";
import jxlAnimated from "../../fixtures/jxl/animated.jxl";
import mp4 from "../../fixtures/mp4/sound.mp4";
import apng from "../../fixtures/png/over-background.apng";
import png from "../../fixtures/png/rgba-8.png";
import displayP3 from "../../fixtures/profiles/display-p3.icc";
import psd from "../../fixtures/psd/transparent.psd";
import svg from "../../fixtures/svg/Android_robot.svg";
import tiff from "../../fixtures/tiff/lzw-rgba-4444.tif";
import smallAnimated from "../../fixtures/webp/animated-blend.webp";
import animated from "../../fixtures/webp/animated-dispose.webp";
import webp from "../../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import { decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";
import { drain, type Pixels, sample } from "../../support/rows.ts";

/** One file of every format, and animations where it has them. */
const FILES = {
  jpeg: [jpeg],
  jpeg2000: [jpeg2000],
  png: [png, apng],
  gif: [gif],
  webp: [webp, animated],
  avif: [avif, avifAnimated],
  heic: [heic],
  jxl: [jxl, jxlAnimated],
  bmp: [bmp],
  ico: [ico],
  tiff: [tiff],
  psd: [psd],
  svg: [svg],
  mp4: [mp4],
} satisfies Record<FormatName, readonly ArrayBuffer[]>;

/** All but icons, which are squares of a picture, and films, which hold no stills. */
const WRITABLE = Object.entries<FormatDefinition>(FORMATS).filter(
  ([, { write, can }]) => write && !can.sides && !can.movesAlone,
);
const SOURCES = Object.entries(FILES).flatMap(([name, files]) =>
  files.map((file, index) => [index === 0 ? name : `${name}, animated`, new Uint8Array(file)] as const),
);
/** AVIF without loss holds too much of an animation of a megapixel. */
const fileFor = (name: string, format: string, file: Uint8Array) =>
  name === "webp, animated" && format === "avif" ? new Uint8Array(smallAnimated) : file;
const PAIRS = SOURCES.flatMap(([name, file]) =>
  WRITABLE.map(([format, to]) => [name, format, fileFor(name, format, file), to] as const),
);

/** Levels by which channels of opaque pixels differ on average where the format has loss. */
const MEAN_LEVELS = 6;
/** The same for opacity. */
const MEAN_OPACITY = 3;
/** The same where nothing is lost, but decoders of the same coefficients round otherwise. */
const MEAN_ROUNDING = 0.8;

/** The frames of a file, upright and in sRGB. */
async function framesOf(file: Uint8Array): Promise<{ delayMs: number; pixels: Pixels }[]> {
  const stored = identify(file);
  const plan = planSteps(storedSize(stored.facts), [{ kind: "turn", orientation: stored.facts.orientation }]);
  const frames = [];
  for await (const { delayMs, rows } of pictureOf(stored, plan).open(UNPAUSED)) {
    frames.push({ delayMs, pixels: await drain(rows) });
  }
  return frames;
}

/** The file that is held in one of another format, so that it can be made again. */
async function heldIn(file: Uint8Array): Promise<Uint8Array | null> {
  const { format, facts } = identify(file);
  return format.unpack?.estimate(file, facts) ? format.unpack.run(file, facts, UNPAUSED) : null;
}

function written(file: Uint8Array, format: string, lossless: boolean) {
  const optimize = lossless ? { lossless: true } : { lossless: false, quality: 95 };
  const output = { format, encoding: "progressive" } as const;
  return rendered(file, { output, optimize });
}

/** On white. */
function flat({ data }: Pixels, at: number): number {
  const alpha = sample(data, at | 3) / 255;
  return sample(data, at) * alpha + 255 * (1 - alpha);
}

/** How far apart colors lie on average: on white where opacity is lost, else where both are opaque. */
function meanColor(a: Pixels, b: Pixels, onWhite: boolean): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < a.data.length; at++) {
    if ((at & 3) === 3) continue;
    if (!onWhite && sample(a.data, at | 3) + sample(b.data, at | 3) < 510) continue;
    sum += Math.abs(flat(a, at) - flat(b, at));
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** The same of opacity. */
function meanOpacity(a: Pixels, b: Pixels): number {
  let sum = 0;
  for (let at = 3; at < a.data.length; at += 4) sum += Math.abs(sample(a.data, at) - sample(b.data, at));
  return (sum * 4) / a.data.length;
}

/** The side of the squares over which dots look like a shade. */
const DOTS = 8;
/** By how much squares of dots may be too opaque or too clear on average: a dot is 4 levels, and the last 12 are rounded. */
const MEAN_OPACITY_OF_DOTS = 6;

/** How far apart the opacity of squares lies on average, where a shade is made of dots. */
function meanOpacityOfSquares(a: Pixels, b: Pixels): number {
  const across = Math.ceil(a.width / DOTS);
  const sums = new Float64Array(across * Math.ceil(a.height / DOTS));
  for (let pixel = 0; pixel < a.width * a.height; pixel++) {
    const square = Math.floor(pixel / a.width / DOTS) * across + Math.floor((pixel % a.width) / DOTS);
    sums[square] = (sums[square] ?? 0) + sample(a.data, pixel * 4 + 3) - sample(b.data, pixel * 4 + 3);
  }
  return sums.reduce((sum, square) => sum + Math.abs(square), 0) / (a.width * a.height);
}

/** Pixels that are neither there nor not, or that are not as they were where they were one of these. */
function wronglyThere(a: Pixels, b: Pixels): number {
  let count = 0;
  for (let at = 3; at < a.data.length; at += 4) {
    const [before, after] = [sample(a.data, at), sample(b.data, at)];
    if (after % 255 !== 0 || (before % 255 === 0 && before !== after)) count++;
  }
  return count;
}

describe("files", () => {
  it.each(PAIRS)("in %s become %s", async (_from, format, file, to) => {
    const source = await framesOf(file);
    const { facts } = identify(file);
    const { lossless } = to.can;
    const { output } = await written(file, format, lossless);
    const held = await heldIn(output.bytes);
    const exactly = lossless ? (held ? MEAN_ROUNDING : 0) : MEAN_LEVELS;
    if (held) expect(await framesOf(held)).toEqual(source);
    const result = await framesOf(output.bytes);
    const moves = to.can.animation && facts.frames > 1;
    expect(identify(output.bytes)).toMatchObject({ name: format, facts: { frames: moves ? facts.frames : 1 } });
    if (moves) {
      expect(output.facts.loops).toBe(facts.loops);
      expect(result.map(({ delayMs }) => delayMs)).toEqual(source.map(({ delayMs }) => delayMs));
    }
    result.forEach(({ pixels }, index) => {
      const expected = source[index]?.pixels ?? pixels;
      expect([pixels.width, pixels.height]).toEqual([expected.width, expected.height]);
      expect(meanColor(expected, pixels, !to.can.alpha)).toBeLessThanOrEqual(exactly);
      if (format === "gif") {
        expect(wronglyThere(expected, pixels)).toBe(0);
        expect(meanOpacityOfSquares(expected, pixels)).toBeLessThanOrEqual(MEAN_OPACITY_OF_DOTS);
      } else if (to.can.alpha) {
        expect(meanOpacity(expected, pixels)).toBeLessThanOrEqual(lossless ? 0 : MEAN_OPACITY);
      }
    });
  });

  it("of a moving megapixel are refused as AVIF without loss, before any work", async () => {
    await expect(written(new Uint8Array(animated), "avif", true)).rejects.toMatchObject({ status: 422 });
  });

  it.each(WRITABLE)("with an orientation and a profile are upright and in sRGB as %s", async (format, to) => {
    const file = photograph(6, new Uint8Array(displayP3));
    const lying = await decodeFile(FORMATS.jpeg, file);
    const { width, height } = lying;
    // The profile says that colors are wider than they look in sRGB.
    expect(meanColor(lying, await decodeFile(FORMATS.jpeg, new Uint8Array(jpeg)), true)).toBeGreaterThan(1);
    const { output } = await written(file, format, to.can.lossless);
    const held = await heldIn(output.bytes);
    if (held) expect(await framesOf(held)).toEqual(await framesOf(file));
    const [result] = await framesOf(output.bytes);
    if (!result) throw new Error("no frame");
    expect([result.pixels.width, result.pixels.height]).toEqual([height, width]);
    // What is at the left below goes to the left above.
    const turned = { width: height, height: width, data: new Uint8Array(width * height * 4) };
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < height; x++) {
        const from = ((height - 1 - x) * width + y) * 4;
        turned.data.set(lying.data.subarray(from, from + 4), (y * height + x) * 4);
      }
    }
    expect(meanColor(turned, result.pixels, true)).toBeLessThanOrEqual(
      to.can.lossless ? (held ? MEAN_ROUNDING : 0) : MEAN_LEVELS,
    );
  });
});

/** The JPEG file with an orientation in EXIF and a profile. */
function photograph(orientation: number, profile: Uint8Array): Uint8Array {
  const text = (value: string) => [...value].map((character) => character.charCodeAt(0));
  const segment = (marker: number, body: readonly number[]) => {
    const length = body.length + 2;
    return [0xff, marker, length >> 8, length & 255, ...body];
  };
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  const exif = [...text("Exif\0\0MM"), 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
  const icc = [...text("ICC_PROFILE\0"), 1, 1, ...profile];
  const bytes = new Uint8Array(jpeg);
  return Uint8Array.from([
    ...bytes.subarray(0, 2),
    ...segment(0xe1, exif),
    ...segment(0xe2, icc),
    ...bytes.subarray(2),
  ]);
}
