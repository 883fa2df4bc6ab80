/**
 * An Astro, a Next and a Nuxt site as a reader of the documentation makes them: its programs with other addresses, the
 * packages as npm packs them, a real build, two screens. Every picture comes from the delivery, none is refused or broken, each
 * has its placeholder, and no framework warns.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { ownTools } from "../support/own-tools.ts";
import { placed, programOf } from "../support/page-programs.ts";
import { packages, type Site, withBuiltSite } from "./built-sites.ts";
import { BASE, useBrowser, withPage } from "./page.ts";

const FOLD = { width: 640, height: 427 };
/** A phone and a desktop. */
const SCREENS = [390, 1_440];

/** Puts what is there into a program of the page about sites. */
type Filled = (language: string, words: string) => Promise<string>;

const SITES: Readonly<Record<"astro" | "next" | "nuxt", (filled: Filled, base: string) => Promise<Site>>> = {
  astro: async (filled, base) => ({
    command: "astro/bin/astro.mjs",
    build: ["build"],
    serve: { folder: "dist" },
    pictures: "src/pictures",
    files: {
      "astro.config.mjs": await filled("js", "// astro.config.mjs"),
      "src/pages/index.astro": `---
import { Image, Picture } from "astro:assets";
import DarkroomImage from "@darkroom-images/components/DarkroomImage.astro";
import harbor from "../pictures/harbor.jpg";
import night from "../pictures/Hafen ü.jpg";
const place = { baseURL: "${base}", widths: [320, 640, 1280] };
---
<html lang="en"><head><title>Site</title><link rel="icon" href="data:," /></head><body>
<Image src={harbor} alt="One" layout="constrained" width={${FOLD.width}} priority />
<Picture src={night} alt="Two" formats={["avif", "webp"]} layout="full-width" />
<DarkroomImage place={place} src={harbor.src} alt="Three" width={640} height={427} placeholder="#3b5a6b" />
</body></html>`,
    },
  }),
  next: async (filled, base) => ({
    command: "next/dist/bin/next",
    build: ["build"],
    serve: { program: "next/dist/bin/next", args: ["start", "--port", "0", "--hostname", "127.0.0.1"] },
    pictures: "public",
    files: {
      "next.config.mjs": await filled("js", 'loader: "custom"'),
      "image-loader.js": await filled("js", "// image-loader.js"),
      "app/layout.js": `export const metadata = { title: "Site" };
export default ({ children }) => <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;`,
      "app/page.js": `import Image from "next/image";
import { DarkroomImage } from "@darkroom-images/components/react";
import harbor from "../public/harbor.jpg";
const place = { baseURL: "${base}", widths: [384, 640, 1080] };
export default () => <main>
  <Image src={harbor} alt="One" placeholder="blur" sizes="100vw" style={{ width: "100%", height: "auto" }} preload />
  <Image src="/Hafen ü.jpg" alt="Two" width={${FOLD.width}} height={${FOLD.height}} />
  <DarkroomImage place={place} src="/harbor.jpg" alt="Three" width={640} height={427} placeholder="#3b5a6b" />
</main>;`,
    },
  }),
  nuxt: async (filled, base) => ({
    command: "nuxt/bin/nuxt.mjs",
    build: ["build"],
    serve: { program: "./.output/server/index.mjs", args: [] },
    pictures: "public",
    files: {
      "nuxt.config.ts": await filled("js", "// nuxt.config.ts"),
      "app/app.vue": `<script setup>
import { DarkroomImage } from "@darkroom-images/components/vue";
const place = { baseURL: "${base}", widths: [320, 640, 1280] };
</script>
<template><main>
  <NuxtImg src="/harbor.jpg" alt="One" sizes="100vw lg:640px" placeholder style="width: 100%; height: auto" />
  <NuxtPicture src="/Hafen%20ü.jpg" alt="Two" width="${FOLD.width}" height="${FOLD.height}" />
  <DarkroomImage :place="place" src="/harbor.jpg" alt="Three" :width="640" :height="427" placeholder="#3b5a6b" />
</main></template>`,
    },
  }),
};

