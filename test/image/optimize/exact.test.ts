import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { smallerExact } from "../../../src/image/optimize/exact.ts";
import { render } from "../../../src/image/render.ts";
import { paint, pictureOf, type Pixels, scene } from "../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

async function asWebp(pixels: Pixels) {
  const source = FORMATS.png.encode(pictureOf([pixels]), { ...SETTINGS, lossless: true });
  const output = { format: "webp", encoding: "progressive" } as const;
  const order = { operations: {}, output, optimize: undefined, overlays: new Map(), accept: undefined };
  return (await render(source, order)).output;
}

describe("WebP by a preset", () => {
  it("is written without loss where that is smaller", async () => {
    const drawing = paint(160, 160, (x, y) => (((x >> 2) + (y >> 3)) % 3 ? [255, 220, 0, 255] : [0, 40, 120, 255]));
    expect(await asWebp(drawing)).toMatchObject({ score: 100, facts: { subsample: "4:4:4" } });
  });

  it("is lossy where that is smaller", async () => {
    const grained = paint(160, 160, (x, y) => [x + ((x * 7919 + y * 104_729) % 23), y, (x * y) % 31, 255]);
    expect((await asWebp(grained)).facts.subsample).toBe("4:2:0");
  });

  it("can touch pixels a little in what is otherwise without loss", () => {
    const sizes = [0, 60, undefined].map(
      (nearLossless) =>
        FORMATS.webp.encode(pictureOf([scene(200, 200)]), {
          ...SETTINGS,
          lossless: true,
          ...(nearLossless !== undefined && { nearLossless }),
        }).length,
    );
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1] ?? 0);
    expect(sizes[1]).toBeLessThanOrEqual(sizes[2] ?? 0);
  });
});

describe("encodings without loss beside a lossy one", () => {
  const made = (bytes: number) => new Uint8Array(bytes);
  const encode = ({ nearLossless = 100 }: { nearLossless?: number }) => made(100 + nearLossless);
  const scoreOf = ({ length }: Uint8Array) => (length - 100) / 2 + 60;
  const chosen = (lossyBytes: number, score: number, target = 75) =>
    smallerExact(encode, scoreOf, SETTINGS, target, [0, 20, 60], { bytes: made(lossyBytes), score });

  it("are taken with the most loss that reaches the target", () => {
    expect(chosen(180, 76)).toMatchObject({ score: 90, bytes: made(160) });
    expect(chosen(180, 76, 65)).toMatchObject({ score: 70, bytes: made(120) });
  });

  it("are not taken where they are larger", () => {
    expect(chosen(110, 76)).toMatchObject({ score: 76, bytes: made(110) });
    expect(chosen(90, 76)).toMatchObject({ score: 76, bytes: made(90) });
  });

  it("stand in for a lossy one that misses the target", () => {
    expect(chosen(50, 70)).toMatchObject({ score: 90, bytes: made(160) });
    expect(chosen(50, 70, 95)).toMatchObject({ score: 100, bytes: made(200) });
  });
});
