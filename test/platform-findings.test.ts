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
