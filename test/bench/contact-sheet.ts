/**
 * One picture of every operation on a photograph, made by the running service: `npm run contact-sheet [photo] [sheet]`.
 * Without a photo it is the playground's; without a sheet, contact-sheet.png in the folder for temporary files.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";

const CELL = { width: 300, height: 230, title: 30 };
const COLUMNS = 6;

/** What every cell begins with: a size at which effects that are measured in pixels can be seen. */
const SMALL = { width: 300, height: 200, mode: "fit" };

/** A title, what is asked for, and the width to which the photograph is brought first, if at all. */
type Cell = readonly [title: string, body: object, width?: number];

const filter = (title: string, params: object): Cell => [title, { resize: SMALL, filter: params }];
const adjust = (name: string, value: number | boolean): Cell => [
  `adjust ${name} ${String(value)}`,
  { resize: SMALL, adjust: { [name]: value } },
];

function cellsOf(watermark: string): Cell[] {
  const blurs = [
    ["gaussian", 4],
    ["box", 4],
    ["disc", 5],
    ["motion", 8],
    ["zoom", 30],
    ["median", 3],
  ] as const;
  const screens = ["dot", "line", "circular", "hatched", "cmyk"];
  return [
    ["the photograph", { resize: SMALL }],
    ["flip horizontal", { flip: { mode: "horizontal" }, resize: SMALL }],
    ["flip vertical", { flip: { mode: "vertical" }, resize: SMALL }],
    ["rotate 90", { rotate: { angle: 90 }, resize: SMALL }],
    ["rotate 12", { rotate: { angle: 12 }, resize: { width: 300, height: 200 } }],
    ["rotate 200, background", { rotate: { angle: 200, background: "246" }, resize: { width: 300, height: 200 } }],
    ["upscale 4, of 75 pixels", { upscale: { factor: 4 } }, 75],
    ["resize to the same, of 75 pixels", { resize: { width: 300 } }, 75],
    ["crop rect at x, y", { crop: { x: 60, y: 40, width: 300, height: 200 } }],
    ["crop ratio 1:1", { crop: { mode: "ratio", ratio: "1:1" }, resize: { height: 200 } }],
    ["crop ratio 3:1, gravity top", { crop: { mode: "ratio", ratio: "3:1", gravity: "top" }, resize: { width: 300 } }],
    ["crop face", { crop: { mode: "face" }, resize: { height: 200 } }],
    ["resize auto 120 x 200", { resize: { width: 120, height: 200 } }],
    ["resize fit 120 x 200", { resize: { width: 120, height: 200, mode: "fit" } }],
    ["resize fit 120 x 200, gravity face", { resize: { width: 120, height: 200, mode: "fit", gravity: "face" } }],
    [
      "resize fill 300 x 200, gravity left",
      { resize: { width: 300, height: 200, mode: "fill", gravity: "left", background: "ddd" } },
    ],
    ["resize exact 300 x 90", { resize: { width: 300, height: 90, mode: "exact" } }],
    ["resize linear", { resize: { ...SMALL, linear: true } }],
    ["scale 0.2, ratio 1.5", { scale: { size: 0.2, ratio: 1.5 } }],
    ["auto enhance", { resize: SMALL, auto: { enhance: true } }],
    ["auto redeye", { resize: SMALL, auto: { redeye: true } }],
    ...(["exposure", "temperature", "tint", "brightness", "contrast", "gamma"] as const).flatMap((name) => [
      adjust(name, -50),
      adjust(name, 50),
    ]),
    ...(["highlights", "shadows", "vibrance", "saturation"] as const).flatMap((name) => [
      adjust(name, -80),
      adjust(name, 80),
    ]),
    adjust("hue", 90),
    adjust("grayscale", true),
    adjust("invert", true),
    adjust("sharpen", 80),
    adjust("unsharp", 80),
    ...blurs.map(([mode, value]) => filter(`blur ${mode} ${value}`, { blur: { mode, value, angle: 30 } })),
    filter("sepia 100", { sepia: { value: 100 } }),
    filter("pixellate 10", { pixellate: { value: 10 } }),
    filter("duotone", { duotone: { light: "ffe9a8", dark: "1b1464" } }),
    filter("monochrome 80 ff8800", { monochrome: { value: 80, color: "ff8800" } }),
    ...screens.map((mode) => filter(`halftone ${mode} 6`, { halftone: { mode, value: 6, angle: 20 } })),
    filter("replace", { replace: { from: "d02020", to: "2060d0", value: 60 } }),
    filter("sepia, then pixellate", { sepia: { value: 100 }, pixellate: { value: 6 } }),
    ["watermark bottom-right", { resize: SMALL, watermark: { id: watermark, gravity: "bottom-right", padding: 8 } }],
    ["watermark x, y, opacity 0.5", { resize: SMALL, watermark: { id: watermark, x: -20, y: 60, opacity: 0.5 } }],
    ["watermark scale 0.5", { resize: SMALL, watermark: { id: watermark, scale: 0.5 } }],
    ["mask ellipse", { resize: SMALL, mask: { shape: "ellipse" } }],
    ["mask ellipse, background", { resize: SMALL, mask: { shape: "ellipse", background: "ffd08a" } }],
    ["border 8, radius 40", { resize: SMALL, border: { size: 8, radius: 40, color: "#a03020" } }],
    [
      "padding",
      { resize: { width: 220, height: 150, mode: "fit" }, padding: { size: 10, left: 50, background: "bcd" } },
    ],
  ];
}

