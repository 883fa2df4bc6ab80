/** Damaged GIF files are refused, or read where the damage does not matter. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { gif } from "../../../../src/image/formats/gif.ts";
import { identify } from "../../../../src/image/plan/detect.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import redBlue from "../../../fixtures/gif/animated-red-blue.gif";
import bomb from "../../../fixtures/gif/broken/gif-bomb-2000-frames-65535.gif";
import canvas65535 from "../../../fixtures/gif/broken/gif-canvas-65535.gif";
import headerOnly from "../../../fixtures/gif/broken/gif-header-only.gif";
import codeTooBig from "../../../fixtures/gif/broken/gif-lzw-code-too-big.gif";
import minCode12 from "../../../fixtures/gif/broken/gif-lzw-min-code-12.gif";
import noTrailer from "../../../fixtures/gif/broken/gif-no-trailer.gif";
import truncated from "../../../fixtures/gif/broken/gif-truncated.gif";
import zeroCanvas from "../../../fixtures/gif/broken/gif-zero-canvas.gif";
import zeroFrame from "../../../fixtures/gif/broken/gif-zero-frame.gif";
import magicOnly from "../../../fixtures/gif/broken/magic-only.gif";
import polyglot from "../../../fixtures/gif/broken/polyglot-gif-js.gif";
import emptyPalette from "../../../fixtures/gif/broken/wuffs-empty-palette.gif";
import outOfBounds from "../../../fixtures/gif/broken/wuffs-frame-out-of-bounds.gif";
import interlacedCut from "../../../fixtures/gif/broken/wuffs-hippopotamus.interlaced.truncated.gif";
import twoControls from "../../../fixtures/gif/broken/wuffs-multiple-graphic-controls.gif";
import noFrames from "../../../fixtures/gif/broken/wuffs-no-frames.gif";
import noPixels from "../../../fixtures/gif/broken/wuffs-pixel-data-none.gif";
import fewPixels from "../../../fixtures/gif/broken/wuffs-pixel-data-not-enough.gif";
import morePixels from "../../../fixtures/gif/broken/wuffs-pixel-data-too-much-bad-lzw.gif";
import zeroWidth from "../../../fixtures/gif/broken/wuffs-zero-width-frame.gif";
import disposePrevious from "../../../fixtures/gif/dispose-previous.gif";
import fire from "../../../fixtures/gif/fire.gif";
import still from "../../../fixtures/gif/hippopotamus.masked-with-muybridge.gif";
import { drain } from "../../../support/rows.ts";

const REFUSED = {
  "nothing but a signature": magicOnly,
  "nothing but a header": headerOnly,
  "a header that is also JavaScript": polyglot,
  "no frame": noFrames,
  "codes that do not exist yet": codeTooBig,
  "codes of 13 bits": minCode12,
  "half of the pixels": truncated,
  "half of an interlaced picture": interlacedCut,
  "no pixels at all": noPixels,
  "a pixel too few": fewPixels,
  "a frame of 0 x 0 pixels": zeroFrame,
  "a frame without width": zeroWidth,
  "2,000 frames on 4 gigapixels": bomb,
  "a canvas of 4 gigapixels": canvas65535,
};

const HARMLESS = {
  "no trailer": [noTrailer, 16, 16, 1],
  "no logical screen": [zeroCanvas, 16, 16, 1],
  "an empty palette": [emptyPalette, 1, 1, 2],
  "a first frame larger than the canvas": [outOfBounds, 4, 2, 4],
  "two graphic controls": [twoControls, 1, 1, 1],
  "noise after the last pixel": [morePixels, 2, 2, 1],
} as const;

/** Reads everything: frames that came whole. */
async function decodeAll(bytes: Uint8Array): Promise<number> {
  const { facts } = identify(bytes);
  const { width, height } = facts;
  let frames = 0;
  for await (const { rows } of gif.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  )) {
    await drain(rows);
    frames++;
  }
  return frames;
}

/** The number of frames, or the status of the refusal. Anything else fails the test. */
async function outcome(bytes: Uint8Array): Promise<number> {
  try {
    return await decodeAll(bytes);
  } catch (error) {
    if (error instanceof ApiError) return -error.status;
    throw error;
  }
}

describe("damaged GIF files", () => {
  it.each(Object.entries(REFUSED))("are refused: %s", async (_name, file) => {
    expect(await outcome(new Uint8Array(file))).toBe(-422);
  });

  it.each(Object.entries(HARMLESS))(
    "are read when the damage is harmless: %s",
    async (_name, [file, width, height, frames]) => {
      const bytes = new Uint8Array(file);
      expect(gif.read.factsOf(bytes)).toMatchObject({ width, height, frames });
      expect(await decodeAll(bytes)).toBe(frames);
    },
  );

  it.each([
    ["a still picture", still],
    ["an animation", redBlue],
  ])("are refused wherever they end: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    // The last code and the terminators can be done without.
    for (let length = 0; length < bytes.length - 8; length++) {
      const result = await outcome(bytes.subarray(0, length));
      expect(result === -422 || result === -415).toBe(true);
    }
  });

  it("end in a picture or a refusal whatever is changed, and do no harm to those after them", async () => {
    const files = [fire, still, redBlue, disposePrevious].map((file) => new Uint8Array(file));
    const decodeEach = async () => {
      const counts: number[] = [];
      for (const file of files) counts.push(await decodeAll(file));
      return counts;
    };
    const good = await decodeEach();
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.array(change, { minLength: 1, maxLength: 8 }), async (which, changes) => {
        const mutated = (files[which] ?? new Uint8Array(0)).slice();
        for (const [place, value] of changes) mutated[place % mutated.length] = value;
        const result = await outcome(mutated);
        expect(result > 0 || result === -422 || result === -415).toBe(true);
      }),
      { numRuns: 3_000, seed: 4 },
    );
    expect(await decodeEach()).toEqual(good);
    expect(nativeStatistics().find(({ name }) => name === "gif")?.replaced).toBeLessThanOrEqual(60);
  });

  it("take time in proportion to their bytes: codes that make nothing are skipped", async () => {
    // 16 MB of nothing but clear codes: with 7 bits for an index, they are 128 in 8 bits.
    const blocks = 65_000;
    const head = [71, 73, 70, 56, 57, 97, 255, 0, 255, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
    const frame = [0x2c, 0, 0, 0, 0, 255, 0, 255, 0, 0, 7];
    const bytes = new Uint8Array(head.length + frame.length + blocks * 256 + 2);
    bytes.set([...head, ...frame]);
    for (let block = 0; block < blocks; block++) {
      const at = head.length + frame.length + block * 256;
      bytes[at] = 255;
      bytes.fill(0x80, at + 1, at + 256);
    }
    expect(await outcome(bytes)).toBe(-422);
  });
});
