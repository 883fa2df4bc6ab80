/**
 * The table of the pipeline: every format that is read, to every format that is written, to the best one for a client,
 * and to none that is named; as it comes and as our own earlier result. What is stored is what the answer says.
 */
import { describe, expect, it } from "vitest";

import type { OutputMetadata } from "../../src/contract/response.ts";
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import avif from "../fixtures/avif/limited-709.avif";
import avifAlpha from "../fixtures/avif/straight-alpha.avif";
import bmp from "../fixtures/bmp/pal8.bmp";
import bmpAlpha from "../fixtures/bmp/rgba32.bmp";
import gifAnimated from "../fixtures/gif/animated-red-blue.gif";
import gif from "../fixtures/gif/hippopotamus.masked-with-muybridge.gif";
import heicAlpha from "../fixtures/heic/alpha.heic";
import heic from "../fixtures/heic/s420.heic";
import ico from "../fixtures/ico/hippopotamus.regular.ico";
import jpegCmyk from "../fixtures/jpeg/cmyk.jpg";
import jpegGray from "../fixtures/jpeg/gray.jpg";
import jpeg from "../fixtures/jpeg/s420.jpg";
import jpeg2000Alpha from "../fixtures/jpeg2000/alpha.jp2";
import jpeg2000 from "../fixtures/jpeg2000/lossy.jp2";
import jxlAlpha from "../fixtures/jxl/alpha.jxl";
import jxlAnimated from "../fixtures/jxl/animated.jxl";
import jxl from "../fixtures/jxl/lossy.jxl";
import mp4 from "../fixtures/mp4/sound.mp4";
import pngAnimated from "../fixtures/png/apng-spec-022.png";
import pngPalette from "../fixtures/png/palette-8.png";
import png from "../fixtures/png/rgb-8-key.png";
import pngAlpha from "../fixtures/png/rgba-8.png";
import psd from "../fixtures/psd/one-layer.psd";
import psdAlpha from "../fixtures/psd/transparent.psd";
import tiffAlpha from "../fixtures/tiff/lzw-rgba-4444.tif";
import tiff from "../fixtures/tiff/sm_colors_pb_tile.tif";
import webpAnimated from "../fixtures/webp/animated-red-blue.webp";
import webpAlpha from "../fixtures/webp/gopher-doc-with-alpha-lossless.webp";
import webp from "../fixtures/webp/video-001-lossy.webp";
import type { Reading } from "../support/reader.ts";
import { isShared } from "../support/share.ts";
import { read, sha1Of, type Walked, walk } from "../support/walk.ts";

const svg = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="44"><circle cx="24" cy="22" r="20" fill="#a4c639"/>' +
    '<path d="M24 4h32v36z" fill="#3639c6" fill-opacity=".5"/></svg>',
);

const FILES = {
  jpeg: { plain: jpeg, gray: jpegGray, inks: jpegCmyk },
  jpeg2000: { plain: jpeg2000, alpha: jpeg2000Alpha },
  png: { key: png, palette: pngPalette, alpha: pngAlpha, animated: pngAnimated },
  gif: { alpha: gif, animated: gifAnimated },
  webp: { plain: webp, alpha: webpAlpha, animated: webpAnimated },
  avif: { plain: avif, alpha: avifAlpha },
  heic: { plain: heic, alpha: heicAlpha },
  jxl: { plain: jxl, alpha: jxlAlpha, animated: jxlAnimated },
  bmp: { palette: bmp, alpha: bmpAlpha },
  ico: { alpha: ico },
  tiff: { plain: tiff, alpha: tiffAlpha },
  psd: { plain: psd, alpha: psdAlpha },
  svg: { drawing: svg },
  mp4: { animated: mp4 },
} satisfies Record<FormatName, Record<string, ArrayBuffer | Uint8Array>>;

/**
 * What libvips calls the formats that it reads here; where it has no decoder, our own reads the file in a second walk.
 */
const READERS: Partial<Record<FormatName, string>> = {
  jpeg: "jpeg",
  png: "png",
  gif: "gif",
  webp: "webp",
  avif: "heif",
  svg: "svg",
};

const OPERATIONS = {
  "as it is": {},
  resized: { resize: { width: 40 } },
  "cut to few pixels": { crop: { width: 3, height: 2 } },
} as const;

const ACCEPT = {
  absent: undefined,
  chrome: "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
  safari: "image/webp,image/avif,image/heic,image/heif,image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5",
  jpeg: "image/jpeg",
} as const;

/** The same picture in a file that loses nothing, and that libvips reads. */
const EXACTLY = { output: { format: "png" }, optimize: { lossless: true } };

interface Target {
  readonly name: string;
  readonly output?: { readonly format: string };
  readonly accept?: string | undefined;
}

/** All but icons, which are squares of a picture, and films, which hold no stills. */
const WRITTEN = Object.entries<FormatDefinition>(FORMATS).flatMap(([name, { write, can }]) =>
  write && !can.sides && !can.movesAlone ? [name] : [],
);
const TARGETS: readonly Target[] = [
  { name: "no format" },
  ...WRITTEN.map((format) => ({ name: format, output: { format } })),
  ...Object.entries(ACCEPT).map(([name, accept]) => ({ name: `auto, ${name}`, output: { format: "auto" }, accept })),
];

