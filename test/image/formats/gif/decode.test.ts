/** Reading GIF files, animated ones included. */
import { describe, expect, it } from "vitest";

import { gif } from "../../../../src/image/formats/gif.ts";
import animatedRedBlue from "../../../fixtures/gif/animated-red-blue.gif";
import backgroundColor from "../../../fixtures/gif/background-color.gif";
import frameOutside from "../../../fixtures/gif/broken/gif-frame-outside.gif";
import noPalette from "../../../fixtures/gif/broken/gif-no-palette.gif";
import zeroDelays from "../../../fixtures/gif/broken/gif-zero-delays.gif";
import smallInterlaced from "../../../fixtures/gif/broken/wuffs-small-frame-interlaced.gif";
import bug00060 from "../../../fixtures/gif/bug00060.gif";
import bug00066 from "../../../fixtures/gif/bug00066.gif";
import disposeBackground from "../../../fixtures/gif/dispose-background.gif";
import disposeNone from "../../../fixtures/gif/dispose-none.gif";
import disposePrevious from "../../../fixtures/gif/dispose-previous.gif";
import fire from "../../../fixtures/gif/fire.gif";
import hippopotamusMaskedWithMuybridge from "../../../fixtures/gif/hippopotamus.masked-with-muybridge.gif";
import multipleLoopCounts from "../../../fixtures/gif/multiple-loop-counts.gif";
import muybridge from "../../../fixtures/gif/muybridge.gif";
import noTimeForThatTiny from "../../../fixtures/gif/no_time_for_that_tiny.gif";
import testImage from "../../../fixtures/gif/TestImage.gif";
import testLoopCount from "../../../fixtures/gif/TestLoopCount.gif";
import transparentIndex from "../../../fixtures/gif/transparent-index.gif";
import { digest } from "../../../support/rows.ts";
import { framesOf, type Shown } from "./frames.ts";

const decode = (file: ArrayBuffer) => framesOf(new Uint8Array(file));

/** All canvases one after the other, transparent pixels as zeros. */
function canvases(shown: readonly Shown[]): Uint8Array {
  const bytes = new Uint8Array(shown.reduce((sum, { pixels }) => sum + pixels.data.length, 0));
  let at = 0;
  for (const { pixels } of shown) {
    bytes.set(pixels.data, at);
    at += pixels.data.length;
  }
  for (let i = 0; i < bytes.length; i += 4) if (bytes[i + 3] === 0) bytes.fill(0, i, i + 3);
  return bytes;
}

/** Frames, loops, first delay; the canvases as `convert -coalesce` of ImageMagick 6.9.11 makes them. */
const COMPOSED = [
  ["TestImage", testImage, 5, 0, 120, "646d5ceb44caaa26"],
  ["TestLoopCount", testLoopCount, 2, 1, 500, "99970929274971a0"],
  ["animated-red-blue", animatedRedBlue, 4, 3, 100, "5316822028a9db73"],
  ["bug00060", bug00060, 7, 1, 300, "ed3fb82db45ea7d1"],
  ["bug00066", bug00066, 2, 1001, 250, "b23577916db84fb1"],
  ["dispose-background", disposeBackground, 4, 3, 70, "033a370a1cd383a6"],
  ["dispose-none", disposeNone, 4, 3, 70, "910902f35021b238"],
  ["dispose-previous", disposePrevious, 4, 3, 70, "93c60778194c7036"],
  ["fire", fire, 33, 0, 50, "5ce696bb57f2c9f3"],
  ["hippopotamus.masked-with-muybridge", hippopotamusMaskedWithMuybridge, 1, 1, 0, "a19a905df96bc705"],
  ["muybridge", muybridge, 15, 0, 100, "2a4ebb7e3e560c9d"],
  ["no_time_for_that_tiny", noTimeForThatTiny, 24, 0, 70, "a224b1e984b5152e"],
  ["transparent-index", transparentIndex, 2, 1, 100, "21304c0d1e7015a2"],
] as const;

describe("the GIF decoder", () => {
  it.each(COMPOSED)("composes as another decoder does: %s", async (_name, file, count, loops, delayMs, golden) => {
    const facts = gif.read.factsOf(new Uint8Array(file));
    const shown = await decode(file);
    expect(facts).toMatchObject({ frames: count, loops });
    expect(shown).toHaveLength(count);
    expect(shown[0]?.delayMs).toBe(delayMs);
    expect(await digest(canvases(shown))).toBe(golden);
  });

  it("leaves transparent what no frame covers, as browsers do, whatever the background color", async () => {
    const [first, second] = await decode(backgroundColor);
    const alphas = (shown: Shown | undefined) => [...(shown?.pixels.data ?? [])].filter((_, at) => at % 4 === 3);
    expect(alphas(first)).toEqual([255, 255, 0, 0]);
    expect(alphas(second)).toEqual([0, 0, 255, 0]);
  });

  it("takes the last of several loop counts, and counts plays, not repetitions", async () => {
    expect(gif.read.factsOf(new Uint8Array(multipleLoopCounts)).loops).toBe(41);
  });

  it("reports delays as they are, even 0", async () => {
    expect((await decode(zeroDelays)).map(({ delayMs }) => delayMs)).toEqual([0, 0, 0, 0]);
  });

  it("clips frames to the canvas", async () => {
    expect(await decode(frameOutside)).toHaveLength(3);
    expect(gif.read.factsOf(new Uint8Array(frameOutside))).toMatchObject({ width: 16, height: 16 });
  });

  it("shows black where there is no palette", async () => {
    expect([...((await decode(noPalette))[0]?.pixels.data.subarray(0, 4) ?? [])]).toEqual([0, 0, 0, 255]);
  });

  it("reads an interlaced frame of a few rows", async () => {
    expect(await decode(smallInterlaced)).toHaveLength(1);
  });

  it("tells pictures that can show transparency from those that cannot", async () => {
    expect(gif.read.factsOf(new Uint8Array(disposeNone)).alpha).toBe(false);
    expect(gif.read.factsOf(new Uint8Array(disposeBackground)).alpha).toBe(true);
  });

  it("decodes a large still picture in bands", async () => {
    const bytes = new Uint8Array(bug00060);
    const facts = gif.read.factsOf(bytes);
    const demand = { box: { x: 0, y: 0, width: 1, height: 1 }, width: 1, height: 1 };
    const still = { ...facts, frames: 1, interlaced: false };
    expect(gif.read.estimate(still, demand).bytes).toBeLessThan(gif.read.estimate(facts, demand).bytes / 2);
  });
});
