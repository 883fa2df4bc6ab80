/** Gain maps in HEIC and AVIF files: read as others write them, and written so that the picture is what every reader shows. */
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { displayP3 } from "../../../../src/image/color/space.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { heic } from "../../../../src/image/formats/heic.ts";
import { ascii, box } from "../../../../src/image/formats/heif/boxes.ts";
import { copiedItems } from "../../../../src/image/formats/heif/copy.ts";
import { readItems } from "../../../../src/image/formats/heif/items.ts";
import { turnsOf } from "../../../../src/image/formats/heif/properties.ts";
import { itemPieces, type WrittenItem, type WrittenProperty } from "../../../../src/image/formats/heif/write.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import type { GainTerms } from "../../../../src/image/gain-map/terms.ts";
import type { Orientation } from "../../../../src/image/pixels/geometry.ts";
import { joined } from "../../../../src/joined.ts";
import gridFile from "../../../fixtures/avif/gain-map-grid.avif";
import laterFile from "../../../fixtures/avif/gain-map-later.avif";
import unknownFile from "../../../fixtures/avif/gain-map-unknown.avif";
import { appleXmp, ofApple } from "../../../support/apple-heic.ts";
import { COLORED, exifOfApple, gray, meanDifference, TERMS } from "../../../support/gain-maps.ts";
import { FINE, fileOf, FORMATS, type Name, NAMES, result, shown, useFiles } from "../../../support/heif-gain-maps.ts";
import { decode, encode } from "../../../support/jpeg-pixels.ts";
import type { Reading } from "../../../support/reader.ts";
import { rendered } from "../../../support/render.ts";

useFiles();

/** A picture whose map is the picture itself, at half its size. */
function twins(name: Name, terms: GainTerms = TERMS): Uint8Array {
  return FORMATS[name].gainMap.write(fileOf(name, "picture"), { file: fileOf(name, "map"), terms });
}

/** A file whose items lie in other ways. @param turns of the picture, and of its map */
function turned(file: Uint8Array, turns: { readonly picture: Orientation; readonly map: Orientation }): Uint8Array {
  const items = readItems(file);
  const picture = items.primary;
  const derived = items.references.find(({ from }) => items.item(from).type === "tmap");
  const map = items.item(derived?.to[1] ?? 0);
  const all = new Set([picture, map, items.item(derived?.from ?? 0)]);
  const { items: copies, references } = copiedItems(items, all);
  const lying = (item: WrittenItem, orientation: Orientation): WrittenItem => {
    const own = turnsOf(orientation).map(({ type, payload }): WrittenProperty => ({
      box: box(type, payload),
      essential: true,
    }));
    return { ...item, properties: [...item.properties, ...own] };
  };
  const written = copies.map((item, index) =>
    index === 0 ? lying(item, turns.picture) : index === 1 ? lying(item, turns.map) : item,
  );
  const groups = [{ type: "altr", members: [3, 1] }];
  return joined(itemPieces(["avif", "mif1", "tmap"], { items: written, references, groups, primary: 1 }));
}

async function difference(name: Name | "jpeg", file: Uint8Array): Promise<number> {
  const map = { ...FORMATS, jpeg }[name].gainMap.read(file);
  if (!map) throw new Error("the file has no gain map");
  return meanDifference(await shown(map.file), await shown(file));
}

async function asked(path: string, file: Uint8Array = new Uint8Array()): Promise<Uint8Array | undefined> {
  const response = await fetch(`${inject("reader")}${path}`, { method: "POST", body: file.slice() });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
}

/** A file whose colors are those of an ordinary screen, and not of PQ. */
function ordinary(file: ArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(file.slice(0));
  const view = new DataView(bytes.buffer);
  const text = new TextDecoder("latin1").decode(bytes);
  for (let at = text.indexOf("nclx"); at >= 0; at = text.indexOf("nclx", at + 1)) {
    if (view.getUint16(at + 6) === 16) view.setUint16(at + 6, 13);
  }
  return bytes;
}

