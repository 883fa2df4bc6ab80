/** Films where they end up: a browser plays them to their end, in a page and by their own address, in the right colors. */
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { BASE, process, useBrowser, withPage } from "./page.ts";

/** Odd, since the chroma of a film has half of them. */
const [WIDTH, HEIGHT] = [123, 81];
const COLORS = [
  [200, 40, 40],
  [40, 170, 60],
  [50, 70, 210],
] as const;
const DELAYS = [100, 400, 200];
/** Levels by which a color may be off, a channel. */
const NEAR = 8;

/** An animation whose frames are of one color each. */
async function animation(): Promise<Uint8Array<ArrayBuffer>> {
  const frames = COLORS.map(([r, g, b]) =>
    sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: { r, g, b } } })
      .png()
      .toBuffer(),
  );
  const joined = sharp(await Promise.all(frames), { join: { animated: true } });
  return new Uint8Array(await joined.gif({ delay: DELAYS, loop: 0 }).toBuffer());
}

async function asked(data: object): Promise<Response> {
  const body = new FormData();
  body.set("file", new File([await animation()], "colors.gif"));
  body.set("data", JSON.stringify({ output: { format: "mp4" }, ...data }));
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  return fetch(`${BASE}/1.0/upload`, { method: "POST", headers, body });
}

/** What runs in the page: the rest of an expression whose value is a promise. */
const happened = (event: string): string => `new Promise((resolve, reject) => {
  const video = document.querySelector("video");
  video.addEventListener("${event}", resolve, { once: true });
  video.addEventListener("error", () => reject(new Error(video.error.message)), { once: true });
})`;
const LOADED = `document.querySelector("video").readyState < 1 && ${happened("loadedmetadata")}`;
const FACTS = `(() => {
  const { videoWidth, videoHeight, duration } = document.querySelector("video");
  return { width: videoWidth, height: videoHeight, seconds: duration };
})()`;
const sought = (moment: number): string => `(() => {
  const seeked = ${happened("seeked")};
  document.querySelector("video").currentTime = ${moment};
  return seeked;
})()`;
const PLAYED = `(() => {
  const ended = ${happened("ended")};
  return document.querySelector("video").play().then(() => ended);
})()`;
const MIDDLE = `(() => {
  const video = document.querySelector("video");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  return [...context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data.slice(0, 3)];
})()`;

/** The page shows the color, at once or soon: a busy machine says that a moment is reached before its frame is drawn. */
async function expectShown(page: Page, color: readonly number[]): Promise<void> {
  const error = async () => {
    const shown = await page.evaluate<readonly number[]>(MIDDLE);
    return Math.max(...color.map((level, channel) => Math.abs((shown[channel] ?? 999) - level)));
  };
  await expect.poll(error, { timeout: 10_000 }).toBeLessThanOrEqual(NEAR);
}

describe.skipIf(inject("browser") === "")("a film", () => {
  let browser: Browser;
  let tab: Page;
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
    tab = await browser.newPage();
  });
  afterAll(() => browser.close());

  it("is played to its end, and shows the frame of every moment", async () => {
    const answer = await asked({ response: { mode: "binary" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    const film = Buffer.from(await answer.arrayBuffer()).toString("base64");
    await tab.setContent(`<!doctype html><video muted src="data:video/mp4;base64,${film}"></video>`);
    await tab.evaluate(LOADED);
    expect(await tab.evaluate(FACTS)).toEqual({ width: WIDTH, height: HEIGHT, seconds: 0.7 });
    for (const [moment, color] of [
      [0.05, COLORS[0]],
      [0.3, COLORS[1]],
      [0.6, COLORS[2]],
    ] as const) {
      await tab.evaluate(sought(moment));
      await expectShown(tab, color);
    }
    await tab.evaluate(sought(0));
    await tab.evaluate(PLAYED);
    await expectShown(tab, COLORS[2]);
  });

  it("is shown when its address is opened by itself", async () => {
    const { output } = (await (await asked({})).json()) as { readonly output: { readonly url: string } };
    await tab.goto(output.url);
    await expect.poll(() => tab.evaluate<number>("document.querySelector('video')?.videoWidth ?? 0")).toBe(WIDTH);
  });
});

describe.skipIf(inject("browser") === "")("a film on the playground", () => {
  useBrowser();

  it("plays beside its original, without a sound, and stands still for who wants no motion", async () => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await withPage(
        "/",
        async (page) => {
          await page.setInputFiles("#file", {
            name: "colors.gif",
            mimeType: "image/gif",
            buffer: Buffer.from(await animation()),
          });
          await page.selectOption("#op-output-format", "mp4");
          await process(page);
          const film = page.locator(".stage > video.result");
          await film.waitFor();
          expect(await film.getAttribute("aria-label")).toBe("The result");
          const state = await page.evaluate<unknown>(`(() => {
            const { muted, paused, videoWidth } = document.querySelector(".stage > video");
            return { muted, paused, width: videoWidth };
          })()`);
          expect(state).toEqual({ muted: true, paused: reducedMotion === "reduce", width: WIDTH });
          expect(await page.locator(".stage > img.original").count()).toBe(1);
          expect(await page.getByRole("button", { name: "Show it as PNG" }).count()).toBe(0);
        },
        { reducedMotion },
      );
    }
  });
});