async function main(photo = join(ROOT, "src/playground/sample.jpg"), sheet = join(tmpdir(), "contact-sheet.png")) {
  const state = await mkdtemp(join(tmpdir(), "sheet-"));
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: {}, quiet: true });
  try {
    const bytes = await readFile(photo);
    const watermark = await saveWatermark(service.url);
    const cells: Buffer[] = [];
    for (const [title, body, width] of cellsOf(watermark)) {
      const file = width === undefined ? bytes : await sharp(bytes).resize(width).png().toBuffer();
      const data = { ...body, output: { format: "png" }, response: { mode: "binary" } };
      const answer = await upload(service.url, "/1.0/upload", file, data);
      cells.push(await cellOf(title, new Uint8Array(await answer.arrayBuffer())));
    }
    await writeFile(sheet, await laidOut(cells));
    console.log(`${cells.length} pictures in ${sheet}`);
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function saveWatermark(base: URL): Promise<string> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40">
    <rect width="120" height="40" rx="20" fill="#fff" fill-opacity=".7"/>
    <text x="60" y="27" text-anchor="middle" font-size="20" fill="#222">darkroom</text></svg>`;
  const answer = await upload(base, "/1.0/watermarks", Buffer.from(drawing), { name: "sheet" });
  const { watermark } = (await answer.json()) as { watermark: { id: string } };
  return watermark.id;
}

/** @throws Error with the answer when it is no success */
async function upload(base: URL, path: string, file: Uint8Array, data: object): Promise<Response> {
  const body = new FormData();
  body.append("file", new Blob([new Uint8Array(file)]), "photo");
  body.append("data", JSON.stringify(data));
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const answer = await fetch(new URL(path, base), { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${JSON.stringify(data)} gave ${answer.status}: ${await answer.text()}`);
  return answer;
}

/** The picture above its title, on squares that show where it is transparent. */
async function cellOf(title: string, picture: Uint8Array): Promise<Buffer> {
  const { width, height, title: line } = CELL;
  const room = { width, height: height - line };
  const fitted = await sharp(picture)
    .resize({ ...room, fit: "inside", withoutEnlargement: true })
    .png()
    .toBuffer();
  const { width: across, height: down } = await sharp(fitted).metadata();
  const words = title.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const squares = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><pattern id="p" width="16" height="16" patternUnits="userSpaceOnUse">
    <path d="M0 0h8v8h8v8h-8v-8h-8z" fill="#ccc"/></pattern></defs>
    <rect width="${across}" height="${down}" fill="url(#p)"/>
    <text x="2" y="${height - 10}" font-size="14" font-family="sans-serif">${words}</text></svg>`;
  return sharp(Buffer.from(squares))
    .composite([{ input: fitted, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

function laidOut(cells: readonly Buffer[]): Promise<Buffer> {
  const [across, down] = [CELL.width + 10, CELL.height + 10];
  const size = { width: COLUMNS * across, height: Math.ceil(cells.length / COLUMNS) * down };
  const placed = cells.map((input, index) => ({
    input,
    left: (index % COLUMNS) * across + 5,
    top: Math.floor(index / COLUMNS) * down + 5,
  }));
  return sharp({ create: { ...size, channels: 3, background: "#fff" } })
    .composite(placed)
    .png()
    .toBuffer();
}

await main(...process.argv.slice(2));
