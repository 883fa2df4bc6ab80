/**
 * What somebody waits for in the playground: `PHOTOS=a.jpg npm run bench -- playground`. From a photograph to its picture on
 * the screen, and from a control to its preview, until the browser has painted, by the clock of the page. What the runtime
 * of the service computes meanwhile stands beside it: a busy machine stretches the first much, and the second little.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";

import { LOCAL_DEFAULTS, startLocal } from "../../src/cli/local.ts";
import { findChromium, FLAGS } from "../browser/chromium.ts";
import { given, NotGiven } from "./given.ts";
import { runtimeSeconds } from "./runtime-process.ts";

const ROUNDS = 7;
/** For what goes on after a preview: the comparison of formats, which the next one stops. */
const REST_MS = 1_500;
const MOST_MS = 300_000;

/** Run in the page: does something, and tells after how many milliseconds another picture of this place was painted. */
const until = (selector: string, doing: string) => `(async () => {
  const place = document.querySelector("#compare");
  const before = place.querySelector(${JSON.stringify(selector)});
  const isThere = () => ![before, null].includes(place.querySelector(${JSON.stringify(selector)}));
  const startedAt = performance.now();
  const painted = new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (!isThere()) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
    });
    watch.observe(place, { childList: true, subtree: true });
  });
  ${doing}
  return painted;
})()`;

const input = (selector: string, value: number) => `
  const control = document.querySelector(${JSON.stringify(selector)});
  control.value = "${value}";
  control.dispatchEvent(new Event("input", { bubbles: true }));`;

/** What is done to a control, by the number of the round: each value is another one than that before. */
const CONTROLS: Readonly<Record<string, (round: number) => string>> = {
  "the dial": (round) => input("#dial", [0, 3, 1, 2][round % 4] ?? 0),
  "a typed width": (round) => input("#op-resize-width", 1000 + 10 * round),
  "a slider": (round) => input("#job-look input[type=range]", 5 + round),
};

const DROP = `
  const files = document.querySelector("#file");
  const transfer = new DataTransfer();
  transfer.items.add(new File([window.photograph], "photograph", { type: window.photograph.type }));
  files.files = transfer.files;
  files.dispatchEvent(new Event("change", { bubbles: true }));`;

const median = (all: readonly number[]) => all.toSorted((one, other) => one - other)[all.length >> 1] ?? NaN;

function line(name: string, times: readonly number[], computed: readonly number[]): string {
  const figures = [median(times), Math.min(...times), Math.max(...times), median(computed)];
  return `${name.padEnd(30)} ${figures.map((one) => one.toFixed(0).padStart(8)).join(" ")}`;
}

/** The times of some rounds, each after a rest, and what the runtime computed in them. */
async function measured(page: Page, script: (round: number) => string, before?: () => Promise<void>) {
  const [times, computed]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    await before?.();
    await page.waitForTimeout(REST_MS);
    const began = await runtimeSeconds();
    times.push(await page.evaluate<number>(script(round)));
    computed.push(((await runtimeSeconds()) - began) * 1000);
  }
  return [times, computed] as const;
}

async function measure(browser: Browser, base: URL, photo: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(MOST_MS);
  const open = async () => {
    await page.goto(base.href);
    await page.locator("#op-resize-width").waitFor();
    // The file is in the page before the clock starts: what is measured begins with the drop.
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", '<input id="bench" type="file" hidden>')`);
    await page.setInputFiles("#bench", photo);
    await page.evaluate(`(async () => {
      const [file] = document.querySelector("#bench").files;
      window.photograph = new Blob([await file.arrayBuffer()], { type: file.type });
    })()`);
  };
  console.log(`${basename(photo).padEnd(30)}   median     least     most  runtime, in ms`);
  console.log(line("dropped, until it is seen", ...(await measured(page, () => until(".stage > img", DROP), open))));
  await page.getByText(/^Done in/).waitFor();
  for (const [name, doing] of Object.entries(CONTROLS)) {
    const script = (round: number) => until(".stage > img:nth-of-type(2)", doing(round));
    console.log(line(`${name}, until its preview`, ...(await measured(page, script))));
  }
  await page.close();
}

export async function main(): Promise<void> {
  const photos = given("PHOTOS");
  const found = await findChromium();
  if ("missing" in found) throw new NotGiven(`Chromium: ${found.missing}`);
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: LOCAL_DEFAULTS, quiet: true });
  const browser = await chromium.launch({ executablePath: found.path, args: FLAGS });
  try {
    for (const photo of photos) await measure(browser, service.url, photo);
  } finally {
    await browser.close();
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}
