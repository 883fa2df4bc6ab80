/**
 * Pairs of originals and renditions to be looked at: `IMAGES=folder PAIRS=folder npm run bench -- look-pairs`. It writes each
 * pair as two PNG files, sheets of crops of them side by side, and a table of what the opinions of the engine say. Somebody
 * looks at the sheets and marks each pair `same`, `nearly` or `visible` in test/bench/look-marks.tsv; the bench `looks` prints
 * how often the opinions agree with the marks. `SET=held-out` makes those of look-marks-held-out.tsv, which nothing was fitted to, `SET=flat` those of look-marks-flat.tsv, `SET=slopes` those of look-marks-slopes.tsv. With `PRESET=medium` it shows what a preset makes instead. With `BUTTERAUGLI=tool` the table also has the 3-norm of the reference tool.
 *
 * Sheets show the part of a pair that differs most, twice or three times enlarged; what can be seen through is laid on the one of
 * white, black and blue on which it differs most.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { parseBody, UploadBody } from "../../src/contract/request.ts";
import { pixelsOf, rowsOver } from "../../src/image/pixels/rows.ts";
import { decoded } from "../../src/image/search/probe.ts";
import { judgeRows } from "../../src/image/search/score.ts";
import { openSecondOpinion, pointsAt } from "../../src/image/search/second-opinion.ts";
import { isOfSlopes } from "../../src/image/search/slopes.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rendered } from "../support/render.ts";
import { pictureOf } from "../support/rows.ts";
import { given } from "./given.ts";
import { flatSources } from "./look-flat.ts";
import { heldOutSources } from "./look-held-out.ts";
import { slopeSources } from "./look-slopes.ts";
import { drawnSources, type LookSource, photographedSources } from "./look-sources.ts";

/** A file of a pair: `how` is what was asked of the engine. */
interface Rendition {
  readonly format: string;
  readonly how: string;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, straight alpha. */
  readonly data: Uint8Array;
}

/** Rows that an opinion takes at a time. */
const BAND_ROWS = 16;
const CROP = { width: 96, height: 72 };
const ZOOM = 2;
const COLUMNS = 4;
const ROWS = 9;
const LABEL = 18;
const BACKGROUNDS = { white: [255, 255, 255], black: [0, 0, 0], blue: [0, 60, 220] } as const;

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const [images] = given("IMAGES");
  const folder = process.env["PAIRS"] ?? "pairs";
  const tool = process.env["BUTTERAUGLI"];
  mkdirSync(folder, { recursive: true });
  const lines = [
    ["pair", "kind", "source", "width", "height", "format", "how", "bytes", "score", "second", "3-norm"].join("\t"),
  ];
  const cells: Buffer[] = [];
  const set = SETS[process.env["SET"] ?? "fitted"];
  if (!set) throw new Error(`SET is one of ${Object.keys(SETS).join(", ")}`);
  for (const source of await set.sources(images)) {
    const original = await opened(source.file);
    const isSloping = await isOfSlopes({ picture: pictureOf([original]) }, UNPAUSED);
    for (const rendition of presetRenditions(source, lines.length) ?? set.renditions(source, lines.length)) {
      const made = await renditionBy(source, rendition);
      if (!made) continue;
      const id = String(lines.length).padStart(3, "0");
      const shown = mostApart(original, made.pixels);
      const paths = [join(folder, `${id}-original.png`), join(folder, `${id}-rendition.png`)] as const;
      await writeRgba(paths[0], original);
      await writeRgba(paths[1], made.pixels);
      const rows = (pixels: Pixels) => rowsOver(pixels.data, { ...pixels, opaque: source.isOpaque });
      const { score } = await judgeRows(rows(original), rows(made.pixels), UNPAUSED);
      const second = pointsAt(
        differenceOf(original, { ...made, mayStripe: made.mayStripe && isSloping }, source.isOpaque),
      );
      const norm = tool ? await norm3(tool, folder, shown) : "";
      const { kind, name } = source;
      const { width, height } = original;
      lines.push(
        [
          id,
          kind,
          name,
          width,
          height,
          rendition.format,
          rendition.how,
          made.bytes,
          score.toFixed(1),
          second.toFixed(1),
          norm,
        ].join("\t"),
      );
      cells.push(await cellOf(`${id} ${kind} ${name} ${rendition.format}`, shown));
      writeFileSync(join(folder, "pairs.tsv"), `${lines.join("\n")}\n`);
    }
  }
  const perSheet = COLUMNS * ROWS;
  for (let from = 0; from < cells.length; from += perSheet) {
    const sheet = join(folder, `sheet-${String(from / perSheet + 1).padStart(2, "0")}.png`);
    await writeSheet(sheet, cells.slice(from, from + perSheet));
  }
  console.log(`${cells.length} pairs in ${folder}`);
}

