/** The clients: their types, which `npm run docs` declares anew, and what Astro's words are for the service. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import service from "#clients/astro";
import { signURL } from "#clients/sign";

import { hasLanguage, LANGUAGE_NAMES, signedIn } from "./support/signers.ts";
import { VECTOR_BASE, VECTOR_PAIR, vectorsOf } from "./support/signing-vectors.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const CLIENTS = join(ROOT, "src", "clients");
const SHARP = join(CLIENTS, "sharp");
const TSC = join(ROOT, "node_modules", ".bin", "tsc");

it.each([CLIENTS, SHARP])("declares the clients as they are, in %s", async (clients) => {
  const folder = await mkdtemp(join(tmpdir(), "types-"));
  try {
    await run(TSC, ["-p", clients, "--outDir", folder], { cwd: ROOT });
    // The types of the API are made from its document.
    const names = (await readdir(clients)).filter((name) => name.endsWith(".js") && name !== "api-types.js");
    expect((await readdir(folder)).sort()).toEqual(names.map((name) => name.replace(/js$/, "d.ts")).sort());
    for (const name of names) {
      const declared = await readFile(join(folder, name.replace(/js$/, "d.ts")), "utf8");
      // Imports of types are written twice, the second time as the comment that they were.
      const once = declared.replace(/^\/\*\* @import .*\*\/\n/gm, "");
      // So are types that a comment defines.
      const text = once.replaceAll(/^\/\*\*\n(?: \*(?!\/).*\n)*? \* @typedef .*\n(?: \*(?!\/).*\n)* \*\/\n/gm, "");
      const header = `/** Types of ${name}, as tsc declares them. */\n`;
      await expect(header + text).toMatchFileSnapshot(join(clients, name.replace(/js$/, "d.ts")));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const SIGNING = join(ROOT, "src", "docs", "signing.md");

it("signs the addresses of the documentation as it says", async () => {
  const vectors = vectorsOf(await readFile(SIGNING, "utf8"));
  expect(vectors.length).toBeGreaterThan(8);
  for (const { address, signed } of vectors) expect(await signURL(VECTOR_PAIR, address)).toBe(signed);
});

it.for(LANGUAGE_NAMES)("is no other in %s, whatever the name of a picture has in it", async (language, { skip }) => {
  skip(!(await hasLanguage(language)), `there is no ${language} on this machine`);
  const page = await readFile(SIGNING, "utf8");
  const vectors = vectorsOf(page);
  const made = await signedIn(
    language,
    page,
    VECTOR_PAIR,
    vectors.map(({ address }) => address),
  );
  expect(made).toEqual(vectors.map(({ signed }) => signed));
  // A fragment is no part of an address that is sent, and a browser makes slashes of backslashes in a path.
  const signs = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
    (sign) => !"#\\".includes(sign),
  );
  const urls = [...signs, "é", "漢", "🖼", "%25", "%"].flatMap((sign) => [
    `${VECTOR_BASE}/w=9/x${sign}y.jpg`,
    `${VECTOR_BASE}/w=9/x.jpg?a${sign}b`,
  ]);
  const expected = await Promise.all(urls.map((url) => signURL(VECTOR_PAIR, url)));
  expect(await signedIn(language, page, VECTOR_PAIR, urls)).toEqual(expected);
});

const BASE = "https://darkroom.example.com/i/demo";
/** An original of the site. */
const SAMPLE = { src: "/_astro/sample.jpg", width: 600, height: 400, format: "jpg" } as const;

it.each([
  [{ src: "/a.jpg", width: 300, height: 200 }, "width=300/https://www.example.com/a.jpg"],
  [{ src: SAMPLE, width: 301, height: 201 }, "width=301/https://www.example.com/_astro/sample.jpg"],
  [{ src: SAMPLE, width: 300, height: 300 }, "width=300,height=300,fit=crop"],
  [{ src: SAMPLE, width: 300, height: 300, fit: "contain" }, "width=300,height=300,fit=scale-down"],
  [{ src: SAMPLE, width: 300, height: 300, position: "bottom" }, "width=300,height=300,fit=crop,gravity=0.5x1"],
  [{ src: SAMPLE, width: 300, height: 300, position: "top right" }, "width=300,height=300,fit=crop,gravity=1x0"],
  [{ src: SAMPLE, width: 300, height: 300, position: "25% 60%" }, "width=300,height=300,fit=crop,gravity=0.25x0.6"],
  [{ src: SAMPLE, width: 300, height: 300, position: "attention" }, "width=300,height=300,fit=crop,gravity=auto"],
  [{ src: SAMPLE, width: 300, height: 300, position: "3em 4em" }, "width=300,height=300,fit=crop/"],
  [{ src: "/a.jpg", width: 300, quality: "max", format: "avif" }, "width=300,format=avif,quality=high"],
  [{ src: "/a.jpg", width: 300, quality: "80", background: "#fff" }, "width=300,quality=80,background=%23fff"],
])("says %j as the address does", async (options, text) => {
  const config = { service: { entrypoint: "", config: { baseURL: BASE, origin: "https://www.example.com" } } };
  expect(await service.getURL(options as never, config as never, undefined as never)).toContain(`${BASE}/${text}`);
});

it("leaves drawings to the site", async () => {
  const drawing = { src: { ...SAMPLE, src: "/_astro/sample.svg", format: "svg" } };
  const config = { service: { config: { baseURL: BASE } } } as never;
  const valid = await service.validateOptions?.(drawing as never, config, undefined as never);
  expect(await service.getURL(valid ?? ({} as never), config, undefined as never)).toBe("/_astro/sample.svg");
});
