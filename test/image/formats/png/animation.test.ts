/** Reading and writing animated PNG files. */
import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import specification007 from "../../../fixtures/png/apng-spec-007.png";
import specification016 from "../../../fixtures/png/apng-spec-016.png";
import minimal from "../../../fixtures/png/minimal.apng";
import overBackground from "../../../fixtures/png/over-background.apng";
import overPrevious from "../../../fixtures/png/over-previous.apng";
import { drain, noise, paint, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

interface Frame {
  readonly delayMs: number;
  readonly pixels: Pixels;
}

async function read(file: ArrayBuffer | Uint8Array): Promise<{ loops: number; frames: Frame[] }> {
  const bytes = new Uint8Array(file);
  const facts = png.read.factsOf(bytes);
  const { width, height, loops } = facts;
  const frames: Frame[] = [];
  for await (const { delayMs, rows } of png.read.open(
    bytes,
    facts,
    { box: { x: 0, y: 0, width, height }, width, height },
    UNPAUSED,
  )) {
    frames.push({ delayMs, pixels: await drain(rows) });
  }
  expect(frames).toHaveLength(facts.frames);
  return { loops, frames };
}

function encoded(
  frames: readonly [Pixels, ...Pixels[]],
  options: { opaque?: boolean; delayMs?: number; loops?: number },
) {
  return png.write.encode(
    pictureOf(frames, options),
    { lossless: true, quality: 100, progressive: false, effort: 0.5 },
    UNPAUSED,
  );
}

function pixelAt({ width, data }: Pixels, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 4, (y * width + x + 1) * 4)];
}

/** The file without the chunks that are not kept. */
function without(bytes: Uint8Array, keeps: (type: string, at: number) => boolean): Uint8Array {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    const end = at + 12 + new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0);
    if (keeps(String.fromCharCode(...bytes.subarray(at + 4, at + 8)), at)) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

describe("reading APNG", () => {
  // The tests of the APNG specification end in a green rectangle when everything was done right.
  it.each([
    ["dispose none, blend over", specification007],
    ["dispose previous, blend over", specification016],
  ])("disposes and blends as specified: %s", async (_name, file) => {
    const { frames, loops } = await read(file);
    expect(loops).toBe(1);
    const data = frames.at(-1)?.pixels.data ?? new Uint8Array(4);
    for (let at = 0; at < data.length; at += 4) expect([...data.subarray(at, at + 4)]).toEqual([0, 255, 0, 255]);
  });

  it("reads delays and loops", async () => {
    const { frames, loops } = await read(minimal);
    expect(loops).toBe(0);
    expect(frames.map(({ delayMs }) => delayMs)).toEqual([100, 100, 100, 100]);
    expect((await read(overBackground)).frames.map(({ delayMs }) => delayMs)).toEqual([1_000, 1_000, 3_000]);
  });

  it("clears a region after the frame that asks for it", async () => {
    const [first, second] = (await read(overBackground)).frames as [Frame, Frame];
    const colored = (pixels: Pixels) => pixels.data.filter((value, at) => at % 4 === 3 && value > 0).length;
    expect(colored(first.pixels)).toBeGreaterThan(0);
    expect(second.pixels.data).not.toEqual(first.pixels.data);
  });

  it("gives each frame its own canvas content, whatever came before", async () => {
    expect((await read(overPrevious)).frames.map(({ pixels }) => pixels.data.length)).toEqual([90_000, 90_000, 90_000]);
  });
});

/** A block that moves over a ground. */
function moving(count: number, ground: number): [Pixels, ...Pixels[]] {
  const frames = Array.from({ length: count }, (_, i) =>
    paint(60, 40, (x, y) => {
      const inside = x >= 5 + i * 4 && x < 15 + i * 4 && y >= 9 && y < 22;
      return inside ? [200, x * 3, 40, 255] : [30 + x, 90 + y, 160, ground];
    }),
  );
  return frames as [Pixels, ...Pixels[]];
}