/** Originals, and what is made of one of them before which so many pairs were made, the head of the table counted. */
interface PairSet {
  readonly sources: (images: string) => Promise<LookSource[]>;
  readonly renditions: (source: LookSource, index: number) => Rendition[];
}

/** What is made by a preset, when one is given: two formats. */
function presetRenditions({ isOpaque }: LookSource, index: number): Rendition[] | undefined {
  const preset = process.env["PRESET"];
  if (!preset) return undefined;
  const all = ["jpeg", "webp", "avif", "png"].slice(isOpaque ? 0 : 1);
  return [index, index + 1].map((at) => ({ format: all[at % all.length] ?? "png", how: preset }));
}

/** Qualities of each format that differ little from what the opinions let pass in flat drawings. */
const FLAT_QUALITIES = {
  png: [20, 50, 70, 85],
  webp: [20, 45, 65, 85],
  avif: [15, 35, 50, 65],
  jpeg: [35, 60, 78, 90],
  gif: [60],
} as const;

/** What each format makes of slopes: presets where the search for them reduces colors otherwise than a quality does. */
const SLOPE_RENDITIONS = {
  png: ["medium", "high", "quality 50", "quality 80"],
  webp: ["quality 30", "quality 60", "quality 80", "quality 92"],
  avif: ["quality 25", "quality 45", "quality 65"],
  jpeg: ["quality 60", "quality 85"],
} as const;

/** Several formats, at qualities that change from pair to pair. */
const SETS: Readonly<Record<string, PairSet>> = {
  fitted: {
    sources: async (images) => [...(await photographedSources(images)), ...(await drawnSources())],
    renditions({ isOpaque, count }, index) {
      const formats = isOpaque
        ? ["jpeg", "webp", "avif", "png", "jpeg", "webp", "gif", "avif", "heic", "jxl"]
        : ["png", "webp", "avif", "png", "webp", "gif", "png", "jxl"];
      const qualities = [12, 80, 45, 65, 92, 30, 72, 55, 20, 85, 38];
      return Array.from({ length: count }, (_, at) => ({
        format: formats[(index + at) % formats.length] ?? "jpeg",
        how: `quality ${qualities[(index * 3 + at * 4) % qualities.length] ?? 50}`,
      }));
    },
  },
  "held-out": {
    sources: heldOutSources,
    renditions({ isOpaque, count }, index) {
      const formats = (isOpaque ? ["jpeg"] : []).concat("jxl", "avif", "webp", "heic", "png", "jp2");
      const qualities = [18, 75, 50, 60, 88, 35, 68, 82, 25, 95, 42];
      return Array.from({ length: count }, (_, at) => ({
        format: formats[(index + at) % formats.length] ?? "jxl",
        how: `quality ${qualities[(index * 5 + at * 3) % qualities.length] ?? 50}`,
      }));
    },
  },
  flat: {
    sources: flatSources,
    renditions: ({ isOpaque }) =>
      Object.entries(FLAT_QUALITIES)
        .filter(([format]) => isOpaque || format !== "jpeg")
        .flatMap(([format, qualities]) => qualities.map((quality) => ({ format, how: `quality ${quality}` }))),
  },
  slopes: {
    sources: slopeSources,
    renditions: () =>
      Object.entries(SLOPE_RENDITIONS).flatMap(([format, ways]) => ways.map((how) => ({ format, how }))),
  },
};

/** What a file shows, and whether its format makes stripes of slopes. */
interface Made {
  readonly bytes: number;
  readonly pixels: Pixels;
  readonly mayStripe: boolean | undefined;
}

async function renditionBy(source: LookSource, { format, how }: Rendition): Promise<Made> {
  const [, quality] = how.split(" ");
  const asked = quality === undefined ? { compression: how } : { quality: Number(quality) };
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format }, optimize: asked });
  const { output: made } = await rendered(new Uint8Array(source.file), { operations, output, optimize });
  const rows = await decoded(made.format, made.bytes, UNPAUSED);
  const { width, height } = rows;
  const pixels: Pixels = { width, height, data: await pixelsOf(rows) };
  return { bytes: made.bytes.length, pixels, mayStripe: made.format.write?.qualities.makesStripes !== undefined };
}

function differenceOf(original: Pixels, { pixels: rendition, mayStripe }: Made, isOpaque: boolean): number {
  const { width } = original;
  const opinion = openSecondOpinion(original, isOpaque, { mayStripe });
  const step = width * 4 * BAND_ROWS;
  for (let from = 0; from < original.data.length; from += step)
    opinion.push(original.data.subarray(from, from + step), rendition.data.subarray(from, from + step));
  const difference = opinion.result();
  opinion.close();
  return difference;
}

