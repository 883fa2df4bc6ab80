/**
 * Red pupils found: `FACES="folder…" npm run bench -- red-eyes`. The photographs that red-eyes.tsv names get red pupils
 * painted over the marked ones, in sizes and colors that flashes make, and are written as JPEG; every picture of the
 * folders is also searched as it is, where nothing should be found.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import sharp from "sharp";

import { findFaces } from "../../src/image/faces/detect.ts";
import { findRedEyes } from "../../src/image/faces/red-eyes.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { rowsOf } from "../support/rows.ts";
import { given } from "./given.ts";

/** As the operation does. */
const SEARCH_SIDE = 1_024;

/** Radii of dilated pupils, in widths of the face. */
const RADII = [0.028, 0.036, 0.045];
const COLORS = {
  bright: [235, 70, 60],
  medium: [190, 35, 35],
  dark: [110, 15, 20],
  orange: [225, 95, 45],
} as const;

interface Pupil {
  readonly x: number;
  readonly y: number;
  readonly face: number;
}

interface Raw {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

export async function main(): Promise<void> {
  const marked = marks();
  const lines = new Map<string, { found: number; all: number; wrong: number }>();
  let [searched, mistaken] = [0, 0];
  for (const folder of given("FACES")) {
    for (const name of readdirSync(folder)) {
      const photo = await rawOf(readFileSync(join(folder, name)));
      if (!photo) continue;
      searched++;
      const none = await foundIn(photo);
      if (none.length > 0) console.log(`${name}: ${none.length} where there is none`);
      mistaken += none.length;
      const pupils = marked.get(name) ?? [];
      if (pupils.length === 0) continue;
      for (const radius of RADII) {
        for (const [word, color] of Object.entries(COLORS)) {
          const hits = await foundIn(await painted(photo, pupils, radius, color));
          const near = (pupil: Pupil) =>
            hits.some(({ x, y }) => Math.hypot(x - pupil.x, y - pupil.y) < radius * pupil.face);
          const found = pupils.filter((pupil) => near(pupil)).length;
          const key = `${word}, radius ${radius}`;
          const line = lines.get(key) ?? { found: 0, all: 0, wrong: 0 };
          lines.set(key, {
            found: line.found + found,
            all: line.all + pupils.length,
            wrong: line.wrong + Math.max(0, hits.length - found),
          });
          if (process.env["SHOW"]) console.log(`${name.padEnd(24)} ${key.padEnd(24)} ${found} of ${pupils.length}`);
        }
      }
    }
  }
  for (const [key, { found, all, wrong }] of lines) console.log(`${key.padEnd(24)} ${found} of ${all}, ${wrong} wrong`);
  const sum = (value: "found" | "all" | "wrong") => [...lines.values()].reduce((total, line) => total + line[value], 0);
  console.log(`recall ${((100 * sum("found")) / sum("all")).toFixed(0)} %, ${sum("wrong")} wrong beside them`);
  console.log(`${mistaken} found in ${searched} pictures without any`);
}

/** Pupils with a soft rim, darker above, and the light that a flash leaves. */
async function painted(
  { data, width, height }: Raw,
  pupils: readonly Pupil[],
  share: number,
  color: readonly number[],
) {
  const pixels = Buffer.from(data);
  for (const { x, y, face } of pupils) {
    const radius = share * face;
    const [left, top] = [Math.floor(x - radius - 1), Math.floor(y - radius - 1)];
    for (let row = top; row <= y + radius + 1; row++) {
      for (let column = left; column <= x + radius + 1; column++) {
        const [right, down] = [(column - x) / radius, (row - y) / radius];
        const cover = Math.min(1, Math.max(0, (1 - Math.hypot(right, down)) * radius + 0.5)) * 0.95;
        const glint = Math.hypot(right + 0.3, down + 0.3) < 0.22;
        for (const [channel, level] of color.entries()) {
          const at = (row * width + column) * 3 + channel;
          const wanted = glint ? 245 : level * (0.85 + 0.15 * down);
          pixels[at] = Math.min(255, (pixels[at] ?? 0) * (1 - cover) + wanted * cover);
        }
      }
    }
  }
  const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
  return (await rawOf(jpeg)) ?? { data: pixels, width, height };
}

/** In pixels of the photograph. */
async function foundIn({ data, width, height }: Raw) {
  const small = sharp(data, { raw: { width, height, channels: 3 } })
    .resize(SEARCH_SIDE, SEARCH_SIDE, { fit: "inside", withoutEnlargement: true, kernel: "linear" })
    .ensureAlpha();
  const { data: pixels, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const rows = () => rowsOf({ width: info.width, height: info.height, data: pixels });
  const eyes = await findRedEyes(rows(), () => findFaces(rows(), UNPAUSED), UNPAUSED);
  return eyes.map((eye) => ({ x: (eye.x * width) / info.width, y: (eye.y * height) / info.height }));
}

async function rawOf(file: Buffer): Promise<Raw | undefined> {
  try {
    const upright = sharp(file).rotate().toColorspace("srgb").removeAlpha();
    const { data, info } = await upright.raw().toBuffer({ resolveWithObject: true });
    return info.channels === 3 ? { data, width: info.width, height: info.height } : undefined;
  } catch {
    return undefined;
  }
}

function marks(): Map<string, Pupil[]> {
  const pupils = new Map<string, Pupil[]>();
  for (const line of readFileSync(join(import.meta.dirname, "red-eyes.tsv"), "utf8").split("\n")) {
    const [name = "", x, y, face] = line.split("\t");
    if (!/^\d+$/.test(face ?? "")) continue;
    pupils.set(name, [...(pupils.get(name) ?? []), { x: Number(x), y: Number(y), face: Number(face) }]);
  }
  return pupils;
}
