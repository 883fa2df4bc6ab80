/**
 * The frameworks whose sites are tested. They weigh more than all else together, so the project does not depend on them:
 * the test that needs them installs them once, by a lockfile of their own.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const NAMED = join(import.meta.dirname, "frameworks");

/** What installs a module of a framework by its name, as a file of a site would import it. */
export type Importer = (name: string) => Promise<unknown>;

/**
 * Installs what `frameworks/package-lock.json` names, unless an earlier run has.
 * @throws Error of npm when the registry cannot be reached
 */
export async function frameworks(): Promise<Importer> {
  const lock = await readFile(join(NAMED, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(ROOT, ".wrangler", `frameworks-${hash}`);
  const { resolve } = createRequire(join(folder, "package.json"));
  const importer: Importer = (name) => import(pathToFileURL(resolve(name)).href);
  if (await readFile(join(folder, "package.json")).catch(() => undefined)) return importer;
  // Complete, or not there: a run that is ended in the midst leaves nothing that a later one would take.
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    for (const name of ["package.json", "package-lock.json"]) await cp(join(NAMED, name), join(fresh, name));
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: fresh });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return importer;
}
