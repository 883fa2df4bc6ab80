/** Damaged JPEG 2000 files are refused and leave no memory behind. */
import { describe, expect, it } from "vitest";

import { jpeg2000 } from "../../../../src/image/formats/jpeg2000.ts";
import { openFile } from "../../../../src/image/formats/jpeg2000/facts.ts";
import { jpeg2000Heap } from "../../../../wasm/jpeg2000/instance.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import alpha from "../../../fixtures/jpeg2000/alpha.jp2";
import gray from "../../../fixtures/jpeg2000/gray.j2k";
import index from "../../../fixtures/jpeg2000/index.j2k";
import layers from "../../../fixtures/jpeg2000/layers.jp2";
import lossless from "../../../fixtures/jpeg2000/lossless.jp2";
import lossy from "../../../fixtures/jpeg2000/lossy.jp2";
import parts from "../../../fixtures/jpeg2000/parts.j2k";
import styles from "../../../fixtures/jpeg2000/styles.j2k";
import tilesOffset from "../../../fixtures/jpeg2000/tiles-offset.j2k";
import tiles from "../../../fixtures/jpeg2000/tiles.j2k";
import ycc420 from "../../../fixtures/jpeg2000/ycc420.j2k";
import { beginnings, decodeFile, mutations, outcomeOf } from "../../../support/files.ts";
import { psnr } from "../../../support/rows.ts";
import { enumerated, jp2File, palette } from "./files.ts";

const colors = Array.from({ length: 8 }, (_, entry) => [entry, 0, 0]);
const FILES = [alpha, gray, layers, lossy, parts, styles, tilesOffset, ycc420].map((file) => new Uint8Array(file));
FILES.push(jp2File(index, [enumerated(16), ...palette(...colors)]));

describe("a damaged JPEG 2000 file", () => {
  it("is refused wherever it ends", async () => {
    for (const file of FILES) {
      for (const part of beginnings(file, 60)) expect(await outcomeOf(jpeg2000, part)).toBe(422);
    }
  });

  it("is refused or read whatever its bytes are, and leaves no memory and no instance behind", async () => {
    const good = new Uint8Array(alpha);
    const expected = (await decodeFile(jpeg2000, good)).data;
    const before = jpeg2000Heap().used;
    for (const file of FILES) for (const mutated of mutations(file, 300)) await outcomeOf(jpeg2000, mutated);
    expect(jpeg2000Heap().used).toBe(before);
    expect((await decodeFile(jpeg2000, good)).data).toEqual(expected);
    expect(nativeStatistics().find(({ name }) => name === "jpeg2000")?.replaced).toBeGreaterThan(0);
  });
});

const START_OF_TILE = 0xff90;
const END = 2;

/** The same codestream without the last `count` bytes of its first tile part, which says how long it is now. */
function shortened(codestream: Uint8Array, count: number): Uint8Array {
  const view = new DataView(codestream.buffer, codestream.byteOffset, codestream.length);
  let at = 2;
  while (view.getUint16(at) !== START_OF_TILE) at += 2 + view.getUint16(at + 2);
  const length = view.getUint32(at + 6) || codestream.length - END - at;
  const result = new Uint8Array(codestream.length - count);
  result.set(codestream.subarray(0, at + length - count));
  result.set(codestream.subarray(at + length), at + length - count);
  new DataView(result.buffer).setUint32(at + 6, length - count);
  return result;
}

describe("a JPEG 2000 file that lacks a part of its picture", () => {
  it.each([
    ["one tile", lossless],
    ["tiles", tiles],
    ["quantized", lossy],
    ["markers in packets", gray],
  ])("is refused, however much of a tile is missing: %s", async (_name, file) => {
    const { codestream } = openFile(new Uint8Array(file)).file;
    expect(await outcomeOf(jpeg2000, shortened(codestream, 0))).toBe("decoded");
    const most = Math.min(900, codestream.length >> 2);
    for (let count = 1; count < most; count += 1 + (count >> 4)) {
      expect(await outcomeOf(jpeg2000, shortened(codestream, count)), String(count)).toBe(422);
    }
  });

  it("is whole without last packets of its later layers, which encoders leave out, and refused where one is cut", async () => {
    const { codestream } = openFile(new Uint8Array(layers)).file;
    const whole = await decodeFile(jpeg2000, codestream);
    const shown: number[] = [];
    const most = codestream.length - 200;
    for (let count = 0; count < most; count++) {
      const file = shortened(codestream, count);
      if ((await outcomeOf(jpeg2000, file)) !== "decoded") continue;
      shown.push(psnr(await decodeFile(jpeg2000, file), whole));
    }
    // Three layers in packets of some 20 bytes: coarser with every packet, and never without the first layer.
    expect(shown[0]).toBe(Infinity);
    expect(Math.min(...shown)).toBeGreaterThan(30.6);
    expect(shown.length).toBeGreaterThan(40);
    expect(shown.length).toBeLessThan(80);
  });
});
