/** Originals of the second set of pairs that are looked at: nothing is fitted to what is marked of them. */
import { join } from "node:path";

import sharp from "sharp";

import { BLUR, type Drawn, drawn, LETTERS, type LookSource, photograph, sprite } from "./look-sources.ts";

/** Photographs, and the sizes to which they are brought: the shorter side. */
const HELD_OUT_PHOTOGRAPHS = {
  "photos/Ultra_HDR_Samples_Originals_01.jpg": [64, 300],
  "photos/canon-dslr.jpg": [200, 1_500],
  "photos/demo-large-photo.jpg": [88, 1_000],
  "photos/dog_exif_extended_xmp_icc.jpg": [56, 700],
  "photos/clic-60430844-pepper.png": [104, 250],
  "faces/500px-23018877.jpg": [90],
  "faces/500px-64953085.jpg": [220],
  "faces/clic-2a2420f9.jpg": [140],
  "faces/clic-9466a908.jpg": [350],
  "faces/clic-b51d5fb5.jpg": [180],
  "faces/astronaut.png": [72, 480],
} as const;
const HELD_OUT_GRAY = {
  "faces/500px-65140003.jpg": [72, 300],
  "faces/clic-9466a908.jpg": [130],
  "faces/kodim04.png": [50, 180],
  "photos/kodim08.png": [150],
} as const;
/** Drawings of a folder, and the longer side of what is looked at. */
const HELD_OUT_GRAPHICS = {
  "hibiscus.primitive": ["drawing", 400],
  "how-it-works-light": ["drawing", 600],
  "wuffs-logo-1024x724": ["drawing", 240],
  horse: ["drawing", 300],
  "ridiculously-fast": ["letters", 500],
  imageTextN: ["letters", 320],
  text: ["letters", 300],
  "demo-device-screen": ["letters", 420],
} as const;

/** Originals of the second set, which the opinions were not fitted to. */
export async function heldOutSources(images: string): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const [kind, all, count] of [
    ["photograph", HELD_OUT_PHOTOGRAPHS, 3],
    ["gray", HELD_OUT_GRAY, 4],
  ] as const) {
    for (const [name, sizes] of Object.entries(all)) {
      for (const size of sizes) sources.push(await photograph(kind, join(images, name), size, count));
    }
  }
  for (const [name, [kind, side]] of Object.entries(HELD_OUT_GRAPHICS)) {
    const picture = sharp(join(images, "graphics", `${name}.png`))
      .toColorspace("srgb")
      .flatten({ background: "#fff" });
    const file = await picture.resize({ width: side, height: side, fit: "inside" }).png().toBuffer();
    sources.push({ kind, name, file, isOpaque: true, count: 3 });
  }
  for (const one of HELD_OUT_DRAWN) sources.push(await drawn(one));
  for (const [side, scale] of [
    [20, 5],
    [12, 6],
  ] as const) {
    sources.push({
      kind: "pixels",
      name: `sprite-${side}x${scale}`,
      file: await sprite(side, scale),
      isOpaque: true,
      count: 4,
    });
  }
  return sources;
}

const HELD_OUT_DRAWN: readonly Drawn[] = [
  {
    kind: "letters",
    name: "magenta-on-dark",
    width: 300,
    height: 200,
    background: "#18181c",
    body: LETTERS("#ff30d0", 13),
    count: 4,
  },
  {
    kind: "letters",
    name: "blue-on-yellow",
    width: 260,
    height: 180,
    background: "#ffe040",
    body: LETTERS("#1030c0", 12),
    count: 4,
  },
  {
    kind: "drawing",
    name: "chart",
    width: 360,
    height: 240,
    background: "#fff",
    body: `<path d="M30 10V210H350" stroke="#333" fill="none"/>${Array.from({ length: 9 }, (_, at) => `<rect x="${42 + at * 34}" y="${200 - ((at * 53) % 170)}" width="22" height="${10 + ((at * 53) % 170)}" fill="hsl(${at * 40} 70% 50%)"/><text x="${46 + at * 34}" y="226" font-size="10" font-family="sans-serif">Q${at}</text>`).join("")}`,
    count: 4,
  },
  {
    kind: "drawing",
    name: "sky",
    width: 320,
    height: 180,
    background: "#000",
    body: `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#103070"/><stop offset=".7" stop-color="#e08050"/><stop offset="1" stop-color="#fff0c0"/></linearGradient></defs><rect width="320" height="180" fill="url(#g)"/><path d="M0 180L80 120 140 160 220 100 320 170V180Z" fill="#221830"/>`,
    count: 4,
  },
  {
    kind: "shadow",
    name: "blue-glow",
    width: 160,
    height: 160,
    body: `${BLUR(14)}<circle cx="80" cy="80" r="36" filter="url(#f)" fill="#2060ff"/>`,
    count: 4,
  },
  {
    kind: "shadow",
    name: "title",
    width: 280,
    height: 100,
    body: `${BLUR(4)}<text x="22" y="66" font-size="52" font-weight="bold" font-family="sans-serif" filter="url(#f)">Title</text><text x="20" y="62" font-size="52" font-weight="bold" font-family="sans-serif" fill="#f6f6f0">Title</text>`,
    count: 4,
  },
  {
    kind: "shadow",
    name: "fade",
    width: 240,
    height: 120,
    body: `<defs><linearGradient id="g"><stop stop-color="#000" stop-opacity=".9"/><stop offset="1" stop-color="#000" stop-opacity="0"/></linearGradient></defs><rect width="240" height="120" fill="url(#g)"/>`,
    count: 4,
  },
  {
    kind: "icon",
    name: "bell",
    width: 56,
    height: 56,
    body: `<path d="M28 6c-10 0-15 8-15 18v12l-5 6h40l-5-6V24c0-10-5-18-15-18z" fill="#f0b000"/><circle cx="28" cy="47" r="5" fill="#a06000"/>`,
    count: 4,
  },
  {
    kind: "icon",
    name: "lens",
    width: 80,
    height: 80,
    body: `<defs><radialGradient id="g" cx=".35" cy=".35"><stop stop-color="#fff"/><stop offset=".4" stop-color="#60c0ff"/><stop offset="1" stop-color="#103060"/></radialGradient></defs><circle cx="40" cy="40" r="36" fill="url(#g)"/>`,
    count: 4,
  },
];
