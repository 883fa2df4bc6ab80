/** Writing AVIF sequences. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import { isolateBudget } from "../../../../src/scheduler/budget.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { av1EncodeHeap } from "../../../../wasm/av1-encode/module.ts";
import { decodeFile } from "../../../support/files.ts";
import { boxTypes } from "../../../support/heif-boxes.ts";
import { drain, noise, paint, pictureOf, type Pixels, psnr, sample, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const EXACT = { ...SETTINGS, lossless: true };

/** A square that moves over a scene; where not opaque, through holes that move with it. */
function film(width: number, height: number, count: number, opaque = true): [Pixels, ...Pixels[]] {
  const background = scene(width, height);
  const frame = (at: number) =>
    paint(width, height, (x, y) => {
      const inside = Math.abs(x - ((at * 3) % width)) < 8 && Math.abs(y - height / 2) < 6;
      const from = (y * width + x) * 4;
      if (inside) return [230, 60, 40, opaque ? 255 : 128];
      const color = [0, 1, 2].map((channel) => sample(background.data, from + channel)) as [number, number, number];
      return [...color, opaque || y > at ? 255 : 0];
    });
  const [first, ...others] = Array.from({ length: count }, (_, at) => frame(at));
  if (!first) throw new Error("no frame");
  return [first, ...others];
}

/** Waves that turn about the middle, by two degrees a frame: blocks are best predicted from such as were warped. */
function turning(width: number, height: number, count: number): [Pixels, ...Pixels[]] {
  const frame = (at: number) => {
    const [cos, sin] = [Math.cos((at * Math.PI) / 90), Math.sin((at * Math.PI) / 90)];
    return paint(width, height, (x, y) => {
      const [right, down] = [x - width / 2, y - height / 2];
      const [u, v] = [right * cos - down * sin, right * sin + down * cos];
      const light = 128 + 50 * Math.sin(u / 4) * Math.cos(v / 6) + 40 * Math.sin((u * v) / 400);
      return [light, 255 - light, 128 + v / 2, 255].map(Math.round) as [number, number, number, number];
    });
  };
  return [frame(0), ...Array.from({ length: count - 1 }, (_, at) => frame(at + 1))];
}

interface Shown {
  readonly delayMs: number;
  readonly pixels: Pixels;
}

async function framesOf(bytes: Uint8Array): Promise<Shown[]> {
  const facts = avif.read.factsOf(bytes);
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  return Array.fromAsync(avif.read.open(bytes, facts, demand, UNPAUSED), async ({ delayMs, rows }) => {
    return { delayMs, pixels: await drain(rows) };
  });
}

/** The bytes after the name of a box, wherever it is. */
function boxesCalled(bytes: Uint8Array, type: string): Uint8Array[] {
  const text = Buffer.from(bytes);
  const found: Uint8Array[] = [];
  for (let at = text.indexOf(type); at >= 0; at = text.indexOf(type, at + 4)) found.push(bytes.subarray(at + 4));
  return found;
}

const numberAt = (bytes: Uint8Array | undefined, at: number) =>
  bytes && new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0);

