/** Results of several widths and formats as a page shows them: the attribute `srcset`, and a whole `<picture>`. */

import { candidateUrl, escapedHtml } from "../html.ts";

/** One file of a srcset. */
export interface Shown {
  readonly format: string;
  readonly mime: string;
  readonly url: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * By format, as the attribute `srcset` takes them: addresses with their widths, the narrowest first.
 * @param files the formats that take the fewest bytes first
 */
export function srcsetsOf(files: readonly Shown[]): Record<string, string> {
  const byFormat = Map.groupBy(files, ({ format }) => format);
  return Object.fromEntries(byFormat.entries().map(([format, alike]) => [format, candidatesOf(alike)]));
}

/**
 * The element that has a browser choose: of the formats the first that it can show, of that a width. Browsers that know
 * neither take the widest file of the last format.
 */
export function pictureOf(files: readonly Shown[], sizes: string): string {
  const formats = [...Map.groupBy(files, ({ format }) => format).values()];
  const last = formats.pop() ?? [];
  const widest = last.toSorted((one, other) => one.width - other.width).at(-1);
  if (!widest) throw new RangeError("a picture without files");
  const sources = formats.map((alike) => `  <source${attributes(alike, sizes)}>`);
  const { url, width, height } = widest;
  const image = `  <img${attribute("src", url)}${attributes(last, sizes, false)} width="${width}" height="${height}" alt="">`;
  return ["<picture>", ...sources, image, "</picture>"].join("\n");
}

function attributes(files: readonly Shown[], sizes: string, hasType = true): string {
  const type = hasType ? attribute("type", files[0]?.mime ?? "") : "";
  return type + attribute("srcset", candidatesOf(files)) + attribute("sizes", sizes);
}

function candidatesOf(files: readonly Shown[]): string {
  return files
    .toSorted((one, other) => one.width - other.width)
    .map(({ url, width }) => `${candidateUrl(url)} ${width}w`)
    .join(", ");
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escapedHtml(value)}"`;
}
