/** Every file of ours begins with a comment that says what it is about. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** Files that a tool writes, with a header of its own. */
const GENERATED = new Set(["worker.d.ts"]);

it.each(["src", "wasm", "test"])("every module in %s/ begins with its header comment", async (folder) => {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  const sources = names.filter((name) => /\.(?:ts|js)$/.test(name) && !GENERATED.has(name)).sort();
  expect(sources).not.toEqual([]);
  const headless: string[] = [];
  for (const name of sources) {
    const source = await readFile(join(ROOT, folder, name), "utf8");
    if (!/^(?:#!.*\n)?\/[/*]/.test(source)) headless.push(name);
  }
  expect(headless).toEqual([]);
});
