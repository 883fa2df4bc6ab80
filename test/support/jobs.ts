/** Jobs of every kind that the engine has, as small as they may be and still pause several times. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { findFaces } from "../../src/image/faces/detect.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import type { OperationName } from "../../src/image/operations.ts";
import { firstFrame, type Picture } from "../../src/image/pixels/picture.ts";
import { planSteps, storedSize } from "../../src/image/plan/plan.ts";
import { pictureOf as pipelineOf } from "../../src/image/plan/planned-picture.ts";
import { compareRows } from "../../src/image/search/score.ts";
import { type TimeSlice, UNPAUSED } from "../../src/scheduler/time-slice.ts";
import animatedAvif from "../fixtures/avif/colors-animated-8bpc.avif";
import grain from "../fixtures/avif/grain.avif";
import premultiplied from "../fixtures/avif/premultiplied.avif";
import pal8rle from "../fixtures/bmp/pal8rle.bmp";
import rgb24Rle24 from "../fixtures/bmp/rgb24-rle24.bmp";
import over from "../fixtures/effects/over.png";
import one from "../fixtures/faces/one.jpg";
import redBlue from "../fixtures/gif/animated-red-blue.gif";
import testImage from "../fixtures/gif/TestImage.gif";
import alphaHeic from "../fixtures/heic/alpha.heic";
import grid from "../fixtures/heic/grid.heic";
import photograph from "../fixtures/heic/source.png";
import joypad from "../fixtures/ico/joypad.ico";
import squoosh from "../fixtures/ico/squoosh-favicon.ico";
import alphaJp2 from "../fixtures/jpeg2000/alpha.jp2";
import film from "../fixtures/mp4/sound.mp4";
import spec022 from "../fixtures/png/apng-spec-022.png";
import overPrevious from "../fixtures/png/over-previous.apng";
import rgb16Adam7 from "../fixtures/png/rgb-16-adam7.png";
import rgba8Adam7 from "../fixtures/png/rgba-8-adam7.png";
import cmykPsd from "../fixtures/psd/cmyk.psd";
import zipDifferences from "../fixtures/psd/zip-differences-16.psd";
import source from "../fixtures/resample/source.png";
import android from "../fixtures/svg/Android_robot.svg";
import logo from "../fixtures/svg/logo-with-text.svg";
import inksJpeg from "../fixtures/tiff/cmyk_jpeg_no_profile.tif";
import deflatedTiles from "../fixtures/tiff/video-001-tile-64x64.tif";
import redBlueWebp from "../fixtures/webp/animated-red-blue.webp";
import gopher from "../fixtures/webp/gopher-doc-8bpp-lossless.webp";
import gopherAlpha from "../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import segment from "../fixtures/webp/segment01.webp";
import video from "../fixtures/webp/video-001-lossy.webp";
import { jpegFile } from "./jpeg-files.ts";
import { planned } from "./operations.ts";
import { digest, drain, noise, type Pixels, pictureOf, rowsOf, scene } from "./rows.ts";

/** Work that says what came of it. */
export type Job = (timeSlice: TimeSlice) => Promise<string>;
/** A job and the same kind of job with something else to work on. */
export type Jobs = readonly [Job, Job];

/** All frames of a picture, a few rows at a time. */
async function showing(picture: Picture, timeSlice: TimeSlice): Promise<string> {
  const frames: string[] = [];
  for await (const { rows } of picture.open(timeSlice)) frames.push(await digest((await drain(rows, 8)).data));
  return frames.join(" ");
}

/** A file on its way through the pipeline, with the steps of an operation if there is one. */
function reading(name: FormatName, file: ArrayBuffer | Uint8Array, operation?: OperationName, params = {}): Job {
  const format: FormatDefinition = FORMATS[name];
  const bytes = new Uint8Array(file);
  return async (timeSlice) => {
    const facts = format.read.factsOf(bytes);
    const size = storedSize(facts);
    const data = new Uint8Array(0);
    const steps = operation ? await planned(operation, params, { ...size, data }, { overlay: over }) : [];
    return showing(pipelineOf({ bytes, format, facts }, planSteps(size, steps)), timeSlice);
  };
}

