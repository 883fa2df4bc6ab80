/** Which picture of a TIFF file is read: full ones before reduced ones, and previews of RAW files of cameras. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { tagged } from "../../../../src/image/formats/jpeg/tag.ts";
import { tiff } from "../../../../src/image/formats/tiff.ts";
import { Tiff } from "../../../../src/image/metadata/directories.ts";
import { withoutPrefix } from "../../../../src/image/metadata/exif.ts";
import { detect } from "../../../../src/image/plan/detect.ts";
import { joined } from "../../../../src/joined.ts";
import { metadata } from "../../../../src/pipeline/describe.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decodeFile, outcomeOf } from "../../../support/files.ts";
import { refusal } from "../../../support/refusal.ts";
import { rendered } from "../../../support/render.ts";
import { paint, pictureOf } from "../../../support/rows.ts";

const TAG = { subfile: 254, orientation: 274, subdirectories: 330, jpeg: 513, jpegBytes: 514, dng: 50_706 } as const;

type Tags = Readonly<Record<number, number>>;

interface Made {
  readonly tags: Tags;
  /** Of the picture: its place and length are tags 273 and 279, or 513 and 514. */
  readonly data?: Uint8Array;
  readonly isPointedTo?: boolean;
  readonly below?: readonly Made[];
}

/** A little-endian file of these directories in a chain, and those below them; all numbers are LONG. */
function fileOf(chain: readonly Made[]): Uint8Array {
  const bytes: number[] = [0x49, 0x49, 42, 0, 0, 0, 0, 0];
  const long = (at: number, value: number) => {
    for (let index = 0; index < 4; index++) bytes[at + index] = (value >>> (8 * index)) & 255;
  };
  const write = ({ tags, data, isPointedTo = false, below = [] }: Made): readonly [at: number, next: number] => {
    const children = below.map((child) => write(child)[0]);
    const start = bytes.length;
    bytes.push(...(data ?? []));
    const list = bytes.length;
    for (const child of children) {
      bytes.push(0, 0, 0, 0);
      long(bytes.length - 4, child);
    }
    const place = data && { [isPointedTo ? TAG.jpeg : 273]: start, [isPointedTo ? TAG.jpegBytes : 279]: data.length };
    const all = Object.entries({ ...tags, ...place, ...(children.length > 0 && { [TAG.subdirectories]: list }) });
    const at = bytes.length;
    bytes.push(all.length & 255, all.length >> 8);
    for (const [tag, value] of all.toSorted(([one], [other]) => Number(one) - Number(other))) {
      const entry = bytes.length;
      bytes.push(...Array.from({ length: 12 }, () => 0));
      bytes[entry] = Number(tag) & 255;
      bytes[entry + 1] = Number(tag) >> 8;
      bytes[entry + 2] = 4;
      const isList = Number(tag) === TAG.subdirectories;
      long(entry + 4, isList ? children.length : 1);
      long(entry + 8, isList && children.length === 1 ? (children[0] ?? 0) : value);
    }
    bytes.push(0, 0, 0, 0);
    return [at, bytes.length - 4];
  };
  let link = 4;
  for (const directory of chain) {
    const [at, next] = write(directory);
    long(link, at);
    link = next;
  }
  return Uint8Array.from(bytes);
}

/** A gray picture of one row, uncompressed. */
function gray(levels: readonly number[], more: Tags = {}): Made {
  const tags = { 256: levels.length, 257: 1, 258: 8, 259: 1, 262: 1, 277: 1, 278: 1, ...more };
  return { tags, data: Uint8Array.from(levels) };
}

async function jpegOf(width: number, height: number): Promise<Uint8Array> {
  const settings = { lossless: false, quality: 90, progressive: false, effort: 0.5 };
  return jpeg.write.encode(pictureOf([paint(width, height, (x) => [x * 4, 90, 30, 255])]), settings, UNPAUSED);
}

const SENSOR = gray([1, 2, 3, 4], { 262: 32_803 });

async function levelsOf(file: Uint8Array): Promise<number[]> {
  return [...(await decodeFile(tiff, file)).data].filter((_, at) => at % 4 === 0);
}

