/** Reading and writing animated WebP files. */
import { describe, expect, it } from "vitest";

import type { EncodeSettings } from "../../../../src/image/codec/writer.ts";
import { webp } from "../../../../src/image/formats/webp.ts";
import type { Picture } from "../../../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import blend from "../../../fixtures/webp/animated-blend.webp";
import dispose from "../../../fixtures/webp/animated-dispose.webp";
import { digest, drain, paint, pictureOf, type Pixels, psnr } from "../../../support/rows.ts";

async function frames(bytes: Uint8Array): Promise<{ delayMs: number; pixels: Pixels }[]> {
  const facts = webp.read.factsOf(bytes);
  const { width, height } = facts;
  const found: { delayMs: number; pixels: Pixels }[] = [];
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  for await (const { delayMs, rows } of webp.read.open(bytes, facts, demand, UNPAUSED)) {
    found.push({ delayMs, pixels: await drain(rows) });
  }
  return found;
}

/** Canvases as `anim_dump -pam` of libwebp 1.6.0 writes them, which is with black under full transparency. */
const ANIMATIONS = [
  [
    "frames that blend",
    blend,
    70,
    "8ddce5168b1cf196 c5846c963f39f43f 8b06656e48c53b70 3b8e46749c2fd720 b23561d30929ffdf 4aa1b56c226e691a " +
      "4430772d12ca187a 83c2467b24ae367a 99f794622a992731 cc7ec5038ed53ab1 0a6f8838e84137e8 9ab1db00e0f22a2d",
  ],
  [
    "frames that leave nothing behind",
    dispose,
    100,
    "5dd4c77413551aa9 a39947eca2231f2f 0b5ca27d365f1f37 e6f8cd2e42a1beb9 8b1c321c9da9ff81 4463af5d443f321d " +
      "660fa44e6c3abbf3 ac3e1e5e87c414ab",
  ],
] as const;

function withoutHiddenColors({ data }: Pixels): Uint8Array {
  const shown = data.slice();
  for (let i = 0; i < shown.length; i += 4) if (shown[i + 3] === 0) shown.fill(0, i, i + 3);
  return shown;
}

/** A block that moves over a ground, 8 frames of 60 x 40. */
function moving(alpha: number): [Pixels, ...Pixels[]] {
  const frames = Array.from({ length: 8 }, (_, i) =>
    paint(60, 40, (x, y) => {
      const inside = x >= 5 + i * 4 && x < 15 + i * 4 && y >= 9 && y < 22;
      return inside ? [200, x * 3, 40, 255] : [30 + x, 90 + y, 160, alpha];
    }),
  );
  return frames as [Pixels, ...Pixels[]];
}

/** Gray grain, which a lossless coder cannot make small. */
function grain(seed: number): Pixels {
  return paint(80, 60, (x, y) => {
    const value = Math.imul(Math.imul(x + seed * 80, 7_919) ^ Math.imul(y, 104_729), 0x9e3779b1) >>> 24;
    return [value, value, value, 255];
  });
}

const LOSSLESS = { lossless: true, quality: 80, progressive: false, effort: 0.5 };

const encode = (picture: Picture, settings: EncodeSettings) => webp.write.encode(picture, settings, UNPAUSED);

describe("animated WebP", () => {
  it.each(ANIMATIONS)("is composed as the reference decoder does: %s", async (_name, file, delayMs, expected) => {
    const found = await frames(new Uint8Array(file));
    expect(found.every((frame) => frame.delayMs === delayMs)).toBe(true);
    const digests = await Promise.all(found.map(({ pixels }) => digest(withoutHiddenColors(pixels))));
    expect(digests.join(" ")).toBe(expected);
  });

  it("tells its frames and loops", () => {
    expect(webp.read.factsOf(new Uint8Array(blend))).toMatchObject({ width: 400, height: 400, frames: 12, loops: 0 });
  });

  it.each([255, 0, 128])("survives writing and reading without loss, ground alpha %i", async (alpha) => {
    const pictures = moving(alpha);
    const bytes = await encode(pictureOf(pictures, { opaque: alpha === 255, delayMs: 40, loops: 3 }), LOSSLESS);
    expect(webp.read.factsOf(bytes)).toMatchObject({ frames: 8, loops: 3, alpha: alpha < 255 });
    (await frames(bytes)).forEach(({ delayMs, pixels }, i) => {
      expect(delayMs).toBe(40);
      expect(pixels.data).toEqual(pictures[i]?.data);
    });
  });

  it("writes only what changes", async () => {
    const pictures = moving(255);
    const still = await encode(pictureOf([pictures[0]]), LOSSLESS);
    const animation = await encode(pictureOf(pictures), LOSSLESS);
    expect(animation.length).toBeLessThan(2 * still.length + 8 * 150);
  });

  it("joins frames that look the same", async () => {
    const [first, second] = moving(255) as [Pixels, Pixels, ...Pixels[]];
    const bytes = await encode(pictureOf([first, first, second, second], { delayMs: 50 }), LOSSLESS);
    expect((await frames(bytes)).map(({ delayMs }) => delayMs)).toEqual([100, 100]);
  });

  it("keeps a lossy animation close to its frames", async () => {
    const pictures = [grain(1), grain(2), grain(3)] as const;
    const bytes = await encode(pictureOf(pictures, { delayMs: 40 }), { ...LOSSLESS, lossless: false, quality: 95 });
    expect(webp.read.factsOf(bytes)).toMatchObject({ frames: 3, colorspace: "YCbCr" });
    (await frames(bytes)).forEach(({ pixels }, i) => expect(psnr(pixels, pictures[i] ?? pixels)).toBeGreaterThan(30));
  });

  it("takes the lossless coder in a lossy animation where that is smaller", async () => {
    const pictures = moving(255);
    const lossy = await encode(pictureOf(pictures), { ...LOSSLESS, lossless: false });
    const lossless = await encode(pictureOf(pictures), LOSSLESS);
    expect(lossy.length).toBeLessThanOrEqual(lossless.length * 1.2);
  });

  it("decodes one frame when only one is asked for", async () => {
    const bytes = new Uint8Array(blend);
    const facts = webp.read.factsOf(bytes);
    const box = { x: 0, y: 0, width: 400, height: 400 };
    for await (const { rows } of webp.read.open(bytes, facts, { box, width: 400, height: 400 }, UNPAUSED)) {
      expect((await drain(rows)).width).toBe(400);
      break;
    }
  });
});
