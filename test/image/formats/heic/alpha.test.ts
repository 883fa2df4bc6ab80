/** Alpha whose samples have the limited range of video: a message beside the picture says so, or the video signal. */
import { describe, expect, it } from "vitest";

import { heic } from "../../../../src/image/formats/heic.ts";
import { alphaRangeOf } from "../../../../src/image/formats/heic/alpha.ts";
import alpha from "../../../fixtures/heic/alpha.heic";
import { decodeFile } from "../../../support/files.ts";
import { sample } from "../../../support/rows.ts";

/** The byte of the alpha's sequence parameter set that says video_full_range_flag, and the bit in it. */
const RANGE_AT = 585;
const FULL_RANGE = 0x04;
/** The alpha's video parameter set, which libde265 does not need: its type within `hvcC`, and its 23 bytes. */
const VIDEO_TYPE_AT = 525;
const VIDEO_AT = 530;
const VIDEO_BYTES = 23;
const VIDEO_TYPE = 32;
/** A unit of messages (SEI) that come before the picture: its header of two bytes, and its type in `hvcC`. */
const MESSAGES = [0x4e, 0x01];
const MESSAGE_TYPE = 39;

/** "Alpha channel information" of 8 bits with these levels; then the last bit of the unit. */
function information(clear: number, opaque: number): number[] {
  const bits = `0000000${clear.toString(2).padStart(9, "0")}${opaque.toString(2).padStart(9, "0")}00`.padEnd(32, "0");
  return [165, 4, ...[0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(at, at + 8), 2)), 0x80];
}

/** The fixture, said to be of limited range by its video signal or by a message. */
function variant({ signal, levels }: { signal: "full" | "limited"; levels?: [number, number] }): Uint8Array {
  const file = new Uint8Array(alpha).slice();
  const said = sample(file, RANGE_AT);
  expect(said & FULL_RANGE).toBe(FULL_RANGE);
  if (signal === "limited") file[RANGE_AT] = said & ~FULL_RANGE;
  if (levels) {
    expect(file[VIDEO_TYPE_AT]).toBe(VIDEO_TYPE);
    file[VIDEO_TYPE_AT] = MESSAGE_TYPE;
    file.fill(0, VIDEO_AT, VIDEO_AT + VIDEO_BYTES);
    file.set([...MESSAGES, ...information(...levels)], VIDEO_AT);
  }
  return file;
}

async function alphaOf(file: Uint8Array): Promise<number[]> {
  return [...(await decodeFile(heic, file)).data].filter((_, at) => at % 4 === 3);
}

const widened = (level: number) => Math.round((Math.min(Math.max(level - 16, 0), 219) * 255) / 219);

describe("alpha of limited range", () => {
  it("is widened where the video signal says so", async () => {
    const full = await alphaOf(variant({ signal: "full" }));
    expect(full.some((level) => level > 16 && level < 235)).toBe(true);
    expect(await alphaOf(variant({ signal: "limited" }))).toEqual(full.map(widened));
  });

  it("is what a message says before what the video signal says", async () => {
    const full = await alphaOf(variant({ signal: "full" }));
    expect(await alphaOf(variant({ signal: "limited", levels: [0, 255] }))).toEqual(full);
    expect(await alphaOf(variant({ signal: "full", levels: [16, 235] }))).toEqual(full.map(widened));
  });

  const OTHER = [1, 3, 9, 9, 9];
  it.each([
    ["nothing", [], undefined],
    ["the whole range", information(0, 255), "full"],
    ["limited range", information(16, 235), "limited"],
    ["another message before it", [...OTHER, ...information(16, 235)], "limited"],
    [
      "a long type and size",
      [255, 5, 255, 1, ...Array.from({ length: 256 }, () => 7), ...information(16, 235)],
      "limited",
    ],
    ["that it is taken back", [165, 1, 0x80, 0x80], undefined],
    ["less than its size", [165, 200, 0], undefined],
    ["a size without end", Array.from({ length: 40 }, () => 255), undefined],
  ])("is told from %s", (_name, message, range) => {
    expect(alphaRangeOf({ messages: [Uint8Array.from([...MESSAGES, ...message])] })).toBe(range);
  });
});
