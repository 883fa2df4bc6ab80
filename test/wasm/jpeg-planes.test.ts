/** JPEG files as planes of their components, in and out. */
import { describe, expect, it } from "vitest";

import { joined } from "../../src/joined.ts";
import { jpegModule } from "../../wasm/jpeg/instance.ts";
import { openEncoder, openPlaneDecoder, openPlaneEncoder, planesEstimate, readHeader } from "../../wasm/jpeg/jpeg.ts";
import type { Plane, PlaneDecoderOptions } from "../../wasm/jpeg/plane-decoder.ts";
import { heapOf, NativeError } from "../../wasm/load.ts";
import { JPEG_FILES, jpegFile } from "../support/jpeg-files.ts";
import { decode, encode } from "../support/jpeg-pixels.ts";
import { atOnce } from "../support/pieces.ts";
import { noise, paint, type Pixels, psnr, sample, scene } from "../support/rows.ts";

/** A plane with its last column and row repeated up to whole blocks. */
function padded(plane: Plane | undefined, layout: { readonly stride: number; readonly rows: number }): Uint8Array {
  const result = new Uint8Array(layout.stride * layout.rows);
  if (!plane) return result;
  for (let y = 0; y < layout.rows; y++) {
    const from = plane.bytes.subarray(Math.min(y, plane.rows - 1) * plane.stride);
    for (let x = 0; x < layout.stride; x++) result[y * layout.stride + x] = from[Math.min(x, plane.width - 1)] ?? 0;
  }
  return result;
}

/** Files of which the decoder gives planes. */
const PLANE_FILES = Object.keys(JPEG_FILES).filter((name) => !["cmyk", "rgb", "twelve-bits"].includes(name));

interface WholePlane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Tightly packed. */
  readonly samples: Uint8Array;
}

function wholePlanes(file: string | Uint8Array, options: PlaneDecoderOptions): WholePlane[] {
  const decoder = atOnce(openPlaneDecoder(typeof file === "string" ? jpegFile(file) : file, options));
  const rows: Uint8Array[][] = decoder.planes.map(() => []);
  for (let bands = decoder.read(); bands; bands = decoder.read()) {
    for (const [index, band] of bands.entries())
      for (let y = 0; y < band.rows; y++)
        rows[index]?.push(band.bytes.slice(y * band.stride, y * band.stride + band.width));
  }
  decoder.close();
  return decoder.planes.map((plane, index) => {
    expect(rows[index]).toHaveLength(plane.height);
    return { ...plane, samples: joined(rows[index] ?? []) };
  });
}

function partOf(plane: WholePlane | undefined, { x, y, width, height }: WholePlane): Uint8Array {
  const rows = Array.from({ length: height }, (_, row) => {
    const from = (y + row) * (plane?.width ?? 0) + x;
    return plane?.samples.subarray(from, from + width) ?? new Uint8Array(0);
  });
  return joined(rows);
}

/** RGBA of planes of one size, by the tables of jdcolor.c. */
function pixelsOf([luma, cb, cr]: WholePlane[]): Uint8Array {
  if (!luma || !cb || !cr) throw new Error("planes are missing");
  const fixed = (factor: number) => Math.floor(factor * 65_536 + 0.5);
  const clamp = (value: number) => Math.min(255, Math.max(0, value));
  const pixels = [...luma.samples].flatMap((level, index) => {
    const [b, r] = [sample(cb.samples, index) - 128, sample(cr.samples, index) - 128];
    const red = (fixed(1.402) * r + 32_768) >> 16;
    const green = (-fixed(0.34414) * b - fixed(0.71414) * r + 32_768) >> 16;
    const blue = (fixed(1.772) * b + 32_768) >> 16;
    return [clamp(level + red), clamp(level + green), clamp(level + blue), 255];
  });
  return new Uint8Array(pixels);
}

/** The nearest of `count` places. */
function within(at: number, count: number): number {
  return Math.min(count - 1, Math.max(0, at));
}

type At = (x: number, y: number) => number;

/** How far a primary is above green in squares of four pixels, on average. */
function halved({ width, height, data }: Pixels, primary: 0 | 2): At {
  const difference = (x: number, y: number) => {
    const at = (within(y, height) * width + within(x, width)) * 4;
    return sample(data, at + primary) - sample(data, at + 1);
  };
  return (i, j) => {
    const [x, y] = [2 * within(i, Math.ceil(width / 2)), 2 * within(j, Math.ceil(height / 2))];
    return (difference(x, y) + difference(x + 1, y) + difference(x, y + 1) + difference(x + 1, y + 1)) / 4;
  };
}

/** The same at a pixel, by the triangle filter of decoders. */
function widened(mean: At): At {
  return (x, y) => {
    const [i, j] = [x >> 1, y >> 1];
    const [besides, beyond] = [i + (x % 2 ? 1 : -1), j + (y % 2 ? 1 : -1)];
    const across = (row: number) => 0.75 * mean(i, row) + 0.25 * mean(besides, row);
    return 0.75 * across(j) + 0.25 * across(beyond);
  };
}

