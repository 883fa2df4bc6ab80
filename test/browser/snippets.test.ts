/** What the documentation and the playground give to be copied, run before the service or read by the compiler. */
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { transform } from "esbuild";
import { beforeAll, describe, expect, inject, it } from "vitest";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { placed, type Places, programOf, withFiles } from "../support/page-programs.ts";
import { BASE } from "./page.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const SAMPLE = join(ROOT, "src", "playground", "sample.jpg");
const TSC = join(ROOT, "node_modules", ".bin", "tsc");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

interface Snippets {
  readonly programs: (request: object) => readonly (readonly [language: string, program: string])[];
}

const { programs }: Snippets = await import(join(ROOT, "src", "playground", "snippets.js"));

/** How a program of the playground is run, and what has to be there for that. */
const RUNS = {
  curl: { end: "sh", start: ["bash"], needs: ["curl", "--version"] },
  JavaScript: { end: "mjs", start: [process.execPath], needs: [process.execPath, "--version"] },
  Python: { end: "py", start: ["python3"], needs: ["python3", "-c", "import requests"] },
  PHP: { end: "php", start: ["php"], needs: ["php", "-r", "exit(function_exists('curl_init') ? 0 : 1);"] },
} as const;
type Language = keyof typeof RUNS;

const succeeds = ([program = "", ...args]: readonly string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  );

/** What a program says, run in a folder where the sample lies under a name. */
async function saidBy(language: Language, program: string, name = "photo.jpg"): Promise<string> {
  const { end, start } = RUNS[language];
  const [first, ...args] = start;
  return withFiles({ [`program.${end}`]: program }, async (folder) => {
    await cp(SAMPLE, join(folder, name));
    return (await run(first, [...args, `program.${end}`], { cwd: folder })).stdout;
  });
}

/** Headers of a notification, signed as the service signs them. */
function signed(body: string, secret = SECRET): Record<string, string> {
  const [id, now] = ["msg_1", String(Math.floor(Date.now() / 1000))];
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${now}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": now, "webhook-signature": `v1,${signature}` };
}

async function createDelivery(): Promise<Places> {
  const answer = await fetch(`${BASE}/1.0/deliveries`, {
    method: "POST",
    headers: { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ sources: [{ kind: "web", prefix: `${BASE}/` }], unsigned: { widths: [320, 640, 1280] } }),
  });
  const { delivery } = (await answer.json()) as { delivery: { url: string } };
  return { service: BASE, delivery: delivery.url, picture: "/sample.jpg" };
}

