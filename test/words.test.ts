/** One word, one meaning, and those of the field: old words of our own stay out of names, comments and file names. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

import { OLD_WORDS } from "./support/old-words.ts";

const ROOT = join(import.meta.dirname, "..");
/** What a tool writes, and the list of the words themselves. */
const APART = /^(?:src\/worker\.d\.ts|src\/clients\/api-types\.d\.ts|test\/(?:support\/old-words|words\.test)\.ts)$/;

/** The words of a name: `isRoomFor`, `MAX_ROOMS` and `has-room` have "room" in them. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());
}

/** The words of a module's names, and with those of its comments. */
function saidIn(path: string, text: string): { readonly named: Set<string>; readonly said: Set<string> } {
  const { program, comments } = parseSync(path, text);
  const named = new Set(wordsOf(path));
  const add = ({ name }: { readonly name: string }) => {
    // Functions of native modules are called as C calls them.
    if (!/^[a-z\d]+(?:_[a-z\d]+)+$/.test(name)) for (const word of wordsOf(name)) named.add(word);
  };
  new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(program);
  const said = new Set(named);
  for (const { value } of comments) {
    // What stands between backticks is said as it is called elsewhere.
    for (const word of value.replaceAll(/`[^`]*`/g, "").matchAll(/[A-Za-z]+/g)) said.add(word[0].toLowerCase());
  }
  return { named, said };
}

const MODULES = ["src", "wasm", "test"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((path) => /\.(?:ts|js)$/.test(path) && !APART.test(path));
const SAID = new Map(MODULES.map((path) => [path, saidIn(path, readFileSync(join(ROOT, path), "utf8"))]));
const ENGINE_PAGE = readFileSync(join(ROOT, "src/docs/engine.md"), "utf8");

/** The words that a table of the page explains, in its first column. */
function explained(heading: string): string[] {
  const [, section = ""] = ENGINE_PAGE.split(`## ${heading}\n`);
  const [table = ""] = section.split(/\n## /);
  return [...table.matchAll(/^\| ([^|]+?) +\|/gm)]
    .map(([, word = ""]) => word)
    .filter((word) => !/^(?:word|term|-+)$/.test(word));
}

describe("words", () => {
  it("are read from names, file names and comments", () => {
    const { named, said } = saidIn(
      "src/old-street.ts",
      "/** Of breaths, not `rooms`. */\nexport const isRoomFor = { priceOf: 'wish' };",
    );
    expect([...said]).toEqual(expect.arrayContaining(["street", "breaths", "room", "price"]));
    expect(named.has("breaths")).toBe(false);
    expect(["rooms", "wish"].filter((word) => said.has(word))).toEqual([]);
  });

  it.each(OLD_WORDS)("of our own do not come back: $old is $now", ({ old, within, inNamesOnly = false }) => {
    const plural = old.endsWith("sh") ? `${old}es` : `${old}s`;
    const found = MODULES.filter((path) => {
      const words = SAID.get(path)?.[inNamesOnly ? "named" : "said"];
      return (within?.test(path) ?? true) && (words?.has(old) || words?.has(plural));
    });
    expect(found).toEqual([]);
  });
});

describe("the glossary", () => {
  const own = explained("Words of our own");

  it("has fifteen words of our own at most, each of which the code says", () => {
    expect(own.length).toBeGreaterThan(9);
    expect(own.length).toBeLessThan(16);
    const said = new Set([...SAID.values()].flatMap((words) => [...words.said]));
    expect(own.filter((word) => !word.split(" ").every((part) => said.has(part)))).toEqual([]);
  });

  it("explains the term in place of every old word", () => {
    const terms = explained("Terms of the field");
    expect([...new Set(OLD_WORDS.map(({ now }) => now))].filter((term) => !terms.includes(term))).toEqual([]);
  });
});
