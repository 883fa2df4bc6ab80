/** What shows the pictures of the documentation, and the figures of one photograph in four formats. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ORIGINALS, type Pictured, PICTURES } from "../../src/docs/pictures.ts";
import { table, type Tables } from "./markdown-tables.ts";

interface Figures {
  readonly original: number;
  /** Of pictures that are shown enlarged, by their names. */
  readonly details: Readonly<Record<string, { readonly bytes: number; readonly score?: number }>>;
  readonly formats: Readonly<Record<string, { readonly bytes: number; readonly score: number }>>;
}

/** What formats are called. */
const LABELS: Readonly<Record<string, string>> = { avif: "AVIF", jxl: "JPEG XL", webp: "WebP", jpeg: "JPEG" };

/** A list of pictures, each with what was sent for it. */
function listOf(pictures: readonly Pictured[]): string {
  const lines = pictures.map(({ name, body, says }) => {
    const sent = Object.keys(body).length === 0 ? "as it is" : `\`${spaced(body)}\``;
    return `- ![${says}](../playground/pictures/${name}.webp) ${sent}`;
  });
  return lines.join("\n");
}

/** A list of enlarged pictures, each with its bytes, its score and what was sent for it. */
function detailsOf(pictures: readonly Pictured[], details: Figures["details"]): string {
  const lines = pictures.map(({ name, body, says }) => {
    const { bytes = 0, score } = details[name] ?? {};
    const sent = Object.fromEntries(Object.entries(body).filter(([member]) => member !== "crop"));
    const figures = `${bytes.toLocaleString("en-US")} bytes${score === undefined ? "" : `, score ${Math.round(score)}`}`;
    return `- ![${says}](../playground/pictures/${name}.webp) ${figures}: \`${spaced(sent)}\``;
  });
  return lines.join("\n");
}

/** JSON that lines can be broken in. */
function spaced(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(", ")}}`;
}

/** Bytes with three digits, as `30.2 kB`. */
const kilobytes = (bytes: number): string => `${(bytes / 1000).toPrecision(3)} kB`;

export async function pictureTables(root: string): Promise<Tables> {
  const text = await readFile(join(root, "src", "docs", "pictures.json"), "utf8");
  const { original, formats, details }: Figures = JSON.parse(text);
  const rows = Object.entries(formats).map(([name, { bytes, score }]) => [
    LABELS[name] ?? name,
    kilobytes(bytes),
    `${Math.round((1 - bytes / original) * 100)} %`,
    String(Math.round(score)),
  ]);
  const asItCame = [`[as it came](${ORIGINALS.parrots}), JPEG`, kilobytes(original), "", ""];
  return {
    "pictures-operations": () => listOf(PICTURES.operations),
    "pictures-filters": () => listOf(PICTURES.filters),
    "pictures-gravities": () => listOf(PICTURES.gravities),
    "pictures-formats": () => detailsOf(PICTURES.formats, details),
    "pictures-presets": () => detailsOf(PICTURES.presets, details),
    proof: () => table(["One photograph, 768 × 512", "Bytes", "Saved", "Score"], [asItCame, ...rows]),
  };
}
