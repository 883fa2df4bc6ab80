/** Jobs that meet in a native module at every pause make what each makes alone: formats with modules of our own. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { bmp } from "../../../src/image/formats/bmp.ts";
import { gif } from "../../../src/image/formats/gif.ts";
import { ico } from "../../../src/image/formats/ico.ts";
import { png } from "../../../src/image/formats/png.ts";
import { psd } from "../../../src/image/formats/psd.ts";
import { tiff } from "../../../src/image/formats/tiff.ts";
import { type TimeSlice, Thread, UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import pal8 from "../../fixtures/bmp/pal8rle.bmp";
import rgb24Rle24 from "../../fixtures/bmp/rgb24-rle24.bmp";
import fire from "../../fixtures/gif/fire.gif";
import muybridge from "../../fixtures/gif/muybridge.gif";
import hippopotamus from "../../fixtures/ico/hippopotamus.regular.ico";
import overPrevious from "../../fixtures/png/over-previous.apng";
import rgb16 from "../../fixtures/png/rgb-16.png";
import rgba8Adam7 from "../../fixtures/png/rgba-8-adam7.png";
import twoLayers from "../../fixtures/psd/cmyk.psd";
import zipDifferences16 from "../../fixtures/psd/zip-differences-16.psd";
import quadTileJpg from "../../fixtures/tiff/quad-tile-jpg.tif";
import video001Tile64x64 from "../../fixtures/tiff/video-001-tile-64x64.tif";
import { decodeFile } from "../../support/files.ts";
import { drain, noise, pictureOf, rowsOf, scene } from "../../support/rows.ts";

type Job = (timeSlice: TimeSlice) => Promise<unknown>;

/** All jobs at a time, each of which makes way for the next whenever it may. */
function interleaved(jobs: readonly Job[]): Promise<unknown[]> {
  let now = 0;
  let pauses = 0;
  // Whoever waits for the thread has it before a pause is over, however short it is.
  const thread = new Thread(
    () => (now += 1_000),
    async () => void pauses++,
  );
  return Promise.all(jobs.map((job) => thread.run(job))).finally(() => expect(pauses).toBeGreaterThan(jobs.length));
}

async function alone(jobs: readonly Job[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const job of jobs) results.push(await job(UNPAUSED));
  return results;
}

/** All frames, read a few rows at a time with a pause before each reading, as pipelines do it. */
function reading(format: FormatDefinition, file: ArrayBuffer): Job {
  const bytes = new Uint8Array(file);
  const facts = format.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  return async (timeSlice) => {
    const frames: Uint8Array[] = [];
    for await (const { rows } of format.read.open(bytes, facts, demand, timeSlice)) {
      const read = async (max: number) => {
        await timeSlice.spend(1);
        return rows.read(max);
      };
      frames.push((await drain({ ...rows, read, close: () => rows.close() }, 5)).data);
    }
    return frames;
  };
}

const SETTINGS: EncodeSettings = { lossless: false, quality: 70, progressive: false, effort: 0.5 };

function writing(format: FormatDefinition, picture: ReturnType<typeof pictureOf>, settings = {}): Job {
  return async (timeSlice) => format.write?.encode(picture, { ...SETTINGS, ...settings }, timeSlice);
}

function rewriting(format: FormatDefinition, file: ArrayBuffer): Job {
  const bytes = new Uint8Array(file);
  const facts = format.read.factsOf(bytes);
  return async (timeSlice) => format.recompress?.run(bytes, facts, { progressive: false }, timeSlice);
}

const still = pictureOf([scene(150, 120)]);
const grain = pictureOf([noise(90, 140, false)], { opaque: false });
const moving = pictureOf([scene(60, 50), noise(60, 50), scene(60, 50, false)], { opaque: false, delayMs: 40 });

const JOBS: Readonly<Record<string, readonly Job[]>> = {
  "PNG, read": [reading(png, rgba8Adam7), reading(png, overPrevious), reading(png, rgb16)],
  "PNG, read and written": [reading(png, rgba8Adam7), writing(png, still), writing(png, grain, { lossless: true })],
  "PNG, written in different ways": [
    writing(png, still, { loss: "colors" }),
    writing(png, grain, { loss: "colors" }),
    writing(png, grain, { loss: "levels" }),
    writing(png, moving),
  ],
  "PNG, rewritten": [rewriting(png, rgb16), rewriting(png, overPrevious)],
  "GIF, read": [reading(gif, fire), reading(gif, muybridge)],
  "GIF, read and written": [reading(gif, fire), writing(gif, still), writing(gif, grain), writing(gif, moving)],
  "GIF, rewritten": [rewriting(gif, fire), writing(gif, moving, { quality: 100 })],
  BMP: [reading(bmp, pal8), reading(bmp, rgb24Rle24)],
  ICO: [reading(ico, hippopotamus), reading(ico, hippopotamus)],
  PSD: [reading(psd, twoLayers), reading(psd, zipDifferences16)],
  TIFF: [reading(tiff, quadTileJpg), reading(tiff, video001Tile64x64)],
};

describe("jobs that meet at every pause", () => {
  it.each(Object.entries(JOBS))("make what each makes alone: %s", async (_name, jobs) => {
    expect(await interleaved(jobs)).toEqual(await alone(jobs));
  });

  it("end when nobody waits for them any more, and leave the module as it was", async () => {
    const abort = new AbortController();
    const thread = new Thread(
      () => performance.now() * 1_000,
      () => Promise.resolve(abort.abort()),
    );
    await expect(thread.run(writing(png, still), abort.signal)).rejects.toThrow("aborted");
    const shown = await decodeFile(png, await png.write.encode(still, { ...SETTINGS, lossless: true }, UNPAUSED));
    expect(shown.data).toEqual((await drain(rowsOf(scene(150, 120)))).data);
  });
});
