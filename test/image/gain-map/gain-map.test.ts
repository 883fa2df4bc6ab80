/** Gain maps stay with their pictures: what was bright is bright after every operation, and what was not is not. */
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { checked } from "../../../src/contract/message.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { profileSegments } from "../../../src/image/formats/jpeg/embed.ts";
import { firstPicture, otherPictures } from "../../../src/image/formats/jpeg/multi-picture.ts";
import { behindJfif, Segments } from "../../../src/image/formats/jpeg/segments.ts";
import { OPERATIONS, type OperationName } from "../../../src/image/operations.ts";
import type { SingleOrder } from "../../../src/image/render/order.ts";
import type { OperationRow } from "../../../src/image/steps/operation.ts";
import { joined } from "../../../src/joined.ts";
import faceFile from "../../fixtures/faces/one.jpg";
import appleFile from "../../fixtures/jpeg/apple-gain-map.jpg";
import ultraFile from "../../fixtures/jpeg/ultra-hdr.jpg";
import { COLORED, gray, mapOf, meanDifference, TERMS } from "../../support/gain-maps.ts";
import { decode, encode } from "../../support/jpeg-pixels.ts";
import { refusal } from "../../support/refusal.ts";
import { rendered } from "../../support/render.ts";
import { paint, sample } from "../../support/rows.ts";

/**
 * A picture whose map is the picture itself, at half its size: both are the same after everything that treats them
 * alike.
 */
function twins(terms = TERMS, file = encode(gray(160, 120))): Uint8Array {
  return jpeg.gainMap.write(encode(gray(320, 240)), { file, terms });
}

/** The mean difference between a picture and its map, in levels. */
function difference(file: Uint8Array): Promise<number> {
  return meanDifference(mapOf(file).pixels, decode(firstPicture(file)));
}

async function asked(path: string, file: Uint8Array = new Uint8Array()): Promise<Uint8Array | undefined> {
  const response = await fetch(`${inject("reader")}${path}`, { method: "POST", body: file.slice() });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
}

/** Places of bytes that the picture does not need: what is said of the map, and the map. */
function placesBeside(file: Uint8Array): number[] {
  const picture = firstPicture(file).length;
  const ranges: (readonly [number, number])[] = [];
  const segments = new Segments(file);
  while (segments.next()) {
    if (segments.code === 0xe1 || segments.code === 0xe2) ranges.push([segments.start, segments.end]);
  }
  ranges.push([picture, file.length]);
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index));
}

function withProfile(file: Uint8Array, profile: Uint8Array): Uint8Array {
  const at = behindJfif(file);
  return joined([file.subarray(0, at), ...profileSegments(profile), file.subarray(at)]);
}

type EncodeOptions = Partial<Pick<SingleOrder, "output" | "optimize" | "accept">> & { readonly operations?: object };

async function result(file: Uint8Array, { operations = {}, output, optimize, accept }: EncodeOptions = {}) {
  const parsed = Object.entries(operations).map(([name, params]) => {
    const row: OperationRow = OPERATIONS[name as OperationName];
    return [name, checked(row.params, params)] as const;
  });
  const order = {
    operations: Object.fromEntries(parsed),
    output: { hdr: "keep", ...output },
    optimize,
    accept,
  } as const;
  return (await rendered(file, order)).output;
}

const FINE = { optimize: { lossless: false, quality: 95 } } as const;

describe("output.hdr: keep", () => {
  it("leaves a map alone whose picture is not changed", async () => {
    const { bytes } = await result(twins());
    expect(mapOf(bytes)).toMatchObject({ terms: TERMS, pixels: decode(encode(gray(160, 120))) });
    expect(bytes.length).toBeLessThan(twins().length);
  });

  it("drops it unless it is asked for", async () => {
    for (const output of [undefined, { hdr: "drop" } as const]) {
      const { bytes } = (await rendered(twins(), { output })).output;
      expect(jpeg.gainMap.read(bytes)).toBeUndefined();
      expect(otherPictures(bytes)).toEqual([]);
    }
  });

  it("changes nothing where there is no map", async () => {
    const plain = encode(gray(320, 240));
    const operations = { resize: { width: 100 } };
    expect((await result(plain, { operations })).bytes).toEqual(
      (await result(plain, { operations, output: { hdr: "drop" } })).bytes,
    );
  });

  it.each([
    ["resize", { resize: { width: 100 } }],
    ["resize and fill", { resize: { width: 90, height: 120, mode: "fill", background: "000000" } }],
    ["enlarge", { resize: { width: 500 } }],
    ["crop", { crop: { x: 33, y: 51, width: 141, height: 97 } }],
    ["crop and resize", { crop: { x: 33, y: 51, width: 141, height: 97 }, resize: { width: 80 } }],
    ["flip", { flip: { horizontal: true } }],
    ["a quarter turn", { rotate: { angle: 90 } }],
    ["a turn of some degrees", { rotate: { angle: 12, background: "000000" } }],
    ["a turn of some degrees, reduced", { rotate: { angle: 353, background: "000000" }, resize: { width: 120 } }],
    ["padding", { padding: { left: 31, top: 17, right: 5, background: "000000" } }],
    ["padding of what was reduced", { resize: { width: 100 }, padding: { size: 21, background: "000000" } }],
    ["mask", { mask: { shape: "ellipse", background: "000000" } }],
    ["border", { border: { size: 14, radius: 40, background: "000000" } }],
    ["text", { text: { value: "HDR", size: 90, weight: 700, color: "000000" } }],
    ["blur", { filter: { blur: { value: 8 } } }],
    ["a disc", { filter: { blur: { mode: "disc", value: 20 } } }],
    ["motion", { filter: { blur: { mode: "motion", value: 20, angle: 30 } } }],
    ["zoom", { filter: { blur: { mode: "zoom", value: 40 } } }],
    ["pixellate", { filter: { pixellate: { value: 20 } } }],
  ])("does to the map what is done to the picture: %s", async (_, operations) => {
    const { bytes, facts } = await result(twins(), { operations, ...FINE });
    const { pixels } = mapOf(bytes);
    expect(pixels.width / pixels.height).toBeCloseTo(facts.width / facts.height, 1);
    expect(await difference(bytes)).toBeLessThan(3);
  });
});

