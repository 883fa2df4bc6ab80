/**
 * Components on a page that a server has rendered: what the client renders first is the same, so the framework takes the
 * `<img>` that is there over and warns of nothing.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { ownTools } from "../support/own-tools.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const CLIENT = join(ROOT, "src", "clients");

const PLACE = { baseURL: "https://darkroom.example.com/i/dl_7Kq2mZxA4bLkP0sV", widths: [320, 640, 1280] };
const PICTURE = { src: "/harbor & sea.jpg", alt: 'The "harbor"', width: 640, height: 480, placeholder: "#3b5a6b" };

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`;

/** A server's and a browser's program of each framework; both give the picture what `given` says. */
interface Programs {
  readonly server: string;
  readonly client: string;
}

const PROGRAMS: Readonly<Record<string, (given: string) => Programs>> = {
  React: (given) => {
    const shared = `import { createElement } from "react";
import { DarkroomImage } from "@darkroom-images/components/react";
const element = createElement(DarkroomImage, ${given});`;
    return {
      server: `import { renderToString } from "react-dom/server";
${shared}
console.log(renderToString(element));`,
      client: `import { hydrateRoot } from "react-dom/client";
${shared}
hydrateRoot(document.getElementById("app"), element);`,
    };
  },
  Vue: (given) => {
    const shared = `import { createSSRApp, h } from "vue";
import { DarkroomImage } from "@darkroom-images/components/vue";
const app = createSSRApp({ render: () => h(DarkroomImage, ${given}) });`;
    return {
      server: `import { renderToString } from "vue/server-renderer";
${shared}
console.log(await renderToString(app));`,
      client: `${shared}
app.mount("#app");`,
    };
  },
  Svelte: (given) => {
    const compiled = (side: string) => `import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "svelte/compiler";
const from = "node_modules/@darkroom-images/components/DarkroomImage.svelte";
const options = { generate: "${side}", dev: true, filename: "DarkroomImage.svelte" };
writeFileSync("${side}.compiled.js", compile(readFileSync(from, "utf8"), options).js.code);`;
    return {
      server: `${compiled("client")}
{
${compiled("server").replaceAll(/^import .*\n/gm, "")}
}
const { render } = await import("svelte/server");
const { default: DarkroomImage } = await import("./server.compiled.js");
console.log(render(DarkroomImage, { props: ${given} }).body);`,
      client: `import { hydrate } from "svelte";
import DarkroomImage from "./client.compiled.js";
hydrate(DarkroomImage, { target: document.getElementById("app"), props: ${given} });`,
    };
  },
};

let project: string;

beforeAll(async () => {
  const tools = await ownTools(join(import.meta.dirname, "..", "components"));
  project = await mkdtemp(join(ROOT, ".wrangler", "hydration-"));
  await cp(tools, project, { recursive: true, verbatimSymlinks: true });
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
  const scope = join(project, "node_modules", "@darkroom-images");
  await mkdir(scope, { recursive: true });
  // As they are installed: the components find the client beside them.
  await cp(CLIENT, join(scope, "client"), {
    recursive: true,
    filter: (path) => !/components|sharp/.test(path.slice(CLIENT.length)),
  });
  await cp(join(CLIENT, "components"), join(scope, "components"), { recursive: true });
}, 180_000);
afterAll(() => rm(project, { recursive: true, force: true }));

/** What the server of a framework renders. */
async function rendered(program: string): Promise<string> {
  await writeFile(join(project, "server.js"), program);
  const env = { ...process.env, NODE_ENV: "development" };
  const { stdout } = await run(process.execPath, ["server.js"], { cwd: project, env });
  return stdout.trim();
}

/** The program of a browser with its framework, which tells all that it finds wrong. */
async function bundled(program: string): Promise<string> {
  await writeFile(join(project, "client.js"), program);
  await build({
    root: project,
    configFile: false,
    logLevel: "error",
    mode: "development",
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true",
    },
    resolve: { conditions: ["browser", "development", "module", "import"] },
    build: {
      lib: { entry: join(project, "client.js"), formats: ["iife"], name: "page", fileName: () => "page.js" },
      outDir: join(project, "dist"),
      minify: false,
    },
  });
  return readFile(join(project, "dist", "page.js"), "utf8");
}

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.connect(inject("browser"));
});
afterAll(() => browser.close());

/**
 * What the console says while a page is taken over, and whether its picture is still the server's.
 * @param isTold whether to wait for a word about a difference
 */
async function takenOver(
  html: string,
  script: string,
  isTold = false,
): Promise<{ warnings: string[]; isSame: boolean }> {
  const page = await browser.newPage();
  try {
    const warnings: string[] = [];
    page.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) warnings.push(message.text());
    });
    page.on("pageerror", (error) => warnings.push(String(error)));
    await page.route("**/*", (route) => route.fulfill({ contentType: "image/svg+xml", body: PIXEL }));
    await page.setContent(`<!doctype html><title>Page</title><div id="app">${html}</div>`);
    await page.evaluate("window.before = document.querySelector('img')");
    await page.addScriptTag({ content: script });
    // Some write it to the console, React throws it.
    if (isTold) await vi.waitUntil(() => /hydrat/i.test(warnings.join()), { timeout: 30_000 });
    // React works in a task of its own.
    await page.waitForFunction("document.querySelector('#app img')");
    await page.evaluate("new Promise((done) => requestIdleCallback(() => setTimeout(done)))");
    const isSame: boolean = await page.evaluate("document.querySelector('img') === window.before");
    return { warnings, isSame };
  } finally {
    await page.close();
  }
}

describe.each(Object.entries(PROGRAMS))("a picture of %s", (_, programs) => {
  it("is taken over as the server made it, and a difference would be told", async () => {
    const { server, client } = programs(JSON.stringify({ ...PICTURE, place: PLACE }));
    const html = await rendered(server);
    const script = await bundled(client);
    expect(await takenOver(html, script)).toEqual({ warnings: [], isSame: true });
    const other = html.replace(/<img\b[^>]*>/, "<p>Something else</p>");
    expect(other).not.toBe(html);
    const told = await takenOver(other, script, true);
    expect(told.isSame).toBe(false);
    expect(told.warnings.join("\n")).toMatch(/hydrat/i);
  });
});
