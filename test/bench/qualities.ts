/**
 * What a quality means in each format: `IMAGES=folder SSIMULACRA2=tool npm run bench -- qualities`, with FORMATS for some
 * formats only. Prints the table of src/docs/optimization.md: mean scores of six photographs of at most 1,200 pixels a side,
 * in brackets bits per pixel, and how far the photographs' scores lie apart. Scores are those of the reference tool where it
 * is given.
 */
import sharp from "sharp";

import { FORMATS } from "../../src/image/formats.ts";
import { table } from "../support/markdown-tables.ts";
import { encodedFor } from "./encoded.ts";
import { chosen, given } from "./given.ts";
import { type Original, originalsOf } from "./search-originals.ts";
import { type Scorer, scorer } from "./search-scores.ts";

/** Formats that take a quality, as the documentation writes them. */
const HEADS = {
  jpeg: "JPEG",
  webp: "WebP",
  avif: "AVIF",
  heic: "HEIC",
  jpeg2000: "JPEG 2000",
  jxl: "JPEG XL",
  png: "PNG",
  gif: "GIF",
} as const;
type Name = keyof typeof HEADS;
const NAMES = Object.keys(HEADS) as Name[];
const QUALITIES = [30, 50, 70, 85, 95];

/** A bird, a bar, a shop at night, motorcycles, parrots and a portrait: the search is measured with all of them. */
const PHOTOGRAPHS: readonly string[] = [
  "canyon-wren.jpg",
  "craft-beer.jpg",
  "japanese-shop.jpg",
  "kodim05.png",
  "kodim23.png",
  "clic-28d24b9c.jpg",
];

interface Made {
  readonly name: Name;
  readonly quality: number;
  readonly score: number;
  /** Of a pixel. */
  readonly bits: number;
}

export async function main(): Promise<void> {
  sharp.concurrency(1);
  const [folder] = given("IMAGES");
  const [tool] = process.env["SSIMULACRA2"] ? given("SSIMULACRA2") : [];
  const names = chosen("FORMATS", NAMES);
  const originals = [...originalsOf("photographs", folder)].filter(([label]) => PHOTOGRAPHS.includes(label));
  const made: Made[] = [];
  for (const original of originals) made.push(...(await filesOf(original, names, tool)));
  const heads = ["`quality`", ...names.map((name) => HEADS[name])];
  console.log(table(heads, rows(names, made, meanOf)));
  console.log(`\nfrom the least to the highest score of the ${originals.length}`);
  console.log(table(heads, rows(names, made, rangeOf)));
}

async function filesOf([label, open]: Original, names: readonly Name[], tool: string | undefined): Promise<Made[]> {
  const original = await open();
  const { width, height } = await sharp(original).metadata();
  const scores = scorer(original, tool);
  const made: Made[] = [];
  try {
    for (const name of names) {
      for (const quality of QUALITIES) made.push(await fileAt(original, name, quality, scores, width * height));
    }
  } finally {
    scores.close();
  }
  console.log(`  ${label}, ${width} x ${height}`);
  return made;
}

async function fileAt(original: Buffer, name: Name, quality: number, scores: Scorer, pixels: number): Promise<Made> {
  const bytes = await encodedFor(original, FORMATS[name], { kind: "quality", quality });
  const score = await scores.ofFile(bytes, FORMATS[name]);
  return { name, quality, score, bits: (bytes.length * 8) / pixels };
}

/** A row for each quality, with a cell for each format. */
function rows(names: readonly Name[], made: readonly Made[], told: (alike: readonly Made[]) => string): string[][] {
  return QUALITIES.map((quality) => {
    const cells = names.map((name) => told(made.filter((one) => one.name === name && one.quality === quality)));
    return [String(quality), ...cells];
  });
}

function meanOf(alike: readonly Made[]): string {
  const mean = (value: (one: Made) => number) => alike.reduce((sum, one) => sum + value(one), 0) / alike.length;
  return `${mean(({ score }) => score).toFixed(0)} (${mean(({ bits }) => bits).toFixed(2)})`;
}

function rangeOf(alike: readonly Made[]): string {
  const scores = alike.map(({ score }) => score);
  return `${Math.min(...scores).toFixed(0)} to ${Math.max(...scores).toFixed(0)}`;
}
