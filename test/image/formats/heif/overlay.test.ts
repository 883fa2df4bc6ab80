/** HEIF files whose picture is made of others that lie over each other. */
import { describe, expect, it } from "vitest";

import type { Demand } from "../../../../src/image/codec/format.ts";
import { heic } from "../../../../src/image/formats/heic.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { hevcDecodeHeap } from "../../../../wasm/hevc-decode/decoder.ts";
import grayAlpha from "../../../fixtures/heic/gray-alpha.heic";
import gray from "../../../fixtures/heic/gray.heic";
import overlayAlpha from "../../../fixtures/heic/overlay-alpha.heic";
import overlay from "../../../fixtures/heic/overlay.heic";
import { beginnings, decodeFile, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";
import { drain, type Pixels, sample } from "../../../support/rows.ts";

/** How `overlay-alpha.heic` was made: RGBA where nothing lies, and where its pictures lie, the undermost first. */
const FILL = [128, 32, 192, 64] as const;
const PLACES = [
  [gray, 30, 40],
  [grayAlpha, -20, 10],
] as const;

/** One picture over another, by the definition of Porter and Duff. */
function laidOver(below: Pixels, above: Pixels, left: number, top: number): void {
  for (let y = Math.max(0, top); y < Math.min(below.height, top + above.height); y++) {
    for (let x = Math.max(0, left); x < Math.min(below.width, left + above.width); x++) {
      const to = (y * below.width + x) * 4;
      const from = ((y - top) * above.width + x - left) * 4;
      const alpha = sample(above.data, from + 3) / 255;
      const under = sample(below.data, to + 3) / 255;
      const sum = alpha + under * (1 - alpha);
      for (let channel = 0; sum > 0 && channel < 3; channel++) {
        const color = sample(above.data, from + channel) * alpha;
        below.data[to + channel] = Math.round((color + sample(below.data, to + channel) * under * (1 - alpha)) / sum);
      }
      below.data[to + 3] = Math.round(sum * 255);
    }
  }
}

/** The first frame of what is wanted, read seven rows at a time. */
async function firstDecoded(bytes: Uint8Array, demand: Demand) {
  for await (const { rows, box } of heic.read.open(bytes, heic.read.factsOf(bytes), demand, UNPAUSED)) {
    return { box, pixels: await drain(rows, 7) };
  }
  throw new Error("no frame");
}

describe("pictures that a HEIF file lays over each other", () => {
  it("are shown exactly as by heif-convert", async () => {
    const bytes = new Uint8Array(overlay);
    expect(heic.read.factsOf(bytes)).toMatchObject({
      width: 120,
      height: 90,
      alpha: false,
      colorspace: "RGB",
      depth: 24,
    });
    expect(await fileDigest(heic, bytes)).toBe("7312a7202c1b0be2");
  });

  it("keep their alpha, on a canvas that has some, and may begin outside of it", async () => {
    const bytes = new Uint8Array(overlayAlpha);
    expect(heic.read.factsOf(bytes)).toMatchObject({ width: 96, height: 80, alpha: true, depth: 32 });
    const expected = { width: 96, height: 80, data: new Uint8Array(96 * 80 * 4) };
    for (let at = 0; at < expected.data.length; at += 4) expected.data.set(FILL, at);
    for (const [file, x, y] of PLACES) laidOver(expected, await decodeFile(heic, new Uint8Array(file)), x, y);
    const { data } = await decodeFile(heic, bytes);
    data.forEach((value, at) => expect(Math.abs(value - sample(expected.data, at))).toBeLessThanOrEqual(1));
  });

  it("give a region as it is in the whole", async () => {
    const bytes = new Uint8Array(overlay);
    const whole = await decodeFile(heic, bytes);
    const box = { x: 25, y: 33, width: 90, height: 51 };
    const decoded = await firstDecoded(bytes, { box, width: 90, height: 51 });
    expect(decoded.box).toMatchObject({ x: 0, y: 0 });
    for (let y = 0; y < box.height; y++) {
      const from = ((box.y + y) * whole.width + box.x) * 4;
      const row = decoded.pixels.data.subarray(y * box.width * 4, (y + 1) * box.width * 4);
      expect(row).toEqual(whole.data.subarray(from, from + box.width * 4));
    }
  });

  it("can be had without their metadata", async () => {
    for (const file of [overlay, overlayAlpha]) {
      const bytes = new Uint8Array(file);
      const stripped = heic.strip(bytes).file();
      expect(heic.read.factsOf(stripped)).toEqual(heic.read.factsOf(bytes));
      expect(await decodeFile(heic, stripped)).toEqual(await decodeFile(heic, bytes));
    }
  });

  it("hold no more memory than they declare, and none afterward", async () => {
    for (const file of [overlay, overlayAlpha]) {
      const bytes = new Uint8Array(file);
      const declared = heic.read.estimate(heic.read.factsOf(bytes)).bytes;
      hevcDecodeHeap(true);
      await decodeFile(heic, bytes);
      const { used, peak } = hevcDecodeHeap();
      expect(used).toBe(0);
      expect(peak).toBeLessThanOrEqual(declared);
    }
  });

  it("are a picture or refused, whatever byte is wrong", async () => {
    for (const file of [overlay, overlayAlpha]) {
      const bytes = new Uint8Array(file);
      for (const damaged of [...mutations(bytes, 400), ...beginnings(bytes, 40)]) {
        expect(["decoded", 422, 415]).toContain(await outcomeOf(heic, damaged));
      }
      expect(hevcDecodeHeap().used).toBe(0);
    }
  });
});