const SOURCES = Object.entries(FILES)
  .flatMap(([format, files]) =>
    Object.entries(files).map(([kind, file]) => [`${format}, ${kind}`, new Uint8Array(file)] as const),
  )
  .map(([name, file], row) => [name, file, row] as const);

/** Levels by which cells of the grid differ on average where a format has loss. */
const MEAN_LEVELS = 8;

/** What is stored, as another decoder says it; null where it cannot be decoded whole. */
async function readingOf({ output, stored }: Walked): Promise<Reading | null> {
  const [name = ""] = rowOf(output.format);
  // Of a sequence libvips reads the still beside it.
  const reader = name === "avif" && output.frames > 1 ? undefined : READERS[name as FormatName];
  if (!reader) return readByOurs(stored, output.format);
  const said = await read(stored);
  return said && { ...said, format: said.format === reader ? output.format : said.format };
}

/** The same by our own decoder. */
async function readByOurs(stored: Uint8Array, label: string): Promise<Reading | null> {
  const { input, stored: png } = await walk(stored, EXACTLY);
  const said = await read(png);
  const { width, height, frames, alpha } = input;
  return said && input.format === label ? { ...said, format: label, width, height, frames, alpha } : null;
}

function rowOf(label: string): readonly [string?, FormatDefinition?] {
  return Object.entries<FormatDefinition>(FORMATS).find(([, row]) => row.label === label) ?? [];
}

/**
 * What is wrong with what is stored, beside the answer and a file of the same picture without loss; empty where nothing
 * is.
 */
async function wrongWith(walked: Walked, exact: Reading): Promise<string[]> {
  const { output, stored, mime } = walked;
  const wrong = (is: boolean, what: string) => (is ? [] : [what]);
  const found = [
    ...wrong(stored.length > 0, "nothing is stored"),
    ...wrong(stored.length === output.bytes, "another length"),
    ...wrong((await sha1Of(stored)) === output.sha1, "another SHA-1"),
    ...wrong(mime === rowOf(output.format)[1]?.mime, `the type ${mime}`),
  ];
  const said = stored.length > 0 ? await readingOf(walked) : null;
  if (!said) return [...found, "it cannot be decoded"];
  for (const name of ["format", "width", "height", "frames"] as const) {
    found.push(...wrong(said[name] === output[name], `${name} ${said[name]}, not ${output[name]}`));
  }
  found.push(
    ...wrong(said.orientation === 1, "an orientation tag"),
    ...wrong(said.width === exact.width && said.height === exact.height, "another size than asked"),
    // Frames of an animation may leave out what has not changed, which takes an alpha that nothing shows through.
    ...wrong(output.alpha ? said.alpha : !said.translucent, `alpha ${output.alpha}`),
  );
  return mayLookOtherwise(output, exact) ? found : [...found, ...wrong(isAlike(said, exact), "it looks different")];
}

/** Inks without a profile are every reader's own idea of colors, and GIF has no pixels that show through in part. */
function mayLookOtherwise({ format, colorspace }: OutputMetadata, exact: Reading): boolean {
  return colorspace === "CMYK" || colorspace === "YCCK" || (format === "GIF" && exact.blended);
}

function isAlike(one: Reading, other: Reading): boolean {
  const sum = one.grid.reduce((total, level, at) => total + Math.abs(level - (other.grid[at] ?? 0)), 0);
  return sum / one.grid.length <= MEAN_LEVELS;
}

type Cell = readonly [operation: keyof typeof OPERATIONS, target: Target];

const ALL = (Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).flatMap((operation) =>
  TARGETS.map((target): Cell => [operation, target]),
);
/** Of which a file that is small already may come back as it is. */
const BEST = ALL.filter(([operation, { output }]) => operation === "as it is" && output?.format === "auto");

/** By the cells of a row that are taken: neighbors take their turns. */
async function failures(file: Uint8Array, row: number, cells: readonly Cell[]): Promise<string[]> {
  const found: string[] = [];
  const exact = new Map<string, Reading>();
  for (const [name, { name: to, output, accept }] of cells.filter((_, column) => isShared(row + column))) {
    const operation = OPERATIONS[name];
    const reference = exact.get(name) ?? (await read((await walk(file, { ...operation, ...EXACTLY })).stored));
    if (!reference) throw new Error("the picture without loss cannot be read");
    exact.set(name, reference);
    const walked = await walk(file, { ...operation, ...(output && { output }) }, accept);
    const wrong = await wrongWith(walked, reference);
    if (wrong.length > 0) found.push(`${name}, ${to}: ${walked.output.format}, ${wrong.join(", ")}`);
  }
  return found;
}

describe("what is stored is what the answer says", () => {
  it.each(SOURCES)("of a file as it comes: %s", async (_name, file, row) => {
    expect(await failures(file, row, ALL)).toEqual([]);
  });

  it.each(SOURCES)("of our own earlier result: %s", async (_name, file, row) => {
    const { stored } = await walk(file);
    expect(await failures(stored, row + 1, ALL)).toEqual([]);
  });

  it.each(SOURCES)("of an earlier result that is smaller than any that could follow: %s", async (_name, file, row) => {
    const { stored } = await walk(file, { optimize: { compression: "ultra" } });
    expect(await failures(stored, row, BEST)).toEqual([]);
  });
});
