/** The built modules, against what wasm/README.md says of them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

const WASM = join(import.meta.dirname, "..", "..", "wasm");
const README = join(WASM, "README.md");

interface Row {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What the recipe fetches: name and version. */
  readonly upstream: readonly (readonly [string, string])[];
}

async function rows(): Promise<Row[]> {
  const names = (await readdir(WASM, { recursive: true })).filter((name) => name.endsWith(".wasm")).sort();
  return Promise.all(
    names.map(async (file) => {
      const built = await readFile(join(WASM, file));
      const recipe = await readFile(join(WASM, file, "..", "build.sh"), "utf8");
      const upstream = [...recipe.matchAll(/debian_(?:source|upstream|package \S+) (\S+) '?([^\s']+)'?/g)].map(
        ([, name = "", version = ""]) => [name, version] as const,
      );
      return { file, bytes: built.byteLength, sha256: createHash("sha256").update(built).digest("hex"), upstream };
    }),
  );
}

/** `npm run docs` writes the table anew. */
it("shows every built module in wasm/README.md as it is", async () => {
  const readme = await readFile(README, "utf8");
  const lines = (await rows()).map(
    ({ file, bytes, sha256, upstream }) =>
      `- \`${file}\`: ${bytes} bytes, sha256 \`${sha256}\`, from ${["our own source", ...upstream.map(([name, version]) => `${name} ${version}`)].join(", ")}`,
  );
  const renewed = readme.replace(
    /(<!-- modules -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start, end) => `${start}\n${lines.join("\n")}\n\n${end}`,
  );
  expect(renewed).toContain("<!-- modules -->");
  await expect(renewed).toMatchFileSnapshot(README);
});

it("names the license of everything that the recipes fetch", async () => {
  const readme = await readFile(README, "utf8");
  const names = new Set((await rows()).flatMap(({ upstream }) => upstream.map(([name]) => name)));
  const unnamed = [...names].filter((name) => !new RegExp(`^\\| ${name} +\\|`, "m").test(readme));
  expect(unnamed).toEqual([]);
});