/** How far a primary is above green in halved planes, as far as that is between pixels. */
function decodedDifference([, cb, cr]: readonly WholePlane[], primary: 0 | 2): At {
  if (!cb || !cr) throw new Error("planes are missing");
  return (i, j) => {
    const at = within(j, cb.height) * cb.width + within(i, cb.width);
    const [b, r] = [sample(cb.samples, at) - 128, sample(cr.samples, at) - 128];
    const green = -0.344136 * b - 0.714136 * r;
    return Math.min(255, Math.max(-255, (primary === 0 ? 1.402 * r : 1.772 * b) - green));
  };
}

/** Luma with which pixels are as bright as they were whose chroma is this one, by the definition in halved.c. */
function brightLuma(pixels: Pixels, reds: At, blues: At): At {
  const { width, height, data } = pixels;
  const [red, blue] = [widened(reds), widened(blues)];
  const slope = (level: number) => 0.014197 + (level / 255) * (0.512924 + (level / 255) * 0.508784);
  return (column, row) => {
    const [x, y] = [within(column, width), within(row, height)];
    const at = (y * width + x) * 4;
    const [r, g, b] = [sample(data, at), sample(data, at + 1), sample(data, at + 2)];
    const [ofRed, ofGreen, ofBlue] = [0.265 * slope(r), 0.657 * slope(g), 0.078 * slope(b)];
    const lost = ofRed * (r - g - red(x, y)) + ofBlue * (b - g - blue(x, y));
    const forGreen = g + 0.299 * red(x, y) + 0.114 * blue(x, y);
    return Math.min(255, Math.max(0, forGreen + lost / (ofRed + ofGreen + ofBlue)));
  };
}

/** Root of the mean square of what samples are off. */
function off(plane: WholePlane | undefined, expected: At): number {
  let sum = 0;
  const [columns, samples] = [plane?.width ?? 0, plane?.samples ?? new Uint8Array(0)];
  for (const [at, value] of samples.entries()) sum += (value - expected(at % columns, Math.floor(at / columns))) ** 2;
  return Math.sqrt(sum / samples.length);
}

function colorful(width: number, height: number): Pixels {
  return paint(width, height, (x, y) => [
    (x >> 2) % 2 ? 230 : 20,
    ((x + y) * 37) % 256,
    (y * 5) % 11 > 5 ? 240 : x * 3,
    255,
  ]);
}

describe("planes that pixels become when chroma is halved", () => {
  it.each([
    [64, 48],
    [47, 33],
    [50, 17],
    [50, 32],
    [1, 1],
  ])("have the luma that makes up for lost brightness: %s x %s", (width, height) => {
    const pixels = colorful(width, height);
    const planes = wholePlanes(encode(pixels, { quality: 100, subsampling: "4:2:0" }), { eighths: [8, 8, 8] });
    const [luma, cb, cr] = planes;
    const [red, blue] = [halved(pixels, 0), halved(pixels, 2)];
    const decoded = [decodedDifference(planes, 0), decodedDifference(planes, 2)] as const;
    expect(off(luma, brightLuma(pixels, ...decoded))).toBeLessThan(0.6);
    expect(off(cb, (x, y) => 128 + 0.5 * blue(x, y) - 0.168736 * red(x, y))).toBeLessThan(0.6);
    expect(off(cr, (x, y) => 128 + 0.5 * red(x, y) - 0.081312 * blue(x, y))).toBeLessThan(0.6);
  });

  it.each([
    [160, 120],
    [77, 61],
  ])("have luma that makes up for what coarse chroma loses, too: %s x %s", (width, height) => {
    // Bright red, of which coarse divisors of chroma lose much, and finer ones of luma little.
    const pixels = paint(width, height, (x, y) => {
      const wave = Math.sin(x * 1.1) * Math.sin(y * 0.825);
      return [210 + 40 * wave, 50 - 24 * wave, 50, 255];
    });
    const planes = wholePlanes(encode(pixels, { quality: 92, subsampling: "4:2:0" }), { eighths: [8, 8, 8] });
    const ofHalved = brightLuma(pixels, halved(pixels, 0), halved(pixels, 2));
    const ofDecoded = brightLuma(pixels, decodedDifference(planes, 0), decodedDifference(planes, 2));
    const luma = planes[0]?.samples ?? new Uint8Array(0);
    let [moved, wanted] = [0, 0];
    for (const [at, value] of luma.entries()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      const further = ofDecoded(x, y) - ofHalved(x, y);
      moved += (value - ofHalved(x, y)) * further;
      wanted += further ** 2;
    }
    expect(Math.sqrt(wanted / luma.length)).toBeGreaterThan(0.6);
    expect(moved / wanted).toBeGreaterThan(0.8);
    expect(moved / wanted).toBeLessThan(1.2);
  });
});

