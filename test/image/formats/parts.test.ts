/** Files of more parts than any writer makes are refused, and what is named many times counts as often as it is read. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { identify } from "../../../src/image/detect.ts";
import { readItems } from "../../../src/image/formats/heif/items.ts";
import { PARTS } from "../../../src/limits/parts.ts";
import white from "../../fixtures/avif/white_1x1.avif";
import { VP8L, VP8X, box, heif, itemsOf, joined, repeated, riff, webpChunk } from "../../support/framed.ts";
import { FULL, heifOfPieces, u16 } from "../../support/framed.ts";
import { gridOf, pixelOf, sequenceOf, stillOf } from "../../support/shared-parts.ts";

const MEGABYTE = 1 << 20;
const pixel = pixelOf(new Uint8Array(white));

function refusalOf(bytes: Uint8Array): string {
  try {
    identify(bytes);
    return "read";
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return error.message;
  }
}

const units = (count: number) => stillOf(pixel, { units: 2 * count });
const chunks = (count: number) => riff(joined(VP8X(0), repeated(webpChunk("ABCD", []), 8 * count), VP8L));

describe("a file of nothing but its smallest part", () => {
  it.each<[string, Uint8Array, { readonly most: number; readonly name: string }]>([
    ["units of an AVIF", units(MEGABYTE / 2), PARTS.units],
    ["units of a frame of an AVIF", sequenceOf(pixel, 2, MEGABYTE / 8), PARTS.units],
    ["properties of an AVIF", stillOf(pixel, { properties: MEGABYTE }), PARTS.properties],
    ["boxes of a HEIC", heif(repeated(box("free"), MEGABYTE)), PARTS.boxes],
    ["boxes of a HEIC behind its list of items", joined(stillOf(pixel), repeated(box("free"), MEGABYTE)), PARTS.boxes],
    ["chunks of a WebP", chunks(MEGABYTE / 8), PARTS.webpChunks],
    [
      "pieces of items",
      heif(itemsOf(1, "hvc1"), box("iloc", [...FULL, 0, 0, ...u16(2)], repeated([0, 1, 0, 0, 255, 255], 12))),
      PARTS.extents,
    ],
  ])("is refused by its number of parts: %s", (_, bytes, { most, name }) => {
    expect(refusalOf(bytes)).toBe(`The image must have at most ${most} ${name}`);
  });

  it("is read with as many units or chunks as there may be", () => {
    // The picture itself has three units, and a WebP file three chunks.
    const own = 3;
    expect(refusalOf(units(PARTS.units.most - own))).toBe("read");
    expect(refusalOf(units(PARTS.units.most))).toContain("units");
    expect(refusalOf(chunks(PARTS.webpChunks.most - 2))).toBe("read");
    expect(refusalOf(chunks(PARTS.webpChunks.most - 1))).toContain("chunks");
  });
});

describe("bytes that are named many times", () => {
  const SHARED = "The image cannot be read: its parts share too many bytes";

  it("count for every place of a grid", () => {
    expect(refusalOf(gridOf(pixel, 16, 0))).toBe("read");
    expect(refusalOf(gridOf(pixel, 160, 4_000_000))).toBe(SHARED);
  });

  it("count for every frame of a sequence", () => {
    expect(refusalOf(sequenceOf(pixel, 100, 1_000))).toBe("read");
    expect(refusalOf(sequenceOf(pixel, 1_400, 1_000))).toBe(SHARED);
  });

  it("are joined once where an item lies in several pieces", () => {
    const items = readItems(heifOfPieces(8, 1 / 8));
    const item = items.item(3);
    expect(items.length(item)).toBe(64);
    expect(items.data(item)).toBe(items.data(item));
    expect(items.data(item)).toHaveLength(64);
  });
});
