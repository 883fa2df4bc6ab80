/**
 * `PHOTOS=a.jpg npm run bench -- formats`: a photograph of 2 and 12 megapixels written and read by every codec, beside
 * sharp where it has the format, and which programs of this machine that are not ours show what was written as
 * we do.
 * Native memory never shrinks, so what is there after a job is its peak; each job starts with none.
 */
import sharp from "sharp";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes, trimNative } from "../../wasm/load.ts";
import { drain, pictureOf, type Pixels } from "../support/rows.ts";
import { READERS, reasonOf, seenBy } from "./decoders.ts";
import { differenceOf } from "./difference.ts";
import { given } from "./given.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
const SIZES = [
  [1_600, 1_250],
  [4_000, 3_000],
] as const;

/** Levels of 256 by which others may show a lossy file otherwise than we do, on average. */
const MOST_APART = 2;

interface Written {
  readonly ms: number;
  readonly bytes: number;
}

export async function main(): Promise<void> {
  const [photo] = given("PHOTOS");
  sharp.concurrency(1);
  sharp.cache(false);
  for (const [width, height] of SIZES) {
    const raw = sharp(photo).rotate().resize(width, height, { fit: "cover" });
    const data = new Uint8Array(await raw.ensureAlpha().raw().toBuffer());
    console.log(
      `\n${((width * height) / 1e6).toFixed(0)} MP, quality ${SETTINGS.quality}, milliseconds of processor time, memory in MiB`,
    );
    console.log(
      "format    encode  memory    decode  memory      bytes   sharp: encode  decode      bytes   opened, with the right pixels, by",
    );
    for (const [name, format] of Object.entries(FORMATS) as [FormatName, FormatDefinition][]) {
      if (format.write) await measure(name, format, { width, height, data });
    }
  }
}

async function measure(name: FormatName, format: FormatDefinition, pixels: Pixels): Promise<void> {
  const encoded = await timed(
    async () => (await format.write?.encode(pictureOf([pixels]), SETTINGS, UNPAUSED)) ?? new Uint8Array(0),
  );
  const facts = format.read.factsOf(encoded.result);
  const { width, height } = pixels;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  const decoded = await timed(async () => {
    for await (const { rows } of format.read.open(encoded.result, facts, demand, UNPAUSED)) return await drain(rows);
    throw new Error("no frame");
  });
  const other = await bySharp(name, pixels);
  const own = [encoded.ms, encoded.mib, decoded.ms, decoded.mib].map((value) => value.toFixed(0).padStart(8));
  const beside = other
    ? [other.written.ms.toFixed(0), other.decodeMs.toFixed(0), String(other.written.bytes)]
    : ["-", "-", "-"];
  const columns = [...own, String(encoded.result.length).padStart(10), ...beside.map((value) => value.padStart(10))];
  const openers = await openersOf(name, encoded.result, format.extensions[0], decoded.result);
  console.log(`${name.padEnd(8)}${columns.join("")}   ${openers}`);
}

/** Rounds of what is timed: the first runs before its code is optimized. */
const ROUNDS = 2;

/** The memory of the first time, and the least processor time of all. */
async function timed<T>(work: () => Promise<T>) {
  trimNative(0);
  let ms = Number.POSITIVE_INFINITY;
  let mib: number | undefined;
  for (let round = 1; ; round++) {
    const started = processorMs();
    const result = await work();
    ms = Math.min(ms, processorMs() - started);
    mib ??= nativeMemoryBytes() / 2 ** 20;
    if (round === ROUNDS) return { result, ms, mib };
  }
}

/** Milliseconds for which all threads of this process ran. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The same by sharp, at its own defaults for that quality; null where it has no such format. */
async function bySharp(name: string, pixels: Pixels): Promise<{ written: Written; decodeMs: number } | null> {
  const { width, height } = pixels;
  const word = name as "jpeg";
  const { quality } = SETTINGS;
  try {
    const options = name === "gif" || name === "png" ? {} : { quality };
    const from = sharp(pixels.data, { raw: { width, height, channels: 4 } }).removeAlpha();
    const written = await timed(() => from.clone().toFormat(word, options).toBuffer());
    const decoded = await timed(() => sharp(written.result).raw().toBuffer());
    return { written: { ms: written.ms, bytes: written.result.length }, decodeMs: decoded.ms };
  } catch {
    return null;
  }
}

/** The programs that show a file as we do; those that do not, with what they show or say instead. */
async function openersOf(name: FormatName, bytes: Uint8Array, extension: string, own: Pixels): Promise<string> {
  const verdicts = READERS[name].map(async (program) => {
    try {
      const [shown] = (await seenBy(program, bytes, extension)).frames;
      if (shown?.width !== own.width || shown.height !== own.height) return `${program} (WRONG size)`;
      const { color } = differenceOf(own, shown, { alpha: false, binary: false });
      return color <= MOST_APART ? program : `${program} (WRONG by ${color.toFixed(1)} levels)`;
    } catch (error) {
      return `not ${program} (${reasonOf(error)})`;
    }
  });
  return (await Promise.all(verdicts)).join(", ");
}
