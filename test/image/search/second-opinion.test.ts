/** What the score alone lets go to ruin, and the second opinion does not. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { pixelsOf } from "../../../src/image/pixels/rows.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import { judgeRows } from "../../../src/image/search/score.ts";
import { looksAt, openSecondOpinion, pointsAt } from "../../../src/image/search/second-opinion.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import letters from "../../fixtures/score/letters.png";
import macaw from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels, rowsOf, scene } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0.5 };

/** What the default request makes of a picture. */
async function made(pixels: Pixels, format: string, opaque = true) {
  const source = await FORMATS.png.write.encode(pictureOf([pixels], { opaque }), EXACT, UNPAUSED);
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format } });
  const { output: result } = await rendered(source, { operations, output, optimize });
  const rows = await decoded(result.format, result.bytes, UNPAUSED);
  const { width, height } = rows;
  return { ...result, pixels: { width, height, data: await pixelsOf(rows) } satisfies Pixels };
}

/** Pixels on a background of one color. */
function laidOn({ width, height, data }: Pixels, background: readonly [number, number, number]): Pixels {
  return paint(width, height, (x, y) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
    const mix = (level: number, under: number) => Math.round((level * alpha + under * (255 - alpha)) / 255);
    return [mix(red, background[0]), mix(green, background[1]), mix(blue, background[2]), 255];
  });
}

/** A shadow: black, of every alpha up to 150, softer the farther from the middle. */
const shadow = paint(240, 240, (x, y) => {
  const distance = Math.max(0, Math.hypot(x - 119.5, y - 119.5) - 40);
  return [0, 0, 0, Math.round(150 * Math.exp(-(distance ** 2) / 900))];
});

/** A white disc with soft edges: by the score alone a palette left the edges gray, 47 points on blue. */
const icon = paint(48, 48, (x, y) => {
  const alpha = 255 / (1 + Math.exp((Math.hypot(x - 23.5, y - 23.5) - 18) / 0.9));
  const isInked = Math.abs(x - y) < 3 && x > 13 && x < 35;
  return isInked ? [40, 170, 136, Math.round(alpha)] : [255, 255, 255, Math.round(alpha)];
});

/** Red letters O on white, right of a photograph: by the score alone their chroma was halved, and 57 levels of green came in. */
async function lettered(): Promise<Pixels> {
  const rows = await decoded(FORMATS.png, new Uint8Array(macaw), UNPAUSED);
  const { width, height } = rows;
  const photograph = await pixelsOf(rows);
  return paint(width * 2, height, (x, y) => {
    const [red = 0, green = 0, blue = 0] = photograph.subarray((y * width + x) * 4, (y * width + x) * 4 + 3);
    if (x < width) return [red, green, blue, 255];
    const ink = x < width + 8 || x > width * 2 - 8 ? 0 : inkAt(x % 12, y % 21.6);
    return [255 - 31 * ink, 255 - 255 * ink, 255 - 239 * ink, 255];
  });
}

/** How much of a pixel of a letter O is covered, 0 to 1. */
function inkAt(x: number, y: number): number {
  const distance = Math.abs(Math.hypot(x - 6, y - 9.6) - 4.3);
  return Math.max(0, Math.min(1, 1.5 - distance));
}

/** What the second opinion says of two pictures, opaque unless told otherwise, or of two that consist of tiles, so many rows at a time. */
function differenceOf(
  first: Pixels,
  second: Pixels,
  tile?: { width: number; height: number },
  rows = 16,
  isOpaque = true,
  mayStripe = false,
): number {
  const { width, height } = first;
  const opinion = openSecondOpinion(first, isOpaque, { tile, mayStripe });
  for (let y = 0; y < height; y += rows) {
    const [from, to] = [y * width * 4, Math.min(height, y + rows) * width * 4];
    opinion.push(first.data.subarray(from, to), second.data.subarray(from, to));
  }
  const difference = opinion.result();
  opinion.close();
  return difference;
}

