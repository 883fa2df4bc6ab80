/**
 * Small sites, as the clients of the package and the real frameworks make them, before the running service: every
 * candidate of every picture loads, as large as it was asked for, in a format of today.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { transformBaseImageProps } from "@unpic/core/base";
import type { Response } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";

import { createLoader } from "#clients/next";
import { type SigningPair, signURL } from "#clients/sign";
import { signedSrcset, srcset } from "#clients/srcset";
import { createTransformer } from "#clients/unpic";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { frameworks, type Importer } from "../support/own-tools.ts";
import { hasLanguage, LANGUAGE_NAMES, sentIn, signedIn } from "../support/signers.ts";
import { withAstroSite } from "./astro-site.ts";
import { BASE, useBrowser, withPage } from "./page.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Width and height of the sample. */
const SHAPE = [768, 512] as const;
/** What addresses without a signature may be wide: some of what `next/image` asks for by default. */
const WIDTHS = [256, 320, 384, 640];
/** With a quality there is nothing to search for. */
const QUALITY = 75;

interface Delivery {
  readonly url: string;
  readonly signing: SigningPair;
}

let delivery: Delivery;

async function createDelivery(prefix: string): Promise<Delivery> {
  // A draft may be a JPEG; what is kept is there at once without one.
  const body = { sources: [{ kind: "web", prefix }], unsigned: { widths: WIDTHS }, refine: false };
  const answer = await fetch(`${BASE}/1.0/deliveries`, {
    method: "POST",
    headers: { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const made = (await answer.json()) as { delivery: { url: string }; signing: SigningPair };
  return { url: made.delivery.url, signing: made.signing };
}

/** What is used of `next/image`. */
interface NextImage {
  readonly getImageProps: (props: object) => { readonly props: object };
}

/** What is used of `@nuxt/image`. */
interface NuxtImage {
  readonly createImage: (options: object) => { readonly getSizes: (src: string, options: object) => object };
}

/** A picture of a page: what the browser took, and how large every candidate really is. */
interface Shown {
  readonly current: string;
  readonly sizes: readonly string[];
}

/** Run in the page. An `img` tells the size of a candidate by its density, so each is loaded once more, alone. */
const LOOK = `Promise.all([...document.images].map(async (image) => {
  image.loading = "eager";
  await image.decode();
  const candidates = image.srcset.split(", ").map((one) => one.split(" ")[0]).filter(Boolean);
  const sizes = await Promise.all([...new Set([...candidates, image.src])].filter(Boolean).map(async (src) => {
    const alone = new Image();
    alone.src = src;
    await alone.decode();
    return alone.naturalWidth + "x" + alone.naturalHeight;
  }));
  return { current: image.currentSrc, sizes };
}))`;

/** Shows a page of a site, and returns the sizes of its pictures, in their order. */
async function sizesOf(name: string, html: string): Promise<(readonly string[])[]> {
  const answers: string[] = [];
  let pictures: readonly Shown[] = [];
  await withPage("/health", async (page) => {
    page.on("response", (answer: Response) => {
      if (/\/(?:i|imgproxy)\//.test(answer.url())) {
        answers.push(`${answer.status()} ${answer.headers()["content-type"]}`);
      }
    });
    await page.route(`${BASE}/clients/${name}`, (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.goto(`${BASE}/clients/${name}`);
    pictures = await page.evaluate<readonly Shown[]>(LOOK);
    const folder = process.env["SCREENSHOTS"];
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  });
  expect(answers.length).toBeGreaterThan(0);
  for (const answer of answers) expect(answer).toMatch(/^200 image\/(?:jxl|avif|webp)$/);
  for (const { current } of pictures) expect(current).toContain(BASE);
  return pictures.map(({ sizes }) => sizes);
}

/** The sizes of the sample at some widths. */
function at(...widths: readonly number[]): string[] {
  return widths.map((width) => `${width}x${Math.round((width * SHAPE[1]) / SHAPE[0])}`);
}

/** An `img` of the attributes that a framework gives it. */
function img(attributes: object): string {
  const pairs = Object.entries(attributes).filter(([, value]) => ["string", "number"].includes(typeof value));
  return `<img ${pairs.map(([name, value]) => `${name}="${String(value).replaceAll("&", "&amp;")}"`).join(" ")} alt="">`;
}

describe.skipIf(inject("browser") === "")("a site", () => {
  useBrowser();
  let imported: Importer;
  beforeAll(async () => {
    [delivery, imported] = await Promise.all([createDelivery(`${BASE}/`), frameworks()]);
  });

  it("by the srcset helper, unsigned and signed", async () => {
    const place = { baseURL: delivery.url };
    const unsigned = srcset(place, "/sample.jpg", { widths: [320, 640], quality: QUALITY });
    const square = { width: 150, height: 150, fit: "cover", quality: QUALITY, densities: [1, 2] } as const;
    const signed = await signedSrcset({ ...place, signing: delivery.signing }, "/sample.jpg", square);
    const html = img({ srcset: unsigned, sizes: "320px" }) + img({ srcset: signed });
    expect(await sizesOf("srcset", html)).toEqual([at(320, 640), ["150x150", "300x300"]]);
  });

  it("of next/image, by the loader", async () => {
    const { getImageProps } = (await imported("next/image.js")) as NextImage;
    const loader = createLoader({ baseURL: delivery.url, origin: BASE });
    const shared = { src: "/sample.jpg", alt: "", quality: QUALITY, loader };
    const fixed = getImageProps({ ...shared, width: 320, height: 213 }).props;
    const small = getImageProps({ ...shared, width: 200, height: 133, src: `${BASE}/sample.jpg` }).props;
    expect(await sizesOf("next", img(fixed) + img(small))).toEqual([at(384, 640), at(256, 640)]);
  });

  it("of unpic, by the transformer", async () => {
    const transformer = createTransformer({ baseURL: delivery.url });
    const shared = { transformer, breakpoints: [320, 640], operations: { quality: QUALITY } };
    const props = transformBaseImageProps({ ...shared, src: "/sample.jpg", width: 640, height: 427 });
    expect(await sizesOf("unpic", img(props))).toEqual([at(320, 640)]);
  });

  it("of Astro, by the service, which signs", async () => {
    const placeBelow = async (origin: string) => {
      const { url, signing } = await createDelivery(`${origin}/`);
      return { baseURL: url, origin, signing };
    };
    await withAstroSite(placeBelow, async (html, origin) => {
      expect(html).toContain(`/${origin}/_astro/sample.`);
      expect(await sizesOf("astro", html)).toEqual([at(160, 320, ...SHAPE.slice(0, 1)), at(300, 600), ["120x120"]]);
    });
  });

  it("of @nuxt/image, by its own providers and the base address", async () => {
    const { createImage } = (await imported("@nuxt/image/runtime")) as NuxtImage;
    const providers = ["cloudflare", "imgproxy"].map((name) => imported(`@nuxt/image/runtime/providers/${name}`));
    const [cloudflare, imgproxy] = (await Promise.all(providers)) as { readonly default: unknown }[];
    const $img = createImage({
      provider: "cloudflare",
      providers: {
        cloudflare: { setup: cloudflare?.default, defaults: { baseURL: delivery.url } },
        imgproxy: { setup: imgproxy?.default, defaults: { baseURL: delivery.url.replace("/i/", "/imgproxy/") } },
      },
      presets: {},
      screens: {},
      densities: [1, 2],
      domains: [],
      alias: {},
    });
    const of = (provider: string, src: string) =>
      img($img.getSizes(src, { provider, modifiers: { quality: QUALITY }, sizes: "640:320px" }));
    const html =
      of("cloudflare", "/sample.jpg") + of("imgproxy", `${BASE}/sample.jpg`) + of("cloudflare", `${BASE}/sample.jpg`);
    expect(await sizesOf("nuxt", html)).toEqual([at(320, 640), at(320, 640), at(320, 640)]);
  });
});

describe.skipIf(inject("browser") === "")("a program", () => {
  it.for(["python", "php"] as const)("in %s, as the documentation has it, sends a file", async (language, { skip }) => {
    skip(!(await hasLanguage(language)), `there is no ${language} on this machine`);
    const page = await readFile(join(ROOT, "src", "docs", "programs.md"), "utf8");
    const path = join(ROOT, "src", "playground", "sample.jpg");
    const request = { service: BASE, key: DEMO_KEY, path, width: 32 };
    expect(await sentIn(language, page, request)).toMatchObject({ format: "JPEG", name: "sample.jpg", width: 32 });
    const failed = sentIn(language, page, { ...request, width: -1 });
    await expect(failed).rejects.toThrow("resize.width must be a positive integer");
  });
});

describe.skipIf(inject("browser") === "")("a signature", () => {
  it.for(LANGUAGE_NAMES)("in %s, as the documentation makes it, opens the address", async (language, { skip }) => {
    skip(!(await hasLanguage(language)), `there is no ${language} on this machine`);
    const page = await readFile(join(ROOT, "src", "docs", "signing.md"), "utf8");
    const { url, signing } = await createDelivery(`${BASE}/`);
    for (const source of ["sample.jpg", `${BASE}/sample.jpg?v=1,2`, encodeURIComponent(`${BASE}/sample.jpg?a=b c`)]) {
      const address = `${url}/w=48,h=48,fit=cover,q=75/${source}`;
      const [made = ""] = await signedIn(language, page, signing, [address]);
      expect(made).toBe(await signURL(signing, address));
      expect((await fetch(made)).status).toBe(200);
      expect((await fetch(address)).status).toBe(403);
    }
  });
});
