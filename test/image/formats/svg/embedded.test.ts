/** Pictures within drawings. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { exifOf } from "../../../../src/image/metadata/orientation.ts";
import type { Orientation } from "../../../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decodeFile } from "../../../support/files.ts";
import { paint, pictureOf } from "../../../support/rows.ts";

/** Lossy WebP of slopes and noise. */
function lossyWebp(width: number, height: number, quality: number): Promise<Uint8Array> {
  const noise = (x: number, y: number) => (Math.imul(x * 7_919 + y * 104_729 + 1, 2_654_435_761) >>> 26) & 63;
  const pixels = paint(width, height, (x, y) => [
    (x * 190) / width + noise(x, y),
    (y * 255) / height,
    noise(y, x) * 4,
    255,
  ]);
  const settings = { lossless: false, quality, progressive: false, effort: 0.5 };
  return FORMATS.webp.write.encode(pictureOf([pixels], { opaque: true }), settings, UNPAUSED);
}

const linkOf = (mime: string, bytes: Uint8Array) => `data:${mime};base64,${btoa(String.fromCharCode(...bytes))}`;

/** What a drawing of one picture shows. */
function drawingOf(link: string, width: number, height: number): ReturnType<typeof decodeFile> {
  const image = `<image width="${width}" height="${height}" href="${link}"/>`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${image}</svg>`;
  return decodeFile(FORMATS.svg, new TextEncoder().encode(text));
}

/** 32 by 32 pixels of cyan beside yellow, by libjpeg. */
const INKS =
  "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3OFBtUVdfYmdoZz5NcXlwZHhcZWdj/8AAFAgAIAAgBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAAIB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8Az9oDQGgACgBP4AJ/FAAAoAT+ACfxQAAKAE/gAn8UAACgBP4AP//Z";

/** A JPEG file of 32 by 16 pixels with an orientation: yellow and green above red and black. */
async function lyingJpeg(orientation: Orientation): Promise<Uint8Array> {
  const pixels = paint(32, 16, (x, y) => [x < 16 ? 255 : 0, y < 8 ? 255 : 0, 0, 255]);
  const settings = { lossless: false, quality: 95, progressive: false, effort: 0.5 };
  const jpeg = await FORMATS.jpeg.write.encode(pictureOf([pixels], { opaque: true }), settings, UNPAUSED);
  const exif = exifOf(orientation);
  return Uint8Array.of(...jpeg.subarray(0, 2), 0xff, 0xe1, 0, exif.length + 2, ...exif, ...jpeg.subarray(2));
}

describe("JPEG within a drawing", () => {
  // What is above on the left and right, and below.
  it.each([
    [2, "green yellow black red"],
    [3, "black red green yellow"],
    [4, "red black yellow green"],
    [5, "yellow red green black"],
    [6, "red yellow black green"],
    [7, "black green red yellow"],
    [8, "green black yellow red"],
  ] as const)("lies as its orientation %d says", async (orientation, corners) => {
    const [width, height] = orientation > 4 ? [16, 32] : [32, 16];
    const { data } = await drawingOf(linkOf("image/jpeg", await lyingJpeg(orientation)), width, height);
    const named = (x: number, y: number) => {
      const at = (y * width + x) * 4;
      const [red = 0, green = 0] = data.subarray(at, at + 2);
      return red > 127 ? (green > 127 ? "yellow" : "red") : green > 127 ? "green" : "black";
    };
    const found = [named(2, 2), named(width - 3, 2), named(2, height - 3), named(width - 3, height - 3)];
    expect(found.join(" ")).toBe(corners);
  });

  it("has the colors of its inks", async () => {
    const { data } = await drawingOf(`data:image/jpeg;base64,${INKS}`, 32, 32);
    const at = (x: number) => [...data.subarray((16 * 32 + x) * 4, (16 * 32 + x) * 4 + 4)].map((part) => part > 127);
    expect([at(4), at(28)]).toEqual([
      [false, true, true, true],
      [true, true, false, true],
    ]);
  });
});

describe("lossy WebP within a drawing", () => {
  it.each([
    [64, 48],
    [50, 51],
    [199, 149],
    [17, 18],
    [33, 1],
    [1, 20],
  ])("has the pixels that it has alone: %d x %d", async (width, height) => {
    for (const quality of [5, 60, 95]) {
      const webp = await lossyWebp(width, height, quality);
      const drawn = await drawingOf(linkOf("image/webp", webp), width, height);
      const alone = await decodeFile(FORMATS.webp, webp);
      expect(drawn.data).toEqual(alone.data);
    }
  });
});

describe("a damaged picture within a drawing", () => {
  const warned = "a picture that is damaged or cut short is not drawn";
  const undrawnIn = (mime: string, bytes: Uint8Array) => {
    const image = `<image width="9" height="9" href="${linkOf(mime, bytes)}"/>`;
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${image}</svg>`;
    return FORMATS.svg.read.factsOf(new TextEncoder().encode(text)).undrawn;
  };
  const more = (bytes: Uint8Array) => Uint8Array.of(...bytes, 1, 2, 3);
  const settings = { lossless: false, quality: 90, progressive: false, effort: 0.5 };
  const pixels = paint(48, 32, (x, y) => [x * 5, y * 7, (x * y) % 251, 255]);

  it.each(["png", "jpeg", "gif", "webp"] as const)("is told of, in %s", async (name) => {
    const bytes = await FORMATS[name].write.encode(pictureOf([pixels], { opaque: true }), settings, UNPAUSED);
    const mime = FORMATS[name].mime;
    expect(undrawnIn(mime, bytes)).toBeUndefined();
    expect(undrawnIn(mime, more(bytes))).toBeUndefined();
    for (const length of [60, bytes.length >> 1, bytes.length - 30]) {
      expect(undrawnIn(mime, bytes.slice(0, length)), `${length} of ${bytes.length} bytes`).toEqual([warned]);
    }
  });

  it("is told of where a checksum of PNG is wrong", async () => {
    const png = await FORMATS.png.write.encode(pictureOf([pixels], { opaque: true }), settings, UNPAUSED);
    const at = png.length >> 1;
    expect(undrawnIn("image/png", png.with(at, 255 - (png[at] ?? 0)))).toEqual([warned]);
  });
});