const BLUR = `<filter id="f" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="18"/></filter>`;
const DRAWN = {
  box: `<rect width="400" height="300" fill="#ececec"/>${BLUR}<rect x="100" y="75" width="200" height="150" rx="20" filter="url(#f)" fill="#555"/><rect x="100" y="65" width="200" height="150" rx="20" fill="#fff"/>`,
  glow: `<rect width="400" height="300"/>${BLUR}<circle cx="200" cy="150" r="75" filter="url(#f)" fill="#ff2010"/><circle cx="200" cy="150" r="60" fill="#fff"/>`,
};

/** A drawing of 96 x 72 pixels. */
async function drawn(body: string): Promise<Pixels> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="96" height="72">${body}</svg>`;
  const request = parseBody(UploadBody, { output: { format: "png" }, optimize: { lossless: true } });
  const { output, optimize, ...operations } = request;
  const result = await rendered(new TextEncoder().encode(svg), { operations, output, optimize });
  const rows = await decoded(result.output.format, result.output.bytes, UNPAUSED);
  const { width, height } = rows;
  return { width, height, data: await pixelsOf(rows) };
}

/** The root of the mean square by which samples differ, of each pixel the one that differs most. */
function apart(first: Pixels, second: Pixels): number {
  let sum = 0;
  for (let at = 0; at < first.data.length; at += 4) {
    const errors = [0, 1, 2].map((plane) => (first.data[at + plane] ?? 0) - (second.data[at + plane] ?? 0));
    sum += Math.max(...errors.map((error) => error ** 2));
  }
  return Math.sqrt(sum / (first.width * first.height));
}

describe("the second opinion", () => {
  // 2.4, 2.1, 2.1 and 6.5 levels, blocks and rings, where a slope and the edge beside it hid them.
  it.each([
    ["box", "jpeg", 1.9],
    ["box", "webp", 1.9],
    ["box", "avif", 1.9],
    ["glow", "png", 5.5],
  ] as const)("hides nothing in an even slope beside an edge: a %s as %s", async (name, format, most) => {
    const original = await drawn(DRAWN[name]);
    const { pixels } = await made(original, format);
    expect(apart(original, pixels)).toBeLessThan(most);
  });

  it("sees saturated color bleed over an edge on flat ground, in small pictures from close by", () => {
    const ground = [255, 255, 255] as const;
    const ink = [16, 32, 224] as const;
    const disc = (side: number) => (x: number, y: number) => {
      const part = Math.max(0, Math.min(1, side / 3 + 0.5 - Math.hypot(x + 0.5 - side / 2, y + 0.5 - side / 2)));
      return ground.map((level, plane) => level + ((ink[plane] ?? 0) - level) * part);
    };
    const luma = ([red = 0, green = 0, blue = 0]: readonly number[]) => (5 * red + 9 * green + 2 * blue) / 16;
    const difference = (side: number) => {
      const at = disc(side);
      const halved = (x: number, y: number) => {
        // Halved chroma is spread to its neighbors again: the mean of 4 x 4 pixels.
        const spread = Array.from({ length: 16 }, (_, near) =>
          at((x & ~1) + (near % 4) - 1, (y & ~1) + (near >> 2) - 1),
        );
        const mean = ground.map((_, plane) => spread.reduce((sum, color) => sum + (color[plane] ?? 0) / 16, 0));
        const apart = luma(at(x, y)) - luma(mean);
        return mean.map((level) => Math.max(0, Math.min(255, Math.round(level + apart))));
      };
      const opaque = ([red = 0, green = 0, blue = 0]: readonly number[]) =>
        [Math.round(red), Math.round(green), Math.round(blue), 255] as const;
      const first = paint(side, side, (x, y) => opaque(at(x, y)));
      return differenceOf(
        first,
        paint(side, side, (x, y) => opaque(halved(x, y))),
      );
    };
    expect(looksAt(pointsAt(difference(96)))).not.toBe("same");
    expect(looksAt(pointsAt(difference(600)))).toBe("same");
  });

  it("lets marks on nothing hide less around them than marks on paper", () => {
    const marks = (by: number) =>
      paint(96, 96, (x, y) => {
        const level = (x % 4 === 0 && y % 2 === 0 ? 60 : 200) + (((x >> 2) + (y >> 2)) % 2 ? by : 0);
        return [level, level, level, 255];
      });
    const difference = (isOpaque: boolean) => differenceOf(marks(0), marks(12), undefined, 16, isOpaque);
    expect(difference(false)).toBeGreaterThan(difference(true) * 1.05);
  });

  it.each([
    [96, 72, 20],
    [200, 150, 24],
  ])("sees stripes of a palette in a slope of color, %d pixels wide", (width, height, steps) => {
    const sky = (part: number) =>
      [27 + 108 * part, 79 + 105 * part, 160 + 78 * part].map(Math.round) as [number, number, number];
    const slope = (partOf: (along: number) => number) =>
      paint(width, height, (x, y) => [...sky(partOf((x + y * 0.4) / (width + height * 0.4))), 255]);
    const original = slope((along) => along);
    const striped = (colors: number) => slope((along) => Math.round(along * colors) / colors);
    const looks = (colors: number, mayStripe = true) =>
      looksAt(pointsAt(differenceOf(original, striped(colors), undefined, 16, true, mayStripe)));
    expect(looks(steps)).not.toBe("same");
    expect(looks(steps * 2)).toBe("same");
    expect(looks(steps, false)).toBe("same");
  });

  it.each(["sky", "glow"] as const)("sees wide steps of a palette in a slope of a large picture: %s", (name) => {
    const [width, height] = [800, 600];
    const along = {
      sky: (x: number, y: number) => (x + y * 0.4) / (width + height * 0.4),
      glow: (x: number, y: number) => Math.min(1, Math.hypot(x - 300, y - 250) / 550),
    }[name];
    const color = (part: number) => [127 - 85 * part, 208 - 97 * part, 255 - 31 * part].map(Math.round);
    const slope = (partOf: (along: number) => number) =>
      paint(width, height, (x, y) => [...(color(partOf(along(x, y))) as [number, number, number]), 255]);
    const original = slope((part) => part);
    const stepped = (colors: number) => slope((part) => Math.round(part * colors) / colors);
    const looks = (colors: number, mayStripe = true) =>
      looksAt(pointsAt(differenceOf(original, stepped(colors), undefined, 16, true, mayStripe)));
    // A step of 40 is 2.1 levels of luma.
    expect(looks(40)).not.toBe("same");
    expect(looks(64)).toBe("same");
    expect(looks(40, false)).toBe("same");
  });

  it("lets steep slopes hide blocks in large pictures alone", () => {
    const made = (width: number, height: number, by: number) =>
      paint(width, height, (x, y) => {
        const along = ((x + y) * 6) % 360;
        const level = 20 + Math.min(along, 360 - along) + (x % 2) + (((x >> 2) + (y >> 2)) % 2 ? by : 0);
        return [level, level, level, 255];
      });
    const difference = (width: number) => differenceOf(made(width, 500, 0), made(width, 500, 4));
    expect(difference(600)).toBeGreaterThan(difference(604) * 1.2);
  });

  it("leaves a large glow of a drawing no rings: png", async () => {
    const glow = paint(800, 600, (x, y) => {
      const part = Math.min(1, Math.hypot(x - 300, y - 250) / 330);
      return part === 1 ? [255, 255, 255, 255] : [127 - 109 * part, 208 - 150 * part, 255 - 100 * part, 255];
    });
    const { pixels, score = 0 } = await made(glow, "png");
    expect(score).toBeGreaterThanOrEqual(75);
    expect(apart(glow, pixels)).toBeLessThan(0.9);
  });

  it.each(["png", "webp", "avif"])("keeps the levels of a soft shadow: %s", async (format) => {
    const { pixels, score = 0 } = await made(shadow, format, false);
    expect(score).toBeGreaterThanOrEqual(75);
    // Rings are steps in what was smooth.
    const before = laidOn(shadow, [255, 255, 255]).data;
    const after = laidOn(pixels, [255, 255, 255]).data;
    const apart = before.map((level, at) => Math.abs(level - (after[at] ?? 0)));
    expect(apart.reduce((sum, one) => sum + one, 0) / apart.length).toBeLessThan(1.5);
    expect(new Set(after).size).toBeGreaterThan(24);
  });

  it.each(["png", "webp", "avif"])("keeps white edges white on any background: %s", async (format) => {
    const { pixels } = await made(icon, format, false);
    for (const background of [
      [255, 255, 255],
      [0, 60, 220],
    ] as const) {
      const [before, after] = [laidOn(icon, background), laidOn(pixels, background)];
      expect(await scoreRows(rowsOf(before), rowsOf(after), UNPAUSED)).toBeGreaterThan(60);
    }
  });

  it.each(["jpeg", "avif"])("keeps the color of letters beside a photograph: %s", async (format) => {
    const original = await lettered();
    const { pixels, facts, score = 0 } = await made(original, format);
    expect(score).toBeGreaterThanOrEqual(75);
    expect(facts.subsample).toBe("4:4:4");
    let [sum, count] = [0, 0];
    for (let y = 0; y < original.height; y++) {
      for (let x = original.width / 2; x < original.width; x++) {
        const at = (y * original.width + x) * 4 + 1;
        const green = original.data[at] ?? 0;
        if (green >= 128) continue;
        sum += (pixels.data[at] ?? 0) - green;
        count++;
      }
    }
    expect(sum / count).toBeLessThan(20);
  });

  it("is stricter about a corner that lost half of its color", async () => {
    const original = scene(800, 600);
    const damaged = { ...original, data: original.data.slice() };
    for (let y = 536; y < 600; y++) {
      for (let x = 736; x < 800; x++) {
        const at = (y * 800 + x) * 4;
        const [red = 0, green = 0, blue = 0] = original.data.subarray(at, at + 3);
        const gray = (red * 2 + green * 5 + blue) / 8;
        for (const [plane, level] of [red, green, blue].entries()) damaged.data[at + plane] = (level + gray) / 2;
      }
    }
    const { score, points } = await judgeRows(rowsOf(original), rowsOf(damaged), UNPAUSED);
    expect([score, points].map(looksAt)).toEqual(["nearly", "visible"]);
  });

  it("leaves small letters their color as JPEG, which halved chroma fades for as many bytes", async () => {
    const rows = await decoded(FORMATS.png, new Uint8Array(letters), UNPAUSED);
    const { width, height } = rows;
    const { facts, bytes, score } = await made({ width, height, data: await pixelsOf(rows) }, "jpeg");
    expect(facts.subsample).toBe("4:4:4");
    expect(score).toBeGreaterThanOrEqual(75);
    // With halved chroma they take 4,045.
    expect(bytes.length).toBeLessThan(4_045 * 1.1);
  });

  it("finds nothing where nothing differs, or differs where nothing is seen through", async () => {
    expect(await judgeRows(rowsOf(icon, false), rowsOf(icon, false), UNPAUSED)).toEqual({ score: 100, points: 100 });
    const hidden = paint(48, 48, (x, y) => {
      const [red = 0, green = 0, blue = 0, alpha = 0] = icon.data.subarray((y * 48 + x) * 4, (y * 48 + x) * 4 + 4);
      return alpha === 0 ? [9, 99, 199, 0] : [red, green, blue, alpha];
    });
    expect(await judgeRows(rowsOf(icon, false), rowsOf(hidden, false), UNPAUSED)).toEqual({ score: 100, points: 100 });
  });

  it("says the same in whatever bands rows come, of any width", () => {
    for (const [width, height] of [
      [61, 47],
      [64, 48],
      [5, 3],
      [1, 9],
    ] as const) {
      const first = scene(width, height);
      const second = paint(width, height, (x, y) => [x * 3, y * 5, (x * y) & 255, 255]);
      const differences = [1, 3, 16].map((rows) => differenceOf(first, second, undefined, rows));
      expect(new Set(differences).size).toBe(1);
      expect(differences[0]).toBeGreaterThan(1);
    }
  });

  it("counts nothing that bleeds over the seams of tiles, and all at the edges of their sheet", () => {
    const side = 96;
    const sheet = paint(side * 2, side * 2, () => [90, 120, 150, 255]);
    const damagedAt = (isDamaged: (x: number, y: number) => boolean) =>
      paint(side * 2, side * 2, (x, y) => (isDamaged(x, y) ? [150, 90, 120, 255] : [90, 120, 150, 255]));
    const isNear = (at: number, edge: number) => Math.abs(at + 0.5 - edge) < 8;
    const atSeams = damagedAt((x, y) => isNear(x, side) || isNear(y, side));
    const atEdges = damagedAt((x, y) => isNear(x, 0) || isNear(y, side * 2));
    const tile = { width: side, height: side };
    expect(differenceOf(sheet, atSeams, tile)).toBe(0);
    expect(looksAt(pointsAt(differenceOf(sheet, atSeams)))).toBe("visible");
    expect(looksAt(pointsAt(differenceOf(sheet, atEdges, tile)))).toBe("visible");
    const strips = { width: 0, height: side };
    const atOneSeam = damagedAt((_, y) => isNear(y, side));
    expect(differenceOf(sheet, atOneSeam, strips)).toBe(0);
    expect(looksAt(pointsAt(differenceOf(sheet, atSeams, strips)))).toBe("visible");
  });

  it("looks at some of every tile, however small", () => {
    for (const side of [4, 8, 12, 16, 20, 64]) {
      const [width, height] = [side * 3 + 4, side * 2];
      const sheet = paint(width, height, () => [90, 120, 150, 255]);
      for (const tile of [
        { width: side, height: side },
        { width: side, height: 0 },
        { width: 0, height: side },
      ]) {
        for (const [left, top] of [
          [0, 0],
          [side, 0],
          [side * 2, side],
        ] as const) {
          const isDamaged = (x: number, y: number) => x >= left && x < left + side && y >= top && y < top + side;
          const damaged = paint(width, height, (x, y) => (isDamaged(x, y) ? [150, 90, 120, 255] : [90, 120, 150, 255]));
          expect(looksAt(pointsAt(differenceOf(sheet, damaged, tile)))).toBe("visible");
        }
      }
    }
  });

  it("calls nothing the same that it was never shown", () => {
    const opinion = openSecondOpinion({ width: 8, height: 8 }, true);
    expect(looksAt(pointsAt(opinion.result()))).toBe("visible");
    opinion.close();
  });

  it("takes fine chroma that codecs lose for chroma, not for luma", () => {
    const red = paint(96, 96, () => [200, 50, 50, 255]);
    // Cr is 20 too high and 20 too low in turns: luma by Rec. 601 is as it was, and so is the mean color.
    const speckled = paint(96, 96, (x, y) => ((x + y) % 2 === 0 ? [228, 36, 50, 255] : [172, 64, 50, 255]));
    expect(differenceOf(red, speckled)).toBeLessThan(1);
  });

  it.each([
    ["red, whose green is dark", [255, 2, 2], [255, 10, 2], "same"],
    ["red, whose green stays dark", [242, 1, 0], [240, 20, 1], "same"],
    ["yellow, whose blue stays dark", [240, 240, 2], [240, 240, 40], "same"],
    ["yellow, whose blue comes near", [240, 240, 100], [240, 240, 140], "visible"],
    ["gray", [128, 128, 128], [128, 136, 128], "visible"],
    ["black", [2, 2, 2], [2, 10, 2], "visible"],
    ["red, which darkens", [255, 2, 2], [245, 2, 2], "visible"],
  ] as const)("sees a primary by how bright it is beside the others: %s", (_name, one, other, looks) => {
    const field = ([red, green, blue]: readonly [number, number, number]) =>
      paint(96, 96, () => [red, green, blue, 255]);
    expect(looksAt(pointsAt(differenceOf(field(one), field(other))))).toBe(looks);
  });

  it("speaks in points, of which presets promise as many", () => {
    expect([0, 1.9].map(pointsAt)).toEqual([100, 75]);
    expect([100, 75, 74.9, 65, 64.9, -20].map(looksAt)).toEqual([
      "same",
      "same",
      "nearly",
      "nearly",
      "visible",
      "visible",
    ]);
    const differences = Array.from({ length: 80 }, (_, at) => at / 8);
    const points = differences.map(pointsAt);
    expect(points.toSorted((one, other) => other - one)).toEqual(points);
  });
});
