/**
 * The components, packed and installed into a project with their frameworks, rendered as servers render them: the same
 * `<img>` from each.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { imageAttributes } from "#clients/attributes";

import { ownTools } from "./support/own-tools.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const COMPONENTS = join(ROOT, "src", "clients", "components");
const MAX_BYTES = 6_000;

const PLACE = { baseURL: "https://darkroom.example.com/i/dl_7Kq2mZxA4bLkP0sV", widths: [320, 640, 1280] };
const PICTURE = { src: "/harbor & sea.jpg", alt: 'The "harbor"', width: 640, height: 480, placeholder: "#3b5a6b" };
const OTHERS = { ...PICTURE, priority: true, class: "large", style: "border-radius: 4px" };

let folder: string;
let tarball: string;
/** A project with the frameworks, the client and the components. */
let project: string;

beforeAll(async () => {
  const tools = await ownTools(join(import.meta.dirname, "components"));
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  folder = await mkdtemp(join(ROOT, ".wrangler", "components-"));
  const pack = async (cwd: string) => {
    const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd });
    return join(folder, stdout.trim());
  };
  const client = await pack(join(COMPONENTS, ".."));
  tarball = await pack(COMPONENTS);
  project = join(folder, "project");
  await cp(tools, project, { recursive: true, verbatimSymlinks: true });
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
  for (const [name, file] of [
    ["client", client],
    ["components", tarball],
  ] as const) {
    const target = join(project, "node_modules", "@darkroom-images", name);
    await mkdir(target, { recursive: true });
    await run("tar", ["-xf", file, "-C", target, "--strip-components=1"]);
  }
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program of the project prints. */
async function printed(program: string, name = "show.js"): Promise<string> {
  await writeFile(join(project, name), program);
  const { stdout } = await run(process.execPath, [name], {
    cwd: project,
    env: { ...process.env, NODE_ENV: "production" },
  });
  return stdout;
}

