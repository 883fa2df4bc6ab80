/**
 * Writes the package of the command into a folder: `node src/cli/package/build.js <folder>`, then `npm pack <folder>`. The
 * modules are those of the repository without their types, so that any Node from 20.11 on runs them, under node_modules too.
 */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative } from "node:path";

const SOURCE = join(import.meta.dirname, "..", "..");
const ROOT = join(SOURCE, "..");
const START = join(SOURCE, "cli", "batch", "main.ts");
/** What is written between quotes behind `from` or in `import()`. */
const IMPORT = /(from |import\()"(\.[^"]+)\.ts"/g;
/** Starts the simulator, which is in the repository alone. */
const LOCAL = join(SOURCE, "cli", "local.ts");

const PROGRAM = `#!/usr/bin/env node
/** The command \`darkroom\`. */
import { readFileSync } from "node:fs";

import { main } from "./cli/batch/main.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
process.exitCode = await main(process.argv.slice(2), version);
`;

/**
 * Writes a module, and all that it imports.
 * @param {string} file
 * @param {string} out
 * @param {Set<string>} written
 */
async function write(file, out, written) {
  if (file === LOCAL || written.has(file)) return;
  written.add(file);
  const text = stripTypeScriptTypes(await readFile(file, "utf8"));
  const target = join(out, relative(SOURCE, file).replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  // Where types stood there is space, which nobody reads.
  const short = text.replaceAll(/[ \t]+$/gm, "").replaceAll(/\n{3,}/g, "\n\n");
  await writeFile(target, short.replaceAll(IMPORT, '$1"$2.js"'));
  for (const [, , name = ""] of text.matchAll(IMPORT)) await write(join(dirname(file), `${name}.ts`), out, written);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the package");
await mkdir(join(folder, "dist"), { recursive: true });
await write(START, join(folder, "dist"), new Set());
await writeFile(join(folder, "dist", "darkroom.js"), PROGRAM, { mode: 0o755 });
for (const name of ["package.json", "README.md"]) await cp(join(import.meta.dirname, name), join(folder, name));
await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
