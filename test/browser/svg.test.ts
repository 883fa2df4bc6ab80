/** Cleaned drawings where they end up: in a browser, alone and within a page. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { cleanSvg } from "../../src/image/formats/svg/clean.ts";
import { writtenSvg } from "../../src/image/formats/svg/tree.ts";
import { HOSTILE } from "../support/hostile-svg.ts";

const SVGS = join(import.meta.dirname, "..", "fixtures", "svg");
/** After this, animations have begun and addresses have been asked for. */
const SETTLE_MS = 1_500;

const cleaned = (bytes: Uint8Array) => writtenSvg(cleanSvg(bytes).root);

/** Run in a frame: inserts its own text again, as editors do, and follows all links. */
const AGAIN = `(() => {
  const root = document.documentElement;
  const text = root.tagName === "HTML" ? document.body.innerHTML : root.outerHTML;
  const once = document.implementation.createHTMLDocument("");
  once.body.innerHTML = text;
  const host = document.createElementNS("http://www.w3.org/1999/xhtml", "div");
  root.append(host);
  try { host.innerHTML = once.body.innerHTML; } catch { /* A document of XML takes well-formed text only. */ }
  const click = () => new MouseEvent("click", { bubbles: true, cancelable: true });
  for (const link of document.querySelectorAll("a, A")) link.dispatchEvent(click());
})()`;

const HOST = "http://drawing.test/";

/** What texts did, each shown alone and within a page of HTML: by its name. */
async function deeds(browser: Browser, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const names = Object.keys(texts);
  const files = names.flatMap((_, index) => [`${index}.svg`, `${index}.html`]);
  const done = new Set<string>();
  const told = (address: string, what: string) => {
    const [, index, place] = /^http:..drawing.test.(\d+)\.(svg|html)$/.exec(address) ?? [];
    done.add(`${names[Number(index ?? NaN)] ?? address} (${place ?? "host"}): ${what}`);
  };
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.exposeBinding("ran", ({ frame }) => told(frame.url(), "ran"));
  await tab.route("**/*", (route) => {
    const url = route.request().url();
    const [, index, type] = /^http:..drawing.test.(?:(\d+)\.(svg|html))?$/.exec(url) ?? [];
    const text = texts[names[Number(index ?? NaN)] ?? ""];
    if (url === HOST) {
      const frames = files.map((file) => `<iframe src="${file}"></iframe>`).join("");
      return route.fulfill({ body: `<!doctype html>${frames}`, contentType: "text/html" });
    }
    if (text !== undefined && type === "svg" && route.request().resourceType() === "document") {
      return route.fulfill({ body: text, contentType: "image/svg+xml" });
    }
    if (text !== undefined && type === "html" && route.request().resourceType() === "document") {
      return route.fulfill({ body: `<!doctype html><body>${text}`, contentType: "text/html; charset=utf-8" });
    }
    if (!url.endsWith("/favicon.ico")) told(route.request().frame().url(), `asked for ${url}`);
    return route.abort();
  });
  await tab.goto(HOST);
  await Promise.all(
    tab
      .frames()
      .slice(1)
      .map((frame) => frame.evaluate(AGAIN).catch(() => told(frame.url(), "left"))),
  );
  await tab.waitForTimeout(SETTLE_MS);
  await context.close();
  return [...done].toSorted();
}

/** Pixels of a drawing as a picture in a page. */
async function shot(tab: Page, svg: Uint8Array | string): Promise<Buffer | null> {
  const address = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  await tab.setContent(`<body style="margin:0;background:#fff"><img src="${address}">`);
  const decoded = await tab.evaluate<boolean>("document.images[0].decode().then(() => true, () => false)");
  return decoded ? tab.screenshot() : null;
}

/** Run in the page: the largest difference between two pictures. */
const DISTANCE = `async ([one, other]) => {
  const pixels = await Promise.all([one, other].map(async (data) => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  }));
  return pixels[0].reduce((most, value, at) => Math.max(most, Math.abs(value - pixels[1][at])), 0);
}`;

/** Whether a drawing looks the same, within one level of each sample, when it is cleaned. */
async function looksSame(tab: Page, bytes: Uint8Array): Promise<boolean> {
  let text: string;
  try {
    text = cleaned(bytes);
  } catch {
    return false;
  }
  const before = await shot(tab, bytes);
  const after = await shot(tab, text);
  if (!before || !after) return before === after;
  const pictures = JSON.stringify([before.toString("base64"), after.toString("base64")]);
  return (await tab.evaluate<number>(`(${DISTANCE})(${pictures})`)) <= 1;
}

/** Drawings that look otherwise when they are cleaned, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "drawings/embedded-svgz.svg": "the picture in it is a drawing, which could hold anything",
  "drawings/not-UTF-8-encoding.svg": "the browser does not read it; the cleaned text is in UTF-8",
  "drawings/url-to-png.svg": "the browser draws the mark of a picture that is missing",
  "drawings/url-to-svg.svg": "the browser draws the mark of a picture that is missing",
  "logo-with-text.svg": "the font in it is gone",
};

describe.skipIf(inject("browser") === "")("cleaned drawings", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
  });
  afterAll(() => browser.close());

  it("run nothing and ask for nothing, alone or within a page", async () => {
    const texts = Object.entries(HOSTILE).map(
      ([name, text]) => [name, cleaned(new TextEncoder().encode(text))] as const,
    );
    expect(await deeds(browser, Object.fromEntries(texts))).toEqual([]);
  });

  it("would run and ask for much if they were not cleaned", async () => {
    const found = await deeds(browser, HOSTILE);
    const harmful = Object.keys(HOSTILE).filter((name) => found.some((deed) => deed.startsWith(`${name} (`)));
    expect(harmful.length).toBeGreaterThan(Object.keys(HOSTILE).length / 2);
  });

  it("look as they did", async () => {
    const context = await browser.newContext({ viewport: { width: 500, height: 500 } });
    const tab = await context.newPage();
    const folders = ["drawings", "."];
    const names = (await Promise.all(folders.map((folder) => readdir(join(SVGS, folder))))).flatMap((files, at) =>
      files.filter((name) => name.endsWith(".svg")).map((name) => join(folders[at] ?? "", name)),
    );
    const differing: string[] = [];
    for (const name of names) {
      const bytes = new Uint8Array(await readFile(join(SVGS, name)));
      if (!(await looksSame(tab, bytes))) differing.push(name);
    }
    await context.close();
    expect(names.length).toBeGreaterThan(30);
    expect(differing.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted());
  });
});
