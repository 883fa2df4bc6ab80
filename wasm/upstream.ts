/**
 * `npm run upstream`: asks every library of the native modules for its newest release, in less than a minute, writes that
 * and the day into `upstream.json`, and says what is behind. What advisories say is read and written there by a person.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** A library that native modules are built from. */
export interface Library {
  /** As wasm/README.md names it. */
  readonly name: string;
  /** Its repository. */
  readonly source: string;
  /** What tags of releases have before their number. */
  readonly tag: string;
  /** The release that is built. */
  readonly version: string;
  /** The newest release, empty as long as nobody has asked, and the day it was asked for. */
  readonly newest: string;
  readonly looked: string;
  /** What was read about holes, and which of them reach the modules. */
  readonly advisories: string;
}

const FILE = join(import.meta.dirname, "upstream.json");
const MOST_MS = 20_000;

export async function readLibraries(): Promise<Library[]> {
  return JSON.parse(await readFile(FILE, "utf8")).libraries;
}

/** Tags of releases, as `git ls-remote --tags` lists them, as numbers; candidates for a release are left out. */
export function newestOf(listing: string, tag: string): string | undefined {
  const versions = listing
    .split("\n")
    .map((line) => line.split("refs/tags/")[1] ?? "")
    .filter((name) => name.startsWith(tag))
    .map((name) => name.slice(tag.length))
    .filter((version) => /^\d+(\.\d+)+$/.test(version));
  return versions.sort(compared).at(-1);
}

/** Negative where the first of two versions is older. */
export function compared(first: string, second: string): number {
  const [one, other] = [first, second].map((version) => version.split(".").map(Number)) as [number[], number[]];
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function looked(library: Library, today: string): Promise<Library> {
  try {
    const { stdout } = await promisify(execFile)("git", ["ls-remote", "--tags", "--refs", library.source], {
      timeout: MOST_MS,
    });
    const newest = newestOf(stdout, library.tag);
    return newest === undefined ? library : { ...library, newest, looked: today };
  } catch {
    process.stderr.write(`${library.name}: ${library.source} cannot be reached\n`);
    return library;
  }
}

if (import.meta.main) {
  const today = new Date().toISOString().slice(0, 10);
  const libraries = await Promise.all((await readLibraries()).map((library) => looked(library, today)));
  await writeFile(FILE, `${JSON.stringify({ libraries }, null, 2)}\n`);
  for (const { name, version, newest } of libraries) {
    if (newest && compared(version, newest) < 0) process.stdout.write(`${name}: ${version}, the newest is ${newest}\n`);
  }
}
