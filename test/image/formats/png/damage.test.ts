/** Damaged PNG files are refused, or read where the damage does not matter. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import brokenAframeOutside from "../../../fixtures/png/broken/apng-frame-outside.png";
import brokenAframeZero from "../../../fixtures/png/broken/apng-frame-zero.png";
import brokenAframesDeclaredMax from "../../../fixtures/png/broken/apng-frames-declared-max.png";
import brokenAsequenceWrong from "../../../fixtures/png/broken/apng-sequence-wrong.png";
import brokenMagicOnly from "../../../fixtures/png/broken/magic-only.png";
import brokenBadAdler from "../../../fixtures/png/broken/png-bad-adler.png";
import brokenBadCrcIdat from "../../../fixtures/png/broken/png-bad-crc-idat.png";
import brokenBadCrcIhdr from "../../../fixtures/png/broken/png-bad-crc-ihdr.png";
import brokenBadDeflate from "../../../fixtures/png/broken/png-bad-deflate.png";
import brokenBitdepth3 from "../../../fixtures/png/broken/png-bitdepth-3.png";
import brokenChunkLengthMax from "../../../fixtures/png/broken/png-chunk-length-max.png";
import brokenColortype5 from "../../../fixtures/png/broken/png-colortype-5.png";
import brokenDims60000TinyBody from "../../../fixtures/png/broken/png-dims-60000-tiny-body.png";
import brokenDimsMax from "../../../fixtures/png/broken/png-dims-max.png";
import brokenFilter9 from "../../../fixtures/png/broken/png-filter-9.png";
import brokenIccpBomb from "../../../fixtures/png/broken/png-iccp-bomb.png";
import brokenIdatFirst from "../../../fixtures/png/broken/png-idat-first.png";
import brokenIdatTooLittle from "../../../fixtures/png/broken/png-idat-too-little.png";
import brokenIdatTooMuch from "../../../fixtures/png/broken/png-idat-too-much.png";
import brokenInterlace7 from "../../../fixtures/png/broken/png-interlace-7.png";
import brokenNoIend from "../../../fixtures/png/broken/png-no-iend.png";
import brokenNoPlte from "../../../fixtures/png/broken/png-no-plte.png";
import brokenPlte257 from "../../../fixtures/png/broken/png-plte-257.png";
import brokenPlteIndexBeyond from "../../../fixtures/png/broken/png-plte-index-beyond.png";
import brokenTruncatedIdat from "../../../fixtures/png/broken/png-truncated-idat.png";
import brokenZeroHeight from "../../../fixtures/png/broken/png-zero-height.png";
import brokenZtxtBomb from "../../../fixtures/png/broken/png-ztxt-bomb.png";
import rgba8 from "../../../fixtures/png/rgba-8.png";
import rgba16Adam7 from "../../../fixtures/png/rgba-16-adam7.png";
import { drain, type Pixels, sample } from "../../../support/rows.ts";

async function read(bytes: Uint8Array): Promise<Pixels[]> {
  const { facts } = identify(bytes);
  const { width, height } = facts;
  const decoded = png.read.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height }, UNPAUSED);
  const pixels: Pixels[] = [];
  for await (const { rows } of decoded) pixels.push(await drain(rows));
  return pixels;
}

async function refusalOf(bytes: Uint8Array): Promise<ApiError> {
  try {
    await read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  }
  throw new Error("nothing was refused");
}

/** Nothing of these can be shown with certainty. */
const REFUSED: readonly [string, ArrayBuffer][] = [
  ["apng-frame-outside", brokenAframeOutside],
  ["apng-frame-zero", brokenAframeZero],
  ["magic-only", brokenMagicOnly],
  ["png-bad-crc-idat", brokenBadCrcIdat],
  ["png-bad-crc-ihdr", brokenBadCrcIhdr],
  ["png-bad-deflate", brokenBadDeflate],
  ["png-bitdepth-3", brokenBitdepth3],
  ["png-chunk-length-max", brokenChunkLengthMax],
  ["png-colortype-5", brokenColortype5],
  ["png-filter-9", brokenFilter9],
  ["png-idat-first", brokenIdatFirst],
  ["png-idat-too-little", brokenIdatTooLittle],
  ["png-interlace-7", brokenInterlace7],
  ["png-no-plte", brokenNoPlte],
  ["png-plte-257", brokenPlte257],
  ["png-truncated-idat", brokenTruncatedIdat],
  ["png-zero-height", brokenZeroHeight],
];

/** These break rules that do not change the picture. */
const READ: readonly [string, ArrayBuffer][] = [
  ["apng-frames-declared-max", brokenAframesDeclaredMax],
  ["apng-sequence-wrong", brokenAsequenceWrong],
  ["png-bad-adler", brokenBadAdler],
  ["png-iccp-bomb", brokenIccpBomb],
  ["png-idat-too-much", brokenIdatTooMuch],
  ["png-no-iend", brokenNoIend],
  ["png-plte-index-beyond", brokenPlteIndexBeyond],
  ["png-ztxt-bomb", brokenZtxtBomb],
];

describe("damaged PNG files", () => {
  it.each(REFUSED)("are refused, and the next file is read: %s", async (_name, file) => {
    const error = await refusalOf(new Uint8Array(file));
    expect(error.status).toBe(422);
    expect((await read(new Uint8Array(rgba8)))[0]).toMatchObject({ width: 33, height: 17 });
  });

  it.each(READ)("are read where the damage does not matter: %s", async (_name, file) => {
    for (const pixels of await read(new Uint8Array(file))) expect(pixels).toMatchObject({ width: 24, height: 16 });
  });

  it("are refused by their size before anything is allocated", async () => {
    expect((await refusalOf(new Uint8Array(brokenDims60000TinyBody))).message).toMatch(/megapixels/);
    expect((await refusalOf(new Uint8Array(brokenDimsMax))).message).toMatch(/megapixels/);
  });

  it("never end in anything but a picture or a refusal, wherever they are cut", async () => {
    const bytes = new Uint8Array(rgba16Adam7);
    for (let length = 8; length < bytes.length - 16; length += 23) {
      expect((await refusalOf(bytes.subarray(0, length))).status).toBe(422);
    }
  });

  it("never end in anything but a picture or a refusal, whatever byte is wrong", async () => {
    const bytes = new Uint8Array(rgba8);
    for (let at = 8; at < bytes.length; at += 5) {
      const copy = bytes.slice();
      copy[at] = sample(copy, at) ^ 0x5a;
      try {
        await read(copy);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }
  });

  it("leave no memory behind and no broken instance", async () => {
    const { memoryBytes, replaced } = pixelsModule();
    for (let round = 0; round < 20; round++) for (const [, file] of REFUSED) await refusalOf(new Uint8Array(file));
    expect(pixelsModule()).toMatchObject({ memoryBytes, replaced });
  });
});

function pixelsModule() {
  return nativeStatistics().find(({ name }) => name === "pixels") ?? { memoryBytes: 0, replaced: 0 };
}
