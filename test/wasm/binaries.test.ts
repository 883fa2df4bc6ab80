/** The built modules, against what wasm/README.md says of them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { instrumented } from "../../wasm/fuel/instrument.ts";

const WASM = join(import.meta.dirname, "..", "..", "wasm");
const README = join(WASM, "README.md");

interface Row {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether the recipe compiles something of ours. */
  readonly own: boolean;
  /** What the recipe fetches: name and version. */
  readonly upstream: readonly (readonly [string, string])[];
}

/** The recipe of a module, and what it takes from another folder. */
async function recipeOf(folder: string): Promise<string> {
  const recipe = await readFile(join(folder, "build.sh"), "utf8");
  const shared = /^source "\$here\/(\.\.\/[^/"]+\/source\.sh)"$/m.exec(recipe)?.[1];
  return shared ? recipe + (await readFile(join(folder, shared), "utf8")) : recipe;
}

async function rows(): Promise<Row[]> {
  const names = (await readdir(WASM, { recursive: true })).filter((name) => name.endsWith(".wasm")).sort();
  return Promise.all(
    names.map(async (file) => {
      const built = await readFile(join(WASM, file));
      const recipe = await recipeOf(join(WASM, file, ".."));
      const fetched = /(?:debian_(?:source|upstream|package \S+)|npm_file) (\S+) '?([^\s']+)'?/g;
      const upstream = [...recipe.matchAll(fetched)].map(([, name = "", version = ""]) => [name, version] as const);
      const sha256 = createHash("sha256").update(built).digest("hex");
      return { file, bytes: built.byteLength, sha256, own: recipe.includes("link_module"), upstream };
    }),
  );
}

/** `npm run docs` writes the table anew. */
it("shows every built module in wasm/README.md as it is", async () => {
  const readme = await readFile(README, "utf8");
  const lines = (await rows()).map(
    ({ file, bytes, sha256, own, upstream }) =>
      `- \`${file}\`: ${bytes} bytes, sha256 \`${sha256}\`, from ${[...(own ? ["our own source"] : []), ...upstream.map(([name, version]) => `${name} ${version}`)].join(", ")}`,
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

it("keeps the licenses of all that the recipes fetch beside the modules, and those of the compiler's runtime above", async () => {
  expect(await readdir(WASM)).toEqual(expect.arrayContaining(["LICENSE.llvm", "LICENSE.wasi-libc"]));
  const missing: string[] = [];
  for (const { file, upstream } of await rows()) {
    const folder = dirname(file);
    // Modules of one recipe have what they share in the folder of that.
    const recipe = await readdir(join(WASM, folder.replace(/-.*/, ""))).catch(() => []);
    const there = new Set([...(await readdir(join(WASM, folder))), ...recipe]);
    for (const [index, [name]] of upstream.entries()) {
      // What a module is mainly made of has its text under the name that its authors gave it.
      const names = [`LICENSE.${name}`, ...(index === 0 ? ["LICENSE", "COPYING"] : [])];
      if (!names.some((text) => there.has(text))) missing.push(`${folder}/${names[0]}`);
    }
  }
  expect(missing).toEqual([]);
});

it("has the renderer of SVG as its package has it, made to count its work", async () => {
  const original = await readFile(fileURLToPath(import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const counting = instrumented(new Uint8Array(original), 96 << 20);
  expect(Buffer.compare(counting, await readFile(join(WASM, "resvg", "resvg.wasm")))).toBe(0);
});

/** A module whose function `spin` calls another one without an end. */
const SPINNING = Uint8Array.from(
  Buffer.from(
    // Types, functions, memory, exports, code.
    "0061736d01000000" +
      "010401600000" +
      "0303020000" +
      "0503010001" +
      "07080104" +
      "7370696e" +
      "0001" +
      "0a0e0202000b0900034010000c000b0b",
    "hex",
  ),
);

it("makes a module ask for fuel for ever that runs for ever, until it gets none", () => {
  let asked = 0;
  const refuel = () => {
    if (++asked === 3) throw new Error("no more");
    Object.assign(exports["fuel"] ?? {}, { value: 100_000 });
    return 0;
  };
  // On Node modules may be made of bytes, which the types are not of.
  const module: WebAssembly.Module = Reflect.construct(WebAssembly.Module, [instrumented(SPINNING)]);
  const { exports } = new WebAssembly.Instance(module, { env: { refuel, pause: () => undefined } });
  expect(exports["spin"]).toThrow("no more");
  expect(asked).toBe(3);
});