describe("writing APNG", () => {
  it.each([
    ["opaque", moving(6, 255), true],
    ["translucent ground", moving(6, 120), false],
    ["frames that become more transparent", [scene(40, 30), scene(40, 30, false), scene(40, 30)], false],
    [
      "few colors",
      [paint(30, 30, (x) => [x > 9 ? 255 : 0, 0, 0, 255]), paint(30, 30, (x) => [x > 20 ? 255 : 0, 0, 0, 255])],
      true,
    ],
    ["black and white", [paint(30, 30, () => [0, 0, 0, 255]), paint(30, 30, () => [255, 255, 255, 255])], true],
  ] as [string, [Pixels, ...Pixels[]], boolean][])(
    "gives back all frames exactly: %s",
    async (_name, frames, opaque) => {
      const result = await read(await encoded(frames, { opaque, delayMs: 70, loops: 3 }));
      expect(result.loops).toBe(3);
      expect(result.frames.map(({ pixels }) => pixels)).toEqual(frames);
      expect(result.frames.every(({ delayMs }) => delayMs === 70)).toBe(true);
    },
  );

  it("keeps frames that repeat, at next to no cost", async () => {
    const frame = scene(64, 64);
    const once = (await encoded([frame], { opaque: true })).length;
    const bytes = await encoded([frame, frame, frame], { opaque: true, delayMs: 500 });
    expect(bytes.length).toBeLessThan(once + 400);
    expect((await read(bytes)).frames.map(({ pixels }) => pixels)).toEqual([frame, frame, frame]);
  });

  it("stores what changed and no more", async () => {
    const ground = scene(80, 60);
    const dot = (at: number) => {
      const data = ground.data.slice();
      data.fill(255, (30 * 80 + at) * 4, (30 * 80 + at + 4) * 4);
      return { ...ground, data };
    };
    const frames: [Pixels, ...Pixels[]] = [ground, dot(5), dot(20), dot(40)];
    const alone = (await encoded([ground], { opaque: true })).length;
    const bytes = await encoded(frames, { opaque: true });
    expect(bytes.length).toBeLessThan(alone + 3 * 120);
    expect((await read(bytes)).frames.map(({ pixels }) => pixels)).toEqual(frames);
  });

  it("leaves holes where nothing changed, also without an alpha channel", async () => {
    const ground = noise(80, 60);
    const spread = (step: number): Pixels => {
      const data = ground.data.slice();
      for (let at = 0; at < data.length; at += 4 * 97) data.set([step, 255, 0, 255], at);
      return { ...ground, data };
    };
    const frames: [Pixels, ...Pixels[]] = [ground, spread(1), spread(2)];
    const bytes = await encoded(frames, { opaque: true });
    expect(png.read.factsOf(bytes)).toMatchObject({ colorspace: "RGB", depth: 24 });
    expect(bytes.length).toBeLessThan(80 * 60 * 3 * 1.2);
    expect((await read(bytes)).frames.map(({ pixels }) => pixels)).toEqual(frames);
  });

  it("rounds delays beyond 65 seconds to seconds", async () => {
    const bytes = await encoded(moving(2, 255), { opaque: true, delayMs: 90_400 });
    expect((await read(bytes)).frames[0]?.delayMs).toBe(90_000);
  });

  it("shows the first frame to readers that know no animation", async () => {
    const frames = moving(3, 255);
    const bytes = await encoded(frames, { opaque: true });
    const still = bytes.slice();
    const at = still.findIndex((_, index) => String.fromCharCode(...still.subarray(index, index + 4)) === "acTL");
    still[at] = "x".charCodeAt(0);
    expect((await read(still)).frames[0]?.pixels).toEqual(frames[0]);
    expect(pixelAt(frames[0], 10, 10)).toEqual([200, 30, 40, 255]);
  });

  // As browsers do, of files whose number of frames was never filled in.
  it("plays what is there of a whole file that says it has more frames", async () => {
    const frames = moving(3, 255);
    const bytes = await encoded(frames, { opaque: true });
    const last = String.fromCharCode(...bytes).lastIndexOf("fcTL") - 4;
    const short = without(bytes, (type, at) => at < last || type === "IEND");
    expect((await read(short)).frames.map(({ pixels }) => pixels)).toEqual(frames.slice(0, 2));
    const none = without(bytes, (type) => !["fcTL", "fdAT"].includes(type));
    expect((await read(none)).frames.map(({ pixels }) => pixels)).toEqual(frames.slice(0, 1));
    const cut = without(bytes, (_, at) => at < last);
    expect(() => png.read.factsOf(cut)).toThrow("frames are missing");
  });
});
