/** The scripts of npm say which Node they need, instead of a stack trace, and start without words of one shell. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const GUARD = join(ROOT, "src", "cli", "node-version.js");

/** What the guard says on another version of Node, and how it ends. */
async function guarded(version: string): Promise<{ readonly code: number; readonly said: string }> {
  const pretended = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(pretended)}`, "--import", GUARD, "--eval", "0"];
  return run(process.execPath, args).then(
    ({ stderr }) => ({ code: 0, said: stderr }),
    (error: { code: number; stderr: string }) => ({ code: error.code, said: error.stderr }),
  );
}

it.each(["18.20.8", "20.20.2", "22.17.1"])("Node %s is told what to install", async (version) => {
  const { code, said } = await guarded(version);
  expect(code).toBe(1);
  expect(said).toContain("Darkroom needs Node 22.18 or later");
  expect(said).toContain("Install Node 24");
  expect(said).not.toContain("    at ");
});

it.each(["22.18.0", "24.21.0", "26.0.0"])("Node %s starts", async (version) => {
  expect(await guarded(version)).toEqual({ code: 0, said: "" });
});

it("stands before every script that is TypeScript and for users", async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  for (const name of ["start", "dev", "serve", "deploy"]) {
    // `exec` is no word of the shell of Windows.
    expect(scripts[name]).toBe(`node --import ./src/cli/node-version.js src/cli/${name}.ts`);
  }
});

it("leaves no word to the shell, which is another one on Windows", async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  const odd = Object.entries(scripts).filter(([, script]) =>
    /^(?:exec|export|env|[A-Z_]+=)\b|[$;`'|]/.test(script.replaceAll(/"[^"]*"/g, "")),
  );
  expect(odd).toEqual([]);
});

it("is the same in a container, which copies what is there", async () => {
  const text = await readFile(join(ROOT, "src", "cli", "Containerfile"), "utf8");
  const version = (await readFile(join(ROOT, ".node-version"), "utf8")).trim();
  expect(text).toMatch(new RegExp(`^FROM docker\\.io/library/node:${version.replaceAll(".", "\\.")}-`, "m"));
  const copied = [...text.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
  expect(copied).toContain("package-lock.json");
  const ignored = await readFile(join(ROOT, "src", "cli", "Containerfile.dockerignore"), "utf8");
  expect(
    ignored
      .match(/^!.+$/gm)
      ?.map((line) => line.slice(1))
      .sort(),
  ).toEqual([...copied].sort());
  for (const name of copied) await expect(stat(join(ROOT, name))).resolves.toBeDefined();
});
