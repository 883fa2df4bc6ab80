/** The tables of licenses: what the bundle of the Worker holds that is not ours. */
import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { code, table, type Tables } from "./markdown-tables.ts";

interface Manifest {
  readonly version: string;
  readonly license: string;
}

/** What runs or deploys the Worker from a terminal, and is no part of it. */
const IN_TERMINALS = ["marked", "miniflare", "smol-toml", "wrangler"];

/** A test of the deployment compares these names with what the bundle holds. */
export async function packagesInBundle(root: string): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return Object.keys(dependencies)
    .filter((name) => !IN_TERMINALS.includes(name))
    .sort();
}

/** @throws Error when wasm/README.md has no table of upstream code, or a package says nothing of its license */
export async function licenseTables(root: string): Promise<Tables> {
  const names = await packagesInBundle(root);
  const packages = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(root, "node_modules", name, "package.json"), "utf8");
      const { version, license }: Manifest = JSON.parse(text);
      if (!license) throw new Error(`The package ${name} names no license`);
      return [code(name), version, license];
    }),
  );
  const native = upstreamOf(await readFile(join(root, "wasm", "README.md"), "utf8"));
  const texts = await textsByModule(root);
  return {
    packages: () => table(["Package", "Version", "License"], packages),
    native: () => table(["Source", "Version", "License", "In", "For"], native),
    texts: () => table(["In", "Texts"], texts),
  };
}

/** The license texts beside the modules, each with a link. */
async function textsByModule(root: string): Promise<string[][]> {
  const found = await Array.fromAsync(glob("wasm/{,*/}{LICENSE,COPYING,PATENTS,README.ijg}*", { cwd: root }));
  const folders = Map.groupBy(found.sort(), (path) => dirname(path));
  return [...folders].map(([folder, paths]) => [
    folder === "wasm" ? "all" : basename(folder),
    paths.map((path) => `[${basename(path)}](../../${path})`).join(", "),
  ]);
}

/** The rows of the table of upstream code, without the padding of their cells. */
function upstreamOf(readme: string): string[][] {
  const [, rows] = /^\| upstream .*\n\|[- |]*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  if (rows === undefined) throw new Error("wasm/README.md has no table of upstream code");
  return rows
    .trim()
    .split("\n")
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