describe("a TIFF file with several pictures", () => {
  it.each([
    ["the first is a thumbnail", [gray([9], { [TAG.subfile]: 1 }), gray([10, 20, 30])]],
    ["the first is one by the older tag", [gray([9], { 255: 2 }), gray([10, 20, 30])]],
    ["the full one lies below", [{ ...gray([9], { [TAG.subfile]: 1 }), below: [gray([10, 20, 30])] }]],
    ["a mask comes before", [gray([9], { [TAG.subfile]: 4 }), gray([10, 20, 30])]],
    ["the first is a page", [gray([10, 20, 30], { [TAG.subfile]: 2 }), gray([7])]],
    ["the first says nothing", [gray([10, 20, 30]), gray([7, 8, 9, 10])]],
    ["all are reduced", [gray([10, 20, 30], { [TAG.subfile]: 1 }), gray([7], { [TAG.subfile]: 1 })]],
  ])("is the first that is not reduced: %s", async (_name, chain) => {
    expect(await levelsOf(fileOf(chain))).toEqual([10, 20, 30]);
  });

  it("is read from planes of a directory that is not the first", async () => {
    const planes = { 256: 1, 257: 1, 258: 8, 259: 1, 262: 2, 277: 3, 278: 1, 284: 2 };
    const file = fileOf([gray([9], { [TAG.subfile]: 1 }), { tags: planes, data: Uint8Array.of(50) }]);
    // Planes that are missing are damage, not those of another directory.
    expect(await outcomeOf(tiff, file)).toBe(422);
  });
});

describe("a RAW file of a camera", () => {
  it.each([
    ["a sensor's samples", {}],
    ["DNG", { [TAG.dng]: 0x0407_0001 }],
  ])("is its largest JPEG preview, turned by the tag of the file: %s", async (_name, tags) => {
    const [small, large] = [await jpegOf(16, 12), await jpegOf(64, 40)];
    const strip = { tags: { [TAG.subfile]: 1, 259: 7, 262: 6, 256: 64, 257: 40 }, data: large };
    const thumbnail = { tags: { [TAG.orientation]: 6, ...tags }, data: small, isPointedTo: true };
    const file = fileOf([{ ...thumbnail, below: [SENSOR, strip] }]);
    expect(tiff.read.factsOf(file)).toMatchObject({ width: 64, height: 40, orientation: 6, isPreview: true });
    expect((await decodeFile(tiff, file)).data).toEqual((await decodeFile(jpeg, large)).data);
    const { input, output } = await rendered(file, { output: { format: "png" } });
    expect([output.facts.width, output.facts.height]).toEqual([40, 64]);
    expect(metadata(input, "photo.dng", { bytes: file.length, sha1: "" })).toMatchObject({ width: 40, preview: true });
    expect(metadata(output, "photo.png", { bytes: 1, sha1: "" }).preview).toBeUndefined();
  });

  it("is refused by that name where it has no preview, or only samples of the sensor in a JPEG file", async () => {
    const lossless = (await jpegOf(64, 40)).slice();
    const at = lossless.findIndex((byte, index) => byte === 0xc0 && lossless[index - 1] === 0xff);
    lossless[at] = 0xc3;
    const files = [
      fileOf([{ ...gray([9, 9], { [TAG.subfile]: 1 }), below: [SENSOR] }]),
      fileOf([gray([9, 9], { [TAG.subfile]: 1, [TAG.dng]: 1 })]),
      fileOf([{ ...SENSOR, below: [{ tags: { 259: 7 }, data: lossless }] }]),
      fileOf([{ ...SENSOR, below: [{ tags: {}, data: (await jpegOf(8, 8)).subarray(1), isPointedTo: true }] }]),
      ...Object.values(foreign(lossless)),
    ];
    for (const file of files) {
      expect(await refusal(rendered(file))).toEqual({
        status: 415,
        message: "The file is a camera's RAW file without a JPEG preview, and RAW is not decoded",
      });
    }
  });
});

/** Boxes as files of Canon have them. */
function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  return joined([Uint8Array.of(0, 0, length >> 8, length & 255), new TextEncoder().encode(type), ...parts]);
}