/** Every address of a text that is one of pictures leads to one. */
async function expectPictures(text: string, count: number): Promise<void> {
  const addresses = [...new Set(text.match(/http:\/\/[^\s"<>\\]+/g) ?? [])].map((one) => one.replaceAll("&amp;", "&"));
  expect(addresses).toHaveLength(count);
  for (const address of addresses) {
    const answer = await fetch(address, { headers: { accept: "image/webp,image/*" } });
    expect(`${answer.status} ${answer.headers.get("content-type")} ${address}`).toMatch(/^200 image\//);
  }
}

const imported = async (folder: string, name: string) => import(pathToFileURL(join(folder, name)).href);

describe.skipIf(inject("browser") === "")("a program of the playground", () => {
  const languages = Object.keys(RUNS) as Language[];

  it.for(languages)("in %s makes what the settings say", async (language, { skip }) => {
    skip(!(await succeeds(RUNS[language].needs)), `this machine has not what runs ${language}`);
    const of = (source: object, body?: object) =>
      new Map(programs({ origin: BASE, key: DEMO_KEY, source, body })).get(language) ?? "";
    const odd = `my "best" it's;-photo$(x).jpg`;
    const text = { value: `it's "quoted", \\ $dollar\nü`, size: 0.2 };
    const made = [
      await saidBy(language, of({ file: "photo.jpg" })),
      await saidBy(language, of({ file: odd }, { resize: { width: 48 }, text, output: { format: "webp" } }), odd),
      await saidBy(language, of({ url: `${BASE}/sample.jpg` }, { resize: { width: 48 }, filter: { tone: {} } })),
    ];
    // curl shows the answer; the others take the address out of it.
    for (const said of made) await expectPictures(/"url":"[^"]+"/.exec(said)?.[0] ?? said, 1);
    const set = { srcset: { widths: [32, 48], formats: ["webp", "jpeg"] } };
    expect(await saidBy(language, of({ file: "photo.jpg" }, set))).toContain(" 48w");
  });
});

describe.skipIf(inject("browser") === "")("a program of the documentation", () => {
  let places: Places;
  const program = async (page: string, language: string, words: string) =>
    placed(await programOf(page, language, words), places);
  beforeAll(async () => {
    places = await createDelivery();
  });

  it("calls the service by the typed client", async () => {
    const text = `${await program("programs", "js", "createClient")}const prefix = "${BASE}/programs/";
${await program("programs", "js", "addDelivery")}
console.log(JSON.stringify([output.width, html, metadata.output.width, delivery.name, webhooks]));`;
    const [width, html, again, name, webhooks] = await withFiles({ "program.mjs": text }, async (folder) => {
      await cp(SAMPLE, join(folder, "photo.jpg"));
      const env = { ...process.env, DARKROOM_KEY: DEMO_KEY };
      return JSON.parse((await run(process.execPath, ["program.mjs"], { cwd: folder, env })).stdout);
    });
    expect([width, again, name]).toEqual([800, 768, "Site"]);
    expect(Array.isArray(webhooks)).toBe(true);
    expect(html).toMatch(/^<picture>[^]* 640w/);
  });

  it("takes notifications that are signed, and no others", async () => {
    const receiver = await program("programs", "js", "readNotification");
    const [head = "", ...rest] = (await program("webhooks", "ts", "createHmac")).split("\n\n");
    const checker = `${head}
export function isValid(secret: string, headers: Record<string, string>, body: string): boolean {
${rest.join("\n\n")}
return valid;
}`;
    await withFiles({ "receiver.mjs": receiver, "checker.mts": checker }, async (folder) => {
      const body = JSON.stringify({ success: true, code: 200, id: "1", output: { url: `${BASE}/sample.jpg` } });
      const told = async (headers: Record<string, string>) => {
        const { default: worker } = await imported(folder, "receiver.mjs");
        const request = new Request("https://site.example/", { method: "POST", headers, body });
        const { isValid } = await imported(folder, "checker.mts");
        return [(await worker.fetch(request, { WEBHOOK_SECRET: SECRET })).status, isValid(SECRET, headers, body)];
      };
      expect(await told(signed(body))).toEqual([204, true]);
      expect(await told(signed(body, `whsec_${Buffer.alloc(32, 8).toString("base64")}`))).toEqual([400, false]);
      expect(await told({ ...signed(body), "webhook-timestamp": "1" })).toEqual([400, false]);
    });
  });

  it("of a site names pictures that are there", async () => {
    const files = {
      "image-loader.mjs": await program("sites", "js", "createLoader"),
      "attributes.mjs": `${await program("sites", "js", "imageAttributes")}export { attributes, style };`,
      "transformer.mjs": await program("sites", "js", "createTransformer"),
      "srcset.mjs": `${await program("sites", "js", "const candidates")}export { candidates, address };`,
    };
    await withFiles(files, async (folder) => {
      const { default: loader } = await imported(folder, "image-loader.mjs");
      await expectPictures(loader({ src: "/sample.jpg", width: 640, quality: 75 }), 1);
      const { attributes } = await imported(folder, "attributes.mjs");
      await expectPictures(`${attributes.src} ${attributes.srcset}`.replaceAll(", ", " "), 3);
      const { transformer } = await imported(folder, "transformer.mjs");
      await expectPictures(String(transformer("/sample.jpg", { width: 320 }, {})), 1);
      const { candidates, address } = await imported(folder, "srcset.mjs");
      await expectPictures(`${candidates} ${address}`.replaceAll(", ", " "), 4);
    });
  });

  it("configures Next, Astro and Nuxt so that pictures are there", async () => {
    const nuxt = await program("sites", "js", "defineNuxtConfig");
    const files = {
      "next.config.mjs": await program("sites", "js", "images: { path"),
      "astro.config.mjs": await program("sites", "js", "astro/config"),
      "nuxt.config.mjs": `const defineNuxtConfig = (config) => config;\n${nuxt}`,
    };
    await withFiles(files, async (folder) => {
      const { default: next } = await imported(folder, "next.config.mjs");
      await expectPictures(`${next.images.path}?url=%2Fsample.jpg&w=640&q=75`, 1);
      const { default: site } = await imported(folder, "astro.config.mjs");
      const { entrypoint, config } = site.image.service;
      const { default: service } = await import(entrypoint);
      const options = { src: "/sample.jpg", width: 320, height: 213 };
      await expectPictures(await service.getURL(options, { service: { config } }), 1);
      const { default: nuxtConfig } = await imported(folder, "nuxt.config.mjs");
      const { provider } = nuxtConfig.image;
      await expectPictures(`${nuxtConfig.image[provider].baseURL}/w=320/sample.jpg`, 1);
    });
  });

  it("of React shows a picture that is there", async () => {
    const source = await program("sites", "jsx", "DarkroomImage");
    const { code } = await transform(source, { loader: "jsx", jsx: "automatic" });
    await withFiles({ "harbor.mjs": code }, async (folder) => {
      const { Harbor } = await imported(folder, "harbor.mjs");
      const { type, props } = Harbor();
      const image = type(props);
      expect(image.type).toBe("img");
      await expectPictures(`${image.props.src} ${image.props.srcSet}`.replaceAll(", ", " "), 3);
    });
  });

  it("of the README shows a picture that is there", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const [html = ""] = /^<img .*\/>$/m.exec(readme) ?? [];
    await expectPictures(placed(html, places), 1);
  });
});

/** What a reader has at hand where programs begin. */
const GIVEN = `declare const env: any, stream: ReadableStream, bytes: Uint8Array, prefix: string, service: any;
declare const secret: string, headers: Record<string, string>, body: string, client: any;
declare function defineNuxtConfig(config: object): object;
declare namespace NodeJS {
  interface ProcessEnv { DARKROOM_KEY: string; DARKROOM_SIGNING_KEY: string; DARKROOM_SIGNING_SALT: string }
}`;

const CHECKED: readonly (readonly [page: string, language: string, words: string])[] = [
  ["programs", "js", "createClient"],
  ["programs", "js", "readNotification"],
  ["moving", "js", "imagesOver"],
  ["moving", "js", "sharpOver"],
  ["sites", "js", "createLoader"],
  ["sites", "js", "astro/config"],
  ["sites", "js", "createService"],
  ["sites", "js", "defineNuxtConfig"],
  ["sites", "js", "imageAttributes"],
  ["sites", "js", "createTransformer"],
  ["sites", "js", "const candidates"],
  ["sites", "jsx", "DarkroomImage"],
  ["webhooks", "ts", "createHmac"],
];

it("is a program whose types fit the packages, on every page", async () => {
  const texts = await Promise.all(CHECKED.map(([page, language, words]) => programOf(page, language, words)));
  const named = texts.map((text, index) => {
    const language = CHECKED[index]?.[1] ?? "js";
    // A program that ends by an answer is the inside of a function.
    const whole = text.replace(/^return (.*);$/m, "export const answer = $1;");
    return [`${index}.m${language === "jsx" ? "js" : language}`, whole] as const;
  });
  const jsx = named.filter((_, index) => CHECKED[index]?.[1] === "jsx").map(([, text]) => ["react.jsx", text] as const);
  const plain = named.filter((_, index) => CHECKED[index]?.[1] !== "jsx");
  const options = {
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      strict: true,
      noImplicitAny: false,
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2024",
      lib: ["es2024", "dom"],
      jsx: "react-jsx",
      types: ["node"],
    },
  };
  const files = { ...Object.fromEntries([...plain, ...jsx]), "given.d.ts": GIVEN };
  await withFiles({ ...files, "tsconfig.json": JSON.stringify(options) }, async (folder) => {
    const said = await run(TSC, ["-p", folder]).then(
      () => "",
      (failed: { stdout: string }) => failed.stdout,
    );
    expect(said).toBe("");
  });
});
