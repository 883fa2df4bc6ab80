/** The built modules, against what wasm/README.md says of them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { Cursor, SECTION, sectionsOf } from "../../wasm/fuel/binary.ts";
import { OPCODE } from "../../wasm/fuel/code.ts";
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
      return { file, bytes: built.byteLength, sha256, own: /link_module|\$here\/src\//.test(recipe), upstream };
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

it("has a renderer of SVG that counts its work, and knows nothing of what is around it", async () => {
  const bytes = await readFile(join(WASM, "resvg", "resvg.wasm"));
  // On Node modules may be made of bytes, which the types are not of.
  const module: WebAssembly.Module = Reflect.construct(WebAssembly.Module, [bytes]);
  expect(WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`)).toEqual([
    "env.refuel",
    "env.pause",
  ]);
  expect(WebAssembly.Module.exports(module).map(({ name }) => name)).toContain("fuel");
});

/** A module of these functions, of which `spin` is the first one. */
function moduleOf(...functions: readonly string[]): Uint8Array {
  const sized = (hex: string) => (hex.length / 2).toString(16).padStart(2, "0") + hex;
  const count = functions.length.toString(16).padStart(2, "0");
  const sections = {
    "01": "01600000",
    "03": count + "00".repeat(functions.length),
    "05": "010001",
    "07": "01047370696e0000",
    "0a": count + functions.map(sized).join(""),
  };
  const body = Object.entries(sections).map(([id, hex]) => id + sized(hex));
  return Uint8Array.from(Buffer.from(`0061736d01000000${body.join("")}`, "hex"));
}

/** Functions that never end. */
const ENDLESS: Readonly<Record<string, readonly string[]>> = {
  "a loop with nothing in it": ["0003400c000b0b"],
  "a loop that calls": ["00034010010c000b0b", "000b"],
  "a loop that only counts": ["01017f0340200041016a21000c000b0b"],
  "a loop through a chain in memory that is closed": ["01017f0340200028020021000c000b0b"],
  "a short loop within a loop": ["01017f03400340200041016a22004103710d000b0c000b0b"],
  "a loop through a table of jumps": ["00034041000e00000b0b"],
};

it.each(Object.entries(ENDLESS))("makes %s ask for fuel for ever, until it gets none", (_, functions) => {
  let asked = 0;
  const refuel = () => {
    if (++asked === 3) throw new Error("no more");
    Object.assign(exports["fuel"] ?? {}, { value: 100_000 });
    return 0;
  };
  // On Node modules may be made of bytes, which the types are not of.
  const bytes = instrumented(moduleOf(...functions));
  const module: WebAssembly.Module = Reflect.construct(WebAssembly.Module, [bytes]);
  const { exports } = new WebAssembly.Instance(module, { env: { refuel, pause: () => undefined } });
  expect(exports["spin"]).toThrow("no more");
  expect(asked).toBe(3);
});

/** Of each function that is hinted at: its code, and the places in it. */
function hintsOf(binary: Uint8Array): { readonly code: Uint8Array; readonly places: readonly number[] }[] {
  const payload = (id: number) =>
    new Cursor(sectionsOf(binary).find((section) => section.id === id)?.payload ?? binary);
  const vector = <Item>(cursor: Cursor, item: () => Item) => Array.from({ length: cursor.unsigned() }, item);
  const code = payload(SECTION.code);
  const bodies = vector(code, () => code.take(code.unsigned()));
  const hints = payload(SECTION.custom);
  expect(Buffer.from(hints.take(hints.unsigned())).toString()).toBe("metadata.code.branch_hint");
  const imports = WebAssembly.Module.imports(Reflect.construct(WebAssembly.Module, [binary]));
  return vector(hints, () => {
    const index = hints.unsigned() - imports.length;
    const places = vector(hints, () => {
      const place = hints.unsigned();
      expect([hints.byte(), hints.byte()]).toEqual([1, 0]);
      return place;
    });
    return { code: bodies[index] ?? new Uint8Array(0), places };
  });
}

it("tells engines of every branch behind which fuel is asked for, and of no other place", async () => {
  const refuelling = (await readdir(WASM, { recursive: true })).filter((name) => name.endsWith(".wasm"));
  let functions = 0;
  for (const file of refuelling) {
    const binary = await readFile(join(WASM, file));
    if (!binary.includes("refuel")) continue;
    for (const { code, places } of hintsOf(new Uint8Array(binary))) {
      functions++;
      expect(places.map((place) => code[place])).toEqual(places.map(() => OPCODE.if));
    }
  }
  expect(functions).toBeGreaterThan(1_000);
});