describe("files with gain maps", () => {
  it("come back as they are", async () => {
    const { bytes } = await result(twins(), { operations: { resize: { width: 300 } } });
    expect((await result(bytes)).bytes).toEqual(bytes);
  });

  it.each([
    ["of Ultra HDR", ultraFile],
    ["of a phone", appleFile],
  ])("are not larger than originals: %s", async (_, original) => {
    for (const optimize of [undefined, { lossless: true }, { lossless: false, compression: "ultra" }] as const) {
      const { bytes } = await result(new Uint8Array(original), { optimize });
      expect(mapOf(bytes).pixels.width).toBe(mapOf(new Uint8Array(original)).pixels.width);
      expect(bytes.length).toBeLessThanOrEqual(original.byteLength);
    }
  });

  it("are not larger than originals that say everything once", async () => {
    const { bytes: file } = (await rendered(twins(), { output: { hdr: "drop" } })).output;
    const original = jpeg.gainMap.write(file, { file: mapOf((await result(twins())).bytes).file, terms: TERMS }, 0);
    const { bytes } = await result(original);
    expect(mapOf(bytes).terms).toEqual(TERMS);
    expect(bytes.length).toBeLessThanOrEqual(original.length);
  });

  it("have the size that is asked for, map included", async () => {
    for (const bytes of [3_600, 4_800]) {
      const made = (await result(twins(), { optimize: { lossless: false, target_bytes: bytes } })).bytes;
      expect(mapOf(made).terms).toEqual(TERMS);
      expect(made.length).toBeLessThanOrEqual(bytes);
      expect(made.length).toBeGreaterThan(bytes * 0.6);
    }
  });

  it("say twice where the map is and what it means", async () => {
    const { bytes } = await result(twins(COLORED), { operations: { resize: { width: 100 } } });
    const [map] = otherPictures(bytes);
    const named = (file: Uint8Array, name: string) => {
      let count = 0;
      const segments = new Segments(file);
      while (segments.next()) if (segments.begins(name)) count++;
      return count;
    };
    for (const file of [bytes, map ?? bytes]) {
      expect(named(file, "urn:iso:std:iso:ts:21496:-1\0")).toBe(1);
      expect(named(file, "http://ns.adobe.com/xap/1.0/\0")).toBe(1);
    }
    const length = new TextDecoder("latin1").decode(bytes).match(/Item:Length="(\d+)"/)?.[1];
    expect(Number(length)).toBe(map?.length);
    expect(firstPicture(bytes).length + Number(length)).toBe(bytes.length);
    // Where the index is gone, the directory says it.
    const unindexed = bytes.slice();
    unindexed.set(new TextEncoder().encode("MPX"), new TextDecoder("latin1").decode(bytes).indexOf("MPF\0"));
    expect(mapOf(unindexed).terms).toEqual(COLORED);
  });

  it("keep what else is kept in one packet of XMP", async (context) => {
    const tagged = await asked("/tagged", twins());
    if (!tagged) context.skip("no ExifTool");
    const { bytes } = await result(tagged ?? twins(), { output: { metadata: "all" } });
    const tags = JSON.parse(new TextDecoder().decode(await asked("/tags", bytes))) as Record<string, unknown>;
    expect(tags).toMatchObject({ "XMP-xmp:Rating": 4, "XMP-hdrgm:Version": 1, "MPF0:NumberOfImages": 2 });
    expect(tags["ExifTool:Warning"] ?? "").not.toMatch(/^(?!\[minor\])./);
  });

  it.for(["none", "copyright", "no-location"] as const)(
    "say no place, with metadata: %s",
    async (metadata, context) => {
      const map = await asked("/tagged", encode(gray(160, 120)));
      const original = await asked("/tagged", twins(TERMS, map));
      if (!original) context.skip("no ExifTool");
      for (const operations of [{}, { resize: { width: 100 } }, { flip: { vertical: true } }]) {
        const { bytes } = await result(original ?? twins(), { operations, output: { metadata } });
        const files = [bytes, ...otherPictures(bytes)];
        expect(files).toHaveLength(2);
        for (const file of files) {
          const tags = new TextDecoder().decode(await asked("/tags", file));
          expect(tags).not.toMatch(/GPS|Serial|SN-47|48\.85|Paris/);
          expect(new TextDecoder("latin1").decode(file)).not.toMatch(/GPS|SN-47|Paris/);
        }
      }
    },
  );

  it("hold gains of red, green and blue in the colors that these had", async () => {
    const { profile } = jpeg.read.factsOf(new Uint8Array(appleFile));
    if (!profile) throw new Error("the fixture has a profile");
    const original = jpeg.gainMap.write(
      withProfile(encode(paint(320, 240, (x, y) => [x & 255, y, 90, 255])), profile),
      {
        file: encode(paint(160, 120, (x, y) => [x, y, 90, 255])),
        terms: COLORED,
      },
    );
    expect(
      mapOf((await result(twins(COLORED), { operations: { resize: { width: 200 } } })).bytes).profile,
    ).toBeUndefined();
    const { bytes } = await result(original, { operations: { resize: { width: 200 } } });
    expect(mapOf(bytes)).toMatchObject({ profile, terms: { ...COLORED, inBaseColors: false } });
    const kept = await result(original, { operations: { resize: { width: 200 } }, output: { profile: "keep" } });
    expect(mapOf(kept.bytes)).toMatchObject({ profile: undefined, terms: COLORED });
  });
});

