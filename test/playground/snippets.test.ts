/** The request as programs: each is one that its language reads, and says the same settings. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Snippets {
  readonly programs: (request: {
    readonly origin: string;
    readonly key: string;
    readonly source: { readonly file: string } | { readonly url: string };
    readonly body?: object | undefined;
  }) => readonly (readonly [language: string, program: string])[];
}

const { programs }: Snippets = await import(join(import.meta.dirname, "..", "..", "src", "playground", "snippets.js"));
const run = promisify(execFile);
const has = async (program: string, ...args: string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  );
const HAS_PHP = await has("php", "--version");
const HAS_PYTHON = await has("python3", "--version");

const ODD = `it's "quoted", \\ back\\'slashed\\, $dollar, \`tick\` \${x} </script> --> and\na line\u2028 – ü 写`;
const BODIES: readonly (object | undefined)[] = [
  undefined,
  { resize: { width: 600, height: 400, mode: "fit" }, output: { format: "webp", animation: false } },
  { text: { value: ODD, size: 0.05 }, analyze: ["color", "faces"], auto: { enhance: true }, filter: { tone: {} } },
  { srcset: { widths: [320, 640], formats: ["avif", "jpeg"] }, adjust: { contrast: -20 } },
];
const SOURCES = [
  { file: "photo.jpg" },
  { file: `my "best" it's;-photo$(x).jpg` },
  { url: "https://example.com/a.jpg?b=c&d='e'" },
];
const KEYS = ["demo", "a-real-key"];
const REQUESTS = BODIES.flatMap((body) =>
  SOURCES.flatMap((source) => KEYS.map((key) => ({ origin: "http://localhost:8787", key, source, body }))),
);

/** All programs of a language. */
function all(language: string): string[] {
  return REQUESTS.map((request) => new Map(programs(request)).get(language) ?? expect.fail(language));
}

/** What a parser of JavaScript says against a text. */
function faults(name: string, text: string): readonly string[] {
  return parseSync(name, text, { sourceType: "module" }).errors.map(({ message }) => message);
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "snippets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(texts: readonly string[], end: string): Promise<string[]> {
  const paths = texts.map((_, index) => join(folder, `${index}.${end}`));
  await Promise.all(paths.map((path, index) => writeFile(path, texts[index] ?? "")));
  return paths;
}

describe("programs", () => {
  it("are those of eight kinds, and tell no key but that of a local run", () => {
    for (const request of REQUESTS) {
      const made = programs(request);
      expect(made.map(([language]) => language)).toEqual([
        "curl",
        "JavaScript",
        "Python",
        "PHP",
        "Next",
        "Astro",
        "Nuxt",
        "HTML",
      ]);
      for (const [, program] of made) expect(program).not.toContain("a-real-key");
    }
  });

  it("for a shell are read by it", async () => {
    for (const path of await written(all("curl"), "sh")) await run("bash", ["-n", path]);
  });

  it.skipIf(!HAS_PYTHON)("in Python compile", async () => {
    await run("python3", ["-m", "py_compile", ...(await written(all("Python"), "py"))]);
  });

  it.skipIf(!HAS_PHP)("in PHP are read by it, and say the settings", async () => {
    for (const path of await written(all("PHP"), "php")) await run("php", ["-l", path]);
    for (const { body } of REQUESTS.filter(({ source, body: given }) => "url" in source && given)) {
      const program = new Map(programs({ origin: "o", key: "demo", source: { url: "u" }, body })).get("PHP") ?? "";
      const [, data = ""] = /CURLOPT_POSTFIELDS => json_encode\(([^]*)\),\n\]\);/.exec(program) ?? [];
      const { stdout } = await run("php", ["-r", `echo json_encode(${data});`]);
      expect(JSON.parse(stdout)).toEqual({ url: "u", ...body });
    }
  });

  it("in JavaScript have no fault", () => {
    for (const program of [...all("JavaScript"), ...all("Next")]) expect(faults("program.js", program)).toEqual([]);
  });

  it("for Astro and Nuxt have no fault in script and markup", () => {
    for (const page of all("Astro")) {
      const [, script = "", markup = ""] = /^---\n([^]*?)\n---\n\n(<img [^]*)$/.exec(page) ?? [];
      expect(faults("page.js", script)).toEqual([]);
      expect(faults("page.jsx", `export default ${markup};`)).toEqual([]);
    }
    for (const page of all("Nuxt")) {
      const [, script = "", markup = ""] =
        /^<script setup>\n([^]*?)\n<\/script>\n\n<template>\n([^]*)\n<\/template>$/.exec(page) ?? [];
      expect(faults("page.js", script)).toEqual([]);
      expect(markup.trim()).toMatch(/^<img :src="addressOf\(\d+\)" :srcset="srcset" sizes="[^"]+" alt="" \/>$/);
    }
  });

  it("for pages ask for the width of the settings, and name the rest as a preset", () => {
    const made = new Map(
      programs({
        origin: "https://darkroom.example.com",
        key: "a-real-key",
        source: { file: "harbor.jpg" },
        body: { resize: { width: 600, height: 400, mode: "fit" }, adjust: { contrast: 10 } },
      }),
    );
    expect(made.get("HTML")).toContain(
      'src="https://darkroom.example.com/i/dl_…/width=600,height=400,fit=cover,preset=page/harbor.jpg"',
    );
    expect(made.get("HTML")).toContain('sizes="600px"');
    expect(made.get("Next")).toContain('{ width, height: Math.round(width * 0.6667), fit: "cover", preset: "page" }');
    expect(made.get("Next")).toContain('preset "page" is {"adjust":{"contrast":10}}');
  });
});
