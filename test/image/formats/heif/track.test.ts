/** HEIF files that hold their picture in a track. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../../src/image/codec/format.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { heic } from "../../../../src/image/formats/heic.ts";
import { detect } from "../../../../src/image/plan/detect.ts";
import animated from "../../../fixtures/avif/colors-animated-8bpc.avif";
import tracksAlpha from "../../../fixtures/avif/tracks-alpha.avif";
import sequence from "../../../fixtures/heic/sequence.heic";
import { beginnings, decodeFile, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";

/** Where the first box of a type begins, looked for by its name. */
function boxAt(bytes: Uint8Array, type: string): number {
  return new TextDecoder("latin1").decode(bytes).indexOf(type) - 4;
}

/** The file with its items hidden, so that its tracks are all there is. */
function withoutItems(file: ArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(file).slice();
  bytes.set(new TextEncoder().encode("free"), boxAt(bytes, "meta") + 4);
  return bytes;
}

/** The file with another matrix in the header of its first track: a, b, then c, d. */
function turned(bytes: Uint8Array, [a, b, c, d]: readonly [number, number, number, number]): Uint8Array {
  const copy = bytes.slice();
  const tkhd = boxAt(copy, "tkhd");
  const matrixAt = tkhd + 12 + (copy[tkhd + 8] === 1 ? 32 : 20) + 16;
  const view = new DataView(copy.buffer);
  for (const [place, value] of [a, b, 0, c, d].entries()) view.setInt32(matrixAt + place * 4, value * 0x10000);
  return copy;
}

const FILES = [
  ["AVIF", avif, withoutItems(animated), { width: 150, height: 150, alpha: false, frames: 5 }],
  ["AVIF with alpha", avif, new Uint8Array(tracksAlpha), { width: 150, height: 150, alpha: true, frames: 5 }],
  ["HEIC", heic, withoutItems(sequence), { width: 200, height: 160, alpha: false, frames: 1 }],
] as const satisfies readonly (readonly [string, FormatDefinition, Uint8Array, object])[];

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** A box whose payload is text. */
function boxOf(type: string, payload: string): Uint8Array {
  const size = 8 + payload.length;
  return Uint8Array.of(0, 0, size >> 8, size & 255, ...new TextEncoder().encode(type + payload));
}

/** The file with its items as they were before they were hidden, those of EXIF and XMP among them. */
function describedSequence(): Uint8Array {
  const bytes = new Uint8Array(tracksAlpha).slice();
  bytes.set(new TextEncoder().encode("meta"), boxAt(bytes, "free") + 4);
  return bytes;
}

/** Where an item of a kind of metadata lies, by the list of items at the top of the file. */
function itemAt(bytes: Uint8Array, id: number): { entry: number; from: number } {
  const view = new DataView(bytes.buffer);
  const entry = boxAt(bytes, "iloc") + 16 + (id - 1) * 14;
  expect(view.getUint16(entry)).toBe(id);
  return { entry, from: view.getUint32(entry + 6) };
}

describe("a HEIF file that has tracks and no items", () => {
  it.each(FILES)("is recognized, HEIC as a still picture: %s", async (_name, format, bytes, facts) => {
    expect(detect(bytes)).toBe(format.label.toLowerCase());
    expect(format.read.factsOf(bytes)).toMatchObject({ ...facts, orientation: 1 });
  });

  it.each([
    ["AVIF", avif, animated],
    ["HEIC", heic, sequence],
  ])("shows its first frame, which its item was: %s", async (_name, format, file) => {
    expect(await decodeFile(format, withoutItems(file))).toEqual(await decodeFile(format, new Uint8Array(file)));
  });

  it.each([
    ["AVIF", withoutItems(animated), "8b21cee93115b289"],
    ["AVIF with alpha", new Uint8Array(tracksAlpha), "c87fd8f3ac6aed6d"],
  ])("shows what avifdec shows, which reads the tracks of the whole file: %s", async (_name, bytes, expected) => {
    expect(await fileDigest(avif, bytes)).toBe(expected);
  });

  it.each([
    ["not", [1, 0, 0, 1], 1],
    ["by a quarter", [0, 1, -1, 0], 6],
    ["by half", [-1, 0, 0, -1], 3],
    ["by three quarters", [0, -1, 1, 0], 8],
  ] as const)("is turned as its matrix says: %s", (_name, matrix, orientation) => {
    expect(avif.read.factsOf(turned(withoutItems(animated), matrix)).orientation).toBe(orientation);
  });

  it("keeps its frames and their places when metadata is stripped", async () => {
    const bytes = new Uint8Array(tracksAlpha);
    const stripped = avif.strip(bytes).file();
    expect(stripped).toHaveLength(bytes.length);
    expect(textOf(bytes)).toMatch(/Pixel 4a.*xmpmeta/s);
    expect(textOf(stripped)).not.toMatch(/Exif|mime|xmp/);
    expect(await fileDigest(avif, stripped)).toBe("c87fd8f3ac6aed6d");
  });

  it.each(FILES)("is a picture or refused, whatever byte is wrong: %s", async (_name, format, bytes) => {
    for (const damaged of [...mutations(bytes, 300), ...beginnings(bytes, 40)]) {
      expect(["decoded", 422, 415]).toContain(await outcomeOf(format, damaged));
    }
  });

  it("is refused where its samples lie beyond the end", async () => {
    const bytes = withoutItems(sequence);
    const stsz = boxAt(bytes, "stsz");
    new DataView(bytes.buffer).setUint32(stsz + 12, 0x7fffffff);
    expect(await outcomeOf(heic, bytes)).toBe(422);
  });
});

