/** An animation of 7 frames, 355 x 257: read, and written again without and with loss. */
import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { gif } from "../../src/image/formats/gif.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { drain } from "../support/rows.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";

async function read(bytes: Uint8Array): Promise<void> {
  const facts = gif.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { rows } of gif.read.open(bytes, facts, demand, UNPAUSED)) await drain(rows);
}

async function written(bytes: Uint8Array, quality: number): Promise<object> {
  const facts = gif.read.factsOf(bytes);
  const { width, height, alpha } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const settings: EncodeSettings = { lossless: false, quality, progressive: false, effort: 0.5 };
  const picture: Picture = {
    ...facts,
    opaque: !alpha,
    open: (timeSlice) => gif.read.open(bytes, facts, demand, timeSlice),
  };
  return { bytes: (await gif.write.encode(picture, settings, UNPAUSED)).length };
}

async function others(platform: Platform, bytes: Uint8Array): Promise<Candidate[]> {
  if (platform === "workerd") return [];
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  const open = () => sharp(bytes, { animated: true });
  return [
    { name: "sharp, read", run: () => open().raw().toBuffer() },
    { name: "sharp, write", run: async () => ({ bytes: (await open().gif().toBuffer()).length }) },
  ];
}

export const bench: Bench = {
  title: "an animated GIF of 7 frames, 355 x 257",
  async candidates(platform, load) {
    const bytes = await load("test/fixtures/gif/bug00060.gif");
    return [
      { name: "own, read", run: () => read(bytes) },
      { name: "own, write, exact", run: () => written(bytes, 100) },
      { name: "own, write, quality 80", run: () => written(bytes, 80) },
      { name: "own, write, quality 60", run: () => written(bytes, 60) },
      ...(await others(platform, bytes)),
    ];
  },
};
