/**
 * The image handler of `@opennextjs/cloudflare`, as npm has it, in a Worker whose `IMAGES` is the entrance `Images` called by RPC:
 * addresses that Next writes, asked with what browsers accept.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";

import { DEMO_KEY, type LocalService, startLocal } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";
import { npm, unpacked } from "../support/npm.ts";

const VERSION = "1.20.17";
/** SHA-512 of the package's tarball, as the registry has it. */
const INTEGRITY = "jGEC9ue8LLHvOFXp62LjDUSSz7JpD+PQB+Y3r0lU78PtQ84wI16+EMF9TXEDkTek3g3fGWTLTI07pbZt8/gj8w==";
const FOLDER = join(ROOT, ".wrangler", "opennext");
const PHOTO = join(ROOT, "src", "playground", "sample.jpg");
const MOVING = join(ROOT, "test", "fixtures", "gif", "bug00060.gif");
const CHROMIUM = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

/** What the handler is compiled with, of a site whose `next.config.js` allows these. */
const SITE = {
  __NEXT_BASE_PATH__: "",
  __IMAGES_REMOTE_PATTERNS__: [],
  __IMAGES_LOCAL_PATTERNS__: [{ pathname: "^/.*$" }],
  __IMAGES_DEVICE_SIZES__: [320, 640],
  __IMAGES_IMAGE_SIZES__: [32, 3840],
  __IMAGES_QUALITIES__: [30, 75],
  __IMAGES_FORMATS__: ["image/avif", "image/webp"],
  __IMAGES_ALLOW_SVG__: false,
  __IMAGES_CONTENT_SECURITY_POLICY__: "script-src 'none'; frame-src 'none'; sandbox;",
  __IMAGES_CONTENT_DISPOSITION__: "attachment",
  __IMAGES_MAX_REDIRECTS__: 3,
};

const workerAt = (originals: string) => `
import { exports } from "cloudflare:workers";
import service from "../../src/index.ts";
import { imagesOver } from "../../src/clients/binding.js";
import { handleImageRequest } from "./package/dist/cli/templates/images.js";

export * from "../../src/index.ts";
Object.assign(globalThis, ${JSON.stringify(SITE)});

export default {
  ...service,
  fetch(request, env, context) {
    const url = new URL(request.url);
    if (url.pathname !== "/_next/image") return service.fetch(request, env, context);
    const IMAGES = imagesOver(exports.Images({ props: { key: "${DEMO_KEY}" } }));
    const ASSETS = { fetch: ({ pathname }) => fetch("${originals}" + pathname) };
    return handleImageRequest(url, request.headers, { ASSETS, IMAGES });
  },
};
`;

/** The handler imports a logger of a package that weighs a hundred times as much: nothing else is put in the place of anything. */
const LOGGER = "export const [error, warn] = [console.error, console.warn];\n";

let originals: Server;
let service: LocalService;

beforeAll(async () => {
  originals = createServer((asked, answer) => {
    const file = { "/harbor.jpg": PHOTO, "/moving.gif": MOVING }[asked.url ?? ""];
    if (file) void readFile(file).then((bytes) => answer.end(bytes));
    else if (asked.url === "/drawing.svg")
      answer.end(`<svg xmlns="http://www.w3.org/2000/svg">${" ".repeat(40)}</svg>`);
    else answer.writeHead(404).end();
  });
  await new Promise<void>((listening) => originals.listen(0, "127.0.0.1", listening));
  await rm(FOLDER, { recursive: true, force: true });
  const logger = join(FOLDER, "node_modules", "@opennextjs", "aws", "adapters");
  await mkdir(logger, { recursive: true });
  const [name] = (await npm(["pack", "--silent", `@opennextjs/cloudflare@${VERSION}`], FOLDER)).split("\n");
  const tarball = join(FOLDER, name ?? "");
  expect(
    createHash("sha512")
      .update(await readFile(tarball))
      .digest("base64"),
  ).toBe(INTEGRITY);
  await unpacked(tarball, FOLDER);
  await writeFile(join(logger, "logger.js"), LOGGER);
  await writeFile(join(FOLDER, "node_modules", "@opennextjs", "aws", "package.json"), `{"type": "module"}`);
  const main = join(FOLDER, "worker.js");
  await writeFile(main, workerAt(`http://127.0.0.1:${(originals.address() as AddressInfo).port}`));
  const variables = { ALLOW_PRIVATE_ORIGINS: "true", VAULT_KEY: Buffer.alloc(32, 1).toString("base64") };
  service = await startLocal({ host: "127.0.0.1", port: 0, state: join(FOLDER, "state"), variables, main });
});
afterAll(async () => {
  await service?.stop();
  originals.close();
  await rm(FOLDER, { recursive: true, force: true });
});

async function asked(url: string, { w = 320, q = 75, accept = CHROMIUM } = {}) {
  const query = new URLSearchParams({ url, w: String(w), q: String(q) });
  const answer = await fetch(new URL(`/_next/image?${query.toString()}`, service.url), { headers: { accept } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Of two pictures of one size, in decibels. */
async function likeness(one: Buffer, other: Buffer): Promise<number> {
  const pixels = (file: Buffer) => sharp(file).removeAlpha().raw().toBuffer();
  const [a, b] = await Promise.all([pixels(one), pixels(other)]);
  expect(a.length).toBe(b.length);
  const squares = a.reduce((sum, level, at) => sum + (level - (b[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10((255 ** 2 * a.length) / squares);
}

it.each([
  [CHROMIUM, "image/avif", "heif"],
  ["image/webp,image/*", "image/webp", "webp"],
  ["image/png,*/*", "image/jpeg", "jpeg"],
])("makes a photograph for %s into %s", async (accept, mime, format) => {
  const { status, headers, bytes } = await asked("/harbor.jpg", { accept });
  expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([200, mime, "Accept"]);
  const expected = await sharp(PHOTO).resize({ width: 320 }).png().toBuffer({ resolveWithObject: true });
  const { width, height } = expected.info;
  expect(await sharp(bytes).metadata()).toMatchObject({ format, width, height });
  expect(await likeness(bytes, expected.data)).toBeGreaterThan(30);
});

it("has fewer bytes at a lower quality, and never more pixels than the original", async () => {
  const [low, high] = await Promise.all([30, 75].map((q) => asked("/harbor.jpg", { q })));
  expect(low?.bytes.length).toBeLessThan((high?.bytes.length ?? 0) * 0.8);
  const { width } = await sharp(PHOTO).metadata();
  const { bytes } = await asked("/harbor.jpg", { w: 3_840 });
  expect((await sharp(bytes).metadata()).width).toBe(width);
});

it("leaves an animation one", async () => {
  const { headers, bytes } = await asked("/moving.gif", { w: 32 });
  expect(headers.get("content-type")).toBe("image/gif");
  const [made, given] = await Promise.all([bytes, MOVING].map((file) => sharp(file, { animated: true }).metadata()));
  expect(made?.pages).toBe(given?.pages);
  expect(made?.width).toBeLessThanOrEqual(32);
});

it("refuses what Next refuses", async () => {
  const statuses = [
    await asked("/harbor.jpg", { w: 321 }),
    await asked("/harbor.jpg", { q: 76 }),
    await asked("/drawing.svg"),
    await asked("/missing.jpg"),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 400, 404]);
});
