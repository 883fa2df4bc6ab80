/** What is handed back as it came, must not tell more than its picture. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import gifFile from "../../fixtures/gif/muybridge.gif";
import pngFile from "../../fixtures/png/rgba-8-adam7.png";
import webpFile from "../../fixtures/webp/denali.webp";
import { jpegFile } from "../../support/jpeg-files.ts";
import { rendered } from "../../support/render.ts";
import { drain, type Pixels } from "../../support/rows.ts";
import { strippedFile } from "../../support/stripped.ts";

const SECRET = "52.5163N 13.3777E";

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function inserted(bytes: Uint8Array, at: number, ...parts: readonly ArrayLike<number>[]): Uint8Array {
  return Uint8Array.from([
    ...bytes.subarray(0, at),
    ...parts.flatMap((part) => Array.from(part)),
    ...bytes.subarray(at),
  ]);
}

const jpegSegment = (code: number, body: string) => [0xff, code, 0, body.length + 2, ...text(body)];
/** The checksum of an ancillary chunk is nobody's concern. */
const pngChunk = (type: string, body: string) => [0, 0, 0, body.length, ...text(type), ...text(body), 0, 0, 0, 0];
const webpChunk = (type: string, body: string) => [...text(type), body.length, 0, 0, 0, ...text(body)];

const original = {
  jpeg: jpegFile("s420"),
  png: new Uint8Array(pngFile),
  gif: new Uint8Array(gifFile),
  webp: new Uint8Array(webpFile),
};

/** Behind the header and the palette. */
const gifBody = 13 + (3 << (((original.gif[10] ?? 0) & 7) + 1));

/** The same pictures with a place name wherever formats have room for one. */
const telling = {
  jpeg: inserted(
    inserted(original.jpeg, original.jpeg.length, text(SECRET)),
    2,
    jpegSegment(0xe1, `Exif\0\0${SECRET}`),
    jpegSegment(0xed, `Photoshop 3.0\0${SECRET}`),
    jpegSegment(0xfe, SECRET),
  ),
  png: inserted(
    inserted(original.png, original.png.length, text(SECRET)),
    33,
    pngChunk("tEXt", `Comment\0${SECRET}`),
    pngChunk("eXIf", `MM\0*${SECRET}`),
  ),
  gif: inserted(
    inserted(original.gif, original.gif.length, text(SECRET)),
    gifBody,
    [0x21, 0xfe, SECRET.length, ...text(SECRET), 0],
    [0x21, 0xff, 11, ...text("XMP DataXMP"), SECRET.length, ...text(SECRET), 0],
  ),
  webp: inserted(
    original.webp,
    original.webp.length,
    webpChunk("EXIF", `MM\0*${SECRET}.`),
    webpChunk("XMP ", `${SECRET}.`),
  ),
};

/** What some readers of JPEG pass over, and others take for something else. */
const between = {
  "fill bytes": [0xff, 0xff, 0xff],
  "a restart marker": [0xff, 0xd0],
  "a marker of arithmetic codes": [0xff, 0x01],
  "bytes that are no segment": text("AB"),
  "a number of lines that holds a segment": jpegSegment(0xdc, `\0\u0001Exif\0\0${SECRET}`),
};

async function framesOf(name: keyof typeof original, bytes: Uint8Array): Promise<Pixels[]> {
  const row = FORMATS[name];
  const facts = row.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  return Array.fromAsync(row.read.open(bytes, facts, demand, UNPAUSED), ({ rows }) => drain(rows));
}

function holdsSecret(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).includes(SECRET);
}

async function optimized(bytes: Uint8Array, optimize: object, format?: object): Promise<Uint8Array> {
  const {
    output,
    optimize: wanted,
    ...operations
  } = parseBody(UploadBody, { optimize, ...(format && { output: format }) });
  const order = { operations, output, optimize: wanted, overlays: new Map(), accept: undefined };
  return (await rendered(bytes, order)).output.bytes;
}

const names = Object.keys(original) as (keyof typeof original)[];

describe("metadata", () => {
  it.each(names)("is left out of %s, and nothing else", async (name) => {
    const stripped = strippedFile(FORMATS[name].strip(telling[name]));
    expect(holdsSecret(telling[name])).toBe(true);
    expect(holdsSecret(stripped)).toBe(false);
    expect(await framesOf(name, stripped)).toEqual(await framesOf(name, original[name]));
    expect(FORMATS[name].read.factsOf(stripped)).toEqual(FORMATS[name].read.factsOf(original[name]));
  });

  it.each(names)("takes a copy of the file only where there is some, once the file is wanted: %s", (name) => {
    const bare = strippedFile(FORMATS[name].strip(original[name]));
    const [plain, told] = [bare, telling[name]].map((bytes) => FORMATS[name].strip(bytes));
    expect(plain?.copiedBytes).toBe(0);
    expect(plain?.file().buffer).toBe(bare.buffer);
    expect(told?.copiedBytes).toBe(told?.length);
    expect(told?.file()).toHaveLength(bare.length);
  });

  it.each(names)("does not come back with a file that could not be made smaller: %s", async (name) => {
    for (const optimize of [{ quality: 100 }, { lossless: true }, {}]) {
      expect(holdsSecret(await optimized(telling[name], optimize))).toBe(false);
    }
  });

  it.each(names)("cannot be told from the picture where that is cut short: %s", (name) => {
    const cut = original[name].subarray(0, original[name].length / 2);
    expect(FORMATS[name].strip(cut)).toBeNull();
  });

  it.each(Object.entries(between))("does not leave in a JPEG file with %s before its tables", async (_what, bytes) => {
    const exif = jpegSegment(0xe1, `Exif\0\0${SECRET}`);
    const file = inserted(original.jpeg, 20, exif, bytes);
    for (const format of ["jpeg", "jxl"]) {
      expect(holdsSecret(await optimized(file, { lossless: true }, { format }))).toBe(false);
    }
  });

  it("does not leave in a WebP file whose last chunk is cut short", async () => {
    const cut = Uint8Array.from([...telling.webp, ...text("XMP "), 0, 1, 0, 0, 60]);
    expect(holdsSecret(await optimized(cut, { lossless: true }))).toBe(false);
  });
});

describe("a JPEG file of 12 bits", () => {
  it.each([{}, { quality: 80 }, { quality: 100 }])("becomes one that every browser shows: %o", async (wanted) => {
    const bytes = await optimized(jpegFile("twelve-bits"), wanted);
    expect(FORMATS.jpeg.read.factsOf(bytes).depth).toBe(24);
  });

  it("keeps its bits where nothing may be lost", async () => {
    expect(FORMATS.jpeg.read.factsOf(await optimized(jpegFile("twelve-bits"), { lossless: true })).depth).toBe(36);
  });
});

describe("a picture that is to stay as it is", () => {
  it("is refused when it is damaged, even if nothing of it has to be decoded", async () => {
    const damaged = jpegFile("twelve-bits").slice();
    damaged.fill(0xff, damaged.length >> 1);
    await expect(optimized(damaged, { lossless: true })).rejects.toMatchObject({ status: 422 });
  });
});
