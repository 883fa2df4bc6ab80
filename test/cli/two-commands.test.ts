/** The two commands that the README begins with, in a copy of the repository with nothing installed. */
import { execFile, spawn } from "node:child_process";
import { cp, lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
/** What the packages may take on a disk. */
const MAX_BYTES = 350 * 2 ** 20;
const NAMES = [".npmrc", "package.json", "package-lock.json", "wrangler.toml", "src", "wasm"];

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "two-commands-"));
  for (const name of NAMES) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await run("npm", ["install", "--prefer-offline"], { cwd: copy });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Bytes of the blocks that a folder takes; a file with several names is counted once. */
async function bytesOf(folder: string): Promise<number> {
  const seen = new Set<number>();
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true })) {
    const { ino, blocks } = await lstat(join(folder, entry));
    if (!seen.has(ino)) bytes += blocks * 512;
    seen.add(ino);
  }
  return bytes;
}

describe("npm install && npm start", () => {
  it("installs at most 350 MB, and nothing that only tests need", async () => {
    expect(await bytesOf(join(copy, "node_modules"))).toBeLessThan(MAX_BYTES);
    const names = await readdir(join(copy, "node_modules"));
    for (const name of ["astro", "azurite", "playwright-core", "typescript", "vitest"]) {
      expect(names).not.toContain(name);
    }
    // The lockfile is that of package.json.
    expect(await readFile(join(copy, "package-lock.json"), "utf8")).toBe(
      await readFile(join(ROOT, "package-lock.json"), "utf8"),
    );
  });

  it("answers with a picture", async () => {
    // BASE_URL means something else to what runs the tests.
    const env = { ...process.env, BASE_URL: undefined };
    const args = ["start", "--", "--port", "0", "--host", "127.0.0.1"];
    const child = spawn("npm", args, { cwd: copy, env, detached: true });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    let printed = "";
    try {
      const url = await new Promise<string>((resolve, reject) => {
        child.once("exit", () => reject(new Error(printed)));
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (text: Buffer) => {
            printed += text.toString();
            const [, found] = /listens on (\S+)/.exec(printed) ?? [];
            if (found !== undefined) resolve(found);
          });
        }
      });
      const body = new FormData();
      body.set("file", new Blob([await readFile(join(ROOT, "src", "playground", "sample.jpg"))]), "sample.jpg");
      body.set("data", JSON.stringify({ resize: { width: 300 }, optimize: { quality: 70 } }));
      const headers = { authorization: "Bearer demo" };
      const answer = await fetch(new URL("/1.0/upload", url), { method: "POST", headers, body });
      expect(await answer.json()).toMatchObject({ success: true, output: { width: 300 } });
    } finally {
      // npm hands no signal on to what it started.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await ended;
    }
  });
});