describe("maps that others wrote", () => {
  it("are read from grids", async () => {
    const map = avif.gainMap.read(ordinary(gridFile));
    expect(map?.terms).toMatchObject({ baseHeadroom: 3, alternateHeadroom: 0, inBaseColors: true });
    expect(map?.terms.channels).toMatchObject([
      { min: -1, max: 11, gamma: 1, baseOffset: 0, alternateOffset: 0 },
      { min: -0.5, max: 6, gamma: 0.5, baseOffset: 0.01, alternateOffset: 0.02 },
      { min: -1 / 3, max: 13 / 3, gamma: 1 / 3, baseOffset: 0.02, alternateOffset: 0.04 },
    ]);
    const { width, height } = await shown(map?.file ?? new Uint8Array());
    expect([width, height]).toEqual([128, 160]);
  });

  it("are read from writers of later versions that older readers may read, and from no others", () => {
    expect(avif.gainMap.read(ordinary(laterFile))?.terms.baseHeadroom).toBe(3);
    expect(avif.gainMap.read(ordinary(unknownFile))).toBeUndefined();
  });

  it("are no maps to a picture of high dynamic range, which becomes another", async () => {
    const { bytes } = await result(new Uint8Array(gridFile), { output: { format: "jpeg" } });
    expect(jpeg.gainMap.read(bytes)).toBeUndefined();
  });

  it.each([
    ["in maker notes", { xmp: appleXmp(""), exif: exifOfApple(1.2, 0) }, 3],
    ["in maker notes alone", { exif: exifOfApple(0.8, 1) }, 1.5],
    [
      "in XMP",
      { xmp: appleXmp("<HDRGainMap:HDRGainMapHeadroom>4</HDRGainMap:HDRGainMapHeadroom>"), exif: exifOfApple(1, 0) },
      2,
    ],
  ])("are those of phones that say %s how bright they are", async (_, said, stops) => {
    const { bytes } = await result(ofApple([fileOf("heic", "picture"), fileOf("heic", "map")], said), {
      output: { format: "jpeg" },
      operations: { resize: { width: 200 } },
    });
    const map = jpeg.gainMap.read(bytes);
    expect(map?.terms.alternateHeadroom).toBeCloseTo(stops, 4);
    expect(map?.terms.channels[0].max).toBeCloseTo(stops, 4);
    // What is encoded as Rec. 709 has it became stops.
    const [own, picture] = [decode(map?.file ?? bytes), await shown(bytes)];
    const [at, over] = [4 * (30 * own.width + 80), 4 * (60 * picture.width + 160)];
    const light = (((picture.data[over] ?? 0) / 255 + 0.099) / 1.099) ** (1 / 0.45);
    const level = (255 * Math.log2(1 + (2 ** stops - 1) * light)) / stops;
    expect(Math.abs((own.data[at] ?? 0) - level)).toBeLessThan(6);
  });

  it("are nothing where nobody says how bright they are", () => {
    for (const said of [{}, { xmp: appleXmp("") }, { exif: exifOfApple() }, { exif: exifOfApple(1, 30) }]) {
      expect(heic.gainMap.read(ofApple([fileOf("heic", "picture"), fileOf("heic", "map")], said))).toBeUndefined();
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)("lie as they are shown, where both are turned by %i", async (turn) => {
    const { bytes } = await result(turned(twins("avif"), { picture: turn, map: turn }), { output: { format: "jpeg" } });
    expect(await difference("jpeg", bytes)).toBeLessThan(3);
  });

  it.each([
    [3, 1],
    [1, 2],
    [4, 3],
  ] as const)("lie as they are shown: the picture by %i, its map by %i", async (picture, map) => {
    const { bytes } = await result(turned(twins("avif"), { picture, map }), { output: { format: "jpeg" } });
    expect(await difference("jpeg", bytes)).toBeGreaterThan(10);
    // What is shown of the values is the picture turned so.
    const values = jpeg.gainMap.read(bytes)?.file ?? bytes;
    const alone = await shown(turned(twins("avif"), { picture: map, map }));
    expect(await meanDifference(decode(values), alone)).toBeLessThan(3);
  });
});

describe("files with maps", () => {
  it("show the picture to readers that know of no maps", async () => {
    const { bytes } = await result(twins("avif"), {
      operations: { resize: { width: 200 } },
      output: { format: "avif" },
    });
    const read = async (file: Uint8Array) =>
      JSON.parse(new TextDecoder().decode(await asked("/reading", file))) as Reading;
    const plain = (
      await result(twins("avif"), { operations: { resize: { width: 200 } }, output: { format: "avif", hdr: "drop" } })
    ).bytes;
    expect(avif.gainMap.read(plain)).toBeUndefined();
    expect(await read(bytes)).toEqual(await read(plain));
    expect((await read(bytes)).width).toBe(200);
  });
});

describe.each(NAMES)("output.hdr: keep in %s", (name) => {
  const other = name === "avif" ? "heic" : "avif";

  it.each([
    ["resize", { resize: { width: 100 } }],
    ["crop and resize", { crop: { x: 33, y: 51, width: 141, height: 97 }, resize: { width: 80 } }],
    ["a quarter turn", { rotate: { angle: 90 } }],
    ["padding", { padding: { left: 31, top: 17, right: 5, background: "000000" } }],
  ])("does to the map what is done to the picture: %s", async (_, operations) => {
    const made = await result(twins(other, COLORED), { operations, output: { format: name } });
    expect(FORMATS[name].gainMap.read(made.bytes)?.terms).toEqual(COLORED);
    expect(await difference(name, made.bytes)).toBeLessThan(3);
  });

  it("brings maps from JPEG, and back", async () => {
    const file = jpeg.gainMap.write(encode(gray(320, 240)), { file: encode(gray(160, 120)), terms: TERMS });
    const there = await result(file, { output: { format: name }, operations: { resize: { width: 200 } } });
    const back = await result(there.bytes, { output: { format: "jpeg" }, operations: { flip: { horizontal: true } } });
    expect(jpeg.gainMap.read(back.bytes)?.terms).toEqual(TERMS);
    expect(await difference("jpeg", back.bytes)).toBeLessThan(3);
  });

  it("leaves a map alone whose picture is not changed", async () => {
    const file = twins(name);
    const { bytes } = await result(file, { optimize: undefined });
    const before = FORMATS[name].gainMap.read(file);
    expect(FORMATS[name].gainMap.read(bytes)).toEqual(before);
    expect(bytes.length).toBeLessThanOrEqual(file.length);
  });

  it("drops it unless it is asked for", async () => {
    const { bytes } = (await rendered(twins(name), { output: { hdr: "drop" } })).output;
    expect(FORMATS[name].gainMap.read(bytes)).toBeUndefined();
    expect(new TextDecoder("latin1").decode(bytes)).not.toContain("tmap");
  });

  it("has the size that is asked for, map included", async () => {
    const made = (await result(twins(name), { optimize: { lossless: false, target_bytes: 5_000 } })).bytes;
    expect(FORMATS[name].gainMap.read(made)?.terms).toEqual(TERMS);
    expect(made.length).toBeLessThanOrEqual(5_000);
  });

  it.for(["none", "copyright", "no-location"] as const)(
    "says no place, with metadata: %s",
    async (metadata, context) => {
      const map = await asked("/tagged", fileOf(name, "map"));
      const tagged = await asked("/tagged", fileOf(name, "picture"));
      if (!map || !tagged) return context.skip("no ExifTool");
      const original = FORMATS[name].gainMap.write(tagged, { file: map, terms: TERMS });
      expect(new TextDecoder("latin1").decode(original)).toMatch(/Paris/);
      for (const format of [name, "jpeg"] as const) {
        for (const operations of [{}, { resize: { width: 100 } }]) {
          const { bytes } = await result(original, { operations, output: { metadata, format } });
          expect({ ...FORMATS, jpeg }[format].gainMap.read(bytes)).toBeDefined();
          expect(new TextDecoder("latin1").decode(bytes)).not.toMatch(/GPS|SN-47|Paris/);
          expect(new TextDecoder().decode(await asked("/tags", bytes))).not.toMatch(/GPS|Serial|SN-47|48\.85|Paris/);
        }
      }
    },
  );

  it("keeps what else is kept", async (context) => {
    const tagged = await asked("/tagged", fileOf(name, "picture"));
    if (!tagged) return context.skip("no ExifTool");
    const original = FORMATS[name].gainMap.write(tagged, { file: fileOf(name, "map"), terms: TERMS });
    const { bytes } = await result(original, { output: { metadata: "all" }, operations: { resize: { width: 100 } } });
    expect(FORMATS[name].gainMap.read(bytes)?.terms).toEqual(TERMS);
    expect(new TextDecoder().decode(await asked("/tags", bytes))).toMatch(/Paris/);
  });

  it("holds gains of red, green and blue in the colors that these had", async () => {
    const { profile } = displayP3();
    const terms = { ...COLORED, inBaseColors: false };
    const file = FORMATS[name].gainMap.write(fileOf(name, "picture"), { file: fileOf(name, "map"), terms, profile });
    expect(FORMATS[name].gainMap.read(file)).toMatchObject({ terms, profile });
    const { bytes } = await result(file, { operations: { resize: { width: 200 } }, output: { format: "jpeg" } });
    expect(jpeg.gainMap.read(bytes)).toMatchObject({ terms, profile });
  });
});

describe("maps that cannot be kept", () => {
  it("are those of items that nobody may show in place of the picture", () => {
    const file = twins("avif");
    const at = new TextDecoder("latin1").decode(file).indexOf("altr");
    file.set(ascii("ster"), at);
    expect(avif.gainMap.read(file)).toBeUndefined();
  });

  it("do no harm to the picture, whatever is damaged in what is said of them, and in them", async () => {
    const original = twins("avif", COLORED);
    const items = readItems(original);
    const from = (bytes: Uint8Array) => [bytes.byteOffset - original.byteOffset, bytes.length] as const;
    const derived = items.references.find(({ type, to }) => type === "dimg" && to.length === 2);
    const parts = [derived?.from, derived?.to[1]].map((id) => from(items.data(items.item(id ?? 0))));
    const groups = new TextDecoder("latin1").decode(original).indexOf("grpl");
    const ranges = [...parts, [groups + 4, 24] as const];
    const places = ranges.flatMap(([start, length]) => Array.from({ length }, (_, index) => start + index));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(places.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const damaged = original.slice();
          for (const [index, value] of changes) damaged[places[index] ?? 0] = value;
          const made = await result(damaged, { operations: { resize: { width: 64 } }, output: { format: "jpeg" } });
          expect(made.facts).toMatchObject({ width: 64, height: 48 });
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    ["of another shape", () => encode(gray(160, 90))],
    ["much larger than its picture", () => encode(gray(800, 600))],
  ])("are ones %s", async (_, pixels) => {
    const file = (await rendered(pixels(), { output: { format: "heic" }, optimize: FINE })).output.bytes;
    const original = heic.gainMap.write(fileOf("heic", "picture"), { file, terms: TERMS });
    const { bytes } = await result(original, { operations: { resize: { width: 100 } }, output: { format: "jpeg" } });
    expect(jpeg.gainMap.read(bytes)).toBeUndefined();
    expect(decode(bytes).width).toBe(100);
  });

  it("are ones whose size is not what is said of it", async () => {
    const file = fileOf("avif", "map").slice();
    const at = new TextDecoder("latin1").decode(file).indexOf("ispe") + 8;
    new DataView(file.buffer, file.byteOffset).setUint32(at, 161);
    const original = avif.gainMap.write(fileOf("avif", "picture"), { file, terms: TERMS });
    const { bytes } = await result(original, { operations: { resize: { width: 100 } }, output: { format: "jpeg" } });
    expect(jpeg.gainMap.read(bytes)).toBeUndefined();
    expect(decode(bytes).width).toBe(100);
  });
});