describe("where a map cannot be kept", () => {
  it.each(["png", "webp", "jxl", "gif", "jpeg2000"])("a format is refused by its name: %s", async (format) => {
    expect(await refusal(result(twins(), { output: { format } as SingleOrder["output"] }))).toEqual({
      status: 422,
      message: "output.hdr must be drop in this output.format, which cannot hold a gain map",
    });
  });

  it("it is not a format of auto", async () => {
    const accept = "image/avif,image/webp,*/*";
    const made = await result(twins(), {
      output: { format: "auto" },
      accept,
      operations: { mask: { shape: "ellipse" } },
    });
    expect(made.format).toBe(jpeg);
    expect(mapOf(made.bytes).terms).toEqual(TERMS);
  });

  it("redacted faces and rectangles are not in the map either", async () => {
    const picture = new Uint8Array(faceFile);
    const { width, height } = jpeg.read.factsOf(picture);
    const file = encode(paint(width >> 1, height >> 1, () => [200, 200, 200, 255]));
    const CORNER = { x: 0, y: 0, width: 40, height: 20 };
    const order = {
      operations: { redact: checked(OPERATIONS.redact.params, { faces: "blur", regions: [CORNER] }) },
      output: { hdr: "keep" },
    };
    const { input, output } = await rendered(
      jpeg.gainMap.write(picture, { file, terms: TERMS }),
      order as Partial<SingleOrder>,
    );
    const { pixels } = mapOf(output.bytes);
    expect(input.faces?.length).toBeGreaterThan(0);
    const corner = { ...CORNER, width: CORNER.width - 4, height: CORNER.height - 4 };
    for (const face of [corner, ...(input.faces ?? [])]) {
      const at = (x: number, y: number) => sample(pixels.data, 4 * ((y >> 1) * pixels.width + (x >> 1)));
      const [right, bottom] = [face.x + face.width - 2, face.y + face.height - 2];
      for (const level of [at(face.x, face.y), at(right, face.y), at(face.x, bottom), at(right, bottom)]) {
        expect(level).toBeLessThan(8);
      }
    }
    expect(Math.max(...pixels.data.filter((_, index) => index % 4 === 0))).toBeGreaterThan(190);
  });

  it.each([
    ["of another shape", encode(gray(160, 90))],
    ["much larger than its picture", encode(gray(800, 600))],
    ["without a picture", encode(gray(160, 120)).subarray(0, 300)],
  ])("the picture is as without: a map %s", async (_, file) => {
    const { bytes } = await result(twins(TERMS, file), { operations: { resize: { width: 100 } } });
    expect(jpeg.gainMap.read(bytes)).toBeUndefined();
    expect(decode(bytes).width).toBe(100);
  });

  it("damage beside the picture does no harm to it", async () => {
    const original = twins(COLORED);
    const others = placesBeside(original);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(others.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.option(fc.nat(original.length - firstPicture(original).length), { nil: 0, freq: 3 }),
        async (changes, missing) => {
          const damaged = original.slice(0, original.length - missing);
          for (const [index, value] of changes) {
            const at = others[index] ?? 0;
            if (at < damaged.length) damaged[at] = value;
          }
          const made = await result(damaged, { operations: { resize: { width: 64 } }, ...FINE });
          expect(made.facts).toMatchObject({ width: 64, height: 48 });
        },
      ),
      { numRuns: 60 },
    );
  });
});
