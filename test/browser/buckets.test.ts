/** The page of buckets in a browser: a batch is estimated, begun, paused, resumed and seen to its end. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { S3_KEYS } from "../support/stores/accounts.ts";
import { putObject } from "../support/stores/put-object.ts";
import { s3 } from "../support/stores/s3.ts";
import { serve } from "../support/stores/server.ts";
import { BASE, useBrowser, withPage } from "./page.ts";

const SAMPLE = join(import.meta.dirname, "..", "..", "src", "playground", "sample.jpg");
const REGION = "eu-central-1";
const OBJECTS = 60;

let store: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  store = await serve(s3(REGION));
  const photo = Uint8Array.from(await readFile(SAMPLE));
  for (let n = 0; n < OBJECTS; n += 1) {
    // One of them is damaged.
    const bytes = n === 7 ? photo.slice(0, 60) : photo;
    const to = { url: store.url, region: REGION, bucket: "shop" };
    await putObject({ ...to, key: `uploads/${n}.jpg`, bytes, type: "image/jpeg" });
  }
  if (inject("browser") === "") return;
  const headers = { authorization: "Bearer demo", "content-type": "application/json" };
  const members = { name: "Shop", provider: "s3", ...S3_KEYS, endpoint: store.url, region: REGION, bucket: "shop" };
  const answer = await fetch(`${BASE}/1.0/connectors`, { method: "POST", headers, body: JSON.stringify(members) });
  expect(answer.status).toBe(201);
});
afterAll(() => store.close());

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");

describe.skipIf(inject("browser") === "")("the page of buckets", () => {
  useBrowser();

  it("estimates a batch, begins it, and shows it as it goes, all by keyboard", () =>
    withPage("/#buckets", async (page) => {
      await page.getByLabel("Names begin with").first().fill("uploads/");
      await page.getByLabel("Request, as JSON").fill('{"resize": {"width": 64}}');
      await page.getByRole("button", { name: "Estimate" }).press("Enter");
      await page.getByRole("heading", { name: "Estimate", exact: true }).waitFor();
      expect(await focused(page)).toBe("Estimate");
      const estimate = page.getByLabel("Estimate", { exact: true });
      expect(await estimate.innerText()).toMatch(new RegExp(`Credits\\s+${OBJECTS}\\s+at most`));
      await page.getByText(`Rests on a list of ${OBJECTS} and a trial of 12 objects`).waitFor();

      await page.getByRole("button", { name: "Begin Shop/uploads/, in place" }).press("Enter");
      await page.getByRole("button", { name: "Really? Begin Shop/uploads/, in place" }).press("Enter");
      const batch = page.getByRole("region", { name: "Shop/uploads/, in place", exact: true });
      await batch.waitFor();
      await expect.poll(() => focused(page)).toBe("Shop/uploads/, in place");
      await batch.getByRole("button", { name: "Pause Shop/uploads/, in place" }).press("Enter");
      const resume = batch.getByRole("button", { name: "Resume Shop/uploads/, in place" });
      await resume.waitFor();
      expect(await batch.getByText("paused", { exact: true }).count()).toBe(1);
      expect(await focused(page)).toBe("Resume");
      await resume.press("Enter");
      await batch.getByText("done", { exact: true }).waitFor({ timeout: 240_000 });
      await page
        .getByRole("status")
        .filter({ hasText: "Shop/uploads/, in place: done" })
        .waitFor({ state: "attached" });
      expect(await batch.innerText()).toMatch(new RegExp(`Done\\s+${OBJECTS - 1}`));
      await batch.getByText("Last failures").press("Enter");
      await batch.getByText("uploads/7.jpg").waitFor();
      expect(await batch.getByRole("button", { name: /^(?:Pause|Resume|Cancel)/ }).count()).toBe(0);

      await page.reload();
      await page.getByRole("region", { name: "Estimate of Shop/uploads/, in place" }).waitFor();
      await batch.getByText("done", { exact: true }).waitFor();
    }));

  it("says what is wrong with a request, and leaves the form as it was", () =>
    withPage("/#buckets", async (page) => {
      await page.getByLabel("Request, as JSON").fill('{"resize": {"width": 0}}');
      await page.getByRole("button", { name: "Estimate" }).click();
      await page.getByRole("alert").filter({ hasText: "resize.width must be" }).waitFor();
      await page.getByLabel("Request, as JSON").fill("{");
      await page.getByRole("button", { name: "Estimate" }).click();
      await page.getByRole("alert").filter({ hasText: "The request is no JSON." }).waitFor();
      expect(await page.getByLabel("Request, as JSON").inputValue()).toBe("{");
    }));
});
