/** Which picture of a TIFF file is read: full ones before reduced ones, and previews of RAW files of cameras. */
import { describe, expect, it } from "vitest";

import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { tiff } from "../../../../src/image/formats/tiff.ts";
import { metadata } from "../../../../src/pipeline/process.ts";
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
    expect(tiff.read.probe(file)).toMatchObject({ width: 64, height: 40, orientation: 6, isPreview: true });
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
    ];
    for (const file of files) {
      expect(await refusal(rendered(file))).toEqual({
        status: 422,
        message: "The file is a camera's RAW file without a JPEG preview, and RAW is not decoded",
      });
    }
  });
});
