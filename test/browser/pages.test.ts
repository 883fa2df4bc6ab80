/** The pages in a browser: their content policy, widths, accessibility and documented examples. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";

import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";

import document from "../../src/http/openapi.json" with { type: "json" };
import { BASE, useBrowser, withPage } from "./page.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const SAMPLE = join(ROOT, "src", "playground", "sample.jpg");
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="teal"/></svg>`;

/** What is there once a page has read what it shows. */
const READY = ":is(.job, .group, .card, .endpoint, .prose):visible";

const PATHS = ["/", "/#deliveries", "/#account", "/docs", "/docs/reference"];

/** Run in the page: the controls that a screen reader could only call "button". */
const NAMELESS = `[...document.querySelectorAll("input, select, textarea, button, a")]
  .filter((one) => !one.closest("[aria-hidden=true]"))
  .filter((one) => !one.textContent.trim() && !one.ariaLabel && !one.labels?.length)
  .map((one) => one.outerHTML)`;

describe.skipIf(inject("browser") === "")("the pages", () => {
  useBrowser();

  it("forbid everything that is not of this service", async () => {
    for (const path of ["/", "/docs", "/docs/formats", "/docs/reference", "/playground.js"]) {
      const { headers } = await fetch(BASE + path);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it.each([...PATHS, "/docs/costs", "/docs/operations"])("%s fits a phone, light and dark", async (path) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await withPage(
        path,
        async (page) => {
          await page.locator(READY).first().waitFor();
          const overflow = await page.evaluate<number>("document.body.scrollWidth - innerWidth");
          expect(overflow).toBeLessThanOrEqual(0);
        },
        { viewport: { width: 390, height: 844 }, colorScheme },
      );
    }
  });

  it.each([...PATHS, "/upload"])("%s names everything that can be used", (path) =>
    withPage(path, async (page) => {
      await page.locator(`${READY}, #file:visible`).first().waitFor();
      const nameless = await page.evaluate(NAMELESS);
      expect(nameless).toEqual([]);
    }),
  );

  it("of another host upload with a token, show how far it is, and read what became of it", async () => {
    const folder = join(import.meta.dirname, "..", "..", "src", "playground");
    const server = createServer(({ url }, response) => {
      const isScript = url === "/upload.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      void readFile(join(folder, isScript ? "upload.js" : "upload.html")).then((bytes) => response.end(bytes));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const made = await fetch(`${BASE}/1.0/upload-tokens`, {
        method: "POST",
        headers: { authorization: "Bearer demo", "content-type": "application/json" },
        body: JSON.stringify({ data: { resize: { width: 64 } }, origins: [other] }),
      });
      const { token, url } = (await made.json()) as { token: string; url: string };
      const upload = async (page: Page) => {
        await page.setInputFiles("#file", SAMPLE);
        await page.locator("#said:not(:empty)").waitFor();
        expect(await page.evaluate("document.getElementById('sent').value")).toBe(1);
        return page.innerText("#said");
      };
      const path = `/#${String(new URLSearchParams({ token, url }))}`;
      const look = async (page: Page) => {
        expect(await upload(page)).toMatch(/^64 × \d+, \d+ bytes$/);
        await page.locator("#result:visible").waitFor();
        expect(await page.evaluate("document.getElementById('result').decode().then(() => true)")).toBe(true);
      };
      await withPage(path, look, {}, other);
      const again = async (page: Page) => {
        expect(await upload(page)).toBe("The upload token is not valid or has been used up");
      };
      await withPage(path, again, {}, other);
    } finally {
      server.close();
    }
  });

  it("of an account make a token for the example page, which uploads with it", () =>
    withPage("/#account", async (page) => {
      await page.getByRole("button", { name: "Make a token" }).click();
      await page.getByRole("link", { name: "example page" }).click();
      await page.setInputFiles("#file", SAMPLE);
      await page.locator("#result:visible").waitFor();
    }));

  it("/docs/reference shows every endpoint, with examples that work", () =>
    withPage("/docs/reference", async (page) => {
      await page.locator(".endpoint").first().waitFor();
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const expected = operations.map(({ operationId }) => operationId);
      const ids = await page
        .locator(".endpoint")
        .evaluateAll((all: readonly unknown[]) => (all as { id: string }[]).map(({ id }) => id));
      expect(new Set(ids)).toEqual(new Set(expected));
      const examples = await page.locator(".endpoint > .copyable pre").allInnerTexts();
      // What names a variable needs an id; keyfiles, connectors, keys of signers and anchors are of nobody here.
      const runnable = examples.filter(
        (text) => !/\$|keyfile\.json|"connector":|PRIVATE KEY|signers\/trust/.test(text),
      );
      expect(runnable.length).toBeGreaterThan(12);
      const folder = await mkdtemp(join(tmpdir(), "docs-"));
      try {
        await cp(SAMPLE, join(folder, "sample.jpg"));
        for (const text of runnable) {
          const { stdout } = await run("bash", ["-c", `${text} -sS -o /dev/null -w '%{http_code}'`], { cwd: folder });
          expect(`${text}\n${stdout}`).toMatch(/\n20[012]$/);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }));

  it("leads from a bookmark of the reference to where that is now", () =>
    withPage("/docs#uploadImage", async (page) => {
      await page.waitForURL("**/docs/reference#uploadImage");
      await page.locator("#uploadImage").waitFor();
    }));

  it("finds sections of the documentation, and says when it finds none", () =>
    withPage("/docs/costs", async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("vault key");
      const found = page.locator(".found a");
      await found.first().waitFor();
      expect(await page.locator("#search [role=status]").innerText()).toMatch(
        /^\d+ sections(, the best 12 are shown)?$/,
      );
      await page.getByRole("searchbox").fill("<xyzzy>");
      await page.getByText("Nothing found").waitFor();
      await page.getByRole("searchbox").fill("reseal");
      await page.locator(".found mark").first().waitFor();
      await found.first().click();
      await page.getByRole("heading", { level: 1, name: "Changing keys" }).waitFor();
    }));

  it("answer the requests of the README and of the documentation", async () => {
    const docs = join(ROOT, "src", "docs");
    const names = (await readdir(docs)).filter((name) => name.endsWith(".md")).map((name) => join(docs, name));
    const texts = await Promise.all([join(ROOT, "README.md"), ...names].map((name) => readFile(name, "utf8")));
    const found = texts.flatMap((text) => [...text.matchAll(/^ *curl (?:.*\\\n)*.*$/gm)]);
    // A signer's key is a secret that nobody has, and the deployment of an example is nowhere.
    const isRunnable = (text: string) => !/key\.pem|darkroom\.example\.com/.test(text);
    const lines = [...new Set(found.map(([text]) => text.trim()))].filter(isRunnable);
    expect(lines.length).toBeGreaterThan(2);
    const folder = await mkdtemp(join(tmpdir(), "readme-"));
    try {
      await cp(SAMPLE, join(folder, "photo.jpg"));
      await writeFile(join(folder, "logo.svg"), LOGO);
      // As in a clone of the repository, where contributors are.
      await cp(SAMPLE, join(folder, relative(ROOT, SAMPLE)));
      for (const line of lines) {
        const text = line.replaceAll("http://localhost:8787", BASE);
        const { stdout } = await run("bash", ["-c", `${text} -sS`], { cwd: folder });
        const made = /\/1\.0\/(?:deliveries|upload-tokens)/.test(line) ? 201 : 200;
        expect(JSON.parse(stdout), text).toMatchObject({ success: true, code: made });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