describe("a HEIF file that has tracks and items of metadata", () => {
  it("is stripped of it and shows the same", async () => {
    const bytes = describedSequence();
    const stripped = avif.strip(bytes).file();
    expect(avif.metadata.read(bytes)).toMatchObject({ exif: expect.anything(), xmp: expect.anything() });
    expect(avif.metadata.read(stripped)).toEqual({});
    expect(stripped).toHaveLength(bytes.length);
    expect(textOf(stripped)).not.toMatch(/Pixel|xmpmeta|GIMP/);
    expect(avif.read.factsOf(stripped)).toEqual(avif.read.factsOf(bytes));
    expect(await decodeFile(avif, stripped)).toEqual(await decodeFile(avif, bytes));
    expect(await decodeFile(avif, withoutItems(stripped.buffer as ArrayBuffer))).toEqual(
      await decodeFile(avif, withoutItems(bytes.buffer as ArrayBuffer)),
    );
    expect(avif.strip(stripped).file()).toEqual(stripped);
  });

  it("takes what is kept in the places of what it had, and no more than fits", () => {
    const bytes = describedSequence();
    const stripped = avif.strip(bytes).file();
    const { exif, xmp } = avif.metadata.read(bytes);
    const again = avif.metadata.write(stripped, { exif, xmp });
    expect(again).toHaveLength(bytes.length);
    expect(avif.metadata.read(again)).toMatchObject({ exif, xmp });
    const large = avif.metadata.write(stripped, { exif, xmp: new Uint8Array(5_000).fill(0x3c) });
    expect(avif.metadata.read(large)).toEqual({ exif });
    expect(avif.metadata.write(bytes, { exif: Uint8Array.of(1, 2, 3) })).toEqual(bytes);
  });

  it("is stripped of boxes of metadata wherever a file, its film and its items have room for them", () => {
    const bytes = describedSequence();
    const secret = "52.5163N 13.3777E";
    const meta = boxAt(bytes, "meta");
    const view = new DataView(bytes.buffer);
    // In place of the box of the time that the film is edited by, and of where items are referred to.
    for (const [type, other] of [
      ["edts", "udta"],
      ["iref", "uuid"],
    ] as const) {
      const at = boxAt(bytes, type);
      bytes.set(new TextEncoder().encode(`${other}${secret}`), at + 4);
      expect(view.getUint32(at)).toBeGreaterThan(8 + secret.length);
    }
    const ended = Uint8Array.from([
      ...bytes,
      ...boxOf("uuid", secret),
      ...boxOf("free", secret),
      ...boxOf("skip", secret),
    ]);
    expect(textOf(ended).split(secret)).toHaveLength(6);
    expect(textOf(avif.strip(ended).file())).not.toContain(secret);
    expect(textOf(avif.strip(ended).file()).slice(meta + 4, meta + 8)).toBe("meta");
    const junk = Uint8Array.from([...bytes, 0, 0, 0, 1, ...new Uint8Array(8)]);
    expect(textOf(avif.strip(junk).file())).not.toMatch(/Pixel|52\.51/);
  });

  it("loses no picture where an item of metadata is said to lie in it", async () => {
    const bytes = describedSequence();
    const picture = itemAt(bytes, 1).from;
    for (const [from, length] of [
      [picture, 4],
      [0, 7_000],
      [itemAt(bytes, 3).from, 0],
    ] as const) {
      const lying = bytes.slice();
      const { entry } = itemAt(lying, 3);
      const view = new DataView(lying.buffer);
      view.setUint32(entry + 6, from);
      view.setUint32(entry + 10, length);
      const stripped = avif.strip(lying).file();
      expect(await decodeFile(avif, stripped)).toEqual(await decodeFile(avif, lying));
      expect(avif.metadata.read(stripped)).toEqual({});
    }
  });

  it("is stripped, or stays as it is, whatever byte is wrong", () => {
    const bytes = describedSequence();
    for (const damaged of [...mutations(bytes, 1_500), ...beginnings(bytes, 200)]) {
      const stripped = avif.strip(damaged).file();
      expect(stripped.length).toBeLessThanOrEqual(damaged.length);
      const { exif, xmp } = avif.metadata.read(bytes);
      avif.metadata.write(stripped, { exif, xmp });
    }
  });

  it("is stripped or stays as it is, however deep its boxes lie in each other", () => {
    const inside = (type: string, depth: number) => {
      const bytes = new Uint8Array(depth * 8);
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < bytes.length; at += 8) {
        view.setUint32(at, bytes.length - at);
        bytes.set(new TextEncoder().encode(at === 0 ? "moov" : type), at + 4);
      }
      return Uint8Array.from([...describedSequence().subarray(0, 566), ...bytes]);
    };
    for (const type of ["trak", "mdia", "meta", "udta"])
      expect(() => avif.strip(inside(type, 20_000)).file()).not.toThrow();
  });
});
