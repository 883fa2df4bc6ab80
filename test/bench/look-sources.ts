/** Originals of the pairs that are looked at: photographs out of a folder, gray ones among them, and drawings made here. */
import { join } from "node:path";

import sharp from "sharp";

export interface LookSource {
  readonly kind: "photograph" | "gray" | "letters" | "drawing" | "shadow" | "icon" | "pixels";
  readonly name: string;
  /** PNG. */
  readonly file: Buffer;
  readonly isOpaque: boolean;
  /** Renditions of it that are made. */
  readonly count: number;
}

/** Photographs, and the sizes to which they are brought: the shorter side. */
const PHOTOGRAPHS = {
  "photos/kodim03.png": [48, 128, 400],
  "photos/kodim05.png": [96, 256],
  "photos/kodim08.png": [64, 512],
  "photos/kodim19.png": [80, 200],
  "photos/kodim23.png": [112, 320],
  "photos/craft-beer.jpg": [160, 640],
  "photos/japanese-shop.jpg": [96, 1_200],
  "photos/canyon-wren.jpg": [240, 800],
  "faces/clic-100a02c2.jpg": [64, 384],
  "faces/500px-65380541.jpg": [128, 512],
} as const;
const GRAY = {
  "photos/kodim03.png": [64, 256],
  "photos/kodim19.png": [48, 112],
  "photos/craft-beer.jpg": [96, 480],
  "faces/clic-28d24b9c.jpg": [80, 160],
  "photos/kodim05.png": [128],
} as const;
const SCREENS = ["graphics/screenshot-clic-4cd6910a.png", "graphics/page.png", "graphics/screenshot-hex-dump.png"];

export async function photographedSources(images: string): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const [name, sizes] of Object.entries(PHOTOGRAPHS)) {
    for (const size of sizes)
      sources.push(await photograph("photograph", join(images, name), size, size > 600 ? 4 : 6));
  }
  for (const [name, sizes] of Object.entries(GRAY)) {
    for (const size of sizes) sources.push(await photograph("gray", join(images, name), size, 6));
  }
  for (const name of SCREENS) {
    const picture = sharp(join(images, name)).flatten({ background: "#fff" }).toColorspace("srgb");
    const file = await picture
      .resize({ width: 480, height: 360, fit: "cover", position: "left top", withoutEnlargement: true })
      .png()
      .toBuffer();
    sources.push({ kind: "letters", name: nameOf(name), file, isOpaque: true, count: 6 });
  }
  return [...sources, ...(await letteredPhotographs(images))];
}

export async function photograph(
  kind: "photograph" | "gray",
  path: string,
  side: number,
  count: number,
): Promise<LookSource> {
  const size = { width: side, height: side, fit: "outside" } as const;
  const color = sharp(path).rotate().resize(size).removeAlpha().toColorspace("srgb");
  const file = await (kind === "gray" ? color.grayscale() : color).png().toBuffer();
  return { kind, name: `${nameOf(path)}-${side}`, file, isOpaque: true, count };
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, "").replace(/\.\w+$/, "");
}

