/** The playground in a browser, as a visitor uses it. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";

import { BASE, drop, process, unfold, useBrowser, withPage } from "./page.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");
const MACAW = join(FIXTURES, "score", "macaw.png");
const SIGNED = join(FIXTURES, "provenance", "signed-es256.jpg");
/** JPEG of twelve bits a sample: valid, and shown by no browser. */
const TWELVE_BITS = join(FIXTURES, "jpeg", "twelve-bits.jpg");

const run = promisify(execFile);

function splitOf(page: Page): Promise<string> {
  return page.evaluate<string>('getComputedStyle(document.querySelector(".stage")).getPropertyValue("--split")');
}

describe.skipIf(inject("browser") === "")("the playground", () => {
  useBrowser();

  it("takes a dropped image, an operation, and shows both sides under a divider", () =>
    withPage("/", async (page) => {
      await drop(page, "dropped.jpg");
      await page.getByText("dropped.jpg", { exact: true }).waitFor();
      await page.fill("#op-resize-width", "200");
      await page.selectOption("#op-output-format", "webp");
      await process(page);
      expect(await page.locator(".facts").innerText()).toMatch(/768 × 512\s+200 × 133/);
      expect(await page.locator(".figures").innerText()).toMatch(/Saved\s+\d+/);
      expect(await splitOf(page)).toBe("50%");
      const slider = page.getByRole("slider", { name: "Divider" });
      await slider.focus();
      await slider.press("ArrowRight");
      expect(await splitOf(page)).toBe("51%");
      const stage = await page.locator(".stage").boundingBox();
      await page.mouse.click((stage?.x ?? 0) + (stage?.width ?? 0) / 4, (stage?.y ?? 0) + 30);
      expect(await splitOf(page)).toBe("25%");
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("a[download]")]);
      expect(download.suggestedFilename()).toBe("dropped.webp");
    }));

  it("processes a dropped image at once, compares formats, and shows again what was made", () =>
    withPage("/", async (page) => {
      await page.getByRole("img", { name: "The sample image" }).waitFor();
      await page.locator("#op-resize-width").waitFor();
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      expect(await page.getByRole("img", { name: "The sample image" }).isVisible()).toBe(false);
      const formats = page.getByRole("region", { name: "Formats" });
      for (const name of ["JPEG", "WEBP", "AVIF", "JXL", "PNG"]) {
        await formats.getByRole("button", { name: `Take ${name}`, disabled: false }).waitFor();
      }
      expect(await formats.locator('tr[aria-current="true"]').innerText()).toMatch(/^JPEG/);
      expect(await formats.locator("tr.smallest").count()).toBe(1);
      await formats.getByRole("button", { name: "Take WEBP" }).click();
      await page.getByRole("link", { name: "Download dropped.webp" }).waitFor();
      expect(await page.inputValue("#op-output-format")).toBe("webp");
      const made = page.getByRole("region", { name: "In this tab" });
      expect(await made.getByRole("button").count()).toBe(2);
      await made.getByRole("button", { name: /^JPEG/ }).click();
      await page.getByRole("link", { name: "Download dropped.jpg" }).waitFor();
      expect(await page.inputValue("#op-output-format")).toBe("");
    }));

  it("shows what an original says of itself", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      await page.setInputFiles("#file", SIGNED);
      await process(page);
      const told = page.getByRole("region", { name: "What the original says of itself" });
      expect(await told.innerText()).toMatch(
        /^[^]*Valid: unchanged[^]*Darkroom test signer[^]*trainedAlgorithmicMedia/,
      );
    }));

  it("shows the files of a srcset, and which of them this browser takes at a width", () =>
    withPage("/", async (page) => {
      await page.click("#sample");
      await page.getByText("sample.jpg", { exact: true }).waitFor();
      await unfold(page, "op-srcset");
      await page.getByLabel("Widths", { exact: true }).fill("100, 200, 400");
      await page.getByLabel("jpeg", { exact: true }).check();
      await page.getByLabel("webp", { exact: true }).check();
      await process(page);
      const results = page.getByRole("region", { name: "Results" });
      const rows = results.locator("tbody tr");
      expect(await rows.count()).toBe(3);
      expect(await results.locator("thead").innerText()).toMatch(/WEBP\s+JPEG/);
      expect(await rows.first().innerText()).toMatch(/100 × \d+\s+[\d.]+ k?B/);
      const taken = async (name: string) => {
        await results.getByText(`this browser takes ${name}`).waitFor();
        expect(await results.locator(".is-taken").count()).toBe(1);
        expect(await results.locator(".is-taken a").getAttribute("aria-label")).toContain(`Download ${name},`);
      };
      const slider = results.getByRole("slider", { name: "Width on the page" });
      await slider.fill("400");
      await taken("400.webp");
      await slider.fill("80");
      await taken("100.webp");
      await results.getByRole("button", { name: "Copy HTML of the picture" }).click();
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(/^<picture>/);
      await page.locator("#op-srcset").getByLabel("Widths", { exact: true }).fill("");
      await process(page);
      expect(await results.isVisible()).toBe(false);
    }));

  it("makes many files of one choice, waits for a busy service, and has all of them after a reload", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      await page.fill("#op-resize-width", "64");
      let [requests, now, most] = [0, 0, 0];
      await page.route("**/1.0/upload", async (route) => {
        requests += 1;
        most = Math.max(most, (now += 1));
        const isBusy = requests === 1;
        if (isBusy) await route.fulfill({ status: 503, headers: { "Retry-After": "1" }, body: "{}" });
        else await route.fulfill({ response: await route.fetch() });
        now -= 1;
      });
      const text = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") };
      const bytes = await readFile(MACAW);
      const pictures = ["a.png", "b.png", "a.png"].map((name) => ({ name, mimeType: "image/png", buffer: bytes }));
      await page.setInputFiles("#file", [...pictures, text]);
      const batch = page.getByRole("region", { name: "Many files" });
      await batch.getByText(/^3 of 4 done: .+ became .+; 1 failed\.$/).waitFor();
      expect(requests).toBe(5);
      expect(most).toBeLessThanOrEqual(2);
      const asked = requests;
      await page.reload();
      await batch.getByText(/^3 of 4 done: .+ became .+; 1 failed\.$/).waitFor();
      expect(requests).toBe(asked);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        batch.getByRole("button", { name: "Download ZIP" }).click(),
      ]);
      const folder = await mkdtemp(join(tmpdir(), "zip-"));
      await download.saveAs(join(folder, "all.zip"));
      const archive = await readFile(join(folder, "all.zip"));
      await rm(folder, { recursive: true });
      for (const name of ["a.png", "b.png", "a (2).png"]) expect(archive.includes(name)).toBe(true);
      await page.unroute("**/1.0/upload");
      await batch.getByRole("button", { name: "Make a srcset of each" }).click();
      await batch.getByText(/^3 of 4 done: .+; 1 failed\.$/).waitFor();
      await batch.getByRole("button", { name: "Copy srcset HTML" }).click();
      await expect
        .poll(() => page.evaluate<string>("navigator.clipboard.readText()"), { timeout: 30_000 })
        .toMatch(/^<picture>[^]*srcset="a\/a-/);
      await batch.getByRole("button", { name: "Show b.png on the stage" }).click();
      await page.getByRole("img", { name: "The original" }).waitFor();
      await batch.getByRole("button", { name: "Clear" }).click();
      await batch.waitFor({ state: "hidden" });
      await page.reload();
      await page.getByRole("img", { name: "The sample image" }).waitFor();
      expect(await batch.isVisible()).toBe(false);
    }));

  it("shares settings by its address, without the key, and takes no destination from a link", () =>
    withPage("/", async (page) => {
      await page.fill("#key", "secret-key");
      await page.fill("#op-resize-width", "123");
      await unfold(page, "op-webhook");
      await page.fill("#op-webhook-url", "https://example.com/");
      await page.getByRole("button", { name: "Copy link to these settings" }).click();
      const link = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(decodeURIComponent(new URL(link).hash)).toBe('#set={"resize":{"width":123}}');
      expect(page.url()).toBe(link);
      const given = { resize: { width: 45 }, webhook: { url: "https://example.com/" } };
      await page.goto(`${BASE}/#set=${encodeURIComponent(JSON.stringify(given))}`);
      await expect.poll(() => page.inputValue("#op-resize-width")).toBe("45");
      await page.reload();
      await expect.poll(() => page.inputValue("#op-resize-width")).toBe("45");
      expect(await page.inputValue("#op-webhook-url")).toBe("");
      await page.goto(`${BASE}/#set=${encodeURIComponent('{"resize":5,"filter":7}')}`);
      expect(await page.inputValue("#op-resize-width")).not.toBe("5");
    }));

  it("copies a curl line that does the same", () =>
    withPage("/", async (page) => {
      await page.setInputFiles("#file", MACAW);
      await page.fill("#op-resize-width", "64");
      await unfold(page, "op-output");
      await page.fill("#op-output-name", "it's; @mine.png");
      await page.getByRole("button", { name: "Copy the program" }).click();
      const line = await page.evaluate<string>("navigator.clipboard.readText()");
      const folder = await mkdtemp(join(tmpdir(), "curl-"));
      try {
        await cp(MACAW, join(folder, "macaw.png"));
        const { stdout } = await run("bash", ["-c", line], { cwd: folder });
        expect(JSON.parse(stdout)).toMatchObject({ success: true, output: { width: 64, name: "it's; @mine.png" } });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }));

  it("says what is wrong as the API says it", () =>
    withPage("/", async (page) => {
      await page.setInputFiles("#file", MACAW);
      await page.fill("#op-resize-width", "0");
      await page.click("#send");
      const alert = page.getByRole("alert").filter({ hasText: "422" });
      expect(await alert.innerText()).toContain("resize.width must be");
      expect(await page.getAttribute("#op-resize-width", "aria-invalid")).toBe("true");
      expect(await page.locator("#op-resize-width-error").innerText()).toMatch(/^Must be /);
      expect(await page.evaluate("document.activeElement.id")).toBe("op-resize-width");
      await page.fill("#key", "wrong");
      await page.click("#send");
      await page.getByRole("alert").filter({ hasText: "401" }).waitFor();
    }));

  it("works with the keyboard alone", () =>
    withPage("/", async (page) => {
      const focusOn = async (id: string): Promise<void> => {
        for (let steps = 0; steps < 60; steps += 1) {
          await page.keyboard.press("Tab");
          if ((await page.evaluate("document.activeElement.id")) === id) return;
        }
        throw new Error(`The tab key does not lead to #${id}`);
      };
      await page.locator("#op-resize-width").waitFor();
      const chooser = page.waitForEvent("filechooser");
      await focusOn("file");
      await page.keyboard.press("Enter");
      await (await chooser).setFiles(MACAW);
      await focusOn("op-resize-width");
      await page.keyboard.type("96");
      await page.keyboard.press("Enter");
      await page.locator(".facts", { hasText: "96 × " }).waitFor();
      expect(await page.getByRole("status").first().innerText()).toMatch(/^Done in/);
    }));

  it("takes an address, and shows its original on request, without calling it from the page", () =>
    withPage("/", async (page) => {
      await page.fill("#url", `${BASE.replace("127.0.0.1", "localhost")}/sample.jpg`);
      await page.fill("#op-resize-width", "100");
      await process(page);
      expect(await page.locator(".stage > img").count()).toBe(1);
      await page.getByRole("button", { name: "Show the original too" }).click();
      await page.getByRole("slider", { name: "Divider" }).waitFor({ state: "attached" });
      expect(await page.locator(".stage > img").count()).toBe(2);
    }));

  it("handles a file that no browser shows", () =>
    withPage("/", async (page) => {
      await page.setInputFiles("#file", TWELVE_BITS);
      // The service makes the original visible, without being asked for it.
      await page.locator(".stage > img").nth(1).waitFor();
      expect(await page.getByRole("button", { name: "Show the original too" }).count()).toBe(0);
    }));

  it("shows a result that no browser shows as PNG, and saves it as what it is, on a phone too", () =>
    withPage(
      "/",
      async (page) => {
        await drop(page, `${"a_long_name_".repeat(6)}.jpg`);
        await page.fill("#op-resize-width", "100");
        await page.selectOption("#op-output-format", "jpeg2000");
        await process(page);
        expect(await page.locator(".compare img").first().isVisible()).toBe(false);
        expect(await page.evaluate<number>("document.body.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
        const link = await page.locator("a[download]").boundingBox();
        expect((link?.x ?? 0) + (link?.width ?? Infinity)).toBeLessThan(390);
        await page.getByRole("button", { name: "Show it as PNG" }).click();
        await page.getByRole("slider", { name: "Divider" }).waitFor({ state: "attached" });
        const [download] = await Promise.all([page.waitForEvent("download"), page.click("a[download]")]);
        expect(download.suggestedFilename()).toMatch(/^a_long_name_.*\.jp2$/);
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it("shows the account, and keeps, uses and deletes a watermark", () =>
    withPage("/#account", async (page) => {
      await page.getByText("Plan demo").waitFor();
      await page.setInputFiles("#watermark-file", MACAW);
      await page.getByRole("button", { name: "Use macaw.png" }).click();
      expect(await page.inputValue("#op-watermark-id")).toMatch(/^\w{10}$/);
      await page.getByRole("link", { name: "Account" }).click();
      await page.getByRole("button", { name: "Delete macaw.png" }).click();
      await page.getByRole("button", { name: "Really? Delete macaw.png" }).click();
      await page.getByText("macaw.png").waitFor({ state: "detached" });
    }));

  it("shows a notification with its attempts, and sends it again", async () => {
    let posts = 0;
    const receiver = createServer((request, response) => {
      posts += 1;
      request.resume().on("end", () => response.end());
    });
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    try {
      await withPage("/", async (page) => {
        await page.setInputFiles("#file", MACAW);
        await unfold(page, "op-webhook");
        await page.fill("#op-webhook-url", url);
        await page.click("#send");
        await page.getByText("Accepted.").waitFor();
        await page.getByRole("link", { name: "Account" }).click();
        const again = page.getByRole("button", { name: /^Redeliver/ });
        await expect
          .poll(
            async () => {
              await page.getByRole("button", { name: "Refresh" }).click();
              return again.count();
            },
            { timeout: 60_000, interval: 500 },
          )
          .toBe(1);
        await again.click();
        await expect.poll(() => posts, { timeout: 60_000 }).toBe(2);
      });
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
