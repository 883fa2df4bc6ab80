/** Modules of the repository without types and comments, so that any Node from 20.11 on runs them, under node_modules too. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";

/** The folder that the modules lie in: what is written lies alike. */
export const SOURCE = join(import.meta.dirname, "..", "..");
/** What is written between quotes behind `from` or in `import()`. */
const IMPORT = /(from |import\()"(\.[^"]+)\.ts"/g;
/** Starts the simulator, which is in the repository alone. */
const LOCAL = join(SOURCE, "cli", "local.ts");

/**
 * Writes a module, and all that it imports.
 * @param {string} file
 * @param {string} out
 * @param {Set<string>} written
 */
export async function write(file, out, written) {
  if (file === LOCAL || written.has(file)) return;
  written.add(file);
  const text = stripTypeScriptTypes(await readFile(file, "utf8"));
  const target = join(out, relative(SOURCE, file).replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  // Comments are for who reads the repository; where types stood there is space.
  const code = text.replaceAll(/^[ \t]*(?:\/\*\*[^]*?\*\/|\/\/.*)\n/gm, "");
  const short = code.replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{3,}/g, "\n\n");
  await writeFile(target, short.replaceAll(IMPORT, '$1"$2.js"'));
  for (const [, , name = ""] of text.matchAll(IMPORT)) await write(join(dirname(file), `${name}.ts`), out, written);
}
