/** A page of the service under watch: whatever it asks of another host, or complains about, fails the test. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject } from "vitest";

export const BASE = inject("base");

let browser: Browser;

/** Connects to the browser for the tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
  });
  afterAll(() => browser.close());
}

/**
 * Opens a page, works with it, and closes it.
 * @param base where it is: a page of another host may ask this service
 */
export async function withPage(
  path: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
  base = BASE,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints: string[] = [];
  try {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: BASE });
    const page = await context.newPage();
    // Each picture takes a second alone, and many times that on a machine that does other things as well.
    page.setDefaultTimeout(90_000);
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (origin !== BASE && origin !== base && !["blob:", "data:"].includes(protocol))
        complaints.push(`asked ${request.url()}`);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // An answer that is no success is written to the console by the browser itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        complaints.push(message.text());
    });
    await page.goto(base + path);
    await work(page);
  } finally {
    await context.close();
  }
  expect(complaints).toEqual([]);
}

/** Drops the sample on the playground, which begins with it at once. */
export async function drop(page: Page, name: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`fetch("/sample.jpg").then(async (answer) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([await answer.blob()], "${name}", { type: "image/jpeg" }));
    return transfer;
  })`);
  await page.dispatchEvent("#drop", "drop", { dataTransfer });
}

/** A picture of one rectangle in another, as PNG. */
export async function drawn(page: Page, width: number, height: number): Promise<Buffer> {
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

/** Asks for the file, and waits for it. */
export async function process(page: Page): Promise<void> {
  await page.click("#send");
  await page.getByText(/^Done in/).waitFor();
}

/** Opens the group of fields with this id, and what it is folded in. */
export async function unfold(page: Page, id: string): Promise<void> {
  await page.locator(`#${id}`).waitFor({ state: "attached" });
  const folds = page.locator(`details:has(#${id}), #${id}`);
  for (let index = 0; index < (await folds.count()); index += 1) {
    const fold = folds.nth(index);
    if ((await fold.getAttribute("open")) === null) await fold.locator("> summary").click();
  }
}
