/**
 * By how much scores differ from those of the reference tool:
 * `SSIMULACRA2=tool PHOTOS="a.jpg b.png …" npm run bench -- score-accuracy`. Renditions are made and decoded by sharp; both
 * get the same pixels. Scores below 30 and above 95 are left out.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp, { type Sharp } from "sharp";

import { type Rows, rowsOver } from "../../src/image/pixels/rows.ts";
import { compareRows } from "../../src/image/search/score.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { scoreRows } from "../support/scores.ts";
import { given } from "./given.ts";

/** Pixels of the longer side; the last is the photograph as it is. */
const SIDES = [48, 100, 200, 400, 768, 1_200, 2_000, 3_400, Infinity];
const RENDITIONS: readonly (readonly [format: string, encode: (picture: Sharp) => Sharp])[] = [
  ...[20, 50, 80, 93].map((quality) => ["JPEG", (picture: Sharp) => picture.jpeg({ quality })] as const),
  ...[20, 60, 90].map((quality) => ["WebP", (picture: Sharp) => picture.webp({ quality, effort: 2 })] as const),
  ...[30, 60, 80].map((quality) => ["AVIF", (picture: Sharp) => picture.avif({ quality, effort: 1 })] as const),
  ...[16, 64, 256].map((colors) => ["palette", (picture: Sharp) => picture.png({ palette: true, colors })] as const),
];
/** Renditions of each size of a photograph; they go round. */
const AT_ONCE = 4;
/** Of what scores outside there is nothing to choose between. */
const [LEAST, MOST] = [30, 95];

interface Deviation {
  readonly classes: readonly string[];
  /** Of the whole picture, and of what is compared of it. */
  readonly whole: number;
  readonly compared: number;
}

export async function main(): Promise<void> {
  const [tool] = given("SSIMULACRA2");
  const folder = mkdtempSync(join(tmpdir(), "score-"));
  const deviations: Deviation[] = [];
  try {
    let next = 0;
    for (const photo of given("PHOTOS")) {
      for (const side of SIDES) {
        const original = await scaled(photo, side);
        if (!original) continue;
        for (let count = 0; count < AT_ONCE; count++, next++) {
          const deviation = await deviationOf(original, next % RENDITIONS.length, tool, folder);
          if (deviation) deviations.push(deviation);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const line of told(deviations)) console.log(line);
}

/** The photograph with a side of so many pixels, as PNG; null if it has fewer. */
async function scaled(photo: string, side: number): Promise<Buffer | null> {
  const { width, height, autoOrient, hasAlpha } = await sharp(photo).metadata();
  if (side !== Infinity && Math.max(width, height) < side) return null;
  const whole = side === Infinity ? autoOrient : { width: side, height: side };
  const picture = sharp(photo)
    .rotate()
    .toColorspace("srgb")
    .resize({ ...whole, fit: "inside" });
  return (hasAlpha ? picture : picture.removeAlpha()).png({ compressionLevel: 1 }).toBuffer();
}

async function deviationOf(original: Buffer, index: number, tool: string, folder: string): Promise<Deviation | null> {
  const [format, encode] = RENDITIONS[index] ?? ["JPEG", (picture: Sharp) => picture.jpeg()];
  const { hasAlpha } = await sharp(original).metadata();
  const keeps = hasAlpha && format !== "JPEG";
  const from = keeps ? original : await sharp(original).flatten({ background: "white" }).png().toBuffer();
  const decoded = sharp(await encode(sharp(from)).toBuffer()).toColorspace("srgb");
  const rendition = await (keeps ? decoded.ensureAlpha() : decoded.removeAlpha())
    .png({ compressionLevel: 1 })
    .toBuffer();
  const paths = [join(folder, "original.png"), join(folder, "rendition.png")] as const;
  await sharp(from).toFile(paths[0]);
  await sharp(rendition).toFile(paths[1]);
  const reference = Number(execFileSync(tool, paths, { encoding: "utf8" }));
  if (!(reference >= LEAST && reference <= MOST)) return null;
  const [first, second] = [await pixelsOf(from, !keeps), await pixelsOf(rendition, !keeps)];
  const { score } = await compareRows(first(), second(), UNPAUSED);
  const pixels = first().width * first().height;
  return {
    classes: ["all", format, sizeClass(pixels)],
    whole: score - reference,
    compared: (await scoreRows(first(), second(), UNPAUSED)) - reference,
  };
}

async function pixelsOf(png: Buffer, opaque: boolean): Promise<() => Rows> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return () => rowsOver(data, { width: info.width, height: info.height, opaque });
}

function sizeClass(pixels: number): string {
  const bound = [0.01, 0.1, 1, 4, 24.1].find((megapixels) => pixels <= megapixels * 1e6);
  return `up to ${bound ?? "more"} MP`;
}

function told(deviations: readonly Deviation[]): string[] {
  const names = [...new Set(deviations.flatMap(({ classes }) => classes))].toSorted();
  return names.map((name) => {
    const group = deviations.filter(({ classes }) => classes.includes(name));
    const columns = (["whole", "compared"] as const).map((kind) => {
      const sizes = group.map((one) => Math.abs(one[kind]));
      const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
      return `${kind}: mean ${mean.toFixed(3)}, most ${Math.max(...sizes).toFixed(3)}`;
    });
    return `${name.padEnd(14)} ${String(group.length).padStart(4)}  ${columns.join("   ")}`;
  });
}
