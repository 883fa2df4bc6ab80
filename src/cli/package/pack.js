/** Packs all packages into a folder: `npm run packages -- <folder>`. */
import { exec, execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { SOURCE } from "./strip.js";

const run = promisify(execFile);
const shell = promisify(exec);
/** Packages that are shipped as they lie in the repository. */
const PLAIN = ["clients", "clients/components", "clients/sharp", "cli/create"];
/** Packages that are written by a program first. */
const BUILT = { cli: "build.js", worker: "build-worker.js" };

const [named] = process.argv.slice(2);
if (named === undefined || named.startsWith("-")) {
  const say = named === "--help" ? console.log : console.error;
  say("npm run packages -- <folder>    packs all packages for a registry into the folder");
  process.exit(named === "--help" ? 0 : 1);
}
const folder = resolve(named);
await mkdir(folder, { recursive: true });
const built = await mkdtemp(join(tmpdir(), "packages-"));
try {
  const ready = PLAIN.map((name) => join(SOURCE, name));
  for (const [name, builder] of Object.entries(BUILT)) {
    await run(process.execPath, [join(import.meta.dirname, builder), join(built, name)]);
    ready.push(join(built, name));
  }
  for (const cwd of ready) {
    // On Windows npm is a script, which only a shell starts.
    const { stdout } = await shell(`npm pack --silent --pack-destination "${folder}"`, { cwd });
    console.log(join(folder, stdout.trim()));
  }
} finally {
  await rm(built, { recursive: true, force: true });
}
