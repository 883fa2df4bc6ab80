/** HEIF files that hold their picture in a track. */
import { describe, expect, it } from "vitest";

import { detect } from "../../../../src/image/detect.ts";
import type { FormatDefinition } from "../../../../src/image/format.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { heic } from "../../../../src/image/formats/heic.ts";
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
  ["AVIF", avif, withoutItems(animated), { width: 150, height: 150, alpha: false }],
  ["AVIF with alpha", avif, new Uint8Array(tracksAlpha), { width: 150, height: 150, alpha: true }],
  ["HEIC", heic, withoutItems(sequence), { width: 200, height: 160, alpha: false }],
] as const satisfies readonly (readonly [string, FormatDefinition, Uint8Array, object])[];

describe("a HEIF file that has tracks and no items", () => {
  it.each(FILES)("is recognized, and a still picture: %s", async (_name, format, bytes, facts) => {
    expect(detect(bytes)).toBe(format.label.toLowerCase());
    expect(format.read.probe(bytes)).toMatchObject({ ...facts, frames: 1, orientation: 1 });
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
    expect(avif.read.probe(turned(withoutItems(animated), matrix)).orientation).toBe(orientation);
  });

  it("stays as it is when metadata is stripped", async () => {
    const bytes = new Uint8Array(tracksAlpha);
    expect(avif.strip(bytes)).toEqual(bytes);
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
