/**
 * Writes the package of the Worker into a folder: `node src/cli/package/build-worker.js <folder>`, then `npm pack <folder>`.
 * It has the bundle that a deployment uploads, the pages, the tables, and the command that deploys them.
 */
import { execFile } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";

import { unstable_readConfig } from "wrangler";

import { SOURCE, write } from "./strip.js";

const ROOT = join(SOURCE, "..");
const DESCRIBED = join(import.meta.dirname, "worker");
/** What of wrangler.toml is not about how the bundle is made. */
const KEPT = /** @type {const} */ ([
  "assets",
  "compatibility_date",
  "compatibility_flags",
  "d1_databases",
  "durable_objects",
  "limits",
  "migrations",
  "observability",
  "queues",
  "r2_buckets",
  "triggers",
  "vars",
  "version_metadata",
  "workers_dev",
]);
/** What the command needs; the Worker's own packages are in the bundle. */
const DEPENDENCIES = ["valibot", "wrangler"];
/** Of the pages, what is served. */
const LEFT_OUT = new Set(["tsconfig.json", "shapes.d.ts"]);

const PROGRAM = `#!/usr/bin/env node
/** The command \`darkroom-worker\`, in the folder of a project. */
process.env["DARKROOM_PROJECT"] ??= process.cwd();
await import("../dist/cli/worker.js");
`;

const COMMITTED = join(ROOT, "wrangler.toml");
const committed = unstable_readConfig({ config: COMMITTED }, { hideWarnings: true });

/**
 * Writes the modules of a Worker.
 * @param {string} config its configuration
 * @param {string} out
 */
async function writeBundle(config, out) {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  try {
    const wrangler = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
    const args = [wrangler, "deploy", "--dry-run", "--config", config, "--outdir", folder];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...process.env, WRANGLER_LOG: "warn" } });
    const names = await Array.fromAsync(glob("*", { cwd: folder }));
    for (const name of names.filter((one) => ![".map", ".md"].includes(extname(one)))) {
      await cp(join(folder, name), join(out, name));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the modules of a Worker beside the first, which has nothing of its bindings.
 * @param {string} name of its entry
 * @param {string} out
 */
async function writeBundleBeside(name, out) {
  const { compatibility_date, compatibility_flags, minify, keep_names } = committed;
  const main = join(SOURCE, `${name}.ts`);
  const folder = await mkdtemp(join(tmpdir(), "config-"));
  try {
    const config = join(folder, "wrangler.json");
    await writeFile(
      config,
      JSON.stringify({ name, main, compatibility_date, compatibility_flags, minify, keep_names }),
    );
    await writeBundle(config, join(out, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function baseConfig() {
  const kept = Object.fromEntries(KEPT.map((name) => [name, committed[name]]));
  const rules = [
    { type: "CompiledWasm", globs: ["*.wasm"], fallthrough: false },
    { type: "Data", globs: ["*.bin", "*.woff2"], fallthrough: false },
  ];
  const assets = { ...committed.assets, directory: "assets" };
  return { ...kept, main: "bundle/index.js", assets, no_bundle: true, find_additional_modules: true, rules };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the package");
await mkdir(join(folder, "bin"), { recursive: true });
await writeBundle(COMMITTED, join(folder, "bundle"));
// Workers of their own, where a project has its objects apart, or a host for its pictures.
await writeBundleBeside("objects", folder);
await writeBundleBeside("pictures", folder);
await cp(join(SOURCE, "playground"), join(folder, "assets"), {
  recursive: true,
  filter: (path) => ![...LEFT_OUT].some((name) => path.endsWith(name)),
});
await cp(join(SOURCE, "migrations"), join(folder, "migrations"), { recursive: true });
await write(join(SOURCE, "cli", "worker.ts"), join(folder, "dist"), new Set());
await writeFile(join(folder, "bin", "darkroom-worker.js"), PROGRAM, { mode: 0o755 });
await writeFile(join(folder, "wrangler.json"), `${JSON.stringify(await baseConfig(), null, 2)}\n`);
const { dependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const manifest = JSON.parse(await readFile(join(DESCRIBED, "package.json"), "utf8"));
const needed = Object.fromEntries(DEPENDENCIES.map((name) => [name, dependencies[name]]));
await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...manifest, dependencies: needed }, null, 2)}\n`);
await cp(join(DESCRIBED, "README.md"), join(folder, "README.md"));
await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
