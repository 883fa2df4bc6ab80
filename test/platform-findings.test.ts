/** The page of what a deployment does differently names tests that exist. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

it("each finding is held by a test of this name", async () => {
  const whole = await readFile(join(ROOT, "src", "docs", "platform.md"), "utf8");
  const [page = ""] = whole.split("\nNot held by a test yet:", 1);
  expect(page.length).toBeLessThan(whole.length);
  const held = [...page.matchAll(/^\| .* \| `(test\/[\w/.-]+)`: "([^"]+)" *\|$/gm)];
  const rows = page.split("\n").filter((line) => /^\| (?!-)/.test(line)).length - 1;
  expect(held).toHaveLength(rows);
  for (const [, file = "", name = ""] of held) {
    expect(await readFile(join(ROOT, file), "utf8"), `${file} has no test of this name`).toContain(`("${name}"`);
  }
});

it("what only a deployment tells is asked by the command in a row of this name", async () => {
  const page = await readFile(join(ROOT, "src", "docs", "platform.md"), "utf8");
  const prove = await readFile(join(ROOT, "test", "cli", "prove.test.ts"), "utf8");
  const [, file = "", name = ""] = /`(test\/[\w/.-]+)` \("([^"]+)"\)/.exec(page) ?? [];
  expect(await readFile(join(ROOT, file), "utf8")).toContain(`("${name}"`);
  const rows = page.split("\n").filter((line) => /^\|.*\|.*\| "/.test(line));
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    const asked = [...(row.split("|").at(-2) ?? "").matchAll(/"([^"]+)"/g)].map(([, question = ""]) => question);
    expect(asked.length).toBeGreaterThan(0);
    for (const question of asked) expect(prove).toContain(`"${question}`);
  }
});
