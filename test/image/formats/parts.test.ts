/** Files of more parts than any writer makes are refused, and what is named many times counts as often as it is read. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { readItems } from "../../../src/image/formats/heif/items.ts";
import { tiff as tiffFormat } from "../../../src/image/formats/tiff.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { PARTS } from "../../../src/limits/parts.ts";
import { decodeFile } from "../../support/files.ts";
import {
  FULL,
  VP8L,
  VP8X,
  box,
  heif,
  heifOfPieces,
  itemsOf,
  joined,
  repeated,
  riff,
  text,
  tiff,
  tiffOfStrips,
  u16,
  u32,
  webpChunk,
} from "../../support/framed.ts";
import { FRAMINGS } from "../../support/hostile-framing.ts";
import { gridOf, OWN_UNITS, sequenceOf, stillOf } from "../../support/shared-parts.ts";

const MEGABYTE = 1 << 20;

function refusalOf(bytes: Uint8Array): string {
  try {
    identify(bytes);
    return "read";
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return error.message;
  }
}

const units = (count: number) => stillOf({ units: 2 * count });
const chunks = (count: number) => riff(joined(VP8X(0), repeated(webpChunk("ABCD", []), 8 * count), VP8L));

function framing(name: string, bytes = MEGABYTE): Uint8Array {
  const make = FRAMINGS[name];
  if (!make) throw new Error(`there is no ${name}`);
  return make(bytes);
}

/** References between items, of an item that has a place. */
function references(bytes: number): Uint8Array {
  const iref = box("iref", FULL, repeated(box("auxl", u16(1), u16(1), u16(1)), bytes));
  const iprp = box("iprp", box("ipco"));
  return heif(itemsOf(1, "hvc1"), iprp, box("iloc", FULL, [0, 0], u16(0)), iref);
}

/** Tracks of sounds, which are passed over. */
function tracks(count: number): Uint8Array {
  const handler = box("hdlr", FULL, u32(0), text("soun"), new Uint8Array(13));
  const track = box("trak", box("mdia", handler, box("minf", box("stbl"))));
  const brands = box("ftyp", text("heic"), u32(0), text("msf1heic"));
  return joined(brands, box("moov", repeated(track, track.length * count)));
}

describe("a file of nothing but its smallest part", () => {
  it.each<[string, Uint8Array, { readonly most: number; readonly name: string }]>([
    ["units of an AVIF", units(MEGABYTE / 2), PARTS.units],
    ["units of a frame of an AVIF", sequenceOf(2, MEGABYTE / 8), PARTS.units],
    ["properties of an AVIF", stillOf({ properties: MEGABYTE }), PARTS.properties],
    ["boxes of a HEIC", heif(repeated(box("free"), MEGABYTE)), PARTS.boxes],
    ["boxes of a HEIC behind its list of items", joined(stillOf(), repeated(box("free"), MEGABYTE)), PARTS.boxes],
    ["chunks of a WebP", chunks(MEGABYTE / 8), PARTS.webpChunks],
    ["chunks of a frame of a WebP", framing("WebP, a frame of empty chunks"), PARTS.webpChunks],
    ["chunks of a PNG", framing("PNG, empty data"), PARTS.pngChunks],
    ["segments of a JPEG", framing("JPEG, empty segments"), PARTS.segments],
    ["blocks of a GIF", framing("GIF, empty extensions"), PARTS.blocks],
    ["pieces of an image of a GIF", framing("GIF, an image in pieces", 4 * MEGABYTE), PARTS.subBlocks],
    ["pieces of a profile of a GIF", framing("GIF, a profile in pieces", 4 * MEGABYTE), PARTS.subBlocks],
    ["units of a HEIC", framing("HEIC, units"), PARTS.slices],
    ["units of the configuration of a HEIC", framing("HEIC, units of a configuration"), PARTS.slices],
    ["boxes of a JPEG XL", framing("JPEG XL, empty boxes"), PARTS.jxlBoxes],
    ["pieces of a JPEG XL", framing("JPEG XL, a codestream in pieces"), PARTS.jxlBoxes],
    ["boxes of a JPEG 2000", framing("JPEG 2000, empty boxes"), PARTS.jp2Boxes],
    ["channels of a JPEG 2000", framing("JPEG 2000, channels"), PARTS.channels],
    ["markers of a JPEG 2000", framing("JPEG 2000, markers"), PARTS.markers],
    ["markers of a tile of a JPEG 2000", framing("JPEG 2000, markers of a tile"), PARTS.markers],
    ["resources of a PSD", framing("PSD, resources"), PARTS.resources],
    ["entries of a TIFF", framing("TIFF, entries"), PARTS.entries],
    ["references of a HEIC", references(MEGABYTE), PARTS.references],
    ["tracks of a HEIC", tracks(PARTS.tracks.most + 1), PARTS.tracks],
    [
      "pieces of items",
      heif(itemsOf(1, "hvc1"), box("iloc", [...FULL, 0, 0, ...u16(2)], repeated([0, 1, 0, 0, 255, 255], 12))),
      PARTS.extents,
    ],
  ])("is refused by its number of parts: %s", (_, bytes, { most, name }) => {
    expect(refusalOf(bytes)).toBe(`The image must have at most ${most} ${name}`);
  });

  it("is read with as many units or chunks as there may be", () => {
    expect(refusalOf(units(PARTS.units.most - OWN_UNITS))).toBe("read");
    expect(refusalOf(units(PARTS.units.most - OWN_UNITS + 1))).toContain("units");
    // A header and a picture are chunks, too.
    expect(refusalOf(chunks(PARTS.webpChunks.most - 2))).toBe("read");
    expect(refusalOf(chunks(PARTS.webpChunks.most - 1))).toContain("chunks");
  });
});

describe("bytes that are named many times", () => {
  const SHARED = "The image cannot be read: its parts share too many bytes";

  it("count for every place of a grid", () => {
    expect(refusalOf(gridOf(16, 0))).toBe("read");
    expect(refusalOf(gridOf(160, 4_000_000))).toBe(SHARED);
  });

  it("count for every frame of a sequence", () => {
    expect(refusalOf(sequenceOf(100, 1_000))).toBe("read");
    expect(refusalOf(sequenceOf(1_400, 1_000))).toBe(SHARED);
  });

  it("count for every value of a directory", () => {
    const shared = "The TIFF file cannot be read: its values share too many bytes";
    const long = (count: number) => [...u16(50_000 + count), ...u16(1), ...u32(MEGABYTE), ...u32(8)];
    const file = (values: number) =>
      tiff(
        Array.from({ length: values }, (_, index) => long(index)),
        new Uint8Array(MEGABYTE),
      );
    expect(refusalOf(file(1))).toBe("read");
    expect(refusalOf(file(8))).toBe(shared);
  });

  it("count for every strip of a picture", async () => {
    expect((await decodeFile(tiffFormat, tiffOfStrips(60, 1_000))).data).toHaveLength(60 * 16 * 4);
    const outcome = await decodeFile(tiffFormat, tiffOfStrips(60_000, 40_000)).then(() => "read", String);
    expect(outcome).toContain("share too many bytes");
  });

  it("are joined once where an item lies in several pieces", () => {
    const items = readItems(heifOfPieces(8, 1 / 8));
    const item = items.item(3);
    expect(items.length(item)).toBe(64);
    expect(items.data(item)).toBe(items.data(item));
    expect(items.data(item)).toHaveLength(64);
  });
});
