/** The native JPEG module, against its own scalar code, and its memory. */
import { describe, expect, it } from "vitest";

import type { EncoderOptions } from "../../wasm/jpeg/encoder-options.ts";
import { jpegModule } from "../../wasm/jpeg/instance.ts";
import {
  decodeEstimate,
  encodeEstimate,
  openDecoder,
  openEncoder,
  readHeader,
  recompress as recompressPieces,
  recompressEstimate,
} from "../../wasm/jpeg/jpeg.ts";
import type { RecompressOptions } from "../../wasm/jpeg/recompress.ts";
import { heapOf, NativeError, nativeStatistics } from "../../wasm/load.ts";
import { JPEG_FILES, jpegFile } from "../support/jpeg-files.ts";
import { decode, encode } from "../support/jpeg-pixels.ts";
import { atOnce } from "../support/pieces.ts";
import { digest, noise, paint, type Pixels, psnr, scene } from "../support/rows.ts";

/** Pixels at 8, 5, 4, 2 and 1 eighths, by libjpeg-turbo's C code: `wasm/jpeg/build.sh scalar OUT`. At 8 as `djpeg -dct int`. */
const SCALAR: Readonly<Record<string, string>> = {
  "arithmetic-progressive": "74735d0755256786 2ec3c31d6e9fc5e3 198a194d2094671b 3e7d7c24f74f2a24 bde79f5af2dc3811",
  arithmetic: "74735d0755256786 2ec3c31d6e9fc5e3 d037d546466cb388 531b31516972f85e 49377a30fbea6021",
  cmyk: "f938c7464d0092e6 069b097c4d8ceedb dc73b0d50516a843 f321d639a59374f6 a158963ea01c2e87",
  "factors-1x3": "b4ff73ae536b6899 e0cfaff434d4050a ff5cb530af779bda bd20750a41a237f7 23cdd78b7ae6abda",
  gray: "fc4727cbc5d4bed6 1d87dab554afba7c 20de0fee417ee8ef 1be1b822faa2d221 a0f2e18ea32f532e",
  "odd-factors": "8316659d129055b6 c03431e4d620282b 46ac2b798ca1560f 4afe4b0eb85c4648 231616cb652f11db",
  "progressive-restart": "12bbb7078f7c4922 982b9660bd9b7ba6 262a16206a0775b0 b5ee99051dcacf85 0a3fd171bad00cce",
  progressive: "e3c7117c1e3d8030 8f8c7e75b71f5bab bf554fd278e6b6e3 418b76d6349d6e37 8ffc3875e83fb7d2",
  restart: "74735d0755256786 2ec3c31d6e9fc5e3 d037d546466cb388 531b31516972f85e 49377a30fbea6021",
  rgb: "51b833508b2dc7b8 8cd0d281cad57752 862dd0c43daa85de 521634b043187f17 b0110075e8a9916f",
  s410: "157beefa80b223eb d43c74a7879000da 7ee26668d98cf410 4df1a5ffa2e4b241 d49976ca026d0361",
  s411: "60490a0f7a1b2af2 e6072d98c31b6025 e688b02ffdd4fd38 9a31043f2b58cacf 689c23180d961160",
  s420: "b9f1dcc199a52f66 7bb2f726b88fbd99 7554a411aa903553 3363eecc6023d0f5 d41ec72223c12ff7",
  s422: "7a3f66c00fd3104d f984ed78b57050cf a7ff52046783b199 c4b51004b1aab2e9 2d4e14243a39a295",
  s440: "e993889d53a2b160 86e5fdd7e298fc05 7213e3f02ef538a7 bd6f49c79ac20ea8 7615b1c81b650a78",
  s444: "d0909739dff46f61 54742cab41343af7 8eb2f16fa5bf906b 0cca4f87944a039d 2694757490346a62",
  "several-scans": "b9f1dcc199a52f66 7bb2f726b88fbd99 a5c8c3bc17da4c3e fd166b36ec86a526 e880dea117ed9fc3",
  "twelve-bits": "0a62275d9da20462 f4d4d831bc045b82 48388399268dae7b aa10a7c431b6c078 426c500283e5d3ab",
};

function recompress(bytes: Uint8Array, options: RecompressOptions): Uint8Array {
  return atOnce(recompressPieces(bytes, options));
}

function cropped({ width, data }: Pixels, x: number, y: number, w: number, h: number): Uint8Array {
  const rows = Array.from({ length: h }, (_, row) => data.subarray(((y + row) * width + x) * 4).subarray(0, w * 4));
  return new Uint8Array(rows.flatMap((row) => [...row]));
}

/** What the statistics say about this module. */
function statistics() {
  const found = nativeStatistics().find(({ name }) => name === "jpeg");
  if (!found) throw new Error("the module is not known");
  return found;
}

