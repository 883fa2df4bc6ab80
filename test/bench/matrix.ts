/**
 * `npm run bench -- matrix`: a real file of every format that can be read, written in every format that can be written,
 * without loss where there is such a thing, else at quality 95. Programs that are not ours show both, the original and
 * the result. Printed is by how many of 256 levels colors differ on average, laid on white, and whatever else is not as
 * it was; the exit status is 1 where that is more than the table allows.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ROOT } from "../../src/cli/wrangler.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { rendered } from "../support/render.ts";
import { ABSENT, type Program, READERS, reasonOf, type Seen, seenBy } from "./decoders.ts";
import { differenceOf } from "./difference.ts";

interface Source {
  readonly path: string;
  /** What it is an example of. */
  readonly of: string;
  /** Who shows the original, where that is not the first of `READERS`. */
  readonly by?: Program;
  /** Levels by which that program reads the file otherwise than we do: inks, chroma between samples, edges of shapes. */
  readonly apart?: number;
  /** Levels that chroma of half resolution, or 256 colors, take from a picture of few pixels and strong colors. */
  readonly fine?: number;
}

const SOURCES: readonly Source[] = [
  { path: "jpeg/s420.jpg", of: "JPEG" },
  { path: "faces/one-turned.jpg", of: "JPEG, turned" },
  { path: "jpeg/cmyk.jpg", of: "JPEG, CMYK", by: "convert", apart: 0.4 },
  { path: "jpeg2000/alpha.jp2", of: "JPEG 2000, alpha" },
  { path: "png/rgba-8.png", of: "PNG, alpha" },
  { path: "png/rgb-16.png", of: "PNG, 16 bits", fine: 4 },
  { path: "png/palette-8-alpha.png", of: "PNG, palette", fine: 8 },
  { path: "png/over-background.apng", of: "PNG, animated", by: "chromium" },
  { path: "gif/dispose-background.gif", of: "GIF, animated", by: "chromium" },
  { path: "webp/gopher-doc-with-alpha-lossless.webp", of: "WebP, alpha" },
  { path: "webp/animated-dispose.webp", of: "WebP, animated", by: "chromium" },
  { path: "avif/kodim03_yuv420_8bpc.avif", of: "AVIF", apart: 0.15 },
  { path: "avif/twelve-bits-422.avif", of: "AVIF, 12 bits", fine: 1 },
  { path: "heic/alpha.heic", of: "HEIC, alpha", apart: 0.15 },
  { path: "heic/turn-1-0.heic", of: "HEIC, turned" },
  { path: "heic/overlay.heic", of: "HEIC, overlay" },
  { path: "bmp/rgba32.bmp", of: "BMP, alpha", fine: 3 },
  { path: "bmp/rgb24-rle24.bmp", of: "BMP, RLE24", by: "chromium", fine: 3 },
  { path: "ico/hippopotamus.regular.ico", of: "ICO", fine: 2 },
  { path: "tiff/video-001-16bit.tif", of: "TIFF, 16 bits" },
  { path: "tiff/cmyk_jpeg_no_profile.tif", of: "TIFF, CMYK", apart: 0.06, fine: 1 },
  { path: "psd/transparent.psd", of: "PSD, alpha", apart: 0.02 },
  { path: "svg/Android_robot.svg", of: "SVG", apart: 0.22 },
  { path: "svg/Android_robot.svgz", of: "SVGZ", apart: 0.22 },
];

/** Levels that a lossy format may take on average, of color and of opacity. */
const LOSSY_LEVELS = 3;
/** What stands for nothing in sums of fractions. */
const ROUNDING = 0.005;
const COLUMN = 14;

export async function main(): Promise<void> {
  const formats = Object.entries(FORMATS) as [FormatName, FormatDefinition][];
  const targets = formats.filter(([, { write }]) => write);
  const failures: string[] = [];
  const line = (head: string, cells: readonly string[]) =>
    console.log(`| ${head.padEnd(16)} | ${cells.map((cell) => cell.padStart(COLUMN)).join(" | ")} |`);
  line(
    "",
    targets.map(([, { label }]) => label),
  );
  console.log(`|${["", ...targets].map(() => " --- ").join("|")}|`);
  line(
    "shown by",
    targets.map(([name]) => programFor(name, false)),
  );
  for (const source of SOURCES) {
    const bytes = new Uint8Array(await readFile(join(ROOT, "test/fixtures", source.path)));
    const { name: from, format } = identify(bytes);
    const meant = seenBy(source.by ?? READERS[from][0], bytes, format.extensions[0]);
    const cells = [];
    for (const [name, to] of targets) {
      const { cell, failure } = await tried(source, bytes, meant, name, to);
      cells.push(cell);
      if (failure) failures.push(`${source.of} as ${to.label}: ${failure}`);
    }
    line(source.of, cells);
  }
  console.log("What moves is shown by chromium.");
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}

function programFor(name: FormatName, moves: boolean): Program {
  return moves ? "chromium" : READERS[name][0];
}

interface Verdict {
  /** The difference; `failed`; or `-` where a program is not there. */
  readonly cell: string;
  readonly failure?: string;
}

/** @param original as another program shows it */
async function tried(
  source: Source,
  bytes: Uint8Array,
  original: Promise<Seen>,
  name: FormatName,
  to: FormatDefinition,
): Promise<Verdict> {
  try {
    const meant = await original;
    const optimize = to.can.lossless ? { lossless: true } : { lossless: false, quality: 95 };
    const order = { output: { format: name, encoding: "progressive" as const }, optimize };
    const { output } = await rendered(bytes, order);
    const moves = to.can.animation && meant.frames.length > 1;
    const seen = await seenBy(programFor(name, moves), output.bytes, to.extensions[0]);
    return judged(meant, seen, to, source);
  } catch (error) {
    const reason = reasonOf(error);
    return reason === ABSENT ? { cell: "-" } : { cell: "failed", failure: reason };
  }
}

function judged(meant: Seen, seen: Seen, to: FormatDefinition, source: Source): Verdict {
  const frames = to.can.animation ? meant.frames : meant.frames.slice(0, 1);
  if (seen.frames.length !== frames.length) {
    return { cell: "failed", failure: `${seen.frames.length} frames in place of ${frames.length}` };
  }
  const moves = frames.length > 1;
  if (moves && String(seen.delays) !== String(meant.delays)) {
    return { cell: "failed", failure: `delays ${String(seen.delays)} in place of ${String(meant.delays)}` };
  }
  if (moves && seen.plays !== meant.plays) {
    return { cell: "failed", failure: `plays ${seen.plays} times in place of ${meant.plays}` };
  }
  let [color, opacity] = [0, 0];
  for (const [index, one] of frames.entries()) {
    const other = seen.frames[index];
    if (one.width !== other?.width || one.height !== other.height) {
      const sizes = `${other?.width} x ${other?.height} in place of ${one.width} x ${one.height}`;
      return { cell: "failed", failure: sizes };
    }
    const difference = differenceOf(one, other, { alpha: to.can.alpha, binary: to === FORMATS.gif });
    color = Math.max(color, difference.color);
    opacity = Math.max(opacity, difference.opacity);
  }
  const cell = color.toFixed(2) + (opacity >= 0.005 ? ` α ${opacity.toFixed(2)}` : "");
  const { apart = 0, fine = 0 } = source;
  const most = to.can.lossless ? apart : apart + fine + LOSSY_LEVELS;
  const good = color < most + ROUNDING && opacity < most + ROUNDING;
  return good ? { cell } : { cell: `! ${cell}`, failure: `differs by ${cell}` };
}
