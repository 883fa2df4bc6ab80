/** WCAG 2.2 AA, as far as a program can tell: contrast, names, roles, states, in both color schemes and at both widths. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";

import { BASE, unfold, useBrowser, withPage } from "./page.ts";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MACAW = join(import.meta.dirname, "..", "fixtures", "score", "macaw.png");
const SAMPLE = `${BASE}/sample.jpg`;
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What breaks a rule: the rule, the element, and why. */
async function violations(page: Page): Promise<string[]> {
  // What lies under a sticky bar is scrolled from there: a test of its own holds that.
  await page.evaluate(
    `document.querySelectorAll(".bar, .actions, #take").forEach((bar) => { bar.style.position = "static"; })`,
  );
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run(document, { runOnly: ${JSON.stringify(STANDARDS)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`);
}

const VIEWPORTS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

/** Run in the page: what has the focus, and why that cannot be seen. */
const FOCUS = `(() => {
  const one = document.activeElement;
  if (one === document.body) return { name: "", lost: "" };
  const name = one.id || one.textContent || one.outerHTML;
  const shown = one.closest(".visually-hidden, .skip") ? one.closest(".drop") ?? one.labels?.[0] ?? one : one;
  const { left, top, width, height } = shown.getBoundingClientRect();
  const there = document.elementFromPoint(left + Math.min(width / 2, 40), top + Math.min(height / 2, 40));
  const seen = there !== null && (shown.contains(there) || there.contains(shown));
  const marked = getComputedStyle(shown).outlineStyle !== "none" || shown.matches("main");
  return { name, lost: !seen ? "hidden: " + one.outerHTML : marked ? "" : "not marked: " + one.outerHTML };
})()`;

/**
 * Run in the page: what can be hit and is smaller than a finger. Links in the midst of a text, and headings that are links to
 * themselves, are as high as their lines; a label belongs to its control; the divider is moved from anywhere on the picture.
 */
const SMALL_TARGETS = `[...document.querySelectorAll("button, a[href], input, select, textarea, summary")]
  .filter((one) => !one.closest("p, li, td, h2, h3, figure, .skip, .visually-hidden, .stage, .prose > nav"))
  .filter((one) => one.checkVisibility({ checkVisibilityCSS: true }))
  .filter((one) => [one, ...one.labels ?? []].every((part) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && Math.min(width, height) < 43.5;
  }))
  .map((one) => one.outerHTML.slice(0, 200))`;

const open = async (page: Page): Promise<void> => {
  await page.locator(":is(.job, .card, .endpoint, .prose):visible").first().waitFor();
};

/** States of the pages, each reached as a person would. */
const STATES: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ["the playground", "/", open],
  [
    "the playground with everything unfolded",
    "/",
    async (page) => {
      await open(page);
      await page.evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = true; })`);
    },
  ],
  [
    "a result compared in several formats",
    "/",
    async (page) => {
      await open(page);
      await page.fill("#op-resize-width", "200");
      await page.click("#try-sample");
      await page.getByRole("button", { name: "Take PNG", disabled: false }).waitFor();
      await page.getByRole("button", { name: "Take WEBP" }).click();
      await page.getByRole("region", { name: "In this tab" }).waitFor();
      await page.locator("#answer > summary").click();
    },
  ],
  [
    "what a search tried, as a table",
    "/",
    async (page) => {
      await open(page);
      await page.setInputFiles("#file", MACAW);
      await page.getByText(/^Done in/).waitFor();
      await page.getByText("as a table").click();
    },
  ],
  [
    "the files of a srcset",
    "/",
    async (page) => {
      await open(page);
      await unfold(page, "op-srcset");
      await page.getByLabel("Widths", { exact: true }).fill("160, 320");
      await page.getByLabel("jpeg", { exact: true }).check();
      await page.getByLabel("webp", { exact: true }).check();
      await page.click("#try-sample");
      await page.getByText(/this browser takes \d+\.webp/).waitFor();
    },
  ],
  [
    "a cut on the picture",
    "/",
    async (page) => {
      await open(page);
      await page.setInputFiles("#file", MACAW);
      await page.getByText(/^Done in/).waitFor();
      await page.getByRole("group", { name: "On the picture" }).getByRole("button", { name: "Crop" }).click();
      await page.getByText("what stands out most").waitFor();
    },
  ],
  [
    "many files",
    "/",
    async (page) => {
      await open(page);
      await page.fill("#op-resize-width", "64");
      await page.setInputFiles("#file", [MACAW, import.meta.filename]);
      await page.getByText(/^1 of 2 done.+; 1 failed/).waitFor();
    },
  ],
  [
    "an error",
    "/",
    async (page) => {
      await open(page);
      await page.setInputFiles("#file", MACAW);
      await page.fill("#op-resize-width", "0");
      await page.click("#send");
      await page.getByRole("alert").filter({ hasText: "422" }).waitFor();
    },
  ],
  [
    "the deliveries",
    "/#deliveries",
    async (page) => {
      await open(page);
      const making = page.getByRole("region", { name: "Make a delivery" });
      await making.getByLabel("Name", { exact: true }).first().fill("Axe");
      await making.getByLabel("Addresses begin with").fill("https://www.example.com/");
      await making.getByRole("button", { name: "Add a preset" }).click();
      await making.getByLabel("Name", { exact: true }).last().fill("card");
      await making.getByLabel("Unsigned addresses may use").selectOption("list");
      await making.getByRole("button", { name: "Make the delivery" }).click();
      await page.getByRole("heading", { name: "Signing keys of Axe" }).waitFor();
      await page.evaluate(`document.querySelectorAll(".card details").forEach((one) => { one.open = true; })`);
      const demo = page.getByRole("region", { name: "Demo demo" });
      await demo.getByLabel("Original", { exact: true }).fill(SAMPLE);
      await demo.getByRole("button", { name: "Show it" }).click();
      await demo.getByRole("img").waitFor();
    },
  ],
  ["the buckets", "/#buckets", open],
  [
    "the account",
    "/#account",
    async (page) => {
      await open(page);
      await page.getByText("By day and key").click();
    },
  ],
  [
    "the documentation, while it is searched",
    "/docs",
    async (page) => {
      await open(page);
      await page.getByRole("searchbox").fill("cache");
      await page.locator(".found a").first().waitFor();
    },
  ],
  ["a page with tables and programs", "/docs/delivery", open],
  ["a page with pictures", "/docs/operations", open],
  [
    "the reference",
    "/docs/reference",
    async (page) => {
      await open(page);
      await page.evaluate(`document.querySelectorAll("#uploadImage details").forEach((one) => { one.open = true; })`);
    },
  ],
];

