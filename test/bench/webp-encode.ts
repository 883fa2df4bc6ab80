/** Encoding WebP from RGBA, 3 megapixels: against sharp and the WebAssembly build most people use. */
import jsquash from "@jsquash/webp/codec/enc/webp_enc_simd.wasm";
import encodeJsquash, { init } from "@jsquash/webp/encode.js";

import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { heapOf } from "../../wasm/load.ts";
import { BAND_ROWS, type EncoderSettings, openEncoder } from "../../wasm/webp/encoder.ts";
import { webpModule } from "../../wasm/webp/instance.ts";
import type { Pixels } from "../support/rows.ts";
import type { Bench, Candidate } from "./harness.ts";
import { photo } from "./webp-photo.ts";

async function encode({ width, height, data }: Pixels, settings: Partial<EncoderSettings>): Promise<object> {
  heapOf(webpModule, true);
  const encoder = openEncoder({ width, height, opaque: true, lossless: false, quality: 80, method: 4, ...settings });
  for (let y = 0; y < height; y += BAND_ROWS) {
    const rows = Math.min(BAND_ROWS, height - y);
    encoder.band().set(data.subarray(y * width * 4, (y + rows) * width * 4));
    encoder.push(rows);
  }
  const bytes = (await encoder.finish(UNPAUSED)).length;
  const { peak } = heapOf(webpModule);
  encoder.close();
  return { bytes, peakKiB: Math.round(peak / 1024) };
}

export const bench: Bench = {
  title: "encoding WebP, 2,400 x 1,260: lossy at quality 80, methods 2, 4 and 6, and without loss",
  rounds: 5,
  async candidates(platform, load) {
    await init(jsquash);
    const pixels = await photo(await load("test/fixtures/webp/denali.webp"));
    const { width, height } = pixels;
    const image = { data: new Uint8ClampedArray(pixels.data), width, height, colorSpace: "srgb" } as const;
    const other = (method: number, lossless: number) => async () => {
      const { byteLength: bytes } = await encodeJsquash(image as never, {
        quality: lossless ? 75 : 80,
        method,
        lossless,
      });
      return { bytes };
    };
    const lossless = { lossless: true, quality: 75, exact: true };
    const candidates: Candidate[] = [
      { name: "method 4", run: () => encode(pixels, {}), target: { most: 1.2, against: "method 4, sharp" } },
      { name: "method 4, jsquash", run: other(4, 0) },
      { name: "method 2", run: () => encode(pixels, { method: 2 }) },
      { name: "method 2, jsquash", run: other(2, 0) },
      { name: "method 6", run: () => encode(pixels, { method: 6 }) },
      { name: "lossless, lean", run: () => encode(pixels, { ...lossless, lean: true }) },
      { name: "lossless, 1", run: () => encode(pixels, { ...lossless, method: 1 }) },
      { name: "lossless, 1, jsquash", run: other(1, 1) },
    ];
    if (platform === "workerd") return candidates;
    const { default: sharp } = await import("sharp");
    sharp.concurrency(1);
    sharp.cache(false);
    const native = (options: object) => async () => {
      const raw = { width, height, channels: 4 as const };
      return { bytes: (await sharp(pixels.data, { raw }).removeAlpha().webp(options).toBuffer()).length };
    };
    return [
      ...candidates,
      { name: "method 4, sharp", run: native({ quality: 80, effort: 4 }) },
      { name: "method 2, sharp", run: native({ quality: 80, effort: 2 }) },
      { name: "method 6, sharp", run: native({ quality: 80, effort: 6 }) },
      { name: "lossless, 1, sharp", run: native({ lossless: true, quality: 75, effort: 1 }) },
    ];
  },
};