async function opened(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .toColorspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

function writeRgba(path: string, { width, height, data }: Pixels) {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toFile(path);
}

/** Two pictures on a background, three bytes a pixel. */
interface Shown {
  readonly width: number;
  readonly height: number;
  readonly original: Uint8Array;
  readonly rendition: Uint8Array;
}

/** A pair on the background on which it differs most. */
function mostApart(original: Pixels, rendition: Pixels): Shown {
  let best: Shown | undefined;
  let most = -1;
  for (const background of Object.values(BACKGROUNDS)) {
    const [one, other] = [onto(original, background), onto(rendition, background)];
    let sum = 0;
    for (let at = 0; at < one.length; at++) sum += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
    if (sum <= most) continue;
    most = sum;
    best = { width: original.width, height: original.height, original: one, rendition: other };
  }
  if (!best) throw new Error("there are no backgrounds");
  return best;
}

function onto({ data }: Pixels, background: readonly number[]): Uint8Array {
  const flat = new Uint8Array((data.length / 4) * 3);
  for (let at = 0; at < data.length / 4; at++) {
    const alpha = (data[at * 4 + 3] ?? 0) / 255;
    for (let plane = 0; plane < 3; plane++)
      flat[at * 3 + plane] = Math.round((data[at * 4 + plane] ?? 0) * alpha + (background[plane] ?? 0) * (1 - alpha));
  }
  return flat;
}

async function norm3(tool: string, folder: string, { width, height, original, rendition }: Shown): Promise<string> {
  const paths = [join(folder, "a.png"), join(folder, "b.png")] as const;
  const raw = { width, height, channels: 3 } as const;
  await sharp(original, { raw }).png({ compressionLevel: 1 }).toFile(paths[0]);
  await sharp(rendition, { raw }).png({ compressionLevel: 1 }).toFile(paths[1]);
  const said = execFileSync(tool, paths, { encoding: "utf8" });
  return Number(/3-norm: ([\d.]+)/.exec(said)?.[1]).toFixed(2);
}

/** The crop of a pair that differs most, both sides of it, above its name. */
async function cellOf(name: string, shown: Shown): Promise<Buffer> {
  const { width, height } = shown;
  const zoom = Math.max(
    ZOOM,
    Math.min(4, Math.floor((CROP.width * ZOOM) / width), Math.floor((CROP.height * ZOOM) / height)),
  );
  const crop = {
    width: Math.min(width, Math.floor((CROP.width * ZOOM) / zoom)),
    height: Math.min(height, Math.floor((CROP.height * ZOOM) / zoom)),
  };
  const place = worstPlace(shown, crop);
  const raw = { width, height, channels: 3 } as const;
  const side = (pixels: Uint8Array) =>
    sharp(pixels, { raw })
      .extract({ ...place, ...crop })
      .resize(crop.width * zoom, crop.height * zoom, { kernel: "nearest" })
      .png()
      .toBuffer();
  const half = CROP.width * ZOOM;
  const words = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${half * 2}" height="${LABEL}"><text x="2" y="13" font-size="13" font-family="sans-serif">${words}</text></svg>`;
  return sharp({
    create: { width: half * 2 + 8, height: CROP.height * ZOOM + LABEL, channels: 3, background: "#c8c8c8" },
  })
    .composite([
      { input: Buffer.from(label), left: 0, top: 0 },
      { input: await side(shown.original), left: 0, top: LABEL },
      { input: await side(shown.rendition), left: half + 2, top: LABEL },
    ])
    .png()
    .toBuffer();
}

/** Where a crop has the largest difference: of means of 4 x 4 pixels, since what is fine is seen least. */
function worstPlace({ width, height, original, rendition }: Shown, crop: { width: number; height: number }) {
  const step = 8;
  let best = { left: 0, top: 0 };
  let most = -1;
  for (let top = 0; top + crop.height <= height; top += step) {
    for (let left = 0; left + crop.width <= width; left += step) {
      let sum = 0;
      for (let y = top; y < top + crop.height; y += 3) {
        for (let x = left; x < left + crop.width; x += 3) {
          const at = (y * width + x) * 3;
          for (let plane = 0; plane < 3; plane++)
            sum += Math.abs((original[at + plane] ?? 0) - (rendition[at + plane] ?? 0));
        }
      }
      if (sum > most) [most, best] = [sum, { left, top }];
    }
  }
  return best;
}

async function writeSheet(path: string, cells: readonly Buffer[]): Promise<void> {
  const across = CROP.width * ZOOM * 2 + 8;
  const down = CROP.height * ZOOM + LABEL + 4;
  const placed = cells.map((input, index) => ({
    input,
    left: (index % COLUMNS) * across,
    top: Math.floor(index / COLUMNS) * down,
  }));
  const size = { width: COLUMNS * across, height: Math.ceil(cells.length / COLUMNS) * down };
  await sharp({ create: { ...size, channels: 3, background: "#c8c8c8" } })
    .composite(placed)
    .png()
    .toFile(path);
}
