/**
 * JPEG against sharp (one thread, no cache) on photographs of yours: `PHOTOS="a.jpg b.jpg" npm run bench -- jpeg`.
 * Prints the least wall and processor time of interleaved rounds, their ratios, the size of results, and the linear
 * memory of the JPEG module after the job.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import sharp from "sharp";

import { jpeg } from "../../src/image/formats/jpeg.ts";
import type { Picture } from "../../src/image/picture.ts";
import { resample } from "../../src/image/resample.ts";
import type { Rows } from "../../src/image/rows.ts";
import { openDecoder, recompress } from "../../wasm/jpeg/jpeg.ts";
import { nativeStatistics } from "../../wasm/load.ts";

type Work = () => unknown;

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5, subsample: "4:2:0" } as const;

const ROUNDS = 7;

export async function main(): Promise<void> {
  sharp.concurrency(1);
  sharp.cache(false);
  for (const path of (process.env["PHOTOS"] ?? "").split(" ").filter(Boolean)) await measure(path);
}

async function measure(path: string): Promise<void> {
  const bytes = new Uint8Array(readFileSync(path));
  const facts = jpeg.probe(bytes);
  console.log(`${basename(path)}: ${facts.width} x ${facts.height}, ${facts.subsample}, ${bytes.length} bytes`);
  const width = facts.width * facts.height > 15e6 ? 2_000 : 1_200;
  const raw = await sharp(bytes).ensureAlpha().raw().toBuffer();
  await compare(
    "decode",
    () => decodeAll(bytes, 8),
    () => sharp(bytes).raw().toBuffer(),
  );
  for (const eighths of [4, 2, 1]) await compare(`decode ${eighths}/8`, () => decodeAll(bytes, eighths));
  for (const progressive of [false, true]) {
    const kind = progressive ? "progressive" : "baseline";
    const small = () => sharp(bytes).resize(width).jpeg({ quality: 80, progressive }).toBuffer();
    await compare(`to ${width}, ${kind}`, () => thumbnail(bytes, width, progressive), small);
    const input = { raw: { width: facts.width, height: facts.height, channels: 4 } } as const;
    const large = () => sharp(raw, input).jpeg({ quality: 80, progressive }).toBuffer();
    await compare(`encode, ${kind}`, () => encode(raw, facts, progressive), large);
  }
  await compare("recompress, lossless", () => recompress(bytes, { progressive: true }));
  await compare("recompress, quality 75", () => recompress(bytes, { progressive: true, quality: 75 }));
}

function decodeAll(bytes: Uint8Array, eighths: number): void {
  const decoder = openDecoder(bytes, { eighths });
  while (decoder.read(64)) continue;
  decoder.close();
}

function thumbnail(bytes: Uint8Array, width: number, progressive: boolean): Uint8Array {
  const facts = jpeg.probe(bytes);
  const height = Math.round((facts.height * width) / facts.width);
  const box = { x: 0, y: 0, width: facts.width, height: facts.height };
  for (const decoded of jpeg.open(bytes, facts, { box, width, height })) {
    const rows = resample(decoded.rows, { box: decoded.box, width, height, kernel: "lanczos3" });
    return jpeg.encode(still(rows), { ...SETTINGS, progressive });
  }
  throw new Error("no frame");
}

function encode(data: Uint8Array, { width, height }: { width: number; height: number }, progressive: boolean) {
  let y = 0;
  const read = (max: number) => {
    const count = Math.min(max, height - y);
    y += count;
    return count === 0 ? null : data.subarray((y - count) * width * 4, y * width * 4);
  };
  return jpeg.encode(still({ width, height, opaque: true, read, close() {} }), { ...SETTINGS, progressive });
}

function still(rows: Rows): Picture {
  const { width, height, opaque } = rows;
  return { width, height, opaque, frames: 1, loops: 1, open: () => [{ delayMs: 0, rows }] };
}

async function compare(name: string, ours: Work, theirs?: Work): Promise<void> {
  const least = [ours, theirs].map(() => ({ wallMs: Infinity, processorMs: Infinity, bytes: 0 }));
  let memoryBytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, work] of [ours, theirs].entries()) {
      const record = least[index];
      if (!work || !record) continue;
      const started = { wall: performance.now(), processor: process.cpuUsage() };
      const result = await work();
      const used = process.cpuUsage(started.processor);
      record.wallMs = Math.min(record.wallMs, performance.now() - started.wall);
      record.processorMs = Math.min(record.processorMs, (used.user + used.system) / 1_000);
      if (result instanceof Uint8Array) record.bytes = result.length;
      if (index === 0) memoryBytes = nativeStatistics().find((module) => module.name === "jpeg")?.memoryBytes ?? 0;
    }
  }
  const [first, second] = least;
  const shown = (record = least[0]) =>
    `${record?.wallMs.toFixed(0)} ms wall, ${record?.processorMs.toFixed(0)} ms processor${record?.bytes ? `, ${record.bytes} bytes` : ""}`;
  console.log(`  ${name.padEnd(24)} ${shown(first)}, ${(memoryBytes / 2 ** 20).toFixed(1)} MiB`);
  if (!theirs || !first || !second) return;
  const ratios = [first.wallMs / second.wallMs, first.processorMs / second.processorMs];
  console.log(`${"".padEnd(27)}sharp ${shown(second)}; ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
}
