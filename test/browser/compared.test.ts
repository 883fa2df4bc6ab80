/** What is said beside the pictures: formats compared, and what the search tried. */
import { describe, expect, inject, it } from "vitest";

import { drawn, drop, useBrowser, withPage } from "./page.ts";

describe.skipIf(inject("browser") === "")("beside the stage", () => {
  useBrowser();

  it("says about how large other formats would be by what the copy takes in the format that is there", () =>
    withPage("/", async (page) => {
      const large = await drawn(page, 2400, 100);
      await page.locator("#op-resize-width").waitFor({ state: "attached" });
      await drop(page, "first.jpg");
      await page.getByText(/^Done in/).waitFor();
      // What the copy takes is put on: a quarter of the bytes of the final as PNG, a tenth of those as WebP.
      let bytes = 0;
      await page.route("**/1.0/upload", async (route) => {
        const response = await route.fetch({ timeout: 0 });
        const answer = await response.json();
        if (answer.output) bytes = answer.output.bytes;
        const shares: Record<string, number> = { png: 0.25, webp: 0.1 };
        for (const [name, share] of Object.entries(shares)) {
          if (answer.outputs?.[name]) answer.outputs[name].bytes = bytes * share;
        }
        await route.fulfill({ response, json: answer });
      });
      await page.setInputFiles("#file", { name: "large.png", mimeType: "image/png", buffer: large });
      const formats = page.getByRole("region", { name: "Formats" });
      const cell = (name: string) =>
        formats
          .getByRole("row")
          .filter({ has: page.getByRole("button", { name: `Take ${name}`, disabled: false }) })
          .getByRole("cell")
          .first();
      await expect.poll(() => cell("WEBP").innerText()).toMatch(/^≈ /);
      const bytesIn = (text: string) => Number.parseFloat(text.replace("≈ ", "")) * (text.endsWith("kB") ? 1000 : 1);
      const [png, webp] = [bytesIn(await cell("PNG").innerText()), bytesIn(await cell("WEBP").innerText())];
      expect(webp / png).toBeCloseTo(0.4, 1);
      await page.unroute("**/1.0/upload");
    }));

  it("goes on comparing formats when a control moves, and says that they are of the settings before", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      const seen = Promise.withResolvers<void>();
      await page.route("**/1.0/upload", async (route) => {
        if (route.request().postData()?.includes('"outputs"')) await seen.promise;
        await route.continue();
      });
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      const formats = page.getByRole("region", { name: "Formats" });
      await formats.getByRole("button", { name: "Take AVIF", disabled: true }).waitFor();
      await page.fill("#op-resize-width", "300");
      await formats.getByText("These are of the settings before.").waitFor();
      seen.resolve();
      for (const name of ["AVIF", "WEBP", "PNG"]) {
        await formats.getByRole("button", { name: `Take ${name}`, disabled: false }).waitFor();
      }
      // What is taken now is tried out with the settings of now.
      await formats.getByRole("button", { name: "Take WEBP" }).click();
      await page.locator(".take", { hasText: "WEBP" }).waitFor();
      expect(await page.inputValue("#op-resize-width")).toBe("300");
      expect(await page.inputValue("#op-output-format")).toBe("webp");
      await formats.getByRole("button", { name: "Compare" }).click();
      await formats.getByText("These are of the settings before.").waitFor({ state: "detached" });
    }));

  it("marks the format on show, however it came there, and takes its file for what was made of the copy", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      const large = await drawn(page, 2400, 100);
      await page.setInputFiles("#file", { name: "large.png", mimeType: "image/png", buffer: large });
      const formats = page.getByRole("region", { name: "Formats" });
      const marked = formats.locator('tr[aria-current="true"]');
      for (const name of ["JPEG", "WEBP", "AVIF", "JXL", "PNG"]) {
        await formats.getByRole("button", { name: `Take ${name}`, disabled: false }).waitFor();
      }
      expect(await marked.innerText()).toMatch(/^PNG\t(?!≈)/);
      const processAgain = async () => {
        const answer = page.waitForResponse("**/1.0/upload");
        await page.click("#send");
        await answer;
        await page.getByText(/^Done in/).waitFor();
      };
      await processAgain();
      expect(await marked.innerText()).toMatch(/^PNG\t(?!≈)/);
      // Another format alone is what the strip compares.
      await page.selectOption("#op-output-format", "webp");
      await page.getByText("A preview of the changed settings.").waitFor();
      await expect.poll(() => marked.innerText()).toMatch(/^WEBP\t≈ /);
      expect(await formats.getByText("These are of the settings before.").count()).toBe(0);
      await processAgain();
      await expect.poll(() => marked.innerText()).toMatch(/^WEBP\t(?!≈)/);
      // Settings that are those of the strip again make it one of now again.
      await page.fill("#op-resize-width", "300");
      await formats.getByText("These are of the settings before.").waitFor();
      await page.fill("#op-resize-width", "");
      await formats.getByText("These are of the settings before.").waitFor({ state: "detached" });
    }));

  it("draws what the search tried, and says it as a table", () =>
    withPage("/", async (page) => {
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      const search = page.getByRole("region", { name: "How it was found" });
      const chart = search.getByRole("img", { name: /^Bytes against score/ });
      const label = (await chart.getAttribute("aria-label")) ?? "";
      const [, chosen = ""] = /Chosen: ([\d.]+ k?B), /.exec(label) ?? [];
      expect(await search.locator(".hint").first().innerText()).toContain(`JPEG, ${chosen}`);
      const marks = await chart.locator(".probe").count();
      expect(marks).toBeGreaterThan(1);
      await search.getByText("as a table").click();
      const rows = search.getByRole("region", { name: "Renditions" }).locator("tbody tr");
      expect(await rows.count()).toBe(marks + 1);
      expect(await chart.getByText("promised: 75").count()).toBe(1);
    }));

  it("has the search beside the figures where there is room, and the next part at once where one is empty", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      const places = () =>
        page.evaluate<{ above: number; across: number; down: number }>(`(() => {
          const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect();
          const [showcase, facts] = [boxOf(".showcase"), boxOf("#facts")];
          const [table, search] = [boxOf("table.facts"), boxOf(".search-chart")];
          return { above: facts.top - showcase.bottom, across: search.left - table.right, down: search.top - table.bottom };
        })()`);
      const wide = await places();
      expect(wide.across).toBeGreaterThan(0);
      expect(wide.above).toBeLessThan(20);
      await page.setViewportSize({ width: 1000, height: 900 });
      expect((await places()).down).toBeGreaterThan(0);
    }));

  it("cuts off no column of many files on a phone", () =>
    withPage(
      "/",
      async (page) => {
        await page.locator("#op-resize-width").waitFor();
        await page.fill("#op-resize-width", "64");
        const files = ["first.png", "second.png"].map(async (name) => {
          return { name, mimeType: "image/png", buffer: await drawn(page, 400, 300) };
        });
        await page.setInputFiles("#file", await Promise.all(files));
        await page.getByText(/^2 of 2 done/).waitFor();
        const hidden =
          '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".set-table"))';
        expect(await page.evaluate(hidden)).toBe(0);
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it("keeps a field beside its neighbor when it is wrong", () =>
    withPage("/", async (page) => {
      await page.locator("#op-resize-width").waitFor();
      await drop(page, "dropped.jpg");
      await page.getByText(/^Done in/).waitFor();
      await page.fill("#op-resize-width", "0");
      await page.click("#send");
      await page.locator("#op-resize-width-error").waitFor();
      const top = async (id: string) => (await page.locator(id).boundingBox())?.y;
      expect(await top("#op-resize-width")).toBe(await top("#op-resize-height"));
    }));
});
