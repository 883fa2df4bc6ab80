/** Parsers of containers walk over parts, which nobody can collect. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

describe("what parsers of containers are written with", () => {
  const root = join(import.meta.dirname, "..", "..", "..", "src", "image");
  const sources = ["formats", "metadata", "gain-map"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      // Windows are parts of a picture, not of its file.
      .filter((path) => path.endsWith(".ts") && !path.endsWith("jpeg2000/windows.ts"))
      .map((path) => ({ path: join(folder, path), text: readFileSync(join(root, folder, path), "utf8") })),
  );

  it("is no generator whose parts are collected", () => {
    const declared = /(?<!async )(?:function\*|^\s+(?:private )?\*)\s?(\w+)\(/gm;
    const names = sources.flatMap(({ text }) => [...text.matchAll(declared)].map(([, name]) => name));
    expect(names).toContain("offsetsOf");
    const call = `(?:\\w+\\.)*(?:${names.join("|")})\\(`;
    const collects = new RegExp(`\\.\\.\\.${call}|Array\\.from\\(${call}|${call}[^;]*\\)\\.toArray\\(`);
    expect(collects.test("[...offsetsOf(fields)]")).toBe(true);
    for (const { path, text } of sources) expect(collects.test(text), path).toBe(false);
  });

  it("is a walk that cannot be iterated", () => {
    const walks = sources.filter(({ text }) => /class \w+ extends (?:Walk|BoxWalk|Boxes)\b/.test(text));
    expect(walks.length).toBeGreaterThan(8);
    for (const { path, text } of walks) expect(text, path).not.toMatch(/Symbol\.iterator|^\s+\*\w/m);
  });
});
