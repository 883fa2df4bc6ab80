/** Patterns of names mean what they say, however they are made. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyFits } from "../../src/batch/patterns.ts";
import { parseBatch } from "../../src/contract/batches.ts";

/** The same as a regular expression, which takes for ever where names are long. */
function expected(pattern: string, key: string): boolean {
  const name = pattern.includes("/") ? key : key.slice(key.lastIndexOf("/") + 1);
  const parts = [...pattern.matchAll(/\*\*|[^]/g)].map(([part]) => {
    if (part === "**") return "[^]*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : `\\u{${part.codePointAt(0)?.toString(16)}}`;
  });
  return new RegExp(`^${parts.join("")}$`, "u").test(name);
}

describe("patterns of names", () => {
  it.each([
    ["*.jpg", "a/b.jpg", true],
    ["*.jpg", "a.jpg/b", false],
    ["a/*", "a/b/c", false],
    ["a/**", "a/b/c", true],
    ["a/**/c", "a/c", false],
    ["**", "", true],
    ["?", "", false],
    ["a?c/", "abc/", true],
    ["[a]", "a", false],
    ["\u{1f600}", "x/\u{1f600}", true],
  ])("%s and %s", (pattern, key, fits) => {
    expect(anyFits([pattern], key)).toBe(fits);
  });

  it("fit as their regular expressions do", () => {
    const text = (letters: string, most: number) =>
      fc.array(fc.constantFrom(...letters), { maxLength: most }).map((all) => all.join(""));
    const check = fc.property(text("ab*?/*", 9), text("ab/", 12), (pattern, key) => {
      expect(anyFits([pattern], key)).toBe(expected(pattern, key));
    });
    fc.assert(check, { numRuns: 5_000 });
  });

  it("may all together have as many characters as a thousand names can be compared with at once", () => {
    const batch = (include: readonly string[]) =>
      parseBatch({ source: { connector: "abcdefghij", include }, target: "in-place" });
    expect(batch(Array<string>(8).fill("a".repeat(256))).source.include).toHaveLength(8);
    expect(() => batch(Array<string>(9).fill("a".repeat(256)))).toThrow(
      "source.include must have at most 2048 characters in all its patterns",
    );
  });
});
