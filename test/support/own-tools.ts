/**
 * Tools of single tests. They weigh more than all else together, so the project does not depend on them: the test that needs
 * them installs them once, by a lockfile of their own.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const FRAMEWORKS = join(import.meta.dirname, "..", "browser", "frameworks");

/** What imports a module of a framework by its name, as a file of a site would. */
export type Importer = (name: string) => Promise<unknown>;

/**
 * Installs the frameworks whose sites are tested, unless an earlier run has.
 * @throws Error of npm when the registry cannot be reached
 */
export async function frameworks(): Promise<Importer> {
  const folder = await ownTools(FRAMEWORKS);
  const { resolve } = createRequire(join(folder, "package.json"));
  return (name) => import(pathToFileURL(resolve(name)).href);
}

/**
 * Installs what a folder's `package-lock.json` names, unless an earlier run has.
 * @param named the folder with `package.json` and `package-lock.json`
 * @returns the folder where `node_modules` is
 * @throws Error of npm when the registry cannot be reached
 */
export async function ownTools(named: string): Promise<string> {
  const lock = await readFile(join(named, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(ROOT, ".wrangler", `${basename(named)}-${hash}`);
  if (await readFile(join(folder, "package.json")).catch(() => undefined)) return folder;
  // Complete, or not there: a run that is ended in the midst leaves nothing that a later one would take.
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    for (const name of ["package.json", "package-lock.json"]) await cp(join(named, name), join(fresh, name));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: fresh });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}
