/** What an isolate loads before it answers anything: what few requests need is imported when one does. */
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
/** Imports and re-exports of values that are at the top of a module: `import()` and types load nothing. */
const LOADS = /^(?:import|export)(?! type\b)(?:[^;"]*? from)? ?"([^"]+)";$/gm;

/** What the module loads, itself and by others: paths of ours, below the root, and names of packages. */
async function loadedBy(file: string, found: Set<string> = new Set()): Promise<Set<string>> {
  const name = relative(ROOT, file);
  if (found.has(name)) return found;
  found.add(name);
  if (!name.endsWith(".ts")) return found;
  const source = await readFile(file, "utf8");
  for (const [, from = ""] of source.matchAll(LOADS)) {
    if (from.startsWith(".")) await loadedBy(join(file, "..", from), found);
    else if (/^#(?:faces|formats)\//.test(from)) await loadedBy(join(ROOT, "src/image", `${from.slice(1)}.ts`), found);
    else found.add(from);
  }
  return found;
}

it("is code of ours and these packages, without the API document and tables that unpack themselves", async () => {
  const loaded = await loadedBy(join(ROOT, "src", "index.ts"));
  const names = [...loaded].filter((name) => !/\.(?:ts|wasm|woff2|bin)$/.test(name));
  expect(names.sort()).toEqual([
    "@rgrove/parse-xml",
    "aws4fetch",
    "blurhash",
    "cloudflare:workers",
    "color-name",
    "hono",
    "node:buffer",
    "node:crypto",
    "thumbhash",
    "valibot",
  ]);
});
