/** The stage of the playground: what is seen while somebody tries things out. */
import { join } from "node:path";

import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";

import { drop, process, useBrowser, withPage } from "./page.ts";

const MACAW = join(import.meta.dirname, "..", "fixtures", "score", "macaw.png");

/** Chooses a file, which begins at once, and waits for its result. */
async function choose(page: Page, file: string): Promise<void> {
  await page.locator("#op-resize-width").waitFor({ state: "attached" });
  await page.setInputFiles("#file", file);
  await page.getByText(/^Done in/).waitFor();
}

/** A picture that is larger than a screen. */
async function drawn(page: Page, width: number, height: number): Promise<Buffer> {
  const address = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: ${width}, height: ${height} });
    const context = canvas.getContext("2d");
    context.fillStyle = "#235";
    context.fillRect(0, 0, ${width}, ${height});
    context.fillStyle = "#fc8";
    context.fillRect(${width / 4}, ${height / 4}, ${width / 2}, ${height / 2});
    return canvas.toDataURL("image/png");
  })()`);
  return Buffer.from(address.split(",")[1] ?? "", "base64");
}

describe.skipIf(inject("browser") === "")("the stage", () => {
  useBrowser();

  it("shows the original at once, and a change of a control a moment later, without being told to", () =>
    withPage("/", async (page) => {
      const large = await drawn(page, 2400, 1600);
      await page.locator("#op-resize-width").waitFor({ state: "attached" });
      const seen = Promise.withResolvers<void>();
      await page.route("**/1.0/upload", async (route) => {
        await seen.promise;
        await route.continue();
      });
      await page.setInputFiles("#file", { name: "large.png", mimeType: "image/png", buffer: large });
      await page.getByRole("img", { name: "The original" }).waitFor();
      seen.resolve();
      await page.getByText(/^Done in/).waitFor();
      await page.unroute("**/1.0/upload");
      await page.locator("#op-border > summary").click();
      await page.fill("#op-border-radius", "300");
      await page.locator(".compare.old").waitFor();
      await page.getByText("A preview of the changed settings.").waitFor();
      expect(await page.locator(".reading").innerText()).toMatch(/at 1,600 px; about [\d.]+ k?B in full/);
      expect(await page.locator(".compare.old").count()).toBe(0);
      await page.getByRole("button", { name: "Make the file" }).click();
      await page.getByText(/^Done in/).waitFor();
      expect(await page.locator(".facts").innerText()).toMatch(/2400 × 1600\s+2400 × 1600/);
      expect(await page.locator(".reading").innerText()).not.toContain("about");
    }));

  it("tries nothing out where previews are off", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      await page.uncheck("#live");
      let requests = 0;
      page.on("request", (request) => {
        if (request.method() === "POST") requests += 1;
      });
      await page.fill("#op-resize-width", "50");
      await page.getByText("The settings have changed").waitFor();
      await page.waitForTimeout(1000);
      expect(requests).toBe(0);
    }));

  it("turns from the smallest file to the exact one by one dial, which says score, look and bytes", () =>
    withPage("/", async (page) => {
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      const reading = page.locator(".reading");
      const bytes: number[] = [];
      for (const [stop, says] of ["Loss can be seen", "Looks nearly the same", "Looks the same"].entries()) {
        const before = await reading.innerText();
        await page.locator("#dial").fill(String(stop));
        await expect.poll(() => reading.innerText(), { timeout: 20_000 }).not.toBe(before);
        expect(await page.locator(".aim").innerText()).toBe(says);
        const [, size = "0"] = /· ([\d.]+) kB/.exec(await reading.innerText()) ?? [];
        bytes.push(Number(size));
      }
      expect(await reading.innerText()).toMatch(/score \d+ · looks the same/);
      expect(bytes).toEqual(bytes.toSorted((one, other) => one - other));
      expect(await page.inputValue("#op-optimize-compression")).toBe("");
    }));

  it("keeps zoom and place while results come and go, and shows the original and the difference", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      const frame = page.getByRole("region", { name: "Pictures" });
      await frame.focus();
      for (let times = 0; times < 3; times += 1) await frame.press("+");
      await page.evaluate('document.querySelector(".frame").scrollTo(40, 50)');
      const place = () =>
        page.evaluate<number[]>(
          '(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])(document.querySelector(".frame"))',
        );
      const kept = await place();
      await page.locator("#dial").fill("0");
      await page.locator(".reading", { hasText: "loss can be seen" }).waitFor();
      expect(await place()).toEqual(kept);
      const opacity = () =>
        page.evaluate<string>('getComputedStyle(document.querySelectorAll(".stage > img")[1]).visibility');
      await frame.focus();
      await page.keyboard.down("o");
      expect(await opacity()).toBe("hidden");
      await page.keyboard.up("o");
      expect(await opacity()).toBe("visible");
      await page.getByRole("button", { name: "Difference" }).click();
      expect(await page.locator(".stage.difference").count()).toBe(1);
    }));

  it("zooms by keys and buttons", () =>
    withPage("/", async (page) => {
      await page.setInputFiles("#file", MACAW);
      await page.fill("#op-resize-width", "300");
      await process(page);
      const width = async () => (await page.locator(".stage").boundingBox())?.width;
      const [frame] = [page.getByRole("region", { name: "Pictures" })];
      await frame.focus();
      await frame.press("+");
      expect(await width()).toBe(300);
      await frame.press("+");
      expect(await width()).toBe(600);
      await page.getByRole("button", { name: "Zoom in" }).click();
      expect(await width()).toBe(1200);
      await frame.press("+");
      expect(await width()).toBe(2400);
      expect(await page.locator(".stage.pixel-grid").count()).toBe(1);
      expect(await page.getByRole("button", { name: "Zoom in" }).isDisabled()).toBe(true);
      await frame.press("0");
      expect(await page.getByRole("button", { name: "100 %" }).getAttribute("aria-pressed")).toBe("false");
    }));
});
