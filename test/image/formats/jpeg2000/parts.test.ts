/** Tile parts of JPEG 2000 codestreams: which numbers are accepted, and what may stand between them. */
import { describe, expect, it } from "vitest";

import { jpeg2000 } from "../../../../src/image/formats/jpeg2000.ts";
import lossless from "../../../fixtures/jpeg2000/lossless.jp2";
import parts from "../../../fixtures/jpeg2000/parts.j2k";
import tiles from "../../../fixtures/jpeg2000/tiles.j2k";
import { decodeFile, outcomeOf } from "../../../support/files.ts";
import { partsOf, renumbered, withEmptyParts, withReservedMarkers } from "./files.ts";

const PARTS = new Uint8Array(parts);
const TILES = new Uint8Array(tiles);

async function pixels(file: Uint8Array) {
  return (await decodeFile(jpeg2000, file)).data;
}

/** A copy whose tiles announce no number of parts, and whose segment of lengths (TLM) knows the first part of each. */
function lengthsOfFirstParts(codestream: Uint8Array): Uint8Array {
  const { parts: heads, begin } = partsOf(codestream);
  const entries = heads
    .filter(({ number }) => number === 0)
    .flatMap(({ tile, length }) => [tile, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]);
  const segment = [0xff, 0x55, 0, 4 + entries.length, 0, 0x50, ...entries];
  const unannounced = renumbered(codestream, () => ({ count: 0 }));
  return Uint8Array.from([...codestream.subarray(0, begin), ...segment, ...unannounced.subarray(begin)]);
}

describe("the tile parts of a JPEG 2000 file", () => {
  it("are read where every tile announces one too few, as files of Adobe Acrobat do", async () => {
    const file = renumbered(PARTS, ({ count }) => ({ count: count - 1 }));
    expect(await pixels(file)).toEqual(await pixels(new Uint8Array(lossless)));
  });

  it("are read where no tile announces any", async () => {
    expect(await pixels(renumbered(PARTS, () => ({ count: 0 })))).toEqual(await pixels(new Uint8Array(lossless)));
  });

  it.each([
    ["two parts more than announced", ({ count }) => ({ count: count - 2 })],
    ["more parts than a first one announces", ({ number }) => ({ count: number === 0 ? 2 : 0 })],
    ["a part that is there twice", ({ number }) => ({ number: Math.max(0, number - 1) })],
    ["parts that begin with 1", ({ number }) => ({ number: number + 1, count: 0 })],
    ["parts in reversed order", ({ number }) => ({ number: 8 - number })],
    ["a number beyond the last", ({ number }) => ({ number: number === 8 ? 255 : number, count: 0 })],
  ] as readonly (readonly [string, Parameters<typeof renumbered>[1]])[])(
    "are refused before anything is decoded: %s",
    (_name, change) => {
      expect(() => jpeg2000.read.factsOf(renumbered(PARTS, change))).toThrow("The JPEG 2000 file has a damaged tile");
    },
  );

  it("leave the decoder as it was, however few of them the segment of lengths knows", async () => {
    const expected = await pixels(PARTS);
    await outcomeOf(jpeg2000, lengthsOfFirstParts(PARTS));
    expect(await pixels(PARTS)).toEqual(expected);
  });

  it.each([
    ["one for each tile", TILES],
    ["several for each tile", PARTS],
  ])("may be empty, and reserved markers may stand before and in them: %s", async (_name, file) => {
    const expected = await pixels(file);
    expect(await pixels(withEmptyParts(file))).toEqual(expected);
    expect(await pixels(withReservedMarkers(file))).toEqual(expected);
    expect(await pixels(withReservedMarkers(withEmptyParts(file)))).toEqual(expected);
  });
});