/** Saturated letters beside, and on, a photograph. */
async function letteredPhotographs(images: string): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const [index, color] of ["#e00010", "#1020e0", "#d000c0"].entries()) {
    const width = 425;
    const height = 120 + index * 60;
    const words = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect x="210" width="215" height="${height}" fill="#fff"/>
      <g font-family="sans-serif" fill="${color}"><text x="222" y="30" font-size="15">Saturated letters, small</text>
      <text x="222" y="60" font-size="22" font-weight="bold">and larger ones</text>
      <text x="222" y="90" font-size="12">thin and thick beside a photograph</text></g></svg>`;
    const photo = await sharp(join(images, index === 1 ? "photos/kodim23.png" : "photos/kodim03.png"))
      .resize(width, height, { fit: "cover" })
      .toBuffer();
    const file = await sharp(photo)
      .composite([{ input: Buffer.from(words) }])
      .removeAlpha()
      .png()
      .toBuffer();
    sources.push({ kind: "letters", name: `letters-${index}`, file, isOpaque: true, count: 7 });
  }
  return sources;
}

export interface Drawn {
  readonly kind: LookSource["kind"];
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly body: string;
  readonly background?: string;
  readonly count?: number;
}

export const LETTERS = (color: string, size = 14) =>
  Array.from(
    { length: 9 },
    (_, line) =>
      `<text x="10" y="${22 + line * size * 1.6}" font-size="${size}" font-family="${line % 2 ? "serif" : "sans-serif"}" fill="${color}">The quick brown fox jumps over 0123456789</text>`,
  ).join("");
export const BLUR = (by: number) =>
  `<filter id="f" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${by}"/></filter>`;

const DRAWN: readonly Drawn[] = [
  { kind: "letters", name: "black-on-white", width: 320, height: 230, background: "#fff", body: LETTERS("#111") },
  { kind: "letters", name: "red-on-blue", width: 320, height: 230, background: "#1030c0", body: LETTERS("#ff3020") },
  { kind: "letters", name: "gray-on-white", width: 96, height: 96, background: "#fff", body: LETTERS("#666", 11) },
  {
    kind: "letters",
    name: "white-on-green",
    width: 320,
    height: 230,
    background: "#0a8040",
    body: LETTERS("#fff", 12),
  },
  {
    kind: "drawing",
    name: "lines",
    width: 300,
    height: 300,
    background: "#fff",
    body: Array.from(
      { length: 24 },
      (_, at) =>
        `<line x1="150" y1="150" x2="${150 + 140 * Math.cos(at / 3.8)}" y2="${150 + 140 * Math.sin(at / 3.8)}" stroke="#000" stroke-width="${0.5 + (at % 4) / 2}"/>`,
    ).join(""),
  },
  {
    kind: "drawing",
    name: "shapes",
    width: 400,
    height: 300,
    background: "#f4f1e8",
    body: `<circle cx="110" cy="120" r="80" fill="#d03040"/><rect x="180" y="60" width="160" height="140" rx="18" fill="#2a60b0"/><path d="M60 260 L200 120 L340 270 Z" fill="#f0b020" fill-opacity=".85"/>`,
  },
  {
    kind: "drawing",
    name: "gradient",
    width: 400,
    height: 260,
    body: `<defs><linearGradient id="g"><stop stop-color="#204080"/><stop offset="1" stop-color="#90b0e0"/></linearGradient></defs><rect width="400" height="260" fill="url(#g)"/><circle cx="200" cy="130" r="70" fill="#fff" fill-opacity=".8"/>`,
    background: "#000",
  },
  {
    kind: "drawing",
    name: "dark-gradient",
    width: 300,
    height: 200,
    background: "#000",
    body: `<defs><radialGradient id="g"><stop stop-color="#383038"/><stop offset="1" stop-color="#050508"/></radialGradient></defs><rect width="300" height="200" fill="url(#g)"/>`,
  },
  {
    kind: "drawing",
    name: "lines-on-clear",
    width: 300,
    height: 300,
    body: Array.from(
      { length: 24 },
      (_, at) =>
        `<line x1="150" y1="150" x2="${150 + 140 * Math.cos(at / 3.8)}" y2="${150 + 140 * Math.sin(at / 3.8)}" stroke="#000" stroke-width="${0.5 + (at % 4) / 2}"/>`,
    ).join(""),
  },
  {
    kind: "shadow",
    name: "soft-shadow-300",
    width: 300,
    height: 300,
    body: `${BLUR(22)}<rect x="75" y="75" width="150" height="150" rx="20" filter="url(#f)" fill-opacity=".6"/>`,
    count: 9,
  },
  {
    kind: "shadow",
    name: "soft-shadow-120",
    width: 120,
    height: 120,
    body: `${BLUR(10)}<circle cx="60" cy="60" r="34" filter="url(#f)" fill-opacity=".8"/>`,
    count: 9,
  },
  {
    kind: "shadow",
    name: "red-glow",
    width: 240,
    height: 240,
    body: `${BLUR(18)}<circle cx="120" cy="120" r="60" filter="url(#f)" fill="#ff2010"/><circle cx="120" cy="120" r="48" fill="#fff"/>`,
    count: 9,
  },
  {
    kind: "shadow",
    name: "card",
    width: 320,
    height: 220,
    body: `${BLUR(9)}<rect x="40" y="44" width="240" height="140" rx="12" filter="url(#f)" fill-opacity=".45"/><rect x="40" y="36" width="240" height="140" rx="12" fill="#fff"/><text x="60" y="80" font-size="20" font-family="sans-serif" fill="#204080">A card</text>`,
    count: 9,
  },
  {
    kind: "shadow",
    name: "gray-with-alpha",
    width: 200,
    height: 200,
    body: `<defs><linearGradient id="g"><stop stop-color="#222"/><stop offset="1" stop-color="#ddd" stop-opacity=".1"/></linearGradient></defs><circle cx="100" cy="100" r="90" fill="url(#g)"/><text x="40" y="110" font-size="30" font-family="serif" fill="#000">Alpha</text>`,
    count: 8,
  },
  {
    kind: "icon",
    name: "white-icon",
    width: 48,
    height: 48,
    body: `${BLUR(1)}<circle cx="24" cy="24" r="18" fill="#fff" filter="url(#f)"/><path d="M16 24l6 6 11-12" stroke="#2a8" stroke-width="4" fill="none"/>`,
    count: 8,
  },
  {
    kind: "icon",
    name: "gear",
    width: 64,
    height: 64,
    body: `<g fill="#556">${Array.from({ length: 8 }, (_, at) => `<rect x="28" y="4" width="8" height="56" transform="rotate(${at * 22.5} 32 32)"/>`).join("")}</g><circle cx="32" cy="32" r="20" fill="#889"/><circle cx="32" cy="32" r="8" fill="#fff"/>`,
    count: 8,
  },
  {
    kind: "icon",
    name: "badge",
    width: 96,
    height: 96,
    body: `${BLUR(3)}<circle cx="48" cy="50" r="34" filter="url(#f)" fill-opacity=".5"/><circle cx="48" cy="46" r="34" fill="#f04"/><text x="34" y="58" font-size="34" font-weight="bold" font-family="sans-serif" fill="#fff">8</text>`,
    count: 8,
  },
];

/** A drawing as a file. */
export async function drawn({ kind, name, width, height, body, background, count = 7 }: Drawn): Promise<LookSource> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${background ? `<rect width="100%" height="100%" fill="${background}"/>` : ""}${body}</svg>`;
  const picture = sharp(Buffer.from(svg)).toColorspace("srgb");
  const file = await (background ? picture.removeAlpha() : picture).png().toBuffer();
  return { kind, name, file, isOpaque: background !== undefined, count };
}

export async function drawnSources(): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const one of DRAWN) sources.push(await drawn(one));
  for (const [side, scale] of [
    [16, 4],
    [24, 8],
    [16, 3],
  ] as const) {
    sources.push({
      kind: "pixels",
      name: `sprite-${side}x${scale}`,
      file: await sprite(side, scale),
      isOpaque: true,
      count: 6,
    });
  }
  return sources;
}

/** A symmetric figure of few colors, each of its pixels a square. */
export function sprite(side: number, scale: number): Promise<Buffer> {
  const colors = [
    [40, 44, 52],
    [220, 60, 60],
    [250, 220, 120],
    [70, 160, 220],
    [240, 240, 240],
  ];
  const pixels = Buffer.alloc(side * side * 3);
  let random = side * 7 + scale;
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side / 2; x++) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      const isInside = (x - side / 2) ** 2 + (y - side / 2) ** 2 < (side * 0.45) ** 2;
      const color = colors[isInside ? (random >> 16) % colors.length : 0] ?? [0, 0, 0];
      for (const place of [x, side - 1 - x]) pixels.set(color, (y * side + place) * 3);
    }
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(pixels, { raw })
    .resize(side * scale, side * scale, { kernel: "nearest" })
    .png()
    .toBuffer();
}
