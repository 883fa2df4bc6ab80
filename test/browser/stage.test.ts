/** The stage of the playground: what is seen while somebody tries things out. */
import { join } from "node:path";

import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";

import { drawn, drop, process, unfold, useBrowser, withPage } from "./page.ts";

const MACAW = join(import.meta.dirname, "..", "fixtures", "score", "macaw.png");

/** Chooses a file, which begins at once, and waits for its result. */
async function choose(page: Page, file: string): Promise<void> {
  await page.locator("#op-resize-width").waitFor({ state: "attached" });
  await page.setInputFiles("#file", file);
  await page.getByText(/^Done in/).waitFor();
}

describe.skipIf(inject("browser") === "")("the stage", () => {
  useBrowser();

  it("shows the original at once, and a change of a control a moment later, without being told to", () =>
    withPage("/", async (page) => {
      const large = await drawn(page, 2400, 200);
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
      await unfold(page, "op-border");
      await page.fill("#op-border-radius", "50");
      await page.locator(".compare.old").waitFor();
      await page.getByText("A preview of the changed settings.").waitFor();
      expect(await page.locator(".reading").innerText()).toMatch(/[\d.]+ k?B at 800 px/);
      // What the file will take is said once the formats of the result before have been compared.
      await page.locator(".reading", { hasText: /about [\d.]+ k?B in full/ }).waitFor();
      expect(await page.locator(".compare.old").count()).toBe(0);
      await page.getByRole("button", { name: "Make the file" }).click();
      await page.getByText(/^Done in/).waitFor();
      expect(await page.locator(".facts").innerText()).toMatch(/2400 × 200\s+2400 × 200/);
      expect(await page.locator(".reading").innerText()).not.toContain("about");
    }));

  it("keeps the decoded original on the stage, and tries out at once what is entered or turned", () =>
    withPage("/", async (page) => {
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      await page.getByRole("img", { name: "The original" }).evaluate((image) => image.setAttribute("data-kept", ""));
      // What waits is never done from here on.
      await page.evaluate(`(() => {
        const { setTimeout } = window;
        window.setTimeout = (work, wait = 0) => (wait > 0 ? 1 : setTimeout(work, 0));
      })()`);
      const preview = page.getByText(/^Done in/);
      await page.locator("#dial").fill("0");
      await preview.waitFor();
      await page.fill("#op-resize-width", "300");
      await preview.waitFor({ state: "detached" });
      await page.locator("#op-resize-width").blur();
      await preview.waitFor();
      expect(await page.locator(".stage > img[data-kept]").count()).toBe(1);
    }));

  it("asks again for a preview and for formats where the service is busy", () =>
    withPage("/", async (page) => {
      const refused: string[] = [];
      await page.route("**/1.0/upload", async (route) => {
        const body = route.request().postData() ?? "";
        const kind = ["outputs", "binary"].find((word) => body.includes(`"${word}"`));
        if (kind === undefined || refused.includes(kind)) return route.continue();
        refused.push(kind);
        await route.fulfill({ status: 503, headers: { "Retry-After": "1" }, body: "{}" });
      });
      await choose(page, MACAW);
      await page.getByRole("button", { name: "Take AVIF", disabled: false }).waitFor();
      const large = await drawn(page, 2400, 200);
      await page.setInputFiles("#file", { name: "large.png", mimeType: "image/png", buffer: large });
      await page.locator(".facts", { hasText: "2400 × 200" }).waitFor();
      await page.locator("#dial").fill("0");
      await page.getByText("The service is busy: the preview is asked for again in 1 s.").waitFor();
      await page.getByText("A preview of the changed settings.").waitFor();
      expect(await page.getByRole("alert").filter({ visible: true }).count()).toBe(0);
      expect(refused).toEqual(["outputs", "binary"]);
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

  it("sets the controls for a purpose, keeps what is not of it, and says which one is set", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      await page.locator("#job-look .slider-pair input[type=number]").first().fill("20");
      const purposes = page.getByRole("group", { name: "Settings for a purpose" });
      const avatar = purposes.getByRole("button", { name: "Avatar" });
      await avatar.click();
      await page.getByText("Done in").waitFor();
      expect(await page.inputValue("#op-resize-width")).toBe("256");
      expect(await page.inputValue("#op-resize-mode")).toBe("fit");
      expect(await page.inputValue("#op-adjust-brightness")).toBe("20");
      expect(await avatar.getAttribute("aria-pressed")).toBe("true");
      await purposes.getByRole("button", { name: "Under 100 KB" }).click();
      expect(await page.inputValue("#op-resize-width")).toBe("");
      expect(await page.inputValue("#op-optimize-target_bytes")).toBe("100000");
      expect(await avatar.getAttribute("aria-pressed")).toBe("false");
      await purposes.getByRole("button", { name: "Under 100 KB" }).click();
      expect(decodeURIComponent(new URL(page.url()).hash)).toBe('#set={"adjust":{"brightness":20}}');
    }));

  it("has what matters open, by job, and cuts by a shape as soon as one is named", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      const jobs = page.locator(".job");
      expect(await jobs.locator("> summary h2").allInnerTexts()).toEqual([
        "Size",
        "Format and quality",
        "Crop",
        "Look",
        "Words and marks",
        "For developers",
      ]);
      expect(await page.locator(".job[open]").count()).toBe(4);
      await page.fill("#op-crop-ratio", "16:9");
      expect(await page.inputValue("#op-crop-mode")).toBe("ratio");
      await page.fill("#op-crop-ratio", "");
      expect(await page.inputValue("#op-crop-mode")).toBe("");
    }));

  it.each([
    ["a choice", 0, 300, (page: Page) => page.selectOption("#op-output-format", "webp")],
    ["typing", 190, Infinity, (page: Page) => page.fill("#op-resize-width", "50")],
  ] as const)("waits after %s for at least %d ms and at most %d", (_name, least, most, change) =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      await page.evaluate(`(() => {
        document.addEventListener("input", () => (window.changedAt = performance.now()), true);
        const { send } = XMLHttpRequest.prototype;
        XMLHttpRequest.prototype.send = function (body) {
          window.waited ??= performance.now() - window.changedAt;
          return send.call(this, body);
        };
      })()`);
      await change(page);
      await expect.poll(() => page.evaluate("window.waited"), { timeout: 20_000 }).toBeTypeOf("number");
      const waited = await page.evaluate<number>("window.waited");
      expect(waited).toBeGreaterThanOrEqual(least);
      expect(waited).toBeLessThanOrEqual(most);
    }),
  );

  it("cuts on the picture with keys and pointer, and takes it back", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      const bar = page.getByRole("group", { name: "On the picture" });
      const crop = () => page.evaluate<string>("decodeURIComponent(location.hash)");
      await bar.getByRole("button", { name: "Crop" }).click();
      const region = page.getByRole("button", { name: /^Crop rectangle: / });
      await region.waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^Crop rectangle/);
      await region.press("ArrowLeft");
      await region.press("Shift+ArrowLeft");
      const said = await region.getAttribute("aria-label");
      const [, width, height, x, y] = /(\d+) × (\d+), (\d+) from the left, (\d+) from the top/.exec(said ?? "") ?? [];
      expect(JSON.parse((await crop()).slice("#set=".length))).toEqual({
        crop: { width: Number(width), height: Number(height), x: Number(x), y: Number(y) },
      });
      const corner = await page.locator(".corner.bottom-right").boundingBox();
      const [left, top] = [(corner?.x ?? 0) + 14, (corner?.y ?? 0) + 14];
      await page.mouse.move(left, top);
      await page.mouse.down();
      await page.mouse.move(left - 40, top - 40, { steps: 3 });
      await page.mouse.up();
      expect(Number(await page.inputValue("#op-crop-width"))).toBeLessThan(Number(width));
      await region.press("Escape");
      expect(await crop()).toBe("");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Crop");
      await page.keyboard.press("Enter");
      await region.press("ArrowDown");
      await region.press("Enter");
      await page.locator(".facts", { hasText: `× ${await page.inputValue("#op-crop-height")}` }).waitFor();
    }));

  it("covers rectangles on the picture with keys alone, and takes them back", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      const tool = page.getByRole("group", { name: "On the picture" }).getByRole("button", { name: "Redact" });
      const region = page.getByRole("button", { name: /^Rectangle to cover: / });
      const regions = () => page.inputValue("#op-redact-regions");
      await tool.focus();
      await page.keyboard.press("Enter");
      await region.waitFor();
      expect(await regions()).toBe("0.4 0.4 0.2 0.2");
      await region.press("ArrowLeft");
      await region.press("Shift+ArrowRight");
      expect(await regions()).toBe("0.39 0.4 0.21 0.2");
      await page.getByRole("button", { name: "Add another" }).press("Enter");
      await region.press("ArrowUp");
      expect(await regions()).toBe("0.39 0.4 0.21 0.2\n0.4 0.39 0.2 0.2");
      expect(await page.locator(".board .covered").count()).toBe(1);
      const answer = page.waitForResponse("**/1.0/upload");
      await region.press("Enter");
      expect((await answer).status()).toBe(200);
      await page.getByText(/^Done in/).waitFor();
      await tool.press("Enter");
      await page.getByRole("button", { name: "Remove" }).press("Enter");
      expect(await regions()).toBe("0.39 0.4 0.21 0.2");
      await tool.press("Enter");
      await region.press("Escape");
      expect(await regions()).toBe("0.39 0.4 0.21 0.2");
    }));

  it("puts a focus and words on the picture", () =>
    withPage("/", async (page) => {
      await choose(page, MACAW);
      const bar = page.getByRole("group", { name: "On the picture" });
      await bar.getByRole("button", { name: "Text" }).click();
      await page.getByRole("alert").filter({ hasText: "Write a text" }).waitFor();
      await unfold(page, "op-text");
      await page.fill("#op-text-value", "Macaw");
      await bar.getByRole("button", { name: "Text" }).click();
      const text = page.getByRole("button", { name: /^Text: / });
      await text.waitFor();
      const beyond = await page.evaluate<number>(`(() => {
        const letters = document.createRange();
        letters.selectNodeContents(document.querySelector(".words"));
        return letters.getBoundingClientRect().right - document.querySelector(".region").getBoundingClientRect().right;
      })()`);
      expect(beyond).toBeLessThan(2);
      await text.press("ArrowRight");
      await text.press("Shift+ArrowUp");
      expect(await page.inputValue("#op-text-x")).toMatch(/^\d+$/);
      expect(Number(await page.inputValue("#op-text-size"))).toBeGreaterThan(0.05);
      const [left, size] = [await page.inputValue("#op-text-x"), Number(await page.inputValue("#op-text-size"))];
      const box = await page.locator(".region .corner.bottom-right").boundingBox();
      const [across, down] = [(box?.x ?? 0) + 14, (box?.y ?? 0) + 14];
      await page.mouse.move(across, down);
      await page.mouse.down();
      await page.mouse.move(across + 60, down, { steps: 3 });
      await page.mouse.up();
      expect(Number(await page.inputValue("#op-text-size"))).toBeGreaterThan(size * 1.2);
      expect(await page.inputValue("#op-text-x")).toBe(left);
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText(/^Done in/).waitFor();
      await bar.getByRole("button", { name: "Focus" }).click();
      await page.getByText("what stands out most").waitFor();
      const board = await page.locator(".board").boundingBox();
      await page.mouse.click((board?.x ?? 0) + (board?.width ?? 0) / 4, (board?.y ?? 0) + (board?.height ?? 0) / 2);
      expect(Number(await page.inputValue("#op-crop-focus-x"))).toBeCloseTo(0.25, 1);
      expect(await page.inputValue("#op-crop-ratio")).toBe("1:1");
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