describe("animations as AVIF", () => {
  it("are sequences with tracks of colors and alpha, and their first frame as a still", async () => {
    const bytes = await avif.write.encode(
      pictureOf(film(64, 48, 3, false), { opaque: false, delayMs: 40 }),
      SETTINGS,
      UNPAUSED,
    );
    expect(new TextDecoder().decode(bytes.subarray(8, 12))).toBe("avis");
    expect(boxTypes(bytes).filter((type) => ["ftyp", "meta", "moov", "mdat"].includes(type))).toEqual([
      "ftyp",
      "meta",
      "moov",
      "mdat",
    ]);
    expect(boxesCalled(bytes, "trak")).toHaveLength(2);
    expect(boxesCalled(bytes, "tref")).toHaveLength(1);
    expect(boxesCalled(bytes, "stss").map((box) => [numberAt(box, 4), numberAt(box, 8)])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const [colors] = boxesCalled(bytes, "stco").map((box) => numberAt(box, 8));
    // The first item lies where the first sample does: said after sizes, its number, a reference and the number of its
    // parts.
    expect(numberAt(boxesCalled(bytes, "iloc")[0], 14)).toBe(colors);
  });

  it.each([
    [64, 48, 2, true],
    [33, 21, 3, true],
    [1, 1, 2, true],
    [17, 90, 12, false],
    [70, 50, 20, true],
  ])("of %i x %i in %i frames come back, opaque: %s", async (width, height, count, opaque) => {
    const frames = film(width, height, count, opaque);
    const bytes = await avif.write.encode(
      pictureOf(frames, { opaque, delayMs: 70 }),
      { ...SETTINGS, quality: 90 },
      UNPAUSED,
    );
    expect(avif.read.factsOf(bytes)).toMatchObject({ width, height, frames: count, alpha: !opaque });
    const shown = await framesOf(bytes);
    expect(shown.map(({ delayMs }) => delayMs)).toEqual(frames.map(() => 70));
    for (const [at, { pixels }] of shown.entries()) {
      const wanted = frames[at] ?? pixels;
      expect(psnr(pixels, wanted)).toBeGreaterThan(22);
    }
  });

  it("are predicted from what was turned where a picture turns, and stay as good to the last frame", async () => {
    const frames = turning(192, 144, 10);
    const bytes = await avif.write.encode(pictureOf(frames), { ...SETTINGS, quality: 77 }, UNPAUSED);
    // 4,520; at full range 4,433, and 4,785 where blocks were not warped, or were by other numbers than decoders have.
    expect(bytes.length).toBeLessThan(4_600);
    const shown = await framesOf(bytes);
    for (const [at, { pixels }] of shown.entries()) expect(psnr(pixels, frames[at] ?? pixels)).toBeGreaterThan(39.6);
  });

  it("keep every pixel of every frame where nothing may be lost", async () => {
    for (const opaque of [true, false]) {
      const frames = film(49, 35, 11, opaque);
      const bytes = await avif.write.encode(pictureOf(frames, { opaque }), EXACT, UNPAUSED);
      expect((await framesOf(bytes)).map(({ pixels }) => pixels.data)).toEqual(frames.map(({ data }) => data));
    }
  });

  // Chromium of Debian 12 widens the range of sequences whatever they say.
  it("have the range of films, but for what loses nothing, and the colors that they had", async () => {
    const frames: [Pixels, Pixels] = [paint(64, 48, () => [238, 51, 51, 255]), paint(64, 48, () => [16, 32, 250, 255])];
    for (const [settings, range] of [
      [{ ...SETTINGS, subsample: "4:4:4" as const }, 0],
      [SETTINGS, 0],
      [EXACT, 0x80],
    ] as const) {
      const bytes = await avif.write.encode(pictureOf(frames), settings, UNPAUSED);
      const text = String.fromCharCode(...bytes);
      const ranges = [...text.matchAll(/colrnclx/g)].map(({ index }) => bytes[index + 14]);
      // Of the still and of the track.
      expect(ranges).toEqual([range, range]);
      const { data } = await decodeFile(avif, bytes);
      const middle = [...data.subarray(24 * 64 * 4 + 128, 24 * 64 * 4 + 132)];
      for (const [at, level] of [238, 51, 51, 255].entries())
        expect(Math.abs((middle[at] ?? 0) - level)).toBeLessThan(4);
    }
  });

  it("have no track of alpha where no pixel needs one", async () => {
    const bytes = await avif.write.encode(pictureOf(film(40, 40, 3), { opaque: false }), SETTINGS, UNPAUSED);
    expect(avif.read.factsOf(bytes)).toMatchObject({ frames: 3, alpha: false });
  });

  it.each([0, 1, 5])("play as often as they did: %i", async (loops) => {
    const bytes = await avif.write.encode(pictureOf(film(32, 32, 2), { loops, delayMs: 30 }), SETTINGS, UNPAUSED);
    expect(avif.read.factsOf(bytes).loops).toBe(loops);
  });

  it("last as long as they did, to a millisecond", async () => {
    const picture = pictureOf(film(32, 32, 3));
    const delays = [100 / 3, 100 / 3, 100 / 3];
    async function* open(timeSlice: TimeSlice) {
      let at = 0;
      for await (const frame of picture.open(timeSlice)) yield { ...frame, delayMs: delays[at++] ?? 0 };
    }
    const bytes = await avif.write.encode({ ...picture, open }, SETTINGS, UNPAUSED);
    expect((await framesOf(bytes)).map(({ delayMs }) => delayMs)).toEqual([33, 34, 33]);
  });

  it("take less than half of what their frames do as stills", async () => {
    const frames = film(120, 90, 12);
    const one = (await avif.write.encode(pictureOf([frames[0]]), SETTINGS, UNPAUSED)).length;
    const all = (await avif.write.encode(pictureOf(frames), SETTINGS, UNPAUSED)).length;
    expect(all).toBeLessThan((frames.length / 2) * one);
  });

  it("leave no memory behind, and hold no more than they declare", async () => {
    await avif.write.encode(pictureOf(film(32, 32, 2)), SETTINGS, UNPAUSED);
    const before = av1EncodeHeap().used;
    for (const [width, height, count, opaque] of [
      [160, 120, 12, false],
      [400, 40, 3, true],
    ] as const) {
      for (const settings of [SETTINGS, EXACT, { ...SETTINGS, subsample: "4:4:4" as const, quality: 100 }]) {
        const picture = pictureOf(Array.from({ length: count }, () => noise(width, height)) as [Pixels, ...Pixels[]], {
          opaque,
        });
        av1EncodeHeap(true);
        await avif.write.encode(picture, settings, UNPAUSED);
        const { peak, used } = av1EncodeHeap();
        expect(used).toBe(before);
        expect(peak - before).toBeLessThanOrEqual(avif.write.estimate(picture, settings).bytes);
      }
    }
  });

  it("hold no more than they declare where no frame is seen ahead", async () => {
    await avif.write.encode(pictureOf(film(32, 32, 2)), SETTINGS, UNPAUSED);
    const { used } = av1EncodeHeap(true);
    const picture = pictureOf([noise(600, 420), noise(600, 420)]);
    await avif.write.encode(picture, EXACT, UNPAUSED);
    expect(av1EncodeHeap().peak - used).toBeLessThanOrEqual(avif.write.estimate(picture, EXACT).bytes);
  });

  it("of a megapixel fit into memory without loss, and of many do not", () => {
    const canHold = (width: number, settings: typeof SETTINGS) =>
      isolateBudget.canHold(avif.write.estimate({ width, height: 1_000, opaque: true, frames: 3 }, settings));
    expect([canHold(1_000, EXACT), canHold(1_600, SETTINGS), canHold(4_000, EXACT)]).toEqual([true, true, false]);
  });

  it("are read for each of their tracks, as often as they say", async () => {
    for (const opaque of [true, false]) {
      const picture = pictureOf(film(32, 32, 2, opaque), { opaque });
      let count = 0;
      const open = (timeSlice: TimeSlice) => {
        count++;
        return picture.open(timeSlice);
      };
      await avif.write.encode({ ...picture, open }, SETTINGS, UNPAUSED);
      expect([count, avif.write.readings?.(picture)]).toEqual(opaque ? [1, 1] : [2, 2]);
    }
  });

  it("are estimated by the pixels of all frames, before anything is decoded", () => {
    const estimateOf = (frames: number, width = 640) =>
      avif.write.estimate({ width, height: 480, opaque: true, frames }, SETTINGS).ms;
    expect(estimateOf(20)).toBeCloseTo(2 * estimateOf(10));
    expect(estimateOf(20, 1_280) / estimateOf(20)).toBeGreaterThan(1.9);
    const large = { width: 4_000, height: 3_000, opaque: true, frames: 2 };
    expect(isolateBudget.canHold(avif.write.estimate(large, SETTINGS))).toBe(false);
  });
});
