/** What is known of the libraries that native modules are built from. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { compared, newestOf, readLibraries } from "../../wasm/upstream.ts";

const FOLDER = join(import.meta.dirname, "../../wasm");
const README = join(FOLDER, "README.md");
/** Fonts are data, and the run time comes with the compiler. */
const OTHERS = /^(wasi-libc|fonts-)/;

describe("libraries of the native modules", () => {
  it("are looked after in the versions that are built, all of them", async () => {
    const [, rows = ""] = /^\| upstream .*\n\|[- |]*\n((?:\|.*\n)+)/m.exec(await readFile(README, "utf8")) ?? [];
    const built = rows
      .trim()
      .split("\n")
      .map((row) => row.split("|").map((cell) => cell.trim()))
      .filter(([, name = ""]) => !OTHERS.test(name));
    const libraries = await readLibraries();
    expect(new Set(libraries.map(({ name }) => name))).toEqual(new Set(built.map(([, name]) => name)));
    for (const { name, version } of libraries) {
      // Behind an epoch, or behind what Debian calls a later upload of the same source.
      const [, , inReadme = ""] = built.find(([, other]) => other === name) ?? [];
      expect(
        inReadme
          .replace(/^\d+:/, "")
          .split(/\+really/)
          .at(-1),
        name,
      ).toMatch(new RegExp(`^${version}\\b`));
    }
  });

  it("have the newest of their releases, and no candidate for one", () => {
    const listing = ["a\trefs/tags/v1.9.0", "b\trefs/tags/v1.10.0", "c\trefs/tags/v1.11.0-rc1", "d\trefs/tags/x2.0"];
    expect(newestOf(listing.join("\n"), "v")).toBe("1.10.0");
    expect(newestOf("", "v")).toBeUndefined();
    expect(compared("3.1.3", "3.1.4.1")).toBeLessThan(0);
    expect(compared("2.5.4", "2.5.4")).toBe(0);
  });
});

describe("the README of a native module", async () => {
  const modules = [
    ...(await readFile(README, "utf8")).matchAll(/^- `([\w-]+)\/[\w-]+\.wasm`: .*, from our own source(.*)$/gm),
  ];

  it("is there for every one", () => {
    expect(modules).toHaveLength(19);
  });

  it.each(modules.map(([, name = "", sources = ""]) => ({ name, sources })))(
    "says what $name is built from, and names only files and tests that there are",
    async ({ name, sources }) => {
      const text = await readFile(join(FOLDER, name, "README.md"), "utf8");
      const folder = join(FOLDER, name);
      // Emscripten gives headers alone; what a source is called in Debian is not what people call it.
      const versions = [...sources.matchAll(/, [\w-]+ (?:\d+:)?(\d+(?:\.\d+)+)/g)].map(([, version = ""]) => version);
      const written = versions.filter((version) => version !== "3.1.6");
      for (const version of written) expect(text, version).toContain(version);
      const paths = [...text.matchAll(/`((?:[\w.-]+\/)*[\w-]+\.(?:c|cc|h|rs|sh|ts|txt|patch|tsv))`/g)];
      const root = join(FOLDER, "..");
      for (const [, path = ""] of paths) {
        const found: string[] = [];
        for (const from of [folder, FOLDER, root, join(root, "test/bench")]) {
          for await (const file of glob(path, { cwd: from })) found.push(file);
        }
        expect(found, path).not.toEqual([]);
      }
    },
  );
});
