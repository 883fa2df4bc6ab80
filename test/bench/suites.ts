/**
 * `IMAGES="folder …" npm run bench -- suites`: every picture of test suites of other projects, written as PNG without
 * loss and put beside what other programs show of it, both at 160 pixels on gray. A picture is equal where one of those
 * programs shows the same; the table says how many are, and the lines before it which are not. ONLY="a pattern" chooses
 * among the paths. With SHEETS="folder" what differs is written there as a pair, that of the other program first.
 *
 * A picture `name.png` or `ref.png` beside a drawing or a JPEG XL file is taken for its reference.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";

import sharp from "sharp";

import { ApiError } from "../../src/errors.ts";
import { rendered } from "../support/render.ts";
import type { Pixels } from "../support/rows.ts";
import { type Program, reasonOf, seenBy } from "./decoders.ts";
import { given } from "./given.ts";

/** What both are brought to; a difference of a hair line does not count there. */
const SIDE = 160;
const GRAY = "#808080";

/** Root mean square of levels of 255, as of two encodings of a picture that look alike. */
const MOST_APART = 6.9;

/** Sides that are rounded otherwise by a pixel of 160. */
const MOST_SHAPE_APART = 1;

/** Who is asked, in this order, by how a file's name ends. */
const PROGRAMS: readonly (readonly [endings: RegExp, programs: readonly Program[]])[] = [
  [/^(jpe?g|jfif|a?png|gif|webp)$/, ["sharp", "pillow", "convert", "chromium"]],
  [/^tiff?$/, ["sharp", "pillow", "convert"]],
  [/^avif$/, ["sharp", "pillow", "avifdec", "chromium"]],
  [/^(hei[cf]|hif)$/, ["heif-convert"]],
  [/^(jp2|j2[kc]|jpc|jph|jpx)$/, ["opj_decompress", "pillow", "convert"]],
  [/^jxl$/, ["djxl"]],
  [/^svgz?$/, ["sharp"]],
  [/^(bmp|dib|ico|cur)$/, ["pillow", "convert", "chromium"]],
  [/^(psd|psb)$/, ["convert", "pillow"]],
];

interface Row {
  tried: number;
  equal: number;
  differs: number;
  alone: number;
  refused: number;
  readElsewhere: number;
}

type Verdict = { readonly is: keyof Row; readonly why: string };

export async function main(): Promise<void> {
  const rows: [string, Row][] = [];
  for (const folder of given("IMAGES")) {
    const row = { tried: 0, equal: 0, differs: 0, alone: 0, refused: 0, readElsewhere: 0 };
    for (const file of await picturesOf(folder)) {
      const path = relative(folder, file);
      row.tried++;
      const { is, why } = await verdictOf(file, path);
      row[is]++;
      if (is === "readElsewhere") row.refused++;
      if (is !== "equal") console.log(`${basename(folder)}\t${path}\t${is}\t${why}`);
    }
    rows.push([basename(folder), row]);
  }
  console.log("\nsuite                  tried   read  equal  differs  alone  refused  of these, another reads");
  for (const [name, row] of rows) {
    const read = row.tried - row.refused;
    const counts = [row.tried, read, row.equal, row.differs, row.alone, row.refused, row.readElsewhere];
    console.log(name.padEnd(20) + counts.map((count) => String(count).padStart(8)).join(""));
  }
}

function programsOf(file: string): readonly Program[] | undefined {
  const ending = extname(file).slice(1).toLowerCase();
  return PROGRAMS.find(([endings]) => endings.test(ending))?.[1];
}

/** Files with the name of a format that is read, as far as they are chosen. */
async function picturesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const only = new RegExp(process.env["ONLY"] ?? "");
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => programsOf(file) && only.test(relative(folder, file))).toSorted();
}