describe("the JPEG decoder", () => {
  it.each(Object.entries(SCALAR))("gives the same pixels as the C code: %s", async (name, expected) => {
    const digests = await Promise.all(
      [8, 5, 4, 2, 1].map((eighths) => digest(decode(jpegFile(name), { eighths }).data)),
    );
    expect(digests.join(" ")).toBe(expected);
  });

  it.each(Object.keys(JPEG_FILES))("gives the pixels of a region as they are in the whole: %s", (name) => {
    const bytes = jpegFile(name);
    for (const eighths of [8, 4, 2]) {
      const whole = decode(bytes, { eighths });
      const boxes = [
        [0, 0, 7, 5],
        [17, 9, 8, 11],
        [1, 1, whole.width - 2, whole.height - 2],
        [whole.width - 3, whole.height - 2, 3, 2],
        [15, 0, 1, whole.height],
        [0, 20, whole.width, 2],
      ] as const;
      for (const [x, y, width, height] of boxes) {
        if (x + width > whole.width || y + height > whole.height) continue;
        const region = decode(bytes, { eighths, region: { x, y, width, height } });
        expect(region.data).toEqual(cropped(whole, x, y, width, height));
      }
    }
  });

  it.each([
    ["4:2:0", false],
    ["4:2:0", true],
    ["4:4:4", false],
  ] as const)("goes past what lies above a region in pieces: %s, progressive: %s", (subsampling, progressive) => {
    const bytes = encode(scene(2_000, 1_600), { subsampling, progressive, fast: true });
    for (const eighths of [8, 4]) {
      const whole = decode(bytes, { eighths });
      const region = { x: 11, y: Math.floor(whole.height * 0.93) - 3, width: 300, height: 40 };
      const work = openDecoder(bytes, { eighths, region });
      expect(work.next().done).toBe(false);
      atOnce(work).close();
      const part = decode(bytes, { eighths, region });
      expect(part.data).toEqual(cropped(whole, region.x, region.y, region.width, region.height));
    }
  });

  it("gives the same pixels as the C code where blocks are full and codes are long", async () => {
    const detail = noise(230, 170);
    const soft = scene(230, 170);
    const fast = (quality: number) => ({ quality, fast: true });
    const files = [encode(detail, fast(100)), encode(detail, fast(60)), encode(soft, fast(100))];
    const digests = files.map((file) => digest(decode(file).data));
    expect((await Promise.all(digests)).join(" ")).toBe("2462b878edbb6188 033b3a11f46a31f3 30843b27c3c90023");
  });

  it("refuses a code that the tables do not have, and data that end early or late", () => {
    const file = encode(noise(300, 200));
    const middle = file.length >> 1;
    const ones = file.slice();
    for (let at = middle; at < middle + 40; at += 2) ones.set([0xff, 0], at);
    expect(() => decode(ones)).toThrow("bad Huffman code");
    const marker = file.slice();
    marker.set([0xff, 0xd9], middle);
    expect(() => decode(marker)).toThrow("premature end of data segment");
    expect(() => decode(file.subarray(0, middle))).toThrow("premature end of data segment");
    const late = new Uint8Array(file.length + 300);
    late.set(file.subarray(0, -2));
    late.set(file.subarray(-2), file.length + 298);
    expect(() => recompress(late, { progressive: false })).toThrow("extraneous bytes before marker 0xd9");
  });

  it("refuses a region outside of the picture", () => {
    const bytes = jpegFile("s420");
    for (const region of [
      { x: 0, y: 0, width: 134, height: 1 },
      { x: 130, y: 0, width: 4, height: 1 },
      { x: 0, y: 0xffff_ffff, width: 1, height: 2 },
      { x: 0, y: 0, width: 1, height: 0 },
    ])
      expect(() => atOnce(openDecoder(bytes, { region }))).toThrow(NativeError);
  });

  it("converts CMYK without a profile as paper and light would, and gives the samples as stored", () => {
    const ink = decode(jpegFile("cmyk"), { output: "cmyk" });
    const light = decode(jpegFile("cmyk"));
    expect(psnr(light, decode(jpegFile("s444")))).toBeGreaterThan(28);
    const [c = 0, , , k = 0] = ink.data;
    expect(Math.abs((light.data[0] ?? 0) - (c * k) / 255)).toBeLessThanOrEqual(1);
    expect(() => decode(jpegFile("s444"), { output: "cmyk" })).toThrow(NativeError);
  });
});

