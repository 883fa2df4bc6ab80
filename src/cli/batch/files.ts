/** Which files are meant, and where their results go. */
import { constants } from "node:fs";
import { copyFile, link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

import { EXTENSIONS, OTHER_EXTENSIONS } from "../extensions.ts";
import { UsageError } from "./options.ts";

type ByFormat = Readonly<Record<string, readonly string[]>>;
const FORMATS: ByFormat = EXTENSIONS;
const OTHERS: ByFormat = OTHER_EXTENSIONS;

const RESULTS = Object.values(FORMATS).flat();

/** Files of a folder that carry one of these are images; a file that is named on the command line needs none. */
const IMAGES = new Set([...RESULTS, ...Object.values(OTHERS).flat()]);

export interface Original {
  /** Absolute. */
  readonly path: string;
  /** Its folder below the one that was named; empty for a file that was named itself. */
  readonly folder: string;
}

/**
 * The images under these paths, each once, in order; the results of earlier runs in a folder below are none.
 * @throws UsageError for a path that is not there
 */
export async function findOriginals(paths: readonly string[], out?: string): Promise<Original[]> {
  const found = new Map<string, Original>();
  for (const given of paths) {
    const path = resolve(given);
    const about = await stat(path).catch(() => undefined);
    if (!about) throw new UsageError(`There is no ${given}`);
    const originals = about.isDirectory() ? await imagesUnder(path, out) : [{ path, folder: "" }];
    for (const original of originals) if (!found.has(original.path)) found.set(original.path, original);
  }
  return [...found.values()];
}

/** Folders of programs: what lies there is nobody's to replace. One that is named itself is taken. */
const LEFT_OUT = new Set([".git", "node_modules"]);

/** Whether a file carries the extension of an image. */
export function isImageName(name: string): boolean {
  return IMAGES.has(extname(name).slice(1).toLowerCase());
}

async function imagesUnder(root: string, out: string | undefined): Promise<Original[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const isLeft = (folder: string): boolean =>
    relative(root, folder)
      .split(sep)
      .some((part) => LEFT_OUT.has(part));
  const isResult = (folder: string): boolean => out !== undefined && isInside(out, root) && isIn(folder, out);
  return entries
    .filter((entry) => entry.isFile() && isImageName(entry.name))
    .filter((entry) => !isResult(entry.parentPath) && !isLeft(entry.parentPath))
    .map((entry) => ({ path: join(entry.parentPath, entry.name), folder: relative(root, entry.parentPath) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a path is that of a folder, or of something in it. */
export function isIn(path: string, folder: string): boolean {
  return resolve(path) === resolve(folder) || isInside(path, folder);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== "" && !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** Where the result of this name goes. */
export function targetOf({ path, folder }: Original, name: string, out: string | undefined): string {
  return out === undefined ? join(dirname(path), basename(name)) : join(resolve(out), folder, basename(name));
}

/** What the result will most likely be called: to refuse before a credit is spent. */
export function expectedName({ path }: Original, format: string | undefined): string {
  const { name, base, ext } = parse(path);
  const kept = ext.slice(1).toLowerCase();
  const wanted = format === undefined || format === "auto" ? formatOf(OTHERS, kept) : format;
  if (wanted === undefined) return base;
  const extensions = FORMATS[formatOf(FORMATS, wanted) ?? wanted] ?? [wanted];
  return `${name}.${extensions.includes(kept) ? kept : (extensions[0] ?? wanted)}`;
}

function formatOf(extensions: ByFormat, extension: string): string | undefined {
  return Object.keys(extensions).find((name) => extensions[name]?.includes(extension));
}

/**
 * The result of an earlier run.
 * @returns its path; undefined when there is none, or when only the answer can tell what it would be called
 */
export async function earlierResult(
  original: Original,
  format: string | undefined,
  out: string | undefined,
): Promise<string | undefined> {
  const open = out !== undefined && (format === undefined || format === "auto");
  const { name } = parse(original.path);
  const names = [expectedName(original, format), ...(open ? RESULTS.map((extension) => `${name}.${extension}`) : [])];
  for (const candidate of names.map((one) => targetOf(original, one, out))) {
    if ((await exists(candidate)) && !(await isSame(candidate, original.path))) return candidate;
  }
  return undefined;
}

/** Whether two names are those of one file, as `a.JPG` and `a.jpg` are where names have no case. */
async function isSame(path: string, other: string): Promise<boolean> {
  if (path === other) return true;
  if (path.toLowerCase() !== other.toLowerCase()) return false;
  const [one, two] = await Promise.all([path, other].map((name) => stat(name, { bigint: true })));
  return one?.ino === two?.ino && one?.dev === two?.dev;
}

/** @returns whether something is there */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Puts bytes at a path as a whole or not at all.
 * @throws Error when something is there and may not be replaced
 */
export async function place(path: string, bytes: Uint8Array, overwrite: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, bytes);
    if (overwrite) await rename(partial, path);
    else await placeNew(partial, path);
  } catch (cause) {
    const taken = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw taken ? alreadyThere(path, cause) : cause;
  } finally {
    await rm(partial, { force: true });
  }
}

/** What file systems without links (exFAT of a memory card, some of networks) answer. */
const LINKLESS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL", "EISDIR", "EMLINK"]);

/** Gives a file that is whole a name that is free: unlike a rename, this fails when the name is taken. */
async function placeNew(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (!LINKLESS.has(code)) throw cause;
    await copyFile(partial, path, constants.COPYFILE_EXCL);
  }
}

/** Why nothing is written to a path. */
export function alreadyThere(path: string, cause?: unknown): Error {
  return new Error(`${basename(path)} exists, and --overwrite is not given`, { cause });
}
