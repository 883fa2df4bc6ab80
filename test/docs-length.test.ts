/** How much there is to read: pages for users are short, alone and together. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { INDEX } from "../src/docs/site/markdown.ts";
import { CONTRIBUTORS, menuOf } from "../src/docs/site/page.ts";

const DOCS = join(import.meta.dirname, "..", "src", "docs");

/** What all pages for users have together, and the longest one alone. */
const MOST_WORDS_TOGETHER = 18_000;
const MOST_WORDS = 1_800;

/** Words that somebody reads: without comments, tables that are computed, and programs, which are looked at or copied. */
function wordsOf(text: string): number {
  const read = text
    .replaceAll(/<!-- table: [^]*?<!-- end -->/g, "")
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/^ *```[^]*?^ *```$/gm, "");
  return read.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const groups = menuOf(await readFile(join(DOCS, INDEX), "utf8"));
const forContributors = groups.filter(({ name }) => name === CONTRIBUTORS).flatMap(({ files }) => files);
const names = (await readdir(DOCS)).filter((name) => name.endsWith(".md") && !forContributors.includes(name));
const lengths = await Promise.all(names.map(async (name) => wordsOf(await readFile(join(DOCS, name), "utf8"))));

it("counts words, and no programs, comments and computed tables", () => {
  const text = "# Two words\n\n<!-- words: a, b -->\n\n| and | 3 |\n| --- | - |\n\n```sh\ncurl x\n```\n\n";
  expect(wordsOf(`${text}<!-- table: x -->\n\n| y |\n\n<!-- end -->\n`)).toBe(4);
});

it("has pages for contributors that stand apart", () => {
  expect(forContributors).toContain("contributing.md");
  expect(groups.at(-1)?.name).toBe(CONTRIBUTORS);
});

it.each(names.map((name, index) => [name, lengths[index] ?? Infinity]))("%s is read in one go", (_, words) => {
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

it("is read in an afternoon", () => {
  expect(lengths.reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(MOST_WORDS_TOGETHER);
});
