/** Pages of other sites, in a real browser, before a service that may read the private network. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

const BASE = inject("base");

/** What a page finds out of a picture: by showing it, by reading it, and by asking whether it may upload. */
const LOOK = `async (base) => {
  const picture = base + "/i/demo/w=30,f=jpeg,q=50/" + base + "/sample.jpg";
  const shown = await new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image.naturalWidth);
    image.onerror = () => resolve("nothing");
    image.src = picture;
  });
  const read = await fetch(picture).then((answer) => answer.status, () => "nothing");
  const sent = await fetch(base + "/1.0/upload", {
    method: "POST",
    headers: { authorization: "Bearer demo" },
    body: new FormData(),
  }).then((answer) => answer.status, () => "nothing");
  return { shown, read, sent };
}`;

describe.skipIf(inject("browser") === "")("a page", () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    server = createServer((_, answer) => {
      answer.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    browser = await chromium.connect(inject("browser"));
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const seenFrom = async (host: string): Promise<unknown> => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
      return await page.evaluate(`(${LOOK})(${JSON.stringify(BASE)})`);
    } finally {
      await context.close();
    }
  };

  it("of another site sees nothing of what the service may read", async () => {
    expect(await seenFrom("evil.example")).toEqual({ shown: "nothing", read: "nothing", sent: "nothing" });
  });

  it("of this machine sees pictures, under each of its names", async () => {
    for (const host of ["localhost", "127.0.0.1"]) {
      // A key does not belong into a page: an upload with one has an answer, which the page may not read.
      expect(await seenFrom(host)).toEqual({ shown: 30, read: 200, sent: "nothing" });
    }
  });
});