describe("facts of a JPEG file", () => {
  it.each([
    ["s420", { width: 133, height: 101, colors: "YCbCr", progressive: false, multipleScans: false, precision: 8 }],
    ["progressive", { progressive: true, multipleScans: true, arithmetic: false }],
    ["several-scans", { progressive: false, multipleScans: true }],
    ["arithmetic", { arithmetic: true, lossless: false }],
    ["gray", { colors: "Gray" }],
    ["rgb", { colors: "RGB", adobeTransform: 0 }],
    ["cmyk", { colors: "YCCK", adobeTransform: 2 }],
    ["twelve-bits", { precision: 12 }],
    [
      "odd-factors",
      {
        components: [
          { h: 4, v: 1 },
          { h: 2, v: 1 },
          { h: 2, v: 2 },
        ],
      },
    ],
  ])("are in its header: %s", (name, expected) => {
    expect(readHeader(jpegFile(name))).toMatchObject(expected);
  });

  it("include the profile, whatever the number of pieces", () => {
    const profile = Uint8Array.from({ length: 150_000 }, (_, i) => i * 7);
    const bytes = encode(scene(16, 16), { profile });
    expect(readHeader(bytes).profile).toEqual(profile);
    const second = bytes.findIndex((_, i) => bytes[i] === 0xe2 && bytes[i - 1] === 0xff && bytes[i + 15] === 2);
    bytes[second] = 0xe3;
    expect(readHeader(bytes).profile).toBeUndefined();
    expect(decode(bytes).width).toBe(16);
  });
});

const SETTINGS: readonly Partial<EncoderOptions>[] = [
  {},
  { progressive: true },
  { subsampling: "4:4:4" },
  { subsampling: "4:2:2", progressive: true },
  { gray: true, progressive: true },
  { quality: 100, subsampling: "4:4:4", progressive: true },
  { quality: 5, progressive: true },
];

