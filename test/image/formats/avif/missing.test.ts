/** AVIF files that lack a part of their picture are refused. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import { UNIT, Units } from "../../../../src/image/formats/avif/units.ts";
import kodim from "../../../fixtures/avif/kodim03_yuv420_8bpc.avif";
import lossless from "../../../fixtures/avif/lossless.avif";
import { outcomeOf } from "../../../support/files.ts";

const PADDING = 15;

/** Of a unit that says how long it is. */
function header(type: number): number {
  return (type << 3) | 2;
}

/** A length of two bytes. */
function leb128(value: number): number[] {
  return [(value & 127) | 128, value >> 7];
}

/** Where the coded picture lies in a file of a single item: from its first unit to the end of the file. */
function unitsAt(file: Uint8Array): number {
  for (let at = 0; at < file.length; at++) {
    const isMedia = String.fromCharCode(...file.subarray(at, at + 4)) === "mdat";
    if (isMedia) return at + 4;
  }
  throw new Error("no media");
}

/** The unit of a file's picture that is its frame, with its header and without. */
function frameOf(file: Uint8Array): { readonly bytes: Uint8Array; readonly payload: Uint8Array } {
  const units = new Units(file.subarray(unitsAt(file)));
  while (units.next()) if (units.type === UNIT.frame) return { bytes: units.whole, payload: units.content };
  throw new Error("no frame");
}

/** The same file, of whose frame all but a part is padding. Every box and every unit is as long as it says. */
function withoutTail(file: Uint8Array, share: number): Uint8Array {
  const result = file.slice();
  const frame = frameOf(file);
  const start = frame.bytes.byteOffset - file.byteOffset;
  const kept = Math.floor(frame.payload.length * share);
  const cut = frame.bytes.length - 3 - kept - 3;
  const units = [header(UNIT.frame), ...leb128(kept), ...frame.payload.subarray(0, kept)];
  const padding = [header(PADDING), ...leb128(cut), ...Array.from({ length: cut }, () => 0x80)];
  result.set([...units, ...padding], start);
  return result;
}

describe("an AVIF file that lacks a part of its picture", () => {
  it.each([
    ["lossy", kodim],
    ["lossless", lossless],
  ])("is refused, however much is missing: %s", async (_name, file) => {
    const bytes = new Uint8Array(file);
    expect(await outcomeOf(avif, bytes)).toBe("decoded");
    for (const share of [0.05, 0.25, 0.5, 0.75, 0.9, 0.97]) {
      expect(await outcomeOf(avif, withoutTail(bytes, share)), String(share)).toBe(422);
    }
  });

  it("is refused without its frame", async () => {
    const bytes = new Uint8Array(kodim).slice();
    bytes[frameOf(bytes).bytes.byteOffset - bytes.byteOffset] = header(PADDING);
    expect(await outcomeOf(avif, bytes)).toBe(422);
  });
});