describe.skipIf(inject("browser") === "")("the pages are accessible", () => {
  useBrowser();

  it.each(["/", "/#deliveries", "/#buckets", "/#account", "/docs", "/docs/delivery", "/docs/reference"])(
    "%s shows where the focus is, wherever the tab key goes",
    async (path) => {
      for (const viewport of VIEWPORTS) {
        await withPage(
          path,
          async (page) => {
            await open(page);
            const visited = new Set<string>();
            for (let steps = 0; steps < 150; steps += 1) {
              await page.keyboard.press("Tab");
              const { name, lost } = await page.evaluate<{ name: string; lost: string }>(FOCUS);
              expect(lost).toBe("");
              visited.add(name);
              if (name === "") break;
            }
            expect(visited.size).toBeGreaterThan(9);
          },
          { viewport },
        );
      }
    },
  );

  it.each(["/", "/#deliveries", "/#buckets", "/#account", "/docs", "/docs/operations"])(
    "%s has room for fingers on a phone: what they are meant to hit is 44 pixels high and wide",
    (path) =>
      withPage(
        path,
        async (page) => {
          await open(page);
          if (path === "/") {
            await page.setInputFiles("#file", MACAW);
            await page.getByText(/^Done in/).waitFor();
          }
          await page.evaluate(`document.querySelectorAll("details").forEach((one) => { one.open = true; })`);
          expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
        },
        { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
      ),
  );

  it("moves nothing for whoever wants no motion", () =>
    withPage(
      "/",
      async (page) => {
        await open(page);
        const moving = await page.evaluate<string[]>(`[...document.querySelectorAll("*")]
          .filter((one) => { const { transitionDuration, animationName } = getComputedStyle(one);
            return transitionDuration !== "0s" || animationName !== "none"; })
          .map((one) => one.outerHTML)`);
        expect(moving).toEqual([]);
      },
      { reducedMotion: "reduce" },
    ));

  it("says what happens, and names what can be moved", () =>
    withPage("/", async (page) => {
      await open(page);
      await page.setInputFiles("#file", MACAW);
      const status = page.getByRole("status").first();
      await page.click("#send");
      await page.getByText(/^Done in/).waitFor();
      expect(await status.getAttribute("aria-live")).toBe("polite");
      const slider = page.getByRole("slider", { name: "Divider between original and result" });
      await slider.focus();
      for (const [pressed, text] of [
        ["End", "100 % original"],
        ["Home", "0 % original"],
        ["ArrowRight", "1 % original"],
        ["PageUp", "11 % original"],
      ] as const) {
        await slider.press(pressed);
        expect(await slider.getAttribute("aria-valuetext")).toBe(text);
      }
      const tab = page.getByRole("tab", { name: "curl" });
      await tab.focus();
      await tab.press("End");
      expect(await page.getByRole("tabpanel").innerText()).toContain("<img");
      expect(await page.getByRole("tab", { name: "HTML" }).getAttribute("aria-selected")).toBe("true");
      const pair = page.getByRole("button", { name: "Side by side" });
      await pair.focus();
      await pair.press("Enter");
      expect(await pair.getAttribute("aria-pressed")).toBe("true");
      expect(await page.getByRole("img", { name: "The original" }).count()).toBe(1);
    }));

  it("can be saved to and deleted from without a pointer", () =>
    withPage("/#account", async (page) => {
      await open(page);
      const chooser = page.waitForEvent("filechooser");
      await page.locator("#watermark-file").focus();
      await page.keyboard.press("Enter");
      await (await chooser).setFiles(MACAW);
      const remove = page.getByRole("button", { name: "Delete macaw.png" });
      await remove.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Really? Delete macaw.png" }).press("Enter");
      await page.getByText("Watermark deleted.").waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("card-watermarks");
    }));

  describe.each(VIEWPORTS)("in $width × $height", (viewport) => {
    it.each(STATES)("%s, light and dark", async (_name, path, reach) => {
      // Without motion no color is on its way to another when it is looked at.
      const options = { viewport, reducedMotion: "reduce" } as const;
      await withPage(
        path,
        async (page) => {
          await reach(page);
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme });
            expect(await page.evaluate(`matchMedia("(prefers-color-scheme: ${colorScheme})").matches`)).toBe(true);
            expect(await violations(page)).toEqual([]);
          }
        },
        options,
      );
    });
  });
});