describe("the JPEG encoder", () => {
  it.each(SETTINGS)("writes pictures that look like what it was given: %o", (settings) => {
    for (const [width, height] of [
      [200, 150],
      [17, 33],
      [1, 1],
      [9, 300],
    ] as const) {
      const pixels = scene(width, height);
      const read = decode(encode(pixels, settings));
      expect([read.width, read.height]).toEqual([width, height]);
      const floor = settings.quality === 5 ? 16 : 27;
      if (!settings.gray && width > 100) expect(psnr(read, pixels)).toBeGreaterThan(floor);
    }
  });

  it("writes the same coefficients in one scan and in many", () => {
    const one = decode(encode(noise(123, 77), {}));
    const many = decode(encode(noise(123, 77), { progressive: true }));
    expect(many.data).toEqual(one.data);
  });

  it("refuses large noise that would take more memory than it declared", () => {
    const encoder = openEncoder({ width: 4_096, height: 2_048, quality: 100, subsampling: "4:4:4" });
    const rows = noise(4_096, 16).data;
    const fill = () => {
      for (let y = 0; y < 2_048; y += 16) encoder.write(rows, 16);
    };
    expect(fill).toThrow(NativeError);
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it("writes one component when there is no color", () => {
    const gray = paint(64, 48, (x, y) => [x * 3 + y, x * 3 + y, x * 3 + y, 255]);
    const bytes = encode(gray, { progressive: true });
    expect(readHeader(bytes).components).toHaveLength(1);
    expect(psnr(decode(bytes), gray)).toBeGreaterThan(40);
  });

  it("keeps more of faint detail on fine texture than on smooth shades of the same contrast", () => {
    const detail = noise(128, 128).data;
    const over = (shade: (x: number, y: number) => number) =>
      paint(128, 128, (x, y) => {
        const value = 128 + shade(x, y) + ((detail[(y * 128 + x) * 4] ?? 0) - 128) / 6;
        return [value, value, value, 255];
      });
    const kept = (pixels: Pixels) => psnr(decode(encode(pixels, { quality: 75 })), pixels);
    const fine = over((x, y) => ((x + y) % 2 ? 24 : -24));
    const smooth = over((x, y) => 24 * Math.SQRT2 * Math.sin(((x + y) * Math.PI) / 8));
    expect(kept(fine) - kept(smooth)).toBeGreaterThan(1.5);
  });

  it("refuses to finish before all rows are there", () => {
    const encoder = openEncoder({ width: 16, height: 16, quality: 80 });
    encoder.write(new Uint8Array(16 * 4 * 8), 8);
    expect(() => atOnce(encoder.finish())).toThrow(NativeError);
    expect(heapOf(jpegModule).used).toBe(0);
  });
});

describe("recompression of JPEG", () => {
  const files = Object.entries(JPEG_FILES).filter(([name]) => name !== "twelve-bits");

  it.each(files)("keeps every pixel: %s", (_name, bytes) => {
    const pixels = decode(bytes);
    for (const progressive of [true, false]) {
      const result = recompress(bytes, { progressive });
      expect(readHeader(result)).toMatchObject({ progressive, arithmetic: false });
      expect(decode(result).data).toEqual(pixels.data);
      // Holding a part of the coefficients at a time, reading the file several times.
      expect(recompress(bytes, { progressive, windowBytes: 20_000 })).toEqual(result);
      // Holding none: the same file, unless its codes are made for a part of the picture.
      expect(recompress(bytes, { progressive, streamed: true })).toEqual(result);
      const sampled = recompress(bytes, { progressive, streamed: true, windowBytes: 20_000 });
      expect(decode(sampled).data).toEqual(pixels.data);
    }
  });

  it.each(files)("makes files smaller with coarser divisors: %s", (_name, bytes) => {
    const smaller = recompress(bytes, { progressive: true, quality: 50 });
    expect(smaller.length).toBeLessThan(recompress(bytes, { progressive: true }).length);
    expect(psnr(decode(smaller), decode(bytes))).toBeGreaterThan(25);
  });

  it("drops metadata and keeps a profile that it is given", () => {
    const profile = Uint8Array.from({ length: 500 }, (_, i) => i);
    const bytes = encode(scene(40, 40), { profile });
    expect(readHeader(recompress(bytes, { progressive: false })).profile).toBeUndefined();
    expect(readHeader(recompress(bytes, { progressive: false, profile })).profile).toEqual(profile);
  });

  it("refuses what has no 8-bit coefficients", () => {
    expect(() => recompress(jpegFile("twelve-bits"), { progressive: true })).toThrow(NativeError);
  });
});

describe("memory of the JPEG module", () => {
  it.each(Object.keys(JPEG_FILES))("stays within what is declared: %s", (name) => {
    const bytes = jpegFile(name);
    const header = readHeader(bytes);
    for (let eighths = 1; eighths <= 8; eighths++) {
      heapOf(jpegModule, true);
      decode(bytes, { eighths });
      expect(heapOf(jpegModule).peak).toBeLessThanOrEqual(decodeEstimate(header, eighths).bytes);
    }
    if (header.precision > 8) return;
    for (const options of [{}, { windowBytes: 20_000 }, { streamed: true }, { streamed: true, windowBytes: 20_000 }]) {
      heapOf(jpegModule, true);
      recompress(bytes, { progressive: true, ...options });
      expect(heapOf(jpegModule).peak).toBeLessThanOrEqual(recompressEstimate(header, bytes.length, options).bytes);
    }
  });

  it.each(SETTINGS)("stays within what encoding declares, for noise: %o", (settings) => {
    for (const [width, height] of [
      [512, 512],
      [3_000, 20],
      [20, 3_000],
      [1, 1],
    ] as const) {
      heapOf(jpegModule, true);
      encode(noise(width, height), settings);
      const declared = encodeEstimate({ width, height, quality: 90, ...settings }).bytes;
      expect(heapOf(jpegModule).peak).toBeLessThanOrEqual(declared);
    }
  });

  it("does not depend on the height of a picture in one scan", () => {
    const tall = encode(scene(64, 6_000));
    heapOf(jpegModule, true);
    decode(tall);
    expect(heapOf(jpegModule).peak).toBeLessThan(400_000);
  });

  it("does not depend on the detail of a picture that is streamed", () => {
    const bytes = encode(noise(640, 480), { quality: 95 });
    const held = recompress(bytes, { progressive: true });
    heapOf(jpegModule, true);
    expect(recompress(bytes, { progressive: true, streamed: true })).toEqual(held);
    expect(heapOf(jpegModule).peak).toBeLessThan(1_700_000);
  });

  it("is what it was after thousands of good and damaged jobs in one instance", () => {
    const before = statistics();
    const names = Object.keys(JPEG_FILES);
    let refused = 0;
    for (let job = 0; job < 3_000; job++) {
      const bytes = jpegFile(names[job % names.length] ?? "s420").slice();
      // Cut short, or a few bytes changed; the sequence is the same on every run.
      const cut = job % 3 === 1 ? bytes.subarray(0, (job * 7_919) % bytes.length) : bytes;
      for (let i = 0; job % 3 === 2 && i < 3; i++) {
        const at = (job * 104_729 * (i + 1)) % cut.length;
        cut[at] = (cut[at] ?? 0) ^ (1 << ((job + i) % 8));
      }
      try {
        if (job % 5 === 0) recompress(cut, { progressive: job % 2 === 0, quality: 60, streamed: job % 15 === 0 });
        else decode(cut, { eighths: 1 + (job % 8) });
      } catch (error) {
        expect(error).toBeInstanceOf(NativeError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(1_000);
    expect(heapOf(jpegModule).used).toBe(0);
    const after = statistics();
    expect(after.replaced).toBe(before.replaced);
    // What larger jobs before left behind is kept; these have to do with that, or with little.
    expect(after.memoryBytes).toBeLessThanOrEqual(Math.max(before.memoryBytes, 8 << 20));
  });
});