const SETTINGS: EncodeSettings = { lossless: false, quality: 70, progressive: false, effort: 0.3 };

function writing(name: FormatName, picture: Picture, settings: Partial<EncodeSettings>): Job {
  const format: FormatDefinition = FORMATS[name];
  return async (timeSlice) => {
    const file = await format.write?.encode(picture, { ...SETTINGS, ...settings }, timeSlice);
    return file ? `${file.length} ${await digest(file)}` : "not written";
  };
}

function rewriting(name: FormatName, file: ArrayBuffer | Uint8Array, progressive: boolean): Job {
  const format: FormatDefinition = FORMATS[name];
  const bytes = new Uint8Array(file);
  return async (timeSlice) => {
    const written = await format.recompress?.run(bytes, format.read.factsOf(bytes), { progressive }, timeSlice);
    return written ? `${written.length} ${await digest(written)}` : "as small as it gets";
  };
}

/** A JPEG file written anew from its coefficients, and smaller from its planes. */
function dividing(file: Uint8Array, quality: number): Job {
  const { coefficients, read } = FORMATS.jpeg;
  return async (timeSlice) => {
    const facts = read.factsOf(file);
    const { width, height } = facts;
    const divided = await coefficients.requantize(file, facts, { progressive: true, quality }, timeSlice);
    const wanted = { box: { x: 0, y: 0, width, height }, width: width >> 1, height: height >> 1 };
    const resized = await coefficients.resize(file, SETTINGS, { ...wanted, kernel: "lanczos3" })?.run(timeSlice);
    return `${divided && (await digest(divided))} ${resized && (await digest(resized))}`;
  };
}

function scoring(first: Pixels, second: Pixels): Job {
  return async (timeSlice) => {
    const judgements = [await compareRows(rowsOf(first), rowsOf(second), timeSlice)];
    judgements.push(await compareRows(rowsOf(second), rowsOf(first), timeSlice));
    return judgements.map(({ score, points }) => `${score} ${points}`).join(" ");
  };
}

function seeking(file: ArrayBuffer, name: FormatName): Job {
  const format: FormatDefinition = FORMATS[name];
  const bytes = new Uint8Array(file);
  return async (timeSlice) => {
    const facts = format.read.factsOf(bytes);
    const picture = pipelineOf({ bytes, format, facts }, planSteps(storedSize(facts), []));
    const rows = await firstFrame(picture, timeSlice);
    return JSON.stringify(await findFaces(rows, timeSlice));
  };
}

const STILLS = [pictureOf([scene(160, 120)]), pictureOf([noise(96, 128)])] as const;
const SMALL = [pictureOf([scene(80, 64)]), pictureOf([scene(64, 72, false)], { opaque: false })] as const;
const frames = [scene(64, 40), noise(64, 40), scene(64, 40, false)] as const;
const MOVING = [
  pictureOf([...frames], { opaque: false, delayMs: 40 }),
  pictureOf([frames[2], frames[0], frames[0], frames[1]], { opaque: false, delayMs: 100 }),
] as const;

function written(name: FormatName, [first, second]: readonly [Picture, Picture], settings = {}): Jobs {
  return [writing(name, first, settings), writing(name, second, settings)];
}

const interlaced = await FORMATS.png.write.encode(
  STILLS[1],
  { ...SETTINGS, lossless: true, progressive: true, effort: 0 },
  UNPAUSED,
);

