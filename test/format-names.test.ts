/**
 * Where formats are named outside the registry. Code asks a format for what it can, so that one file and one line add a
 * format; a list of names is a place where a new format is missing without a word. Each place that has to have names says
 * here why, and what notices a new format.
 */
import { expect, it } from "vitest";

import { PICTURES } from "../src/docs/pictures.ts";
import type { FormatDefinition } from "../src/image/codec/format.ts";
import { FORMATS } from "../src/image/formats.ts";
import * as leftOut from "../src/image/formats/left-out.ts";
import wrangler from "../wrangler.toml?raw";

/** Written by `npm run openapi` and `npm run docs`, whose tests fail where they are not as the registry says. */
const GENERATED = ["cli/extensions.ts", "clients/image-url.js", "playground/format-lists.js"];

/** Words of another interface, which has formats of its own: one that we add is not among them until it adds it. */
const FOREIGN = [
  "agent-pictures.ts",
  "clients/astro.js",
  "clients/sharp/header.js",
  "clients/sharp/sharp.js",
  "clients/sharp/words.js",
  "contract/frameworks.ts",
  "delivery/dialects/edge-network-options.ts",
  "delivery/dialects/imgproxy-options.ts",
  "delivery/dialects/imgproxy.ts",
  "delivery/dialects/next.ts",
  "entrances/images.ts",
  "image/gain-map/xmp.ts",
];

/** One format, or a few, are chosen for what they are, and a better one would be another choice, not a missing name. */
const CHOSEN = [
  "cli/batch/provenance.ts",
  "cli/docs-pictures.ts",
  "cli/prove/client.ts",
  // Files of watermarks are a promise of the contract.
  "http/handlers/watermarks.ts",
  "http/examples.ts",
  // `jpg` is `jpeg` in addresses.
  "contract/deliveries.ts",
  "delivery/render.ts",
  "image/plan/output.ts",
  "pipeline/self-test.ts",
  // Drawings are shown and read in ways of their own.
  "docs/site/page.ts",
  "picture-headers.ts",
  "pipeline/info.ts",
  "playground/batch.js",
  "playground/live.js",
  "playground/screen-copy.js",
  "playground/search-chart.js",
  "playground/showcase.js",
  "playground/source.js",
];

/** Below is a test for each format. */
const CHECKED = ["docs/pictures.ts"];

const MODULES = import.meta.glob("../src/**/*.{ts,js}", { query: "?raw", import: "default", eager: true });
const FILES = Object.entries(MODULES as Readonly<Record<string, string>>)
  .map(([path, text]) => [path.slice("../src/".length), text] as const)
  .filter(([path]) => !/\.d\.ts$|^(?:image\/formats|playground\/docs)\//.test(path));

const ROWS = Object.entries<FormatDefinition>(FORMATS);
const WORDS = new Set(
  ROWS.flatMap(([name, { mime, extensions }]) => [name, mime, ...extensions]).filter((word) => word !== "apng"),
);

function isNaming(text: string): boolean {
  return [...text.matchAll(/(["'`])([a-z0-9/+]+)\1/g)].some(([, , word = ""]) => WORDS.has(word));
}

it("names formats in places that say why, and in no other", () => {
  const naming = FILES.flatMap(([path, text]) => (isNaming(text) ? [path] : []));
  expect(naming.toSorted()).toEqual([...GENERATED, ...FOREIGN, ...CHOSEN, ...CHECKED].toSorted());
});

it("lets deployments leave out the formats that are imported by a name with a #, and tells them how", () => {
  const registry = FILES.find(([path]) => path === "image/formats.ts")?.[1] ?? "";
  const { lettering, ...stubs } = leftOut;
  expect(lettering).toBeDefined();
  const namesIn = (text: string) => [...text.matchAll(/"#formats\/(\w+)"/g)].map(([, name = ""]) => name).toSorted();
  expect(namesIn(registry)).toEqual(Object.keys(stubs).toSorted());
  expect(namesIn(wrangler)).toEqual(namesIn(registry));
});

it("shows what every format that stills are written in makes of a picture", () => {
  const written = ROWS.filter(([, { write, can }]) => write && !can.movesAlone).map(([name]) => `format-${name}`);
  expect(PICTURES.formats.map(({ name }) => name).toSorted()).toEqual(written.toSorted());
});

it("has a sample of every format that is only read", () => {
  expect(ROWS.filter(([, { write, sample }]) => !write && !sample).map(([name]) => name)).toEqual([]);
});