/** The bytes of a file with other ones at its beginning. */
function signed(file: Uint8Array, signature: string): Uint8Array {
  const copy = file.slice();
  copy.set(new TextEncoder().encode(signature));
  return copy;
}

/** A JPEG file within each kind of files of cameras that is not TIFF, and samples of a sensor around it. */
function foreign(preview: Uint8Array, turn: Tags = { [TAG.orientation]: 6 }) {
  const noise = Uint8Array.from({ length: 999 }, (_, at) => (at * at) % 256);
  const inner = joined([noise, preview, noise]);
  const directory = fileOf([{ tags: turn, data: inner }]);
  const brand = box("ftyp", new TextEncoder().encode("crx \0\0\0\u0001crx isom"));
  const turned = box("CMT1", fileOf([{ tags: turn }]));
  const canon = joined([brand, box("moov", box("uuid", new Uint8Array(16), turned)), box("mdat", inner)]);
  return {
    ORF: signed(directory, "IIRO"),
    "ORF, another version": signed(directory, "IIRS"),
    RW2: signed(directory, "IIU\0"),
    CR3: canon,
    RAF: joined([new TextEncoder().encode("FUJIFILMCCD-RAW 0201"), inner]),
    X3F: joined([new TextEncoder().encode("FOVb"), new Uint8Array(12), inner]),
    CRW: joined([new TextEncoder().encode("II\u001A\0\0\0HEAPCCDR"), inner]),
  };
}

const SOFTWARE = 305;

describe("a RAW file that is not TIFF", () => {
  it.each(["ORF", "ORF, another version", "RW2", "CR3"] as const)(
    "is its largest JPEG file, turned by its own tag: %s",
    async (kind) => {
      const preview = joined([await jpegOf(16, 12), await jpegOf(64, 40)]);
      const file = foreign(preview)[kind];
      expect(detect(file)).toBe("tiff");
      expect(tiff.read.factsOf(file)).toMatchObject({ width: 64, height: 40, orientation: 6, isPreview: true });
      expect((await decodeFile(tiff, file)).data).toEqual((await decodeFile(jpeg, await jpegOf(64, 40))).data);
    },
  );

  it.each(["RAF", "X3F", "CRW"] as const)("is its largest JPEG file, turned by the tag in that: %s", async (kind) => {
    const turned = tagged(await jpegOf(64, 40), 8);
    const file = foreign(joined([await jpegOf(16, 12), turned]))[kind];
    expect(detect(file)).toBe("tiff");
    expect(tiff.read.factsOf(file)).toMatchObject({ width: 64, height: 40, orientation: 8, isPreview: true });
  });

  it("has its preview among the notes of its maker where the directories have a thumbnail", async () => {
    const preview = await jpegOf(400, 300);
    const notes = { tags: { [TAG.subfile]: 1 }, data: preview };
    const file = fileOf([{ tags: {}, data: await jpegOf(16, 12), isPointedTo: true, below: [SENSOR, notes] }]);
    expect(tiff.read.factsOf(file)).toMatchObject({ width: 400, height: 300, isPreview: true });
  });

  it("keeps what its directories say of the photograph", async () => {
    const tags = { [TAG.orientation]: 6, 282: 72, [SOFTWARE]: 0x41_42_43 };
    const { output } = await rendered(foreign(await jpegOf(64, 40), tags).CR3, {
      output: { format: "jpeg", metadata: "all" },
    });
    expect(output.facts).toMatchObject({ width: 40, height: 64, orientation: 1 });
    const exif = Tiff.of(withoutPrefix(jpeg.metadata?.read(output.bytes).exif ?? new Uint8Array(0)));
    expect(exif?.entries(exif.first).map(({ tag }) => tag)).toContain(SOFTWARE);
  });

  it("does not speak of an option that is none for it where its preview is damaged", async () => {
    const whole = await jpegOf(64, 40);
    const cut = joined([whole.subarray(0, whole.length - 30), Uint8Array.of(0xff, 0xd9)]);
    for (const file of Object.values(foreign(cut))) {
      const refused = await refusal(rendered(file, { input: { damaged: "show" }, output: { format: "png" } }));
      expect(refused).toEqual({
        status: 422,
        message: "The JPEG file is damaged, cut short or of an unsupported kind",
      });
    }
  });
});
