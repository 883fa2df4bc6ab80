/** Pictures for tests: made, read back, compared. */
import { type Picture, stillPicture } from "../../src/image/pixels/picture.ts";
import { bytesPerPixel, type Rows } from "../../src/image/pixels/rows.ts";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGBA; what is drained of 16-bit rows has two bytes a sample. */
  readonly data: Uint8Array;
}

/** A picture whose samples have 16 bits. */
export interface SixteenBitPixels {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly samples: Uint16Array;
}

/** A picture of which every pixel is a function of its place: red, green, blue and alpha. */
export function paint(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly [number, number, number, number],
): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(color(x, y), (y * width + x) * 4);
  return { width, height, data };
}

/** Smooth colors with edges and some texture, the same on every run. */
export function scene(width: number, height: number, opaque = true): Pixels {
  return paint(width, height, (x, y) => {
    const edge = ((x >> 5) ^ (y >> 5)) & 1 ? 60 : 0;
    const grain = (x * 7919 + y * 104729) % 13;
    return [(x * 200) / width + edge, (y * 200) / height + grain, 90 + edge + grain, opaque ? 255 : (x * 255) / width];
  });
}

/** A picture of which every pixel, of 16 bits a sample, is a function of its place. */
export function paintSixteenBit(
  width: number,
  height: number,
  color: (x: number, y: number) => readonly [number, number, number, number],
): SixteenBitPixels {
  const samples = new Uint16Array(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) samples.set(color(x, y), (y * width + x) * 4);
  return { width, height, samples };
}

/** Smooth colors, edges and some texture in the lower bits, the same on every run. */
export function sixteenBitScene(width: number, height: number, opaque = true): SixteenBitPixels {
  return paintSixteenBit(width, height, (x, y) => {
    const edge = ((x >> 5) ^ (y >> 5)) & 1 ? 15_000 : 0;
    const grain = (x * 7919 + y * 104729) % 997;
    const alpha = opaque ? 65_535 : Math.round((x * 65_535) / width);
    return [(x * 50_000) / width + edge, (y * 50_000) / height + grain, 20_000 + edge + grain, alpha];
  });
}

/** 16-bit rows over samples; at most `most` at a time. */
export function sixteenBitRowsOf({ width, height, samples }: SixteenBitPixels, opaque = true, most = 1_000): Rows {
  let y = 0;
  return {
    width,
    height,
    opaque,
    sixteenBit: true,
    async read(max) {
      const count = Math.min(max, most, height - y);
      if (count === 0) return null;
      y += count;
      return new Uint8Array(samples.buffer, (y - count) * width * 8, count * width * 8);
    },
    close() {},
  };
}

/** A still picture of so many bits a sample whose rows are 16-bit. */
export function sixteenBitPictureOf(pixels: SixteenBitPixels, opaque = true, bits = 16): Picture {
  const { width, height } = pixels;
  return stillPicture({ width, height, opaque, bits }, () => sixteenBitRowsOf(pixels, opaque));
}

/** Reads 16-bit rows to their end, at most `max` at a time, and closes them. */
export async function drainSixteenBit(rows: Rows, max = 16): Promise<SixteenBitPixels> {
  if (!rows.sixteenBit) throw new Error("the rows are not deep");
  const { width, height, data } = await drain(rows, max);
  return { width, height, samples: new Uint16Array(data.buffer) };
}

/** Noise, the same on every run (xorshift32): what compresses worst. */
export function noise(width: number, height: number, opaque = true): Pixels {
  let state = 0x2545f491;
  return paint(width, height, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return [state & 255, (state >>> 8) & 255, (state >>> 16) & 255, opaque ? 255 : state >>> 24];
  });
}

/** The same with noise of up to so many levels to both sides, the same for all colors of a pixel. */
export function noisy(pixels: Pixels, levels: number): Pixels {
  const { width, height } = pixels;
  const grains = noise(width, height);
  const data = pixels.data.map((value, at) => {
    const more = ((grains.data[at - (at % 4)] ?? 0) % (2 * levels + 1)) - levels;
    return at % 4 === 3 ? value : Math.min(255, Math.max(0, value + more));
  });
  return { width, height, data };
}

/** Rows over pixels; at most `most` at a time. */
export function rowsOf({ width, height, data }: Pixels, opaque = true, most = 1_000): Rows {
  let y = 0;
  return {
    width,
    height,
    opaque,
    async read(max) {
      const count = Math.min(max, most, height - y);
      if (count === 0) return null;
      y += count;
      return data.subarray((y - count) * width * 4, y * width * 4);
    },
    close() {},
  };
}

/** Frames as a picture. */
export function pictureOf(
  frames: readonly [Pixels, ...Pixels[]],
  { opaque = true, delayMs = 0, loops = 0 }: { opaque?: boolean; delayMs?: number; loops?: number } = {},
): Picture {
  const [first] = frames;
  return {
    width: first.width,
    height: first.height,
    opaque,
    frames: frames.length,
    loops,
    async *open() {
      for (const frame of frames) yield { delayMs, rows: rowsOf(frame, opaque) };
    },
  };
}

/** Reads rows to their end, at most `max` at a time, and closes them. */
export async function drain(rows: Rows, max = 16): Promise<Pixels> {
  const data = new Uint8Array(rows.width * rows.height * bytesPerPixel(rows));
  let at = 0;
  try {
    for (let read = await rows.read(max); read; read = await rows.read(max)) {
      data.set(read, at);
      at += read.length;
    }
  } finally {
    rows.close();
  }
  if (at !== data.length) throw new Error("the rows ended early");
  return { width: rows.width, height: rows.height, data };
}

/** One sample; a test that looks outside the picture is wrong. */
export function sample(data: Uint8Array, index: number): number {
  const value = data[index];
  if (value === undefined) throw new RangeError("outside the picture");
  return value;
}

/** The first 16 digits of the SHA-256. */
export async function digest(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
  return [...hash.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Peak signal-to-noise ratio over red, green and blue, in decibels. */
export function psnr(a: Pixels, b: Pixels): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) if (i % 4 !== 3) sum += ((a.data[i] ?? 0) - (b.data[i] ?? 0)) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / (a.width * a.height * 3)));
}
