/** The documentation: its computed tables, the pages made of it, and that every link leads somewhere. */
import { access, readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { MOST_BYTES, MOST_BYTES_TOGETHER, type Pictured, PICTURES } from "../src/docs/pictures.ts";
import { addressOf, INDEX, render } from "../src/docs/site/markdown.ts";
import { menuOf, site } from "../src/docs/site/page.ts";
import { codeMap, mappedFolders, NAMED_FOLDERS } from "./support/code-map.ts";
import { ERROR_TABLES } from "./support/error-tables.ts";
import { FIGURE_TABLES } from "./support/figure-tables.ts";
import { licenseTables } from "./support/license-tables.ts";
import { withTables } from "./support/markdown-tables.ts";
import { pictureTables } from "./support/picture-tables.ts";
import { SCALE_TABLES } from "./support/scale-tables.ts";
import { REFUSAL_PAGES, REFUSALS, SEARCH_WORDS } from "./support/search-words.ts";
import { upstreamTable } from "./support/upstream-table.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCS = join(ROOT, "src", "docs");
const PAGES = join(ROOT, "src", "playground");

interface Search {
  readonly createSearch: (
    entries: unknown,
  ) => (query: string) => readonly { readonly entry: { readonly path: string } }[];
}

/** What pages run is JavaScript, checked by a configuration of its own. */
const { createSearch }: Search = await import(join(PAGES, "search.js"));

/** Every page by its name, and the README of the repository. */
const documents: Record<string, string> = {};
let readme = "";

beforeAll(async () => {
  const names = (await readdir(DOCS)).filter((name) => name.endsWith(".md")).sort();
  for (const name of names) documents[name] = await readFile(join(DOCS, name), "utf8");
  readme = await readFile(join(ROOT, "README.md"), "utf8");
});

/** `npm run docs` writes tables and pages anew. */
it("shows figures, licenses and the map in the documentation as they are", async () => {
  const tables = {
    ...ERROR_TABLES,
    ...FIGURE_TABLES,
    ...SCALE_TABLES,
    ...(await licenseTables(ROOT)),
    ...(await upstreamTable()),
    ...(await pictureTables(ROOT)),
    "code-map": codeMap,
  };
  const { "../../README.md": top, ...renewed } = withTables({ ...documents, "../../README.md": readme }, tables);
  await expect(top).toMatchFileSnapshot(join(ROOT, "README.md"));
  for (const [name, text] of Object.entries(renewed)) {
    await expect(text).toMatchFileSnapshot(join(DOCS, name));
    documents[name] = text;
  }
});

it("serves the documentation as it is", async () => {
  for (const [name, text] of Object.entries(site(documents))) await expect(text).toMatchFileSnapshot(join(PAGES, name));
});

it("serves no page whose document is gone", async () => {
  const there = (await readdir(join(PAGES, "docs"))).map((name) => `docs/${name}`);
  expect([...there, "docs.html", "docs.md", "llms.txt"].sort()).toEqual(Object.keys(site(documents)).sort());
});

it("serves every page as Markdown, too, whose links lead to pages that are served, and an overview", () => {
  const built = site(documents);
  const twins = Object.entries(built).filter(([name]) => /\.(?:md|txt)$/.test(name));
  expect(twins.length).toBe(Object.keys(documents).length + 1);
  const served = new Set([...Object.keys(built).map((name) => `/${name}`), "/openapi.json"]);
  for (const [name, text] of twins) {
    expect(text).not.toContain("<!--");
    const links = [...text.matchAll(/\]\((\/[^)#\s]*)/g)].map(([, path]) => path ?? "");
    expect(
      links.filter((path) => !served.has(path)),
      name,
    ).toEqual([]);
    expect([...text.matchAll(/\]\((?:\.\.\/|[\w-]+\.md)/g)], name).toEqual([]);
    if (name.startsWith("docs"))
      expect(built[name.replace(/md$/, "html")]).toContain(`type="text/markdown" href="/${name}"`);
  }
  expect(built["llms.txt"]).toMatch(
    /^# Darkroom\n\n> [^\n]+\n\n## Start\n\n- \[First request\]\(\/docs\/first-request\.md\): /,
  );
});

interface Member {
  readonly enum?: readonly string[];
}
type Members = Readonly<Record<string, Member>>;

/** Members of requests, as the document of the API has them. */
function operationsOf(api: unknown): {
  readonly crop: Members;
  readonly filter: Members;
  readonly compression: Member;
} {
  const resolved = (node: unknown): Record<string, never> => {
    const { $ref } = node as { readonly $ref?: string };
    if ($ref === undefined) return node as Record<string, never>;
    const steps = $ref.slice(2).split("/");
    return resolved(steps.reduce((at, step) => (at as Record<string, unknown>)[step.replaceAll("~1", "/")], api));
  };
  const member = (node: unknown, ...names: readonly string[]): Record<string, never> =>
    names.reduce((at, name) => resolved(at[name]), resolved(node));
  const upload = member(api, "paths", "/1.0/upload", "post", "requestBody", "content", "multipart/form-data", "schema");
  const body = member(upload, "properties", "data", "properties");
  return {
    crop: member(body, "crop", "properties"),
    filter: member(body, "filter", "properties"),
    compression: member(body, "optimize", "properties", "compression"),
  };
}

/** `npm run docs:pictures` has the service make them anew. */
it("shows every operation, filter, gravity, format and preset as a small picture", async () => {
  const { operations, filters, gravities, formats, presets } = PICTURES;
  const api = JSON.parse(await readFile(join(ROOT, "src", "http", "openapi.json"), "utf8"));
  const { crop, filter, compression } = operationsOf(api);
  const named = (pictures: readonly Pictured[], of: (body: Pictured["body"]) => readonly string[]) =>
    new Set(pictures.flatMap(({ body }) => of(body)));
  const [, listed = ""] =
    /<!-- table: operations -->\n([^]*?)<!-- end -->/.exec(documents["operations.md"] ?? "") ?? [];
  const names = [...listed.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name).filter((name) => name !== "filter");
  expect(named(operations, Object.keys)).toEqual(new Set(names));
  expect(named(filters, ({ filter: one }) => Object.keys(one ?? {}))).toEqual(new Set(Object.keys(filter)));
  const pulls = named(gravities, ({ crop: one }) => [(one as { readonly gravity: string }).gravity]);
  expect(pulls).toEqual(new Set(crop["gravity"]?.enum));
  const rows = [...(documents["formats.md"] ?? "").matchAll(/^\| \w+ +\| yes .*?`(\w+)`/gm)].map(([, name]) => name);
  // Films hold no stills.
  const written = rows.filter((name) => name !== "mp4");
  expect(written.length).toBeGreaterThan(10);
  expect(named(formats, ({ output: one }) => [(one as { readonly format: string }).format])).toEqual(new Set(written));
  const compressions = named(presets, ({ optimize: one }) => [(one as { readonly compression: string }).compression]);
  expect(compressions).toEqual(new Set(compression.enum));
  const folder = join(PAGES, "pictures");
  const all = Object.values(PICTURES)
    .flat()
    .map(({ name }) => `${name}.webp`);
  expect((await readdir(folder)).toSorted()).toEqual(all.toSorted());
  const bytes = await Promise.all(all.map(async (name) => (await stat(join(folder, name))).size));
  expect(Math.max(...bytes)).toBeLessThanOrEqual(MOST_BYTES);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MOST_BYTES_TOGETHER);
});

it("names every column of every table", () => {
  const pages = site(documents);
  const heads = Object.entries(pages).flatMap(([name, html]) =>
    [...html.matchAll(/<thead>.*<\/thead>/g)].map(([head]) => `${name}: ${head}`),
  );
  expect(heads.length).toBeGreaterThan(50);
  expect(heads.filter((head) => /<t[dh]><\/t[dh]>/.test(head))).toEqual([]);
});

it("says below a picture what was sent for it", async () => {
  const tables = await pictureTables(ROOT);
  const { operations, filters, gravities } = PICTURES;
  for (const [name, pictures] of Object.entries({ operations, filters, gravities })) {
    const said = [...(tables[`pictures-${name}`]?.() ?? "").matchAll(/`(\{.*\})`$/gm)].map(([, json = ""]) => json);
    const sent = pictures.map(({ body }) => body).filter((body) => Object.keys(body).length > 0);
    expect(said.map((json) => JSON.parse(json))).toEqual(sent);
  }
});

/** A folder that is missing is named in test/support/code-map.ts, with what it is for. */
it("names every folder of the code in the map, and no other", async () => {
  const folders: string[] = [];
  for (const top of ["src", "wasm", "test"]) {
    const entries = await readdir(join(ROOT, top), { recursive: true, withFileTypes: true });
    const inside = entries.filter((entry) => entry.isDirectory());
    folders.push(top, ...inside.map((entry) => relative(ROOT, join(entry.parentPath, entry.name))));
  }
  expect([...NAMED_FOLDERS].sort()).toEqual(mappedFolders(folders).sort());
});

it("names every page once in the index", () => {
  const files = menuOf(documents[INDEX] ?? "").flatMap((group) => group.files);
  const listed = files.filter((name) => name.endsWith(".md"));
  expect(listed.toSorted()).toEqual(Object.keys(documents).filter((name) => name !== INDEX));
});

it("has no link that leads nowhere", async () => {
  const anchors = new Map(
    Object.entries(documents).map(([name, text]) => [name, new Set(render(text).sections.map(({ id }) => id))]),
  );
  const all = { ...documents, "../../README.md": readme };
  for (const [name, text] of Object.entries(all)) {
    for (const [, href = ""] of text.replace(/^```[^]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(href)) continue;
      const [path = "", anchor] = href.split("#");
      const file = join(DOCS, name, "..", path);
      if (path !== "") await expect(access(file), `${name}: ${href}`).resolves.toBeUndefined();
      const page = path === "" ? name : file.slice(DOCS.length + 1);
      if (anchor !== undefined) expect([...(anchors.get(page) ?? [])], `${name}: ${href}`).toContain(anchor);
    }
  }
});

it("names no test that is gone", async () => {
  const rows = (documents["threats.md"] ?? "").split("\n").filter((line) => /^\| (?!-|What )/.test(line));
  const names = rows.map((row) =>
    [...(row.split("|").at(-2) ?? "").matchAll(/`([a-z0-9/-]+)`/g)].map(([, name]) => name),
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const [index, tests] of names.entries()) expect(tests.length, rows[index]).toBeGreaterThan(0);
  for (const name of names.flat())
    await expect(access(join(ROOT, "test", `${name}.test.ts`)), name).resolves.toBeUndefined();
});

it.each([
  ["formats.md", "/docs/formats"],
  ["formats.md#jpeg-2000", "/docs/formats#jpeg-2000"],
  ["README.md", "/docs"],
  ["../http/openapi.json", "/docs/reference"],
  ["https://example.com/a", "https://example.com/a"],
  ["../limits.ts", undefined],
])("leads from %s to %s on the served pages", (href, address) => {
  expect(addressOf(href)).toBe(address);
});

it("puts text into pages as text, and refuses markup", () => {
  const { html } = render(
    '# A\n\nSome `<b>` & "text" <https://example.com/?a=1&b=2>\n\n```html\n<img onerror="x">\n```\n',
  );
  expect(html).toContain("&lt;b&gt;");
  expect(html).toContain("&lt;img onerror=");
  expect(html).not.toContain("<img");
  expect(() => render("# A\n\n<script>x</script>")).toThrow("use Markdown");
  expect(() => render("# A\n\nSome <b>bold</b> text")).toThrow("use Markdown");
});

it.each([
  ["vault key", "/docs/keys#when-you-know-the-old-key"],
  ["progressive", "/docs/formats#progressive-or-baseline"],
  ["sig", "/docs/signing#javascript"],
  ["idempotency", "/docs/retries"],
  ["error", "/docs/errors"],
  ["403", "/docs/errors#why-a-picture-is-403"],
  ["next.js", "/docs/sites#nextjs"],
  ["imgproxy xyzzy", "/docs/moving#from-imgproxy"],
])("finds %s", (query, path) => {
  const search = createSearch(JSON.parse(site(documents)["docs/search.json"] ?? "[]"));
  expect(
    search(query)
      .slice(0, 3)
      .map(({ entry }) => entry.path),
  ).toContain(path);
});

it("finds a page by the words that people type", () => {
  const search = createSearch(JSON.parse(site(documents)["docs/search.json"] ?? "[]"));
  const queries = Object.entries(SEARCH_WORDS).flatMap(([page, words]) => words.map((word) => [word, page] as const));
  const missed = queries.flatMap(([word, page]) => {
    const pages = search(word)
      .slice(0, 3)
      .map(({ entry }) => entry.path.replace(/#.*/, ""));
    return pages.includes(page) ? [] : [`${word}: ${pages.join(", ") || "nothing"} in place of ${page}`];
  });
  expect(queries.length).toBeGreaterThan(200);
  expect(missed).toEqual([]);
});

it.each(REFUSALS)("finds the page that says why a file is refused: %s", (message) => {
  const search = createSearch(JSON.parse(site(documents)["docs/search.json"] ?? "[]"));
  const [first] = search(message).map(({ entry }) => entry.path.replace(/#.*/, ""));
  expect(REFUSAL_PAGES).toContain(first);
});
