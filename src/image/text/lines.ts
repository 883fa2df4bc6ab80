/** Texts broken into lines: where they say so, and where UAX 14 allows it and a line would be too wide. */
import type { LineBreaker } from "css-line-break";

import { whenNeeded } from "../../when-needed.ts";
import type { Metrics } from "./metrics.ts";

export interface Line {
  readonly text: string;
  /** In parts of the font's size. */
  readonly width: number;
}

const SOFT_HYPHEN = "\u00AD";
/** What says where lines may and may not be broken, and how emoji look, and is not drawn itself. */
const UNSEEN = /[\u00AD\u200B\u2060\uFEFF]|\uFE0E|\uFE0F/gu;
const SPACES_AT_END = /[ \u2000-\u200A\u3000]+$/u;
/** Made with the first text: it is half of what an isolate would do to start. */
const graphemes = whenNeeded(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** A text as fonts have its letters: composed, with the ends of lines as one character and tabs as spaces. */
export function plainText(value: string): string {
  return value
    .normalize("NFC")
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ");
}

/** The characters of a plain text that are drawn. */
export function drawnCharacters(text: string): string {
  return text.replace(UNSEEN, "").replaceAll("\n", "");
}

/** @param most how wide lines may be, in parts of the font's size; a letter that is wider has a line alone */
export async function linesOf(text: string, { widthOf }: Metrics, most: number): Promise<Line[]> {
  // Only here: it unpacks its table of characters when it is loaded, which was a tenth of the start of an isolate.
  const { LineBreaker: breakerOf } = await import("css-line-break");
  const line = (part: string): Line => {
    const seen = shown(part);
    return { text: seen, width: widthOf(seen) };
  };
  const fits = (part: string) => line(part).width <= most;
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let current = "";
    for (const word of wordsOf(breakerOf(paragraph, { lineBreak: "normal", wordBreak: "normal" }))) {
      if (fits(current + word)) {
        current += word;
        continue;
      }
      if (current !== "") lines.push(current);
      const pieces = fits(word) ? [word] : piecesOf(word, fits);
      current = pieces.pop() ?? "";
      lines.push(...pieces);
    }
    return [...lines, current].map((part) => line(part));
  });
}

/** What is seen of a line: no spaces at its end, and a hyphen where a word is broken at a soft one. */
function shown(line: string): string {
  const trimmed = line.replace(SPACES_AT_END, "");
  const isBroken = trimmed.endsWith(SOFT_HYPHEN);
  return trimmed.replace(UNSEEN, "") + (isBroken ? "-" : "");
}

/** The parts of a paragraph between which lines may be broken, each with the spaces behind it. */
function wordsOf(breaker: ReturnType<typeof LineBreaker>): string[] {
  const words: string[] = [];
  for (let next = breaker.next(); !next.done; next = breaker.next()) words.push(next.value.slice());
  return words;
}

/** A word that is wider than a line, in pieces that are not, as far as its letters allow. */
function piecesOf(word: string, fits: (part: string) => boolean): string[] {
  const pieces: string[] = [];
  let current = "";
  for (const { segment } of graphemes().segment(word)) {
    if (current !== "" && !fits(current + segment)) {
      pieces.push(current);
      current = "";
    }
    current += segment;
  }
  return [...pieces, current];
}
