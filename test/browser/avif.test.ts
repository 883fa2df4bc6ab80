/** Large AVIF stills, which are one frame of several tiles, where they end up: browsers show what our decoder does. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { type Browser, chromium } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { DEMO_KEY } from "../../src/cli/local.ts";
import type { Size } from "../../src/image/pixels/geometry.ts";
import { BASE } from "./page.ts";

const run = promisify(execFile);
const SAMPLE = join(import.meta.dirname, "..", "..", "src", "playground", "sample.jpg");

const FIREFOX = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";
/** Side of the squares in which differences are averaged: where a tile is out of place, all of it differs. */
const SQUARE = 32;

/** The page that shows a picture alone, in pixels of its own, on white. */
const pageOf = (file: Uint8Array) =>
  `<!doctype html><body style="margin:0;background:#fff"><img decoding="sync" style="display:block" src="data:image/avif;base64,${Buffer.from(file).toString("base64")}">`;

/** What the service makes of a file. */
async function answered(
  file: Uint8Array<ArrayBuffer>,
  format: string,
  optimize: object,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new FormData();
  body.set("file", new File([file], "picture"));
  body.set("data", JSON.stringify({ output: { format }, optimize, response: { mode: "binary" } }));
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const answer = await fetch(`${BASE}/1.0/upload`, { method: "POST", headers, body });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, `image/${format}`]);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Rings around the upper left corner, of this width: no tile is like another. */
const RING = 48;

/**
 * The sample, enlarged, and where something is to be seen through, every other ring of it. Nothing is half transparent:
 * Chromium of Debian 12 takes alpha in AVIF files to end at 16 and 235, whoever wrote them.
 */
async function picture({ size: { width, height }, isOpaque }: Sample): Promise<Uint8Array<ArrayBuffer>> {
  const raw = await sharp(SAMPLE).resize(width, height, { fit: "fill" }).ensureAlpha().raw().toBuffer();
  for (let pixel = 0; pixel < width * height && !isOpaque; pixel++) {
    const ring = Math.floor(Math.hypot(pixel % width, Math.floor(pixel / width)) / RING);
    raw[pixel * 4 + 3] = ring % 2 === 0 ? 255 : 0;
  }
  return new Uint8Array(
    await sharp(raw, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 1 })
      .toBuffer(),
  );
}

const onWhite = (file: Uint8Array) =>
  sharp(file).flatten({ background: "#fff" }).raw().toBuffer({ resolveWithObject: true });

/** The largest mean difference of a square, in levels. */
async function distance(shown: Uint8Array, expected: Uint8Array): Promise<number> {
  const [one, other] = await Promise.all([onWhite(shown), onWhite(expected)]);
  const { width, height, channels } = one.info;
  expect(other.info).toMatchObject({ width, height, channels });
  let most = 0;
  for (let top = 0; top < height; top += SQUARE) {
    for (let left = 0; left < width; left += SQUARE) {
      const [right, bottom] = [Math.min(width, left + SQUARE), Math.min(height, top + SQUARE)];
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let at = (y * width + left) * channels; at < (y * width + right) * channels; at++) {
          sum += Math.abs((one.data[at] ?? 0) - (other.data[at] ?? 0));
        }
      }
      most = Math.max(most, sum / ((right - left) * (bottom - top) * channels));
    }
  }
  return most;
}

interface Sample {
  /** More than is coded as one tile, in odd sides. */
  readonly size: Size;
  readonly isOpaque: boolean;
  readonly optimize: object;
  /** Levels by which a browser may differ from our decoder. */
  readonly most: number;
}

const SAMPLES: readonly (readonly [string, Sample])[] = [
  ["with halved chroma", { size: { width: 1_403, height: 901 }, isOpaque: true, optimize: { quality: 70 }, most: 1.5 }],
  ["with alpha", { size: { width: 1_403, height: 901 }, isOpaque: false, optimize: { quality: 70 }, most: 3 }],
  ["without loss", { size: { width: 1_003, height: 801 }, isOpaque: true, optimize: { lossless: true }, most: 0 }],
];

describe.skipIf(inject("browser") === "")("large AVIF stills", () => {
  const made = new Map<Sample, { readonly file: Uint8Array; readonly decoded: Uint8Array }>();
  let browser: Browser;
  let folder = "";
  beforeAll(async () => {
    [browser, folder] = await Promise.all([chromium.connect(inject("browser")), mkdtemp(join(tmpdir(), "avif-"))]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  type Show = (page: string, size: Size) => Promise<Uint8Array>;

  const inChromium: Show = async (page, size) => {
    const context = await browser.newContext({ viewport: size });
    const tab = await context.newPage();
    await tab.setContent(page);
    await tab.evaluate("document.images[0].decode()");
    const shown = await tab.screenshot();
    await context.close();
    return shown;
  };

  const inFirefox: Show = async (page, { width, height }) => {
    const [path, shown, profile] = [join(folder, "page.html"), join(folder, "shown.png"), join(folder, "profile")];
    await writeFile(path, page);
    await mkdir(profile, { recursive: true });
    const options = ["--headless", "--no-remote", "--profile", profile, "--screenshot", shown];
    await run(FIREFOX, [...options, `--window-size=${width},${height}`, `file://${path}`]);
    return readFile(shown);
  };

  async function filesOf(sample: Sample) {
    const known = made.get(sample);
    if (known) return known;
    const file = await answered(await picture(sample), "avif", sample.optimize);
    const files = { file, decoded: await answered(file, "png", { lossless: true }) };
    made.set(sample, files);
    return files;
  }

  async function distanceIn(show: Show, sample: Sample): Promise<number> {
    const { file, decoded } = await filesOf(sample);
    return distance(await show(pageOf(file), sample.size), decoded);
  }

  it.each(SAMPLES)("are shown by Chromium as they are decoded: %s", async (_, sample) => {
    expect(await distanceIn(inChromium, sample)).toBeLessThanOrEqual(sample.most);
  });

  // So it is compared with what the same browser makes of a file of libavif, whose alpha says that its range is full.
  it("have shadows that end where those of other programs do", async () => {
    const size = { width: 300, height: 200 };
    const black = Buffer.alloc(size.width * size.height * 4);
    for (let pixel = 0; pixel < size.width * size.height; pixel++) {
      const away = Math.hypot((pixel % size.width) - 150, Math.floor(pixel / size.width) - 100);
      black[pixel * 4 + 3] = 200 * Math.exp(-((away / 45) ** 2));
    }
    const shadow = sharp(black, { raw: { ...size, channels: 4 } });
    const ours = await answered(new Uint8Array(await shadow.png().toBuffer()), "avif", {});
    const other = await shadow.avif({ quality: 95 }).toBuffer();
    const [shown, expected] = [await inChromium(pageOf(ours), size), await inChromium(pageOf(other), size)];
    expect(await distance(shown, expected)).toBeLessThanOrEqual(1);
  });

  // Firefox spreads halved chroma otherwise; whether tiles are in their places, pictures without loss show to the level.
  const exact = SAMPLES.filter(([, { most }]) => most === 0);
  it.skipIf(!existsSync(FIREFOX)).each(exact)("are shown by Firefox as they are decoded: %s", async (_, sample) => {
    expect(await distanceIn(inFirefox, sample)).toBe(0);
  });
});