/** Where nobody else reads a file, it is read alone. */
async function verdictOf(file: string, path: string): Promise<Verdict> {
  const bytes = new Uint8Array(await readFile(file));
  const own = await ownOf(bytes);
  let nearest: { apart: number; by: string; seen: Pixels } | undefined;
  const reasons: string[] = [];
  for await (const { by, seen, reason } of othersOf(file, bytes)) {
    if (!seen) {
      reasons.push(`${by}: ${reason}`);
    } else if (typeof own === "string") {
      return { is: "readElsewhere", why: `${own} | ${by} reads ${seen.width} x ${seen.height}` };
    } else {
      const apart = await apartOf(own, seen);
      if (apart <= MOST_APART) return { is: "equal", why: by };
      if (!nearest || apart < nearest.apart) nearest = { apart, by, seen };
    }
  }
  if (typeof own === "string") return { is: "refused", why: `${own} | ${reasons.join("; ")}` };
  if (!nearest) return { is: "alone", why: reasons.join("; ") };
  await keep(path, nearest.seen, own);
  const far = Number.isFinite(nearest.apart) ? `${nearest.apart.toFixed(1)} levels` : shapesOf(nearest.seen, own);
  return { is: "differs", why: `${far} from ${nearest.by}` };
}

const shapesOf = (a: Pixels, b: Pixels): string => `${a.width} x ${a.height}, here ${b.width} x ${b.height},`;

/** Its pixels, or the message with which it is refused. @throws whatever else comes, for that is a fault */
async function ownOf(bytes: Uint8Array): Promise<Pixels | string> {
  try {
    const { output } = await rendered(bytes, {
      output: { format: "png", animation: false },
      optimize: { lossless: true },
    });
    return await rawOf(sharp(output.bytes, { limitInputPixels: false }));
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    return `CRASHED ${String(error)}`;
  }
}

interface Other {
  readonly by: string;
  readonly seen?: Pixels;
  readonly reason?: string;
}

async function* othersOf(file: string, bytes: Uint8Array): AsyncGenerator<Other> {
  const reference = referenceOf(file);
  if (reference) yield { by: "reference", seen: await rawOf(sharp(reference)) };
  const ending = extname(file).slice(1).toLowerCase();
  for (const by of programsOf(file) ?? []) {
    try {
      const [seen] = (await seenBy(by, bytes, ending)).frames;
      yield seen ? { by, seen } : { by, reason: "no picture" };
    } catch (error) {
      yield { by, reason: reasonOf(error) };
    }
  }
}

function referenceOf(file: string): string | undefined {
  if (!/\.(svg|jxl)$/.test(file)) return undefined;
  const beside = [file.replace(/\.\w+$/, ".png"), join(dirname(file), "ref.png")];
  return beside.find((path) => existsSync(path));
}

async function rawOf(image: ReturnType<typeof sharp>): Promise<Pixels> {
  const rgba = image.toColourspace("srgb").ensureAlpha().raw();
  const { data, info } = await rgba.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

/** On gray, its longer side as long as that of a sheet's cell. */
async function smallOf({ width, height, data }: Pixels): Promise<Pixels> {
  const image = sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false });
  const small = await image.resize(SIDE, SIDE, { fit: "inside" }).png().toBuffer();
  return await rawOf(sharp(small).flatten({ background: GRAY }));
}

/** Root mean square of what is apart, in levels of 255; infinite where the shapes are. */
async function apartOf(a: Pixels, b: Pixels): Promise<number> {
  const [one, other] = [await smallOf(a), await smallOf(b)];
  const shape = Math.max(Math.abs(one.width - other.width), Math.abs(one.height - other.height));
  if (shape > MOST_SHAPE_APART) return Number.POSITIVE_INFINITY;
  const { width, height } = one;
  const fitted = sharp(other.data, { raw: { width: other.width, height: other.height, channels: 4 } });
  const { data } = await rawOf(fitted.resize(width, height, { fit: "fill" }));
  let sum = 0;
  for (const [at, level] of one.data.entries()) sum += at % 4 === 3 ? 0 : (level - (data[at] ?? 0)) ** 2;
  return Math.sqrt(sum / (width * height * 3));
}

async function keep(path: string, seen: Pixels, own: Pixels): Promise<void> {
  const folder = process.env["SHEETS"];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const cells = await Promise.all(
    [seen, own].map(async (pixels, column) => {
      const { width, height, data } = await smallOf(pixels);
      return { input: Buffer.from(data), raw: { width, height, channels: 4 as const }, left: column * SIDE, top: 0 };
    }),
  );
  const blank = sharp({ create: { width: 2 * SIDE, height: SIDE, channels: 4, background: GRAY } });
  const name = path.replaceAll(/[^\w.-]/g, "_");
  await writeFile(join(folder, `${name}.png`), await blank.composite(cells).png().toBuffer());
}
