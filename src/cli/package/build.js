/**
 * Writes the package of the command into a folder: `node src/cli/package/build.js <folder>`, then `npm pack <folder>`.
 */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { SOURCE, write } from "./strip.js";

const ROOT = join(SOURCE, "..");
const START = join(SOURCE, "cli", "batch", "main.ts");

const PROGRAM = `#!/usr/bin/env node
/** The command \`darkroom\`. */
import { readFileSync } from "node:fs";

import { main } from "./cli/batch/main.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
process.exitCode = await main(process.argv.slice(2), version);
`;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the package");
await mkdir(join(folder, "dist"), { recursive: true });
await write(START, join(folder, "dist"), new Set());
await writeFile(join(folder, "dist", "darkroom.js"), PROGRAM, { mode: 0o755 });
for (const name of ["package.json", "README.md"]) await cp(join(import.meta.dirname, name), join(folder, name));
await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
