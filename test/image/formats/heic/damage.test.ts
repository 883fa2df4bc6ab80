/** Damaged HEIC files are refused and leave no memory behind. */
import { describe, expect, it } from "vitest";

import { heic } from "../../../../src/image/formats/heic.ts";
import { detect, identify } from "../../../../src/image/plan/detect.ts";
import { hevcDecodeHeap } from "../../../../wasm/hevc-decode/decoder.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import alpha from "../../../fixtures/heic/alpha.heic";
import headerOnly from "../../../fixtures/heic/broken/heic-header-only.heic";
import ispe60000 from "../../../fixtures/heic/broken/heic-ispe-60000.heic";
import ispeMax from "../../../fixtures/heic/broken/heic-ispe-max.heic";
import metaLengthMax from "../../../fixtures/heic/broken/heic-meta-length-max.heic";
import truncated from "../../../fixtures/heic/broken/heic-truncated.heic";
import magicOnly from "../../../fixtures/heic/broken/magic-only.heic";
import mp4Named from "../../../fixtures/heic/broken/mp4-named.heic";
import webpNamed from "../../../fixtures/heic/broken/webp-named.heic";
import clap from "../../../fixtures/heic/clap.heic";
import depth10 from "../../../fixtures/heic/depth10.heic";
import gray from "../../../fixtures/heic/gray.heic";
import grid from "../../../fixtures/heic/grid.heic";
import rgba from "../../../fixtures/heic/rgba.heic";
import s420 from "../../../fixtures/heic/s420.heic";
import s422 from "../../../fixtures/heic/s422.heic";
import s444 from "../../../fixtures/heic/s444.heic";
import { beginnings, decodeFile, mutations, outcomeOf } from "../../../support/files.ts";

const REFUSED = {
  "nothing but a beginning of its items": headerOnly,
  "60,000 pixels a side and a small bitstream": ispe60000,
  "2^32 - 1 pixels a side": ispeMax,
  "items that end beyond the file": metaLengthMax,
  "a bitstream that is cut short": truncated,
  "a signature alone": magicOnly,
};

const FILES = { alpha, clap, depth10, gray, grid, rgba, s420, s422, s444 };

const MUTATIONS = 150;
const BEGINNINGS = 40;
const SLOW_MS = 10_000;

describe("HEIC that is damaged", () => {
  it.each(Object.entries(REFUSED))("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(heic, new Uint8Array(file))).toBe(422);
  });

  it("takes the decoder with it that refused it", async () => {
    const replaced = () => nativeStatistics().find(({ name }) => name === "hevc-decode")?.replaced ?? 0;
    const good = new Uint8Array(s420);
    const damaged = good.slice().fill(0xff, good.length * 0.8);
    await decodeFile(heic, good);
    const before = replaced();
    await decodeFile(heic, good);
    expect(replaced()).toBe(before);
    expect(await outcomeOf(heic, damaged)).toBe(422);
    expect(replaced()).toBe(before + 1);
  });

  it("is not what its name says", async () => {
    expect(detect(new Uint8Array(mp4Named))).toBeNull();
    expect(detect(new Uint8Array(webpNamed))).toBe("webp");
  });

  it("says that a sequence without tracks has no picture", async () => {
    const type = [0, 0, 0, 16, ...Buffer.from("ftyphevc"), 0, 0, 0, 0];
    const bytes = Uint8Array.from([...type, 0, 0, 0, 16, ...Buffer.from("moov"), 0, 0, 0, 8, ...Buffer.from("free")]);
    expect(() => identify(bytes)).toThrow("The image cannot be read: it has no still picture");
  });

  it.each(Object.entries(FILES))("is a picture or refused, whatever byte is wrong: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    const good = await decodeFile(heic, bytes);
    let slowest = 0;
    for (const damaged of [...mutations(bytes, MUTATIONS), ...beginnings(bytes, BEGINNINGS)]) {
      const start = performance.now();
      expect(["decoded", 422, 415]).toContain(await outcomeOf(heic, damaged));
      slowest = Math.max(slowest, performance.now() - start);
    }
    expect(slowest).toBeLessThan(SLOW_MS);
    expect(hevcDecodeHeap().used).toBe(0);
    expect(await decodeFile(heic, bytes)).toEqual(good);
  });

  it("does not grow over thousands of good and damaged files", async () => {
    const files = [gray, clap, s420].map((file) => new Uint8Array(file));
    const memory = () => nativeStatistics().find(({ name }) => name === "hevc-decode")?.memoryBytes;
    const round = async () => {
      for (const bytes of files) {
        await outcomeOf(heic, bytes);
        for (const damaged of mutations(bytes, 10)) await outcomeOf(heic, damaged);
      }
    };
    for (let warm = 0; warm < 5; warm++) await round();
    const before = memory();
    for (let rounds = 0; rounds < 60; rounds++) await round();
    expect(memory()).toEqual(before);
    expect(hevcDecodeHeap().used).toBe(0);
  });
});