/** Kinds of jobs, by what they do. */
export const JOBS: Readonly<Record<string, Jobs>> = {
  "JPEG read": [reading("jpeg", jpegFile("s420")), reading("jpeg", jpegFile("cmyk"))],
  "progressive JPEG read": [reading("jpeg", jpegFile("progressive")), reading("jpeg", jpegFile("arithmetic"))],
  "JPEG 2000 read": [reading("jpeg2000", alphaJp2), reading("jpeg2000", alphaJp2)],
  "PNG read": [reading("png", photograph), reading("png", source)],
  "interlaced PNG read": [reading("png", interlaced), reading("png", rgba8Adam7)],
  "APNG read": [reading("png", spec022), reading("png", overPrevious)],
  "GIF read": [reading("gif", redBlue), reading("gif", testImage)],
  "WebP read": [reading("webp", video), reading("webp", segment)],
  "lossless WebP read": [reading("webp", gopher), reading("webp", gopherAlpha)],
  "animated WebP read": [reading("webp", redBlueWebp), reading("webp", redBlueWebp)],
  "AVIF read": [reading("avif", premultiplied), reading("avif", grain)],
  "animated AVIF read": [reading("avif", animatedAvif), reading("avif", animatedAvif)],
  "MP4 read": [reading("mp4", film), reading("mp4", film)],
  "HEIC read": [reading("heic", grid), reading("heic", alphaHeic)],
  "BMP read": [reading("bmp", pal8rle), reading("bmp", rgb24Rle24)],
  "ICO read": [reading("ico", joypad), reading("ico", squoosh)],
  "TIFF read": [reading("tiff", deflatedTiles), reading("tiff", inksJpeg)],
  "PSD read": [reading("psd", zipDifferences), reading("psd", cmykPsd)],
  "SVG read": [reading("svg", logo), reading("svg", android)],
  "JPEG written": written("jpeg", STILLS),
  "progressive JPEG written": written("jpeg", STILLS, { progressive: true, subsample: "4:4:4", quality: 90 }),
  "JPEG 2000 written": written("jpeg2000", SMALL),
  "lossless JPEG 2000 written": written("jpeg2000", SMALL, { lossless: true }),
  "PNG of fewer colors written": written("png", SMALL, { loss: "colors" }),
  "lossless PNG written": written("png", SMALL, { lossless: true }),
  "APNG written": written("png", MOVING, { loss: "levels" }),
  "GIF written": written("gif", MOVING),
  "WebP written": written("webp", STILLS),
  "lossless WebP written": written("webp", SMALL, { lossless: true }),
  "near-lossless WebP written": written("webp", SMALL, { lossless: true, nearLossless: 40 }),
  "animated WebP written": written("webp", MOVING),
  "AVIF written": written("avif", SMALL),
  "lossless AVIF written": written("avif", SMALL, { lossless: true }),
  "MP4 written": written("mp4", MOVING),
  "HEIC written": written("heic", SMALL),
  "TIFF written": written("tiff", STILLS),
  "BMP written": written("bmp", SMALL),
  "JPEG written anew": [rewriting("jpeg", jpegFile("s444"), true), rewriting("jpeg", jpegFile("rgb"), false)],
  "JPEG written from coefficients": [dividing(jpegFile("s420"), 60), dividing(jpegFile("several-scans"), 50)],
  "PNG written anew": [rewriting("png", rgb16Adam7, false), rewriting("png", rgba8Adam7, false)],
  "GIF written anew": [rewriting("gif", testImage, false), rewriting("gif", redBlue, false)],
  "a picture blurred": [
    reading("png", source, "filter", { blur: { value: 4 } }),
    reading("png", source, "filter", { blur: { value: 9 } }),
  ],
  "a picture rotated": [
    reading("png", source, "rotate", { angle: 33 }),
    reading("jpeg", jpegFile("s444"), "rotate", { angle: 101 }),
  ],
  "a watermark laid on": [
    reading("png", source, "watermark", { id: "a" }),
    reading("gif", redBlue, "watermark", { id: "a", opacity: 0.5 }),
  ],
  "text written on": [
    reading("png", source, "text", { value: "Two words", size: 24, background: "00000080" }),
    reading("png", source, "text", { value: "Σειρά 2", font: "serif", size: 40, angle: 30 }),
  ],
  "faces sought": [seeking(one, "jpeg"), seeking(source, "png")],
  "pictures compared": [scoring(scene(96, 80), noise(96, 80)), scoring(noise(64, 72), scene(64, 72))],
};
