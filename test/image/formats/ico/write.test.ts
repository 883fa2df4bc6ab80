/** Writing ICO files. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import favicon from "../../../fixtures/ico/favicon.ico";
import { decodeFile } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { paint, pictureOf, type Pixels } from "../../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0.5 };

/** Red at the left, blue at the right. */
function halves(width: number, height: number): Pixels {
  return paint(width, height, (x) => (x < width / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
}

async function icon(pixels: Pixels, sizes?: readonly number[], operations = {}): Promise<Uint8Array> {
  const original = await png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
  const output = { format: "ico", ...(sizes && { sizes: [...sizes] }) };
  return (await rendered(original, { operations, output })).output.file.bytes;
}

interface Entry {
  readonly side: number;
  readonly file: Uint8Array;
}

/** What the directory of an icon says, read by its layout as Microsoft wrote it down. */
function entriesOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  expect([view.getUint16(0, true), view.getUint16(2, true)]).toEqual([0, 1]);
  return Array.from({ length: view.getUint16(4, true) }, (_, index) => {
    const at = 6 + index * 16;
    expect(bytes[at + 1]).toBe(bytes[at]);
    const offset = view.getUint32(at + 12, true);
    return { side: bytes[at] || 256, file: bytes.subarray(offset, offset + view.getUint32(at + 8, true)) };
  });
}

describe("ICO", () => {
  it("is written in the sizes that are named, the largest last, whatever their order was", async () => {
    const entries = entriesOf(await icon(halves(300, 300), [64, 16, 256]));
    expect(entries.map(({ side }) => side)).toEqual([16, 64, 256]);
    for (const { side, file } of entries) {
      const { width, height, data } = await decodeFile(png, file);
      expect([width, height]).toEqual([side, side]);
      expect([...data.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
      expect([...data.subarray(-4)]).toEqual([0, 0, 255, 255]);
    }
  });

  it.each([
    [512, [16, 32, 48]],
    [64, [16, 32, 48, 64]],
    [32, [16, 32]],
    [10, [10]],
  ])(
    "of a picture of %i pixels has the usual sizes below it, and its own where that is possible",
    async (side, sides) => {
      expect(entriesOf(await icon(halves(side, side))).map((entry) => entry.side)).toEqual(sides);
    },
  );

  it("is a square with the whole picture in its middle, and nothing around it", async () => {
    const [entry] = entriesOf(await icon(halves(40, 20), [32]));
    const { data } = await decodeFile(png, entry?.file ?? new Uint8Array());
    const alphaAt = (y: number) => data[(y * 32 + 16) * 4 + 3];
    expect([alphaAt(0), alphaAt(7), alphaAt(8), alphaAt(23), alphaAt(24)]).toEqual([0, 0, 255, 255, 0]);
  });

  it("is read back by its largest square, and its answer says so", async () => {
    const original = await png.write.encode(pictureOf([halves(64, 64)]), EXACT, UNPAUSED);
    const { output } = await rendered(original, { output: { format: "ico", sizes: [16, 48] } });
    expect(output).toMatchObject({ score: 100, facts: { width: 48, height: 48, frames: 1 } });
    expect(output.format).toBe(FORMATS.ico);
  });

  it("is made by name alone: an icon becomes what it became, and is made anew where it is asked for", async () => {
    const bytes = new Uint8Array(favicon);
    expect((await rendered(bytes, {})).output.format).toBe(FORMATS.png);
    expect((await rendered(bytes, { output: { format: "auto" } })).output.format).not.toBe(FORMATS.ico);
    const made = await rendered(bytes, { output: { format: "ico", sizes: [16, 32] } });
    expect(entriesOf(made.output.file.bytes).map(({ side }) => side)).toEqual([16, 32]);
  });

  it.each(["low", "lossless"] as const)("loses nothing, also at the preset %s", async (compression) => {
    const pixels = halves(32, 32);
    const original = await png.write.encode(pictureOf([pixels]), EXACT, UNPAUSED);
    const order = { output: { format: "ico", sizes: [32] }, optimize: { compression, lossless: false } };
    const { output } = await rendered(original, order);
    expect(await decodeFile(FORMATS.ico, output.file.bytes)).toMatchObject({ data: pixels.data });
  });
});
