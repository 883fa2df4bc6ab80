/** Commands of the platform that pages tell operators to type: each is one that the pinned wrangler has, with these options. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const DOCS = join(ROOT, "src", "docs");
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
/** The words of a command, and what follows them. */
const COMMAND = /npx wrangler ((?:[a-z][a-z0-9-]* ?){1,4})([^`\n#]*)/g;
/** Words that are names of ours, not wrangler's. */
const NAMES = /\b(?:darkroom|rows)\S*/;

async function commands(): Promise<readonly (readonly [words: string, options: string])[]> {
  const names = (await readdir(DOCS)).filter((name) => name.endsWith(".md"));
  const pages = await Promise.all(names.map((name) => readFile(join(DOCS, name), "utf8")));
  const found = pages.flatMap((page) => [...page.matchAll(COMMAND)]);
  const pairs = found.map(([, words = "", rest = ""]) => {
    const own = words.trim().split(NAMES)[0]?.trim() ?? "";
    return [own, [...rest.matchAll(/--[a-z-]+/g)].join(" ")] as const;
  });
  return [...new Map(pairs.map((pair) => [pair.join(" "), pair])).values()];
}

it.each(await commands())("wrangler %s has the options %j", async (words, options) => {
  const { stdout } = await run(process.execPath, [WRANGLER, ...words.split(" "), "--help"], { cwd: ROOT });
  // An unknown command is answered by the list of all, which begins with another line.
  expect(stdout.trimStart().split("\n")[0]).toMatch(new RegExp(`^wrangler ${words}(?: |$)`));
  for (const option of options.split(" ").filter(Boolean)) expect(stdout).toContain(option);
});
