/** `npm run dev`: the service of `npm start`, which begins anew whenever a file that it is made of changes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FSWatcher, watch } from "node:fs";
import { join, sep } from "node:path";

import { writePages } from "../docs/site/write.ts";
import { ensureSecrets } from "./secrets.ts";
import { ROOT } from "./wrangler.ts";

/** Editors write a file in several steps, and a change of branch writes many files. */
const SETTLES_MS = 200;
/** How long the service may take to end its work before it is ended. */
const STOPS_WITHIN_MS = 5_000;

/** What the service is made of. Folders are watched with all that is in them. */
const FOLDERS = ["src", "wasm"];
const FILES = ["wrangler.toml", ".dev.vars", "package.json"];
const DOCUMENTS = join("src", "docs") + sep;
/** Written by this process or by scripts, from files that are watched. */
const GENERATED = [join("src", "playground", "docs") + sep, join("src", "playground", "docs.html")];
/** Sources of native modules: what they are built into is watched. */
const UNBUILT = /\.(?:c|cc|h|sh|patch|md)$/;

/** Whether the service is another one after a change of this file, whose path begins at the repository. */
function matters(path: string): boolean {
  if (path.endsWith("~") || GENERATED.some((generated) => path.startsWith(generated))) return false;
  return !path.startsWith(`wasm${sep}`) || !UNBUILT.test(path);
}

/** Calls back with the paths that changed, once nothing more changes. */
function watchSources(changed: (paths: readonly string[]) => void): FSWatcher[] {
  const paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const note = (path: string): void => {
    if (!matters(path)) return;
    paths.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed([...paths]);
      paths.clear();
    }, SETTLES_MS);
  };
  const folders = FOLDERS.map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, (_, name) => note(join(folder, name ?? ""))),
  );
  // Files that editors replace are seen from their folder only.
  const root = watch(ROOT, (_, name) => void (name !== null && FILES.includes(name) && note(name)));
  return [...folders, root];
}

function start(): ChildProcess {
  // As a script of npm, the service ends by itself when the process that started it is gone.
  const env = { ...process.env, npm_lifecycle_event: "dev" };
  const args = [join(ROOT, "src", "cli", "start.ts"), ...process.argv.slice(2)];
  return spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, "exit");
  const timer = setTimeout(() => service.kill("SIGKILL"), STOPS_WITHIN_MS);
  service.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}

/** Makes what is generated from the files that changed, as far as the service shows it. */
async function regenerate(paths: readonly string[]): Promise<void> {
  if (!paths.some((path) => path.startsWith(DOCUMENTS) && path.endsWith(".md"))) return;
  try {
    await writePages(ROOT);
  } catch (error) {
    console.error("The pages stay as they were:", error instanceof Error ? error.message : error);
  }
}

/** Resolves when the process is asked to stop, or when npm, which started it, is gone. */
async function stopRequest(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || resolve(), 1_000);
  return promise;
}

async function main(): Promise<void> {
  // The help is that of `npm start`, which takes the same options.
  if (process.argv.includes("--help")) return void (await once(start(), "exit"));
  const stopping = stopRequest();
  // Before anything is watched, or the first start would be a change.
  await ensureSecrets(ROOT);
  let service = start();
  // One change at a time: those that come meanwhile are taken together.
  let working: Promise<void> = Promise.resolve();
  const watchers = watchSources((paths) => {
    working = working.then(async () => {
      console.log(`\nChanged: ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? " …" : ""}. Starting anew.`);
      await Promise.all([regenerate(paths), stop(service)]);
      service = start();
    });
  });
  await stopping;
  for (const watcher of watchers) watcher.close();
  await working;
  await stop(service);
}

if (import.meta.main) {
  await main();
  process.exit(0);
}
