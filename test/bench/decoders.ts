/**
 * Programs of this machine that read pictures and share no code of ours: what is written is looked at with their eyes.
 * Each turns a file into PNG files, which sharp reads, colors converted to sRGB.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { chromium } from "playwright-core";
import sharp from "sharp";

import type { FormatName } from "../../src/image/formats.ts";
import type { Size } from "../../src/image/pixels/geometry.ts";
import { findChromium, FLAGS } from "../browser/chromium.ts";
import type { Pixels } from "../support/rows.ts";

const execute = promisify(execFile);
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1 << 20;

/** A picture as another program sees it: upright, in sRGB. */
export interface Seen {
  readonly frames: readonly Pixels[];
  /** Of every frame, in milliseconds; absent in a still picture. */
  readonly delays?: readonly number[];
  /** How often it plays, 0 being for ever; absent in a still picture. */
  readonly plays?: number;
}

/** @throws Error when the program is not there, or refuses the file */
type Decoder = (file: string, folder: string) => Promise<Seen>;

/** Upright, its profile applied as far as Pillow can. */
const BY_PILLOW = `import io, sys
from PIL import Image, ImageCms, ImageOps
image = ImageOps.exif_transpose(Image.open(sys.argv[1]))
profile = image.info.get("icc_profile")
if profile and image.mode in ("RGB", "RGBA", "CMYK"):
    colors = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    mode = "RGB" if image.mode == "CMYK" else image.mode
    image = ImageCms.profileToProfile(image, colors, ImageCms.createProfile("sRGB"), outputMode=mode)
if image.mode.startswith("I;16"):
    image = image.point(lambda sample: sample / 257, "L")
image.convert("RGBA").save(sys.argv[2])`;

/** Each opens the formats that `READERS` says. */
const DECODERS = {
  avifdec: (file, folder) => still("avifdec", (png) => [file, png], folder),
  chromium: byChromium,
  convert: (file, folder) => still("/usr/bin/convert", (png) => [`${file}[0]`, "-auto-orient", png], folder),
  djxl: (file, folder) => still("djxl", (png) => ["--quiet", file, png], folder),
  "heif-convert": (file, folder) => still("heif-convert", (png) => ["--quiet", file, png], folder),
  ffmpeg: (file, folder) => still("ffmpeg", (png) => ["-v", "error", "-i", file, "-frames:v", "1", png], folder),
  pillow: (file, folder) => still("python3", (png) => ["-c", BY_PILLOW, file, png], folder),
  sharp: async (file) => ({ frames: [await pixelsOf(file)] }),
  opj_decompress: (file, folder) => still("opj_decompress", (png) => ["-quiet", "-i", file, "-o", png], folder),
  vips: (file, folder) => still("vips", (png) => ["autorot", file, png], folder),
} as const satisfies Record<string, Decoder>;

export type Program = keyof typeof DECODERS;

/** Who opens what, by the names of the registry; the program made for the format, or the most usual one, first. */
export const READERS: Readonly<Record<FormatName, readonly [Program, ...Program[]]>> = {
  jpeg: ["vips", "convert"],
  jpeg2000: ["opj_decompress", "convert"],
  png: ["vips", "convert"],
  gif: ["vips", "convert"],
  webp: ["vips", "convert"],
  avif: ["avifdec", "convert"],
  heic: ["heif-convert", "convert"],
  bmp: ["convert"],
  ico: ["convert"],
  tiff: ["convert"],
  psd: ["convert"],
  jxl: ["djxl"],
  svg: ["vips"],
  mp4: ["ffmpeg"],
};

/**
 * A file as a program sees it.
 * @param extension of a file in its format, without the dot
 * @throws Error when the program is not there, or refuses the file
 */
