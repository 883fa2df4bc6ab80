/**
 * JPEG against sharp (one thread, no cache) and the WebAssembly packages that most people chain:
 * `PHOTOS=a.jpg npm run bench -- jpeg`. The last column is the time against ours: above 1 we are faster.
 */
import decodeModule from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
import encodeModule from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm";
import decodeOther, { init as initDecode } from "@jsquash/jpeg/decode.js";
import encodeOther, { init as initEncode } from "@jsquash/jpeg/encode.js";
import resizeOther, { initResize } from "@jsquash/resize";
import * as resizeWasm from "@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm";

import { jpeg } from "../../src/image/formats/jpeg.ts";
import { firstFrame, type Picture } from "../../src/image/pixels/picture.ts";
import { type Plan, planSteps, resizedOnly, storedSize } from "../../src/image/plan/plan.ts";
import { pictureOf } from "../../src/image/plan/planned-picture.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { recompress } from "../../wasm/jpeg/jpeg.ts";
import { atOnce } from "../support/pieces.ts";
import { scoreRows } from "../support/scores.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";
import { type Kind, type Megapixels, photoPath, preparePhotos } from "./photos.ts";
import { provideImageData } from "./webp-photo.ts";

/** The package declares the exports of its instance; what is imported is the module. */
const resizeModule = (resizeWasm as unknown as { default: WebAssembly.Module }).default;

const QUALITY = 80;
/** What the service is told by a number for the quality and `encoding: "baseline"`, which is what sharp writes. */
const SETTINGS = { lossless: false, quality: QUALITY, progressive: false, effort: 0.5, fast: true } as const;
const ROUNDS = 7;

export const benches: readonly Bench[] = [
  smaller(12, "baseline", 1_200, "sharp ≥ 1.00, the chain ≥ 7"),
  smaller(24, "baseline", 2_000, "sharp ≥ 1.00, the chain ≥ 7"),
  smaller(24, "progressive", 2_000, "sharp ≥ 1.00"),
  equalScore(),
  losslessly(),
];

function smaller(megapixels: Megapixels, kind: Kind, width: number, target: string): Bench {
  return {
    title: `${megapixels} MP ${kind} to ${width} px; wanted: ${target}`,
    rounds: ROUNDS,
    prepare: preparePhotos,
    async candidates(platform, load) {
      const bytes = await load(photoPath(megapixels, kind));
      const own = async () => ({ bytes: (await resized(bytes, width)).length });
      const throughPixels = async () => ({
        bytes: (await jpeg.write.encode(pictureFrom(bytes, width), SETTINGS, UNPAUSED)).length,
      });
      return [
        { name: "own", run: own },
        { name: "own, through pixels", run: throughPixels },
        await chain(bytes, width),
        ...(await bySharp(platform, bytes, width)),
      ];
    },
  };
}

/** A file of that width, made as the service does. */
async function resized(bytes: Uint8Array, width: number): Promise<Uint8Array> {
  const wanted = resizedOnly(planOf(bytes, width));
  const made = wanted && (await jpeg.coefficients.resize(bytes, SETTINGS, wanted)?.run(UNPAUSED));
  if (!made) throw new Error("the service would have to see pixels");
  return made;
}

/** The upright picture, at that width if one is given. */
function pictureFrom(bytes: Uint8Array, width?: number): Picture {
  return pictureOf({ bytes, format: jpeg, facts: jpeg.read.factsOf(bytes) }, planOf(bytes, width));
}

function planOf(bytes: Uint8Array, width?: number): Plan {
  const facts = jpeg.read.factsOf(bytes);
  const height = width === undefined ? 0 : Math.round((facts.height * width) / facts.width);
  const resize = width === undefined ? [] : [{ kind: "resize", width, height, kernel: "lanczos3" } as const];
  return planSteps(storedSize(facts), resize);
}

async function chain(bytes: Uint8Array, width: number): Promise<Candidate> {
  provideImageData();
  await Promise.all([initDecode(decodeModule), initEncode(encodeModule), initResize(resizeModule)]);
  const run = async () => {
    const whole = await decodeOther(bytes.slice().buffer);
    const height = Math.round((whole.height * width) / whole.width);
    const small = await resizeOther(whole, { width, height, method: "lanczos3" });
    return { bytes: (await encodeOther(small, { quality: QUALITY })).byteLength };
  };
  return { name: "@jsquash chain", run };
}

async function sharpOf(platform: Platform) {
  if (platform === "workerd") return null;
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

async function bySharp(platform: Platform, bytes: Uint8Array, width: number): Promise<Candidate[]> {
  const sharp = await sharpOf(platform);
  if (!sharp) return [];
  const run = async () => ({
    bytes: (await sharp(bytes).resize(width).jpeg({ quality: QUALITY }).toBuffer()).length,
  });
  return [{ name: "sharp", run }];
}

/**
 * Ours at the lowest quality, in the steps that the search for a quality takes, that scores as high as mozjpeg's 80.
 */
function equalScore(): Bench {
  return {
    title: "12 MP written again, at equal score; wanted: sharp ≥ 1.00, fewer bytes",
    rounds: 5,
    prepare: preparePhotos,
    async candidates(platform, load) {
      const bytes = await load(photoPath(12, "baseline"));
      const sharp = await sharpOf(platform);
      const other = async () =>
        new Uint8Array((await sharp?.(bytes).jpeg({ quality: 80, mozjpeg: true }).toBuffer()) ?? []);
      const aim = sharp ? await scoreOf(bytes, await other()) : 75;
      const own = (quality: number) =>
        jpeg.write.encode(
          pictureFrom(bytes),
          { ...SETTINGS, progressive: true, fast: false, subsample: "4:2:0", quality },
          UNPAUSED,
        );
      const quality = await lowestQuality(async (tried) => (await scoreOf(bytes, await own(tried))) >= aim);
      const score = async (file: Uint8Array) => (await scoreOf(bytes, file)).toFixed(2);
      const [ownScore, otherScore] = [await score(await own(quality)), sharp ? await score(await other()) : ""];
      const candidates: Candidate[] = [
        { name: `own at ${quality}`, run: async () => ({ bytes: (await own(quality)).length, score: ownScore }) },
      ];
      const run = async () => ({ bytes: (await other()).length, score: otherScore });
      return sharp ? [...candidates, { name: "sharp, mozjpeg at 80", run }] : candidates;
    },
  };
}

/** The lowest quality from 40 to 95 that serves, in steps of a quarter. */
async function lowestQuality(serves: (quality: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [40 * 4, 95 * 4];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await serves(middle / 4)) high = middle;
    else low = middle + 1;
  }
  return high / 4;
}

async function scoreOf(original: Uint8Array, file: Uint8Array): Promise<number> {
  const shown = (bytes: Uint8Array) => firstFrame(pictureFrom(bytes), UNPAUSED);
  return scoreRows(await shown(original), await shown(file), UNPAUSED);
}

function losslessly(): Bench {
  return {
    title: "24 MP written again without loss, coefficients held and streamed",
    rounds: 5,
    prepare: preparePhotos,
    async candidates(_platform, load) {
      const bytes = await load(photoPath(24, "baseline"));
      const run = (streamed: boolean) => () => ({
        bytes: atOnce(recompress(bytes, { progressive: true, streamed })).length,
      });
      return [
        { name: "held", run: run(false) },
        { name: "streamed", run: run(true) },
      ];
    },
  };
}
