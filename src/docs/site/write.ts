/** Writes the pages of the documentation where they are served from. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { site } from "./page.ts";

/**
 * The pages of the documents as they are now, in a copy of the repository; those of documents that are gone go too.
 * @throws Error when a document holds what cannot be shown
 */
export async function writePages(root: string): Promise<void> {
  const folder = join(root, "src", "docs");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const pages = site(Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""])));
  const served = join(root, "src", "playground");
  for (const name of await readdir(join(served, "docs"))) {
    if (!(`docs/${name}` in pages)) await rm(join(served, "docs", name));
  }
  await Promise.all(Object.entries(pages).map(([path, text]) => writeFile(join(served, path), text)));
}
