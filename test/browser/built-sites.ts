/** Sites of real frameworks, made of what the documentation says and of the packages as npm packs them, built and served. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";

import { npm, packed } from "../support/npm.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const SAMPLE = join(ROOT, "src", "playground", "sample.jpg");
const CLIENT = join(ROOT, "src", "clients");
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".jpg": "image/jpeg", ".css": "text/css" };
const QUIET = { ASTRO_TELEMETRY_DISABLED: "1", NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1" };
/** The variables of the test's own would tell a framework that it is being tested. */
const ENVIRONMENT = {
  ...process.env,
  ...QUIET,
  NODE_ENV: "production",
  VITEST: undefined,
  TEST: undefined,
  BASE_URL: undefined,
};

export interface Site {
  /** Of the framework, in the package that brings it: `next/dist/bin/next`. */
  readonly command: string;
  readonly build: readonly string[];
  /** Arguments of the server that says where it listens, or a folder of files. */
  readonly serve: { readonly program: string; readonly args: readonly string[] } | { readonly folder: string };
  readonly files: Readonly<Record<string, string>>;
  /** Where the site has its pictures. */
  readonly pictures: string;
}

/** The two packages as they are published, packed once. */
export async function packages(into: string): Promise<readonly string[]> {
  return [await packed(CLIENT, into), await packed(join(CLIENT, "components"), into)];
}

/**
 * Builds a site, and serves it for as long as the work lasts.
 * @param tools the folder whose `node_modules` has the frameworks
 * @param made the site, once it is known where it will be
 */
export async function withBuiltSite(
  tools: string,
  tarballs: readonly string[],
  made: (origin: string) => Promise<Site>,
  work: (origin: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tools, "site-"));
  let target: { readonly port: number } | { readonly folder: string } | undefined;
  // The delivery has to know where the site will be before that is built.
  const front = createServer((asked, answer) => {
    if (target === undefined) return void answer.writeHead(503).end();
    if ("folder" in target) return void serveFile(target.folder, asked.url ?? "/", answer);
    const { method, headers, url: path } = asked;
    const passed = request({ host: "127.0.0.1", port: target.port, method, headers, path }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  let server: ChildProcess | undefined;
  try {
    await new Promise<void>((listening) => front.listen(0, "127.0.0.1", listening));
    const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const site = await made(origin);
    await written(folder, site);
    await npm(["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", ...tarballs], folder);
    const find = createRequire(join(folder, "package.json"));
    await run(process.execPath, [resolved(find, site.command), ...site.build], { cwd: folder, env: ENVIRONMENT });
    if ("folder" in site.serve) {
      target = { folder: join(folder, site.serve.folder) };
    } else {
      const { program, args } = site.serve;
      const path = program.startsWith("./") ? join(folder, program) : resolved(find, program);
      const env = { ...ENVIRONMENT, PORT: "0", HOST: "127.0.0.1" };
      server = spawn(process.execPath, [path, ...args], { cwd: folder, env });
      target = { port: await portOf(server) };
    }
    await work(origin);
  } finally {
    server?.kill();
    front.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file of a package that its `exports` may hide. */
function resolved(find: NodeJS.Require, file: string): string {
  const [name = "", ...path] = file.split("/");
  return join(dirname(find.resolve(`${name}/package.json`)), ...path);
}

async function written(folder: string, site: Site): Promise<void> {
  const named = { type: "module", private: true };
  const files = { "package.json": JSON.stringify(named), ...site.files };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, site.pictures), { recursive: true });
  for (const name of ["harbor.jpg", "Hafen ü.jpg"]) await cp(SAMPLE, join(folder, site.pictures, name));
}

async function portOf(server: ChildProcess): Promise<number> {
  let printed = "";
  return new Promise((resolve, reject) => {
    server.once("exit", () => reject(new Error(printed)));
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on("data", (text: Buffer) => {
        printed += text.toString();
        const [, port] = /https?:\/\/\S+:(\d+)/.exec(printed) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
    }
  });
}

async function serveFile(folder: string, path: string, answer: import("node:http").ServerResponse): Promise<void> {
  const name = decodeURIComponent(path === "/" ? "/index.html" : path);
  try {
    const bytes = await readFile(join(folder, name));
    answer.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
}