export async function seenBy(program: Program, bytes: Uint8Array, extension: string): Promise<Seen> {
  const folder = await mkdtemp(join(tmpdir(), "seen-"));
  try {
    const file = join(folder, `file.${extension}`);
    await writeFile(file, bytes);
    return await DECODERS[program](file, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The reason of programs that are not there. */
export const ABSENT = "not on this machine";

/** Why a program did not open a file, in a few words. */
export function reasonOf(error: unknown): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === "ENOENT") return ABSENT;
  return (stderr || message).trim().replace(/^.*\n/s, "").slice(0, 100);
}

/** One PNG file of one picture; programs that number theirs begin with the wanted one. */
async function still(program: string, args: (png: string) => string[], folder: string): Promise<Seen> {
  await execute(program, args(join(folder, "seen.png")), { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
  const written = (await readdir(folder)).filter((name) => name.startsWith("seen")).toSorted();
  if (!written[0]) throw new Error(`${program} wrote nothing`);
  return { frames: [await pixelsOf(join(folder, written[0]))] };
}

/** Of 16 bits a sample each is rounded, as sharp would not do. */
async function pixelsOf(file: string): Promise<Pixels> {
  const image = sharp(file, { limitInputPixels: false, failOn: "error" }).autoOrient();
  const wide = (await image.metadata()).depth === "ushort";
  const rgba = image.toColourspace(wide ? "rgb16" : "srgb").ensureAlpha();
  const { data, info } = await rgba.raw({ depth: wide ? "ushort" : "uchar" }).toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  if (!wide) return { width, height, data: new Uint8Array(data) };
  const samples = new Uint16Array(data.buffer, data.byteOffset, width * height * 4);
  return { width, height, data: Uint8Array.from(samples, (value) => Math.round(value / 257)) };
}

interface Shown extends Size {
  readonly delayMs: number;
  readonly base64: string;
}

/** Of every frame its RGBA samples; a repetition is one showing after the first. */
const DECODE_IN_PAGE = `async (base64, type) => {
  const data = await (await fetch("data:" + type + ";base64," + base64)).arrayBuffer();
  const decoder = new ImageDecoder({ data, type, premultiplyAlpha: "none" });
  await decoder.tracks.ready;
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
  const shown = [];
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    const { codedWidth: width, codedHeight: height } = image;
    const samples = new Uint8Array(width * height * 4);
    await image.copyTo(samples, { format: "RGBA" });
    let text = "";
    for (const sample of samples) text += String.fromCharCode(sample);
    shown.push({ width, height, delayMs: image.duration / 1000, base64: btoa(text) });
    image.close();
  }
  return { shown, plays: repetitionCount === Infinity ? 0 : repetitionCount + 1 };
}`;

/** Of extensions that are not the name of their media type. */
const SUBTYPES: Readonly<Record<string, string>> = {
  apng: "png",
  dib: "bmp",
  ico: "x-icon",
  jfif: "jpeg",
  jpg: "jpeg",
};

/** The frames of an animation as a browser shows them, by `ImageDecoder` of the WebCodecs API. */
async function byChromium(file: string): Promise<Seen> {
  const found = await findChromium();
  if ("missing" in found) throw Object.assign(new Error(found.missing), { code: "ENOENT" });
  const browser = await chromium.launch({ executablePath: found.path, args: FLAGS });
  try {
    const page = await browser.newPage();
    // A page that may use the API; nothing is asked of a network.
    await page.route("https://pictures.test/", (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto("https://pictures.test/");
    const extension = file.slice(file.lastIndexOf(".") + 1);
    const base64 = (await readFile(file)).toString("base64");
    const script = `(${DECODE_IN_PAGE})("${base64}", "image/${SUBTYPES[extension] ?? extension}")`;
    const { shown, plays } = await page.evaluate<{ shown: Shown[]; plays: number }>(script);
    const frames = shown.map(({ width, height, base64: data }) => {
      return { width, height, data: new Uint8Array(Buffer.from(data, "base64")) };
    });
    return frames.length > 1 ? { frames, delays: shown.map(({ delayMs }) => delayMs), plays } : { frames };
  } finally {
    await browser.close();
  }
}
