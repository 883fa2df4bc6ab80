/** Writing TIFF files, held against libtiff in libvips and against our own reader, which is another build of it. */
import { describe, expect, inject, it } from "vitest";

import { parseBody, UploadBody } from "../../../../src/contract/request.ts";
import { displayP3 } from "../../../../src/image/color/space.ts";
import { FORMATS } from "../../../../src/image/formats.ts";
import { png } from "../../../../src/image/formats/png.ts";
import { tiff } from "../../../../src/image/formats/tiff.ts";
import { writeEstimate } from "../../../../src/image/formats/tiff/write.ts";
import { Tiff } from "../../../../src/image/metadata/directories.ts";
import type { Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import displayP3Profile from "../../../fixtures/profiles/display-p3.icc";
import deep from "../../../fixtures/tiff/video-001-16bit.tif";
import compressed from "../../../fixtures/tiff/video-001-tile-64x64.tif";
import { decodeFile, decodeSixteenBit, fileDigest } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import {
  digest,
  noise,
  paint,
  paintSixteenBit,
  pictureOf,
  type Pixels,
  scene,
  sixteenBitPictureOf,
  sixteenBitScene,
} from "../../../support/rows.ts";
import { EXTRA, kind, made } from "../../../support/tiff-files.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
const TAG = { bits: 258, photometric: 262, samples: 277, rows: 278, predictor: 317, extra: 338, profile: 34_675 };

const written = (picture: Picture) => tiff.write.encode(picture, EXACT, UNPAUSED);

/** The first number of a tag of the first directory. */
function tagOf(bytes: Uint8Array, wanted: number): number | undefined {
  const file = Tiff.of(bytes);
  const entry = file?.entries(file.first).find(({ tag }) => tag === wanted);
  return entry && new DataView(bytes.buffer, bytes.byteOffset).getUint16(entry.valueAt, true);
}

function resizedTo(width: number) {
  const { output: _output, optimize: _optimize, ...operations } = parseBody(UploadBody, { resize: { width } });
  return operations;
}

/** What libvips reads. */
async function shown(bytes: Uint8Array): Promise<Uint8Array> {
  const response = await fetch(`${inject("reader")}/pixels`, { method: "POST", body: bytes.slice() });
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(new TextDecoder().decode(body));
  return body;
}

const gray = paint(301, 97, (x, y) => [(x * y) & 255, (x * y) & 255, (x * y) & 255, 255]);
const soft = paint(120, 90, (x, y) => [x & 255, x & 255, x & 255, (y * 2) & 255]);
const flat = paint(500, 400, (x, y) => (((x >> 5) + (y >> 5)) % 2 === 0 ? [255, 0, 0, 255] : [0, 0, 255, 255]));
const CASES: readonly (readonly [string, Pixels, boolean, number, number])[] = [
  ["colors", scene(640, 480), true, 3, 2],
  ["colors and opacity", scene(321, 200, false), false, 4, 2],
  ["gray", gray, true, 1, 1],
  ["gray and opacity", soft, false, 2, 1],
  ["opacity that nothing shows through", scene(200, 150), false, 3, 2],
  ["noise, which deflate makes larger", noise(400, 300), true, 3, 2],
  ["one pixel", paint(1, 1, () => [1, 2, 3, 255]), true, 3, 2],
  ["one column", paint(1, 3_000, (_, y) => [y & 255, 2, 3, 255]), true, 3, 2],
  ["rows longer than a strip", scene(40_000, 3), true, 3, 2],
];

describe("TIFF", () => {
  it.each(CASES)("holds %s exactly", async (_name, pixels, opaque, samples, photometric) => {
    const file = await written(pictureOf([pixels], { opaque }));
    expect([tagOf(file, TAG.samples), tagOf(file, TAG.bits), tagOf(file, TAG.photometric)]).toEqual([
      samples,
      samples > 2 ? expect.any(Number) : 8,
      photometric,
    ]);
    expect(tagOf(file, TAG.extra)).toBe(samples % 2 === 0 ? 2 : undefined);
    expect((await decodeFile(tiff, file)).data).toEqual(pixels.data);
    expect(await shown(file)).toEqual(pixels.data);
  });

  it.each([
    ["colors", sixteenBitScene(640, 200), true, 3],
    ["colors and opacity", sixteenBitScene(200, 300, false), false, 4],
    ["gray", paintSixteenBit(300, 200, (x, y) => [x * y, x * y, x * y, 65_535]), true, 1],
  ] as const)("holds 16 bits of %s exactly", async (_name, pixels, opaque, samples) => {
    const file = await written(sixteenBitPictureOf(pixels, opaque));
    expect(tagOf(file, TAG.samples)).toBe(samples);
    expect(tiff.read.factsOf(file)).toMatchObject({ bits: 16, alpha: !opaque });
    expect((await decodeSixteenBit(tiff, file)).samples).toEqual(pixels.samples);
    // libvips makes 8 bits of them, by leaving out the lower ones.
    const expected = Uint8Array.from(pixels.samples, (sample) => sample >> 8);
    expect(await shown(file)).toEqual(expected);
  });

  it("tells samples of photographs by their differences, and of noise as they are", async () => {
    expect(tagOf(await written(pictureOf([scene(640, 480)])), TAG.predictor)).toBe(2);
    expect(tagOf(await written(pictureOf([flat])), TAG.predictor)).toBeUndefined();
  });

  it("has strips that a reader takes one by one, and no bytes that nothing points to", async () => {
    const file = await written(pictureOf([scene(1_000, 700)]));
    expect(tagOf(file, TAG.rows)).toBe(Math.floor((128 << 10) / 4_000));
    expect(tiff.strip(file)?.length).toBe(file.length);
  });

  it("has the profile of its picture, and one for gray where that is all there is", async () => {
    const space = displayP3();
    const colors = await written({ ...pictureOf([scene(64, 48)]), space });
    expect(tiff.read.factsOf(colors).profile).toEqual(space.profile);
    const other = { profile: new Uint8Array(displayP3Profile), isP3: false };
    const grays = await written({ ...pictureOf([gray]), space: other });
    const { profile } = tiff.read.factsOf(grays);
    if (profile) expect(new TextDecoder().decode(profile.subarray(16, 20))).toBe("GRAY");
    expect(tagOf(grays, TAG.samples)).toBe(1);
  });

  it("is larger than its sample says only by being moved: the picture is the same", async () => {
    // Flat where it is sampled, noise elsewhere.
    const [calm, wild] = [scene(1_000, 64), noise(1_000, 1_600)];
    const data = wild.data.slice();
    for (let y = 0; y < 1_600; y += 200) data.set(calm.data.subarray(0, 1_000 * 64 * 4), (y + 80) * 4_000);
    const file = await written(pictureOf([{ width: 1_000, height: 1_600, data }]));
    expect(await digest((await decodeFile(tiff, file)).data)).toBe(await digest(data));
  });

  it("declares what a photograph of 24 megapixels takes, within what a job may hold beside its original", () => {
    const { bytes } = writeEstimate({ width: 6_000, height: 4_000, opaque: true, frames: 1 });
    expect(bytes).toBeLessThan(70 << 20);
  });
});

describe("a result in TIFF", () => {
  const asTiff = { output: { format: "tiff" } } as const;

  it("is named tif, too, loses nothing, and is never what auto chooses", async () => {
    const original = await png.write.encode(pictureOf([scene(300, 200)]), EXACT, UNPAUSED);
    const { output } = await rendered(original, { output: { format: "tif" } });
    expect(output.format.label).toBe("TIFF");
    expect(await fileDigest(tiff, output.bytes)).toBe(await fileDigest(png, original));
    const accept = "image/tiff,image/*,*/*";
    const { output: chosen } = await rendered(original, { output: { format: "auto" }, accept });
    expect(chosen.format.label).not.toBe("TIFF");
  });

  it("is not what a TIFF file becomes where nothing is asked for", async () => {
    const { output } = await rendered(new Uint8Array(compressed));
    expect(output.format.label).toBe("JPEG");
  });

  it("keeps 16 bits of an original that has them, resized too", async () => {
    const { output } = await rendered(new Uint8Array(deep), { ...asTiff, operations: resizedTo(40) });
    expect(FORMATS.tiff.read.factsOf(output.bytes)).toMatchObject({ width: 40, bits: 16 });
  });

  it("is the original without its other pictures and its metadata where nothing smaller can be made", async () => {
    const original = await rendered(new Uint8Array(compressed), { ...asTiff, operations: resizedTo(90) });
    const secret = new TextEncoder().encode("somewhere else");
    const bytes = tiff.metadata.write(original.output.bytes, { xmp: secret, iptc: secret });
    expect(bytes.length).toBeGreaterThan(original.output.bytes.length);
    const { output } = await rendered(bytes, asTiff);
    expect(output.bytes.length).toBeLessThanOrEqual(original.output.bytes.length);
    expect(new TextDecoder("latin1").decode(output.bytes)).not.toContain("somewhere else");
    expect(await fileDigest(tiff, output.bytes)).toBe(await fileDigest(tiff, bytes));
  });

  it("is written anew where what is stored cannot be told apart", async () => {
    // Eight samples of noise in 16 strips that share their bytes.
    const shared = made(4, 4, kind([8], 1, [EXTRA, 0]), [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]);
    expect(tiff.strip(shared)).toBeNull();
    expect(tiff.strip(new TextEncoder().encode("II+\0 no TIFF of 32 bits"))).toBeNull();
  });
});
