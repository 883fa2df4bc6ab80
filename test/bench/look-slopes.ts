/**
 * Originals of the fourth set of pairs that are looked at: skies, sunsets and glows, slopes of saturated color. A palette makes
 * stripes and rims of them, halved chroma and blocks make stains.
 */
import { BLUR, type Drawn, drawn, type LookSource } from "./look-sources.ts";

/** Originals of the fourth set. */
export async function slopeSources(): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const one of SLOPES) sources.push(await drawn(one));
  return sources;
}

const stops = (colors: readonly string[]) =>
  colors.map((color, at) => `<stop offset="${at / (colors.length - 1)}" stop-color="${color}"/>`).join("");
const LINEAR = (colors: readonly string[], across = 0, down = 1) =>
  `<defs><linearGradient id="g" x2="${across}" y2="${down}">${stops(colors)}</linearGradient></defs><rect width="400" height="300" fill="url(#g)"/>`;
const RADIAL = (colors: readonly string[]) =>
  `<defs><radialGradient id="g" cx=".5" cy=".6" r=".8">${stops(colors)}</radialGradient></defs><rect width="400" height="300" fill="url(#g)"/>`;

const SUNSET = ["#2b1a55", "#a03060", "#f08030", "#ffd870"];
const GLOW = `${BLUR(18)}<circle cx="200" cy="150" r="75" filter="url(#f)" fill="#ff2010"/><circle cx="200" cy="150" r="60" fill="#fff"/>`;
const BLUE_GLOW = `${BLUR(24)}<circle cx="200" cy="150" r="85" filter="url(#f)" fill="#2080ff"/><circle cx="200" cy="150" r="40" fill="#e0f4ff"/>`;
const SIGN = "M60 240 L140 60 L220 240 L300 60 L350 200";
const NEON = `${BLUR(10)}<path d="${SIGN}" fill="none" stroke="#ff30d0" stroke-width="18" filter="url(#f)"/><path d="${SIGN}" fill="none" stroke="#ffe0ff" stroke-width="6"/>`;
const HILLS = `${LINEAR(SUNSET)}<path d="M0 300V230L90 190 180 235 290 170 400 225V300Z" fill="#1c1430"/>`;

const slope = (kind: Drawn["kind"], name: string, width: number, body: string, background = "#000"): Drawn => {
  const height = width * 0.75;
  const scaled = `<svg width="${width}" height="${height}" viewBox="0 0 400 300">${body}</svg>`;
  return { kind, name: `${name}-${width}`, width, height, body: scaled, background };
};

const SLOPES: readonly Drawn[] = [
  slope("drawing", "sky", 96, LINEAR(["#1b4fa0", "#87b8ee"], 1, 0.4)),
  slope("drawing", "sky", 240, LINEAR(["#1b4fa0", "#87b8ee"], 1, 0.4)),
  slope("drawing", "dawn", 128, LINEAR(["#2a6fd0", "#9cd0f5"], 0.1, 1)),
  slope("drawing", "sunset", 96, LINEAR(SUNSET, 0.2, 1)),
  slope("drawing", "sun", 160, RADIAL(["#ffe9a0", "#f58a3c", "#a5325f", "#24164d"])),
  slope("drawing", "hills", 200, HILLS),
  slope("shadow", "red-glow", 96, GLOW),
  slope("shadow", "red-glow", 200, GLOW),
  slope("shadow", "blue-glow", 120, BLUE_GLOW, "#101018"),
  slope("shadow", "blue-glow", 400, BLUE_GLOW, "#101018"),
  slope("shadow", "neon", 200, NEON, "#140818"),
];
