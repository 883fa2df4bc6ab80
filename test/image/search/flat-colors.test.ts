/** Flat colors that become one, as series of a chart do in too few colors. */
import { expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { pixelsOf } from "../../../src/image/pixels/rows.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import { looksAt, openSecondOpinion, pointsAt } from "../../../src/image/search/second-opinion.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { paint, type Pixels } from "../../support/rows.ts";

type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Series of a chart, and what they are drawn in. */
const SERIES = ["#1f77b4", "#2f6fb9", "#2ca02c", "#d62728", "#d6453a"];

/** A chart so many pixels wide, with a legend whose entries are squares. */
function chart(width: number): Uint8Array {
  const series = SERIES.map((color, at) => {
    const height = (x: number) => 150 + at * 20 + (60 - at * 8) * Math.sin(x / 3 + at / 2);
    const points = Array.from({ length: 18 }, (_, x) => `${20 + x * 16},${height(x)}`).join(" ");
    const line = `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
    return `${line}<rect x="341" y="${41 + at * 16}" width="10" height="10" fill="${color}"/>`;
  });
  const size = `width="${width}" height="${width * 0.75}"`;
  const body = `<rect width="400" height="300" fill="#fff"/>${series.join("")}`;
  return new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" ${size}>${body}</svg>`,
  );
}

/** Colors of a screen whose badge is a tint of its card. */
const SCREENS = {
  dark: { badge: "#1b1f2b", card: "#161b22", ground: "#0d1117", title: "#e6edf3", text: "#484f58" },
  light: { badge: "#fafafa", card: "#ffffff", ground: "#e5e7eb", title: "#111827", text: "#9ca3af" },
} as const;

/** Cards with lines of round letters, 400 pixels wide. The title of the first is on a badge, which it fills but for a margin. */
function cards(screen: keyof typeof SCREENS): Uint8Array {
  const { badge, card, ground, title, text } = SCREENS[screen];
  const line = (x: number, y: number, color: string, letters: number) => {
    const circles = Array.from(
      { length: letters },
      (_, at) => `<circle cx="${x + at * 7}" cy="${y}" r="${2.3 + (at % 3) * 0.4}"/>`,
    );
    return `<g stroke="${color}" fill="none" stroke-width="1.3">${circles.join("")}</g>`;
  };
  const drawn = [20, 150, 280].map((x) => {
    const lines = line(x + 15, 40, title, 12) + line(x + 15, 60, text, 12) + line(x + 15, 80, text, 9);
    return `<rect x="${x}" y="20" width="110" height="80" rx="8" fill="${card}"/>${lines}`;
  });
  const tint = `<rect x="28" y="31" width="60" height="18" rx="4" fill="${badge}"/>${line(35, 40, title, 12)}`;
  const body = `<rect width="400" height="120" fill="${ground}"/>${drawn.join("")}${tint}`;
  return new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="120">${body}</svg>`);
}

async function answered(file: Uint8Array, asked: object) {
  const { output, optimize, ...operations } = parseBody(UploadBody, asked);
  return (await rendered(file, { operations, output, optimize })).output;
}

function differenceOf(first: Pixels, second: Pixels): number {
  const opinion = openSecondOpinion(first, true);
  const step = first.width * 4 * 16;
  for (let from = 0; from < first.data.length; from += step)
    opinion.push(first.data.subarray(from, from + step), second.data.subarray(from, from + step));
  const difference = opinion.result();
  opinion.close();
  return difference;
}

it.each([
  ["png", 400],
  ["jxl", 400],
  ["gif", 400],
  ["png", 1_200],
] as const)("keeps series of a chart apart: %s, %d pixels wide", async (format, width) => {
  const { bytes } = await answered(chart(width), { output: { format: "png" }, optimize: { lossless: true } });
  const made = await answered(bytes, { output: { format } });
  const pixels = await pixelsOf(await decoded(made.format, made.bytes, UNPAUSED));
  const entries = SERIES.map((_, at) => {
    const [x, y] = [(346 * width) / 400, ((46 + at * 16) * width) / 400];
    return pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).join(" ");
  });
  expect(new Set(entries).size).toBe(SERIES.length);
});

it.each([
  ["png", "dark"],
  ["png", "light"],
  ["gif", "light"],
  ["jxl", "light"],
  ["webp", "dark"],
] as const)("keeps the tint of a badge behind letters: %s, %s screen", async (format, screen) => {
  const { bytes } = await answered(cards(screen), { output: { format: "png" }, optimize: { lossless: true } });
  const made = await answered(bytes, { output: { format } });
  const pixels = await pixelsOf(await decoded(made.format, made.bytes, UNPAUSED));
  const colorAt = (x: number, y: number) => pixels.subarray((y * 400 + x) * 4, (y * 400 + x) * 4 + 3).join(" ");
  expect(colorAt(60, 33)).not.toBe(colorAt(110, 33));
});

it("sees two flat colors become one, however small their share is", () => {
  const white: Color = [255, 255, 255, 255];
  const [one, other, between]: readonly Color[] = [
    [31, 119, 180, 255],
    [47, 111, 185, 255],
    [39, 115, 182, 255],
  ];
  const legend = (first = white, second = white, length = 30) =>
    paint(800, 600, (x, y) => {
      const isLine = x >= 101 && x < 101 + length;
      const color = isLine && y >= 100 && y < 102 ? first : isLine && y >= 112 && y < 114 ? second : white;
      return [...color];
    });
  const looks = (first?: Color, second?: Color, length?: number) =>
    looksAt(pointsAt(differenceOf(legend(one, other, length), legend(first, second, length))));
  expect(looks(between, between)).not.toBe("same");
  expect(looks(one, one)).not.toBe("same");
  expect(looks([35, 117, 181, 255], [43, 113, 184, 255])).toBe("same");
  expect(looks(between, between, 8)).toBe("same");
});

it("takes steps of a slope that become one for no two colors", () => {
  const steps = (levels: readonly number[]) =>
    paint(800, 600, (x, y) => {
      const level = y >= 100 && y < 116 ? (levels[(x - 100) >> 2] ?? 255) : 255;
      return [level, level, level, 255];
    });
  const looks = (levels: readonly number[]) =>
    looksAt(pointsAt(differenceOf(steps(levels), steps(levels.map(() => 107)))));
  expect(looks([100, 103, 106, 109, 112, 115])).toBe("same");
  expect(looks([100, 100, 100, 115, 115, 115])).not.toBe("same");
});
