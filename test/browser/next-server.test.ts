/**
 * What the server of Next.js says of queries, as test/fixtures/next/said.json has it: test/delivery/next.test.ts holds our
 * answers to the same. `WRITE=1` writes the file anew.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { frameworks } from "../support/own-tools.ts";

interface NextServer {
  readonly ImageOptimizerCache: {
    validateParams: (
      request: object,
      query: Readonly<Record<string, string | readonly string[]>>,
      config: object,
      isDev: boolean,
    ) => { readonly errorMessage: string } | { readonly width: number; readonly quality: number };
  };
}

const imported = await frameworks();
const { ImageOptimizerCache } = (await imported("next/dist/server/image-optimizer.js")) as NextServer;

const FILE = join(import.meta.dirname, "..", "fixtures", "next", "said.json");
const CONFIG = {
  images: {
    deviceSizes: [640],
    imageSizes: [64],
    qualities: [50, 75],
    formats: ["image/webp"],
    localPatterns: [{ pathname: "/**", search: "" }],
    remotePatterns: [{ protocol: "https", hostname: "www.example.com", pathname: "/**", search: "" }],
  },
  experimental: {},
};

const URLS = [
  undefined,
  "",
  "/harbor.jpg",
  "/a b/ä.png",
  "/harbor.jpg?v=1",
  "//www.example.com/harbor.jpg",
  "/_next/image?url=%2Fharbor.jpg&w=64&q=75",
  "/_next%2Fimage/a.jpg",
  "/docs/_next/image",
  "/_next/images.jpg",
  "harbor.jpg",
  "https://www.example.com/harbor.jpg",
  "https://www.example.com/harbor.jpg?v=1",
  "https://www.example.org/harbor.jpg",
  "http://www.example.com/harbor.jpg",
  "https://",
  "file:///etc/passwd",
  "data:image/png;base64,AAAA",
  `/${"a".repeat(3_072)}`,
];
const NUMBERS = [
  undefined,
  "",
  "0",
  "-1",
  "1.5",
  "1e2",
  "64",
  "0640",
  "640",
  "641",
  "50",
  "75",
  "100",
  "101",
  "x",
  " 64",
];

function query(given: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(known).toString();
}

/** Each member alone good and bad, two of them bad, and what is said twice. */
const QUERIES = [
  ...URLS.map((url) => query({ url, w: "64", q: "75" })),
  ...NUMBERS.map((w) => query({ url: "/harbor.jpg", w, q: "75" })),
  ...NUMBERS.map((q) => query({ url: "/harbor.jpg", w: "64", q })),
  ...URLS.map((url) => query({ url, w: "x" })),
  ...NUMBERS.map((w) => query({ url: "/harbor.jpg", w, q: "x" })),
  "url=%2Fa.jpg&url=%2Fb.jpg&w=64&q=75",
  "url=%2Fa.jpg&w=64&w=64&q=75",
  "url=%2Fa.jpg&w=64&q=75&q=75",
  "url=%2Fa.jpg&w=64&q=75&other=1",
];

function told(text: string): string {
  const read: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = read[name];
    read[name] = before === undefined ? value : [before, value].flat();
  }
  const said = ImageOptimizerCache.validateParams({ headers: {} }, read, CONFIG, false);
  return "errorMessage" in said ? said.errorMessage : `${said.width} pixels at quality ${said.quality}`;
}

it("is what it said when the file was written", () => {
  const said = Object.fromEntries(QUERIES.map((text) => [text, told(text)]));
  if (process.env["WRITE"] === "1") writeFileSync(FILE, `${JSON.stringify(said, null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, "utf8"))).toEqual(said);
  // Sentences and successes of every kind.
  expect(new Set(Object.values(said)).size).toBeGreaterThan(15);
});