/** Makes the delivery that the documentation makes for a framework, of originals below an origin; its address. */
async function deliveryFor(name: string, origin: string): Promise<string> {
  const body = JSON.stringify({ for: name, sources: [{ kind: "web", prefix: `${origin}/` }] });
  const headers = { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${BASE}/1.0/deliveries`, { method: "POST", headers, body });
  return ((await answer.json()) as { delivery: { url: string } }).delivery.url;
}

/** Run in the page: all pictures are brought into view and waited for. What a browser shows of each. */
const LOOK = `(async () => {
  for (const image of document.images) {
    image.scrollIntoView();
    await new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)));
    await image.decode();
  }
  return [...document.images].map((image) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(image);
    const { alt, currentSrc, naturalWidth, clientWidth, clientHeight } = image;
    return { alt, currentSrc, naturalWidth, clientWidth, clientHeight, background: backgroundColor + backgroundImage };
  });
})()`;

interface Shown {
  readonly alt: string;
  readonly currentSrc: string;
  readonly naturalWidth: number;
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly background: string;
}

/** What a page shows on a screen, and every answer of the delivery; what is warned of fails. */
async function looked(
  origin: string,
  base: string,
  width: number,
): Promise<{ shown: readonly Shown[]; asked: string[] }> {
  const asked: string[] = [];
  const warnings: string[] = [];
  let shown: readonly Shown[] = [];
  const watched = (page: Page) => {
    page.on("response", (answer: Response) => {
      if (answer.url().startsWith(base)) asked.push(`${answer.status()} ${answer.url().slice(base.length)}`);
    });
    // What a browser does not show, since it is no picture, has no answer; what was in its cache before is aborted.
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      if (why !== "net::ERR_ABORTED") asked.push(`${why} ${request.url()}`);
    });
    page.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) warnings.push(message.text());
    });
  };
  const work = async (page: Page) => {
    watched(page);
    await page.reload({ waitUntil: "load" });
    shown = await page.evaluate<readonly Shown[]>(LOOK);
    const folder = process.env["SCREENSHOTS"];
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `${new URL(base).pathname.slice(3)}-${width}.png`), fullPage: true });
  };
  await withPage("/", work, { viewport: { width, height: 900 } }, origin);
  expect(warnings).toEqual([]);
  return { shown, asked };
}

describe.skipIf(inject("browser") === "")("a built site", () => {
  useBrowser();
  let folder: string;
  let tools: string;
  let tarballs: readonly string[];
  beforeAll(async () => {
    tools = await ownTools(join(import.meta.dirname, "frameworks"));
    folder = await mkdtemp(join(tmpdir(), "packed-"));
    tarballs = await packages(folder);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(SITES))("of %s shows its pictures", async (name, made) => {
    let base = "";
    const site = async (origin: string) => {
      base = await deliveryFor(name, origin);
      const places = { service: origin, delivery: base, picture: "/harbor.jpg" };
      return made(async (language, words) => placed(await programOf("sites", language, words), places), base);
    };
    await withBuiltSite(tools, tarballs, site, async (origin) => {
      for (const width of SCREENS) {
        const { shown, asked } = await looked(origin, base, width);
        expect(asked.filter((one) => !one.startsWith("200 "))).toEqual([]);
        expect(shown.map(({ alt }) => alt)).toEqual(["One", "Two", "Three"]);
        for (const one of shown) {
          expect(one.currentSrc).toMatch(base);
          expect(one.naturalWidth).toBeGreaterThan(0);
          expect(one.clientWidth).toBeLessThanOrEqual(Math.max(width, FOLD.width));
          expect(one.clientWidth / one.clientHeight).toBeCloseTo(1.5, 1);
        }
        expect(shown[2]?.background).toContain("rgb(59, 90, 107)");
        if (name === "nuxt") expect(asked.join("\n")).toContain("blur=3");
      }
    });
  });
});
