/** Decoding WebP to RGBA, 3 megapixels: against sharp and the WebAssembly build most people use. */
import jsquash from "@jsquash/webp/codec/dec/webp_dec.wasm";
import decodeJsquash, { init } from "@jsquash/webp/decode.js";

import { webp } from "../../src/image/formats/webp.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { heapOf } from "../../wasm/load.ts";
import { webpModule } from "../../wasm/webp/instance.ts";
import type { Bench, Candidate } from "./harness.ts";
import { encodePhoto, photo, provideImageData } from "./webp-photo.ts";

/** Reads all rows; the most that the job held in linear memory. */
async function decode(bytes: Uint8Array, shrink: number): Promise<object> {
  heapOf(webpModule, true);
  const facts = webp.read.factsOf(bytes);
  const box = { x: 0, y: 0, width: facts.width, height: facts.height };
  const demand = { box, width: Math.floor(box.width / shrink), height: Math.floor(box.height / shrink) };
  for await (const { rows } of webp.read.open(bytes, facts, demand, UNPAUSED)) {
    while (await rows.read(32)) continue;
    rows.close();
  }
  return { peakKiB: Math.round(heapOf(webpModule).peak / 1024) };
}

export const bench: Bench = {
  title: "decoding WebP, 2,400 x 1,260: quality 80, and without loss",
  async candidates(platform, load) {
    provideImageData();
    await init(jsquash);
    const picture = await photo(await load("test/fixtures/webp/denali.webp"));
    const lossy = await encodePhoto(picture, false);
    const lossless = await encodePhoto(picture, true);
    const candidates: Candidate[] = [
      { name: "lossy", run: () => decode(lossy, 1), target: { most: 1, against: "lossy, jsquash" } },
      { name: "lossy, jsquash", run: async () => void (await decodeJsquash(buffer(lossy))) },
      { name: "lossy, a quarter", run: () => decode(lossy, 4) },
      { name: "lossless", run: () => decode(lossless, 1) },
      { name: "lossless, jsquash", run: async () => void (await decodeJsquash(buffer(lossless))) },
    ];
    if (platform === "workerd") return candidates;
    const { default: sharp } = await import("sharp");
    sharp.concurrency(1);
    sharp.cache(false);
    const native = (file: Uint8Array) => async () => void (await sharp(file).raw().toBuffer());
    return [
      ...candidates,
      { name: "lossy, sharp", run: native(lossy) },
      { name: "lossless, sharp", run: native(lossless) },
    ];
  },
};

function buffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer;
}