describe("planes of a JPEG file", () => {
  it.each(["s444", "s422", "s420", "s440", "gray", "progressive"])(
    "gives planes that agree with its rows: %s",
    (name) => {
      const planes = atOnce(openPlaneDecoder(jpegFile(name)));
      const gray = decode(jpegFile(name));
      let y = 0;
      for (let band = planes.read(); band; band = planes.read()) {
        expect(band.length).toBe(name === "gray" ? 1 : 3);
        const [luma] = band;
        if (name === "gray") expect(luma?.bytes[0]).toBe(gray.data[y * 133 * 4]);
        y += luma?.rows ?? 0;
      }
      planes.close();
      expect(planes.planes[0]).toEqual({ x: 0, y: 0, width: 133, height: 101 });
      expect(y).toBe(101);
    },
  );

  it.each([8, 4, 2, 1])(
    "gives planes of full chroma that are what its pixels are made of, at %i eighths",
    (eighths) => {
      const planes = wholePlanes("s444", { eighths: [eighths, eighths, eighths] });
      expect(pixelsOf(planes)).toEqual(decode(jpegFile("s444"), { eighths }).data);
    },
  );

  it.each(PLANE_FILES)("gives each plane at its own size, whatever those of others: %s", (name) => {
    for (const eighths of [
      [8, 4, 2],
      [4, 4, 4],
      [2, 1, 8],
      [1, 2, 4],
    ]) {
      const planes = wholePlanes(name, { eighths });
      for (const [index, plane] of planes.entries()) {
        const same = Array.from({ length: 3 }, () => eighths[index] ?? 8);
        expect(plane).toEqual(wholePlanes(name, { eighths: same })[index]);
      }
    }
  });

  it.each(PLANE_FILES)("gives the planes of a region as they are in the whole: %s", (name) => {
    const size = readHeader(jpegFile(name));
    for (const eighths of [
      [8, 8, 8],
      [4, 2, 1],
    ]) {
      const whole = wholePlanes(name, { eighths });
      for (const [x, y, width, height] of [
        [0, 0, 7, 5],
        [40, 33, 50, 20],
        [size.width - 3, size.height - 3, 3, 3],
        [0, 40, size.width, size.height - 40],
      ] as const) {
        const region = wholePlanes(name, { eighths, region: { x, y, width, height } });
        for (const [index, part] of region.entries()) {
          expect(part.width * part.height).toBeGreaterThan(0);
          expect(part.samples).toEqual(partOf(whole[index], part));
        }
      }
    }
  });

  it.each([
    ["soft", scene(256, 192)],
    ["noisy", noise(256, 192)],
  ])("tells what colors would lose as the encoder does: %s", (_name, pixels) => {
    const file = encode(pixels, { quality: 97, subsampling: "4:4:4" });
    const encoder = openEncoder({ width: 256, height: 192, quality: 80 });
    encoder.write(decode(file).data, 192);
    const loss = encoder.colorLoss();
    encoder.close();
    const planes = atOnce(openPlaneDecoder(file));
    let before = 0;
    while (planes.read()) {
      expect(planes.colorLoss()).toBeGreaterThanOrEqual(before);
      before = planes.colorLoss();
    }
    planes.close();
    // Noise has many colors that do not exist, of which pixels show less.
    expect(before).toBeGreaterThan(loss * 0.8);
    expect(before).toBeLessThan(loss * 1.6);
  });

  it("refuses planes of a region outside of the picture", () => {
    for (const region of [
      { x: 0, y: 0, width: 134, height: 1 },
      { x: 133, y: 0, width: 1, height: 1 },
    ])
      expect(() => atOnce(openPlaneDecoder(jpegFile("s420"), { region }))).toThrow(NativeError);
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it("takes planes as it takes rows", () => {
    const file = jpegFile("s420");
    const planes = atOnce(openPlaneDecoder(file));
    const encoder = openPlaneEncoder({ width: 133, height: 101, quality: 95 });
    for (let band = planes.read(); band; band = planes.read()) {
      for (const [index, layout] of encoder.planes.entries()) encoder.put(index, 0, padded(band[index], layout));
      encoder.write();
    }
    planes.close();
    const written = atOnce(encoder.finish());
    expect(readHeader(written).components.map(({ h, v }) => [h, v])).toEqual([
      [2, 2],
      [1, 1],
      [1, 1],
    ]);
    expect(psnr(decode(written), decode(file))).toBeGreaterThan(36);
  });

  it.each(PLANE_FILES)("stays within what is declared for planes: %s", (name) => {
    const header = readHeader(jpegFile(name));
    for (const eighths of [
      [8, 8, 8],
      [4, 4, 4],
      [4, 2, 1],
      [1, 8, 2],
    ]) {
      for (const width of [header.width, 20]) {
        heapOf(jpegModule, true);
        wholePlanes(name, { eighths, region: { x: header.width - width, y: 0, width, height: header.height } });
        expect(heapOf(jpegModule).peak).toBeLessThanOrEqual(planesEstimate(header, eighths, width).bytes);
      }
    }
  });
});
