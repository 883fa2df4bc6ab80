/** Reading ICO files. */
import { describe, expect, it } from "vitest";

import { ico } from "../../../../src/image/formats/ico.ts";
import ico65535Entries from "../../../fixtures/ico/broken/ico-65535-entries.ico";
import icoInIco from "../../../fixtures/ico/broken/ico-in-ico.ico";
import icoOffsetBeyond from "../../../fixtures/ico/broken/ico-offset-beyond.ico";
import icoPngSizeMismatch from "../../../fixtures/ico/broken/ico-png-size-mismatch.ico";
import icoSizeMax from "../../../fixtures/ico/broken/ico-size-max.ico";
import favicon from "../../../fixtures/ico/favicon.ico";
import hand from "../../../fixtures/ico/hand.cur";
import hippopotamusRegular from "../../../fixtures/ico/hippopotamus.regular.ico";
import joypad from "../../../fixtures/ico/joypad.ico";
import rgb24bitmask from "../../../fixtures/ico/rgb24bitmask.ico";
import squooshFavicon from "../../../fixtures/ico/squoosh-favicon.ico";
import { beginnings, fileDigest, mutations, outcomeOf } from "../../../support/files.ts";

/** Digests of what ImageMagick 6.9 makes of the largest picture (`convert FILE[INDEX] -depth 8 RGBA:-`). */
const FILES = [
  ["16 colors with a mask", favicon, { width: 32, depth: 4, alpha: true }, "ea80cbcdf12e4de1"],
  ["a cursor", hand, { width: 32, depth: 1, alpha: true }, "2bfbc06527c3d7b7"],
  ["32 bits, opaque", hippopotamusRegular, { width: 36, depth: 32, alpha: false }, "42e32170caf51042"],
  ["24 bits with a mask", rgb24bitmask, { width: 32, depth: 24, alpha: true }, "fdd116bf0f970fa9"],
  ["the largest of three", squooshFavicon, { width: 48, depth: 32, alpha: true }, "422199c86673ec25"],
  ["of two that are equally large, the deeper", joypad, { width: 48, depth: 32, alpha: true }, "3733364882147d91"],
] as const;

describe("ICO", () => {
  it.each(FILES)("is read: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file);
    expect(ico.read.factsOf(bytes)).toMatchObject(facts);
    expect(await fileDigest(ico, bytes)).toBe(expected);
  });

  it("takes the size of a PNG from the PNG", async () => {
    expect(ico.read.factsOf(new Uint8Array(icoPngSizeMismatch))).toMatchObject({ width: 3000, height: 3000 });
  });

  it.each(FILES)("is read where the directory counts bytes wrongly: %s", async (_name, file, facts, expected) => {
    const bytes = new Uint8Array(file.slice(0));
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < view.getUint16(4, true); index++) {
      for (const length of [0, 40, view.getUint32(6 + index * 16 + 8, true) >> 1, bytes.length]) {
        view.setUint32(6 + index * 16 + 8, length, true);
        expect(ico.read.factsOf(bytes)).toMatchObject(facts);
      }
    }
    expect(await fileDigest(ico, bytes)).toBe(expected);
  });

  it.each([
    ["an icon inside an icon", icoInIco],
    ["a picture beyond the end", icoOffsetBeyond],
  ])("is refused with %s", async (_name, file) => {
    expect(await outcomeOf(ico, new Uint8Array(file))).toBe(422);
  });

  it.each([
    ["more entries than there are", ico65535Entries],
    ["an entry longer than the file", icoSizeMax],
  ])("is read with %s", async (_name, file) => {
    expect(await outcomeOf(ico, new Uint8Array(file))).toBe("decoded");
  });

  it("is refused wherever it ends", async () => {
    for (const file of [favicon, rgb24bitmask]) {
      for (const part of beginnings(new Uint8Array(file), 40)) expect(await outcomeOf(ico, part)).toBe(422);
      for (const part of beginnings(new Uint8Array(file).subarray(0, 30), 30))
        expect(await outcomeOf(ico, part)).toBe(422);
    }
  });

  it("is refused or read whatever its bytes are", async () => {
    for (const file of [favicon, hand, rgb24bitmask, joypad]) {
      for (const mutated of mutations(new Uint8Array(file), 400)) await outcomeOf(ico, mutated);
    }
  });
});
