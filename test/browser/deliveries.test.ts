/** The page of deliveries in a browser: made, looked at, signed for, changed, purged and deleted. */
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { useBrowser, withPage } from "./page.ts";

const SAMPLE = join(import.meta.dirname, "..", "..", "src", "playground", "sample.jpg");
const PAIR = /^[\da-f]{64}$/;

let origin: Server;
let prefix = "";

beforeAll(async () => {
  const bytes = await readFile(SAMPLE);
  origin = createServer((_, response) => response.writeHead(200, { "content-type": "image/jpeg" }).end(bytes));
  await new Promise<void>((listening) => origin.listen(0, "127.0.0.1", listening));
  prefix = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/pictures/`;
});
afterAll(() => origin.close());

const cardOf = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name}( dl_\\w+)?$`) });

/** Makes a delivery as a person would; the panel of its keys is open then. */
async function make(page: Page, name: string, more: (form: ReturnType<typeof cardOf>) => Promise<void>): Promise<void> {
  const form = cardOf(page, "Make a delivery");
  await form.getByLabel("Name", { exact: true }).first().fill(name);
  await form.getByLabel("Addresses begin with").fill(prefix);
  await more(form);
  await form.getByRole("button", { name: "Make the delivery" }).click();
  await cardOf(page, `Signing keys of ${name}`).waitFor();
}

describe.skipIf(inject("browser") === "")("the page of deliveries", () => {
  useBrowser();

  it("makes one, shows its keys once, and what its addresses show and cost", () =>
    withPage("/#deliveries", async (page) => {
      await make(page, "Shop", async (form) => {
        await form.getByRole("button", { name: "Add a preset" }).click();
        const preset = form.getByRole("group", { name: "Preset 1" });
        await preset.getByLabel("Name").fill("card");
        await preset.getByLabel("Request, as JSON").fill('{"resize": {"width": 120}}');
        await form.getByLabel("Unsigned addresses may use").selectOption("list");
        await form.getByLabel("Widths").fill("64, 96");
      });
      const keys = cardOf(page, "Signing keys of Shop");
      for (const text of await keys.locator("code").allInnerTexts()) expect(text).toMatch(PAIR);
      await keys.getByRole("button", { name: "Copy Key" }).click();
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(PAIR);
      await keys.getByRole("button", { name: "I have copied them" }).click();
      await keys.waitFor({ state: "detached" });

      const shop = cardOf(page, "Shop");
      await shop.getByLabel("Original", { exact: true }).fill(`${prefix}harbor.jpg`);
      await shop.getByLabel("Width", { exact: true }).fill("96");
      await shop.getByRole("button", { name: "Copy the address" }).click();
      const address = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(address).toMatch(/\/i\/dl_\w{16}\/width=96\/http:\/\/127\.0\.0\.1:\d+\/pictures\/harbor\.jpg$/);
      await shop.getByRole("button", { name: "Show it" }).click();
      await shop.getByText(/^The draft, made just now; the final follows: \w+, 96 × 64, [\d.]+ k?B/).waitFor();
      await shop.getByRole("img", { name: "What the address shows" }).waitFor();
      expect(await page.evaluate("document.querySelector('.preview img').naturalWidth")).toBe(96);

      await shop.getByLabel("Width", { exact: true }).fill("");
      await shop.getByLabel("Preset", { exact: true }).selectOption("card");
      await shop.getByRole("button", { name: "Show it" }).click();
      await shop.getByText(/120 × 80/).waitFor();

      await shop.getByLabel("Preset", { exact: true }).selectOption("");
      await shop.getByLabel("Other options").fill("blur=3");
      await shop.getByRole("button", { name: "Show it" }).click();
      await page.getByRole("alert").filter({ hasText: "403 This address is not allowed" }).waitFor();
      await shop.getByRole("button", { name: "Sign it" }).click();
      await shop.getByText(/blur=3,sig=/).waitFor();
      await shop.getByRole("button", { name: "Show it" }).click();
      await shop.getByText(/768 × 512/).waitFor();

      await page.reload();
      expect(await shop.locator(".figures").innerText()).toMatch(/Drafts made\s+3\s+free/);
      expect(await page.getByText(PAIR).count()).toBe(0);
    }));

  it("signs by itself where every address is signed, and after new keys too", () =>
    withPage("/#deliveries", async (page) => {
      await make(page, "Vault", async () => undefined);
      const before = await cardOf(page, "Signing keys of Vault").locator("code").first().innerText();
      const vault = cardOf(page, "Vault");
      await vault.getByLabel("Original", { exact: true }).fill("a b.jpg");
      await vault.getByLabel("Width", { exact: true }).fill("50");
      await vault.getByRole("button", { name: "Show it" }).click();
      await vault.getByText(/50 × 33/).waitFor();
      const address = await vault.getByRole("region", { name: /^Address of/ }).innerText();
      expect(address).toMatch(/width=50,sig=[\w-]{43}\/a%20b\.jpg$/);
      await vault.getByRole("button", { name: "New signing keys of Vault" }).click();
      await vault.getByRole("button", { name: "Really? New signing keys of Vault" }).click();
      const keys = cardOf(page, "Signing keys of Vault").filter({ hasText: "are valid until" });
      await keys.waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("signing-title");
      expect(await keys.locator("code").first().innerText()).not.toBe(before);
      // What the pair before signed is still good.
      expect((await fetch(address)).status).toBe(200);
    }));

  it("changes one, purges it, and deletes it", () =>
    withPage("/#deliveries", async (page) => {
      await make(page, "Old", async (form) => {
        await form.getByLabel("Unsigned addresses may use").selectOption("presets");
      });
      const old = cardOf(page, "Old");
      await old.getByText("Sources, presets and rules").click();
      await old.getByLabel("Name", { exact: true }).first().fill("New");
      await old.getByRole("button", { name: "Add a preset" }).click();
      await old.getByLabel("Request, as JSON").fill("{");
      await old.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").filter({ hasText: "is not JSON" }).waitFor();
      await old.getByRole("button", { name: "Remove preset 1" }).click();
      await old.getByRole("button", { name: "Save" }).click();
      const changed = cardOf(page, "New");
      await changed.waitFor();
      await changed.getByLabel(/^Forget the results/).fill("https://elsewhere.example/a.jpg");
      await changed.getByRole("button", { name: "Purge results of New" }).click();
      await changed.getByRole("button", { name: "Really? Purge results of New" }).click();
      await page.getByRole("alert").filter({ hasText: "source must be one of the delivery's sources" }).waitFor();
      await changed.getByLabel(/^Forget the results/).fill("a.jpg");
      await changed.getByRole("button", { name: "Purge results of New" }).click();
      await changed.getByRole("button", { name: "Really? Purge results of New" }).click();
      await page.getByText("Results are being forgotten.").waitFor();
      await changed.getByRole("button", { name: "Delete New" }).click();
      await changed.getByRole("button", { name: "Really? Delete New" }).click();
      await changed.waitFor({ state: "detached" });
    }));

  it("takes what the playground is set to as a preset", () =>
    withPage("/", async (page) => {
      await page.fill("#op-resize-width", "77");
      await page.getByRole("link", { name: "Deliveries" }).click();
      const form = cardOf(page, "Make a delivery");
      await form.getByRole("button", { name: "Add what the playground is set to" }).click();
      expect(JSON.parse(await form.getByLabel("Request, as JSON").inputValue())).toEqual({ resize: { width: 77 } });
    }));
});