/** The attributes of the only `<img>`, with their characters as they are, and the style by its members. */
function imageOf(html: string): Record<string, unknown> {
  const [tag = ""] = /<img\s[^>]*>/.exec(html) ?? [];
  const pairs = [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => {
    const text = value.replaceAll(/&(?:quot|#34);/g, '"').replaceAll(/&(?:amp|#38);/g, "&");
    return [name.toLowerCase(), text] as const;
  });
  // Svelte's own, for events that come before its script.
  const { style = "", onload: _, onerror: __, ...others } = Object.fromEntries(pairs);
  const styles = style.split(";").map((line) => line.split(":").map((part) => part.trim()));
  return { ...others, style: Object.fromEntries(styles.filter(([name]) => name)) };
}

function expected(): Record<string, unknown> {
  const { srcset, sizes, src } = imageAttributes(PLACE, PICTURE);
  const style = {
    "aspect-ratio": "640 / 480",
    "background-color": "#3b5a6b",
    "border-radius": "4px",
    height: "auto",
    "max-width": "640px",
    "object-fit": "cover",
    width: "100%",
  };
  const eager = { loading: "eager", decoding: "sync", fetchpriority: "high" };
  return { src, srcset, sizes, width: "640", height: "480", alt: PICTURE.alt, class: "large", ...eager, style };
}

/** Frameworks write some values without spaces. */
function spaced(image: Record<string, unknown>): Record<string, unknown> {
  const style = image["style"] as Record<string, string>;
  const ratio = style["aspect-ratio"]?.replace(/\s*\/\s*/, " / ");
  return { ...image, style: { ...style, "aspect-ratio": ratio } };
}

const given = JSON.stringify({ ...OTHERS, place: PLACE });

describe("a picture", () => {
  it("of React", async () => {
    const html = await printed(`import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { DarkroomImage } from "@darkroom-images/components/react";
const { class: className, style, ...props } = ${given};
console.log(renderToStaticMarkup(createElement(DarkroomImage, { ...props, className, style: { borderRadius: "4px" } })));`);
    expect(spaced(imageOf(html))).toEqual(expected());
  });

  it("of Vue", async () => {
    const html = await printed(`import { createSSRApp, h } from "vue";
import { renderToString } from "vue/server-renderer";
import { DarkroomImage } from "@darkroom-images/components/vue";
console.log(await renderToString(createSSRApp({ render: () => h(DarkroomImage, ${given}) })));`);
    expect(spaced(imageOf(html))).toEqual(expected());
  });

  it("of Svelte", async () => {
    const html = await printed(`import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "svelte/compiler";
import { render } from "svelte/server";
const from = "node_modules/@darkroom-images/components/DarkroomImage.svelte";
const { js, warnings } = compile(readFileSync(from, "utf8"), { generate: "server", filename: "DarkroomImage.svelte" });
if (warnings.length > 0) throw new Error(warnings[0].message);
compile(readFileSync(from, "utf8"), { generate: "client", filename: "DarkroomImage.svelte" });
writeFileSync("compiled.js", js.code);
const { default: DarkroomImage } = await import("./compiled.js");
console.log(render(DarkroomImage, { props: ${given} }).body);`);
    expect(spaced(imageOf(html))).toEqual(expected());
  });

  it("of Astro", async () => {
    const site = join(folder, "site");
    await mkdir(join(site, "src", "pages"), { recursive: true });
    await writeFile(join(site, "package.json"), "{}");
    await writeFile(
      join(site, "src", "pages", "index.astro"),
      `---
import DarkroomImage from "@darkroom-images/components/DarkroomImage.astro";
---
<DarkroomImage {...${given}} />`,
    );
    await symlink(join(project, "node_modules"), join(site, "node_modules"));
    const astro = createRequire(join(ROOT, "package.json")).resolve("astro/package.json");
    await run(process.execPath, [join(astro, "..", "bin", "astro.mjs"), "build", "--root", site], {
      env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    });
    expect(spaced(imageOf(await readFile(join(site, "dist", "index.html"), "utf8")))).toEqual(expected());
  }, 120_000);

  it("is typed in each", async () => {
    await writeFile(
      join(project, "use.ts"),
      `import { DarkroomImage as InReact, type DarkroomImageProps as ReactProps } from "@darkroom-images/components/react";
import { DarkroomImage as InVue, type DarkroomImageProps as VueProps } from "@darkroom-images/components/vue";
import InSvelte, { type DarkroomImageProps as SvelteProps } from "@darkroom-images/components/DarkroomImage.svelte";
import { h } from "vue";
const place = { baseURL: "https://darkroom.example.com/i/dl_1", widths: [320] };
const picture = { place, src: "/a.jpg", alt: "", width: 1, height: 1 };
const all: [ReactProps, VueProps, SvelteProps] = [{ ...picture, className: "a" }, picture, { ...picture, class: "a" }];
h(InVue, { ...picture, class: "a" });
// @ts-expect-error -- a width is a number
const wrong: [ReactProps] = [{ ...picture, width: "1" }];
// @ts-expect-error -- no layout has this name
const other: [SvelteProps] = [{ ...picture, layout: "wide" }];
export { all, InReact, InSvelte, other, wrong };
`,
    );
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom,dom.iterable",
    ];
    const tsc = join(ROOT, "node_modules", ".bin", "tsc");
    const react = pathToFileURL(join(ROOT, "node_modules", "@types", "react")).pathname;
    await mkdir(join(project, "node_modules", "@types"), { recursive: true });
    await symlink(react, join(project, "node_modules", "@types", "react"));
    await run(tsc, [...options, "--types", "", "--module", "esnext", "--moduleResolution", "bundler", "use.ts"], {
      cwd: project,
    }).catch((error: { stdout?: string }) => expect.unreachable(error.stdout));
  });
});

describe("the package", () => {
  it("is small, and one by the rules of publint", async () => {
    const bytes = await readFile(tarball);
    expect(bytes.length).toBeLessThan(MAX_BYTES);
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
    const others = messages.filter(({ code }) => code !== "USE_TYPE" && code !== ("PKG_REPOSITORY_MISSING" as never));
    expect(others.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("has types that fit its modules", async () => {
    const packed = createPackageFromTarballData(new Uint8Array(await readFile(tarball)));
    const result = await checkPackage(packed, { excludeEntrypoints: [/\.(?:astro|svelte)$/] });
    if (!result.types) throw new Error("The package has no types");
    const problems = result.problems.filter(
      (problem) =>
        problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    );
    expect(problems).toEqual([]);
  });
});
