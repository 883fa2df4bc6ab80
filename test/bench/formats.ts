/**
 * `PHOTOS=a.jpg npm run bench -- formats`: a photograph of 2 and 12 megapixels written and read by every codec, beside
 * sharp where it has the format, and which program of this machine that is not ours opens what was written.
 * Native memory never shrinks, so what is there after a job is its peak; each job starts with none.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import type { FormatDefinition } from "../../src/image/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";
import { drain, pictureOf, type Pixels } from "../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const SIZES = [
  [1_600, 1_250],
  [4_000, 3_000],
] as const;

/** Programs that open files, the one made for the format first. */
const OPENERS: readonly (readonly [program: string, args: (file: string, result: string) => string[]])[] = [
  ["opj_decompress", (file, result) => ["-i", file, "-o", `${result}.ppm`]],
  ["avifdec", (file, result) => [file, `${result}.png`]],
  ["heif-convert", (file, result) => [file, `${result}.png`]],
  ["vips", (file, result) => ["copy", file, `${result}.png`]],
  ["magick", (file, result) => [file, `${result}.png`]],
  ["ffprobe", (file) => ["-v", "error", file]],
];

interface Written {
  readonly ms: number;
  readonly bytes: number;
}

export async function main(): Promise<void> {
  const [photo] = (process.env["PHOTOS"] ?? "").split(" ");
  if (!photo) throw new Error("A photograph is needed: PHOTOS=a.jpg");
  sharp.concurrency(1);
  sharp.cache(false);
  const folder = await mkdtemp(join(tmpdir(), "formats-"));
  try {
    for (const [width, height] of SIZES) {
      const raw = sharp(photo).rotate().resize(width, height, { fit: "cover" });
      const data = new Uint8Array(await raw.ensureAlpha().raw().toBuffer());
      console.log(
        `\n${((width * height) / 1e6).toFixed(0)} MP, quality ${SETTINGS.quality}, times in ms, memory in MiB`,
      );
      console.log(
        "format    encode  memory    decode  memory      bytes   sharp: encode  decode      bytes   opened by",
      );
      for (const [name, format] of Object.entries<FormatDefinition>(FORMATS)) {
        if (format.encode) await measure(name, format, { width, height, data }, folder);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(name: string, format: FormatDefinition, pixels: Pixels, folder: string): Promise<void> {
  const encoded = timed(() => format.encode?.(pictureOf([pixels]), SETTINGS) ?? new Uint8Array(0));
  const facts = format.probe(encoded.result);
  const { width, height } = pixels;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const decoded = timed(() => {
    for (const { rows } of format.open(encoded.result, facts, demand)) return drain(rows);
    return null;
  });
  const file = join(folder, `${name}.${format.extensions[0]}`);
  await writeFile(file, encoded.result);
  const other = await bySharp(name, pixels);
  const own = [encoded.ms, encoded.mib, decoded.ms, decoded.mib].map((value) => value.toFixed(0).padStart(8));
  const beside = other
    ? [other.written.ms.toFixed(0), other.decodeMs.toFixed(0), String(other.written.bytes)]
    : ["-", "-", "-"];
  const columns = [...own, String(encoded.result.length).padStart(10), ...beside.map((value) => value.padStart(10))];
  console.log(`${name.padEnd(8)}${columns.join("")}   ${openers(file, join(folder, "opened"))}`);
}

function timed<T>(work: () => T) {
  trimNative(0);
  const started = performance.now();
  const result = work();
  return { result, ms: performance.now() - started, mib: nativeMemoryBytes() / 2 ** 20 };
}

/** The same by sharp, at its own defaults for that quality; null where it has no such format. */
async function bySharp(name: string, pixels: Pixels): Promise<{ written: Written; decodeMs: number } | null> {
  const { width, height } = pixels;
  const word = name as "jpeg";
  const { quality } = SETTINGS;
  try {
    const options = name === "gif" || name === "png" ? {} : { quality };
    const from = sharp(pixels.data, { raw: { width, height, channels: 4 } }).removeAlpha();
    const started = performance.now();
    const file = await from.toFormat(word, options).toBuffer();
    const written = { ms: performance.now() - started, bytes: file.length };
    const begun = performance.now();
    await sharp(file).raw().toBuffer();
    return { written, decodeMs: performance.now() - begun };
  } catch {
    return null;
  }
}

/** The programs that could read a file. */
function openers(file: string, result: string): string {
  const opened = OPENERS.filter(([program, args]) => {
    return spawnSync(program, args(file, result), { timeout: 20_000, stdio: "ignore" }).status === 0;
  });
  return opened.map(([program]) => program).join(", ") || "-";
}
