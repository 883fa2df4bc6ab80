/** What Workers of one deployment say to each other, in the local runtime: objects apart, and pictures at their host. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { experimental_readRawConfig, unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";

import { LOCAL_DEFAULTS, modulesOf } from "../../src/cli/local.ts";
import { objectsConfig } from "../../src/cli/objects.ts";
import { picturesConfig } from "../../src/cli/pictures.ts";
import { type PackageConfig, repositoryConfig } from "../../src/cli/project.ts";
import { ROOT, wranglerOrThrow } from "../../src/cli/wrangler.ts";

const HOST = "img.example.com";
const SAMPLE = join(ROOT, "src", "playground", "sample.jpg");
const TOKEN = "token-of-the-operator";
const VARIABLES = {
  ...LOCAL_DEFAULTS,
  SERVICE_NAME: "Service",
  ADMIN_TOKEN: TOKEN,
  VAULT_KEY: Buffer.alloc(32, 7).toString("base64"),
  WEBHOOK_RETRY_SECONDS: "0",
  ALLOWED_HOSTS: HOST,
};

let folder: string;
let service: Miniflare;
let url: URL;
/** What an endpoint was told, of which the first attempt failed. */
const told: string[] = [];
let endpoint: Server;

/** One of the two, as it would be uploaded. */
async function workerOf(name: string, config: object): Promise<Record<string, unknown>> {
  const path = join(folder, `${name}.json`);
  const out = join(folder, name);
  await writeFile(path, JSON.stringify(config));
  await wranglerOrThrow(["deploy", "--dry-run", "--config", path, "--outdir", out]);
  const modules = await modulesOf(out, `${name}.js`);
  const { workerOptions } = unstable_getMiniflareWorkerOptions(path);
  return { ...workerOptions, modulesRules: undefined, modulesRoot: out, modules, bindings: VARIABLES };
}

async function migrate(database: D1Database): Promise<void> {
  const migrations = join(ROOT, "src", "migrations");
  for (const name of (await readdir(migrations)).filter((one) => one.endsWith(".sql")).sort()) {
    const statements = unstable_splitSqlQuery(await readFile(join(migrations, name), "utf8"));
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "objects-run-"));
  endpoint = createServer((request, response) => {
    if (request.method === "GET") return void readFile(SAMPLE).then((bytes) => response.end(bytes));
    void request
      .setEncoding("utf8")
      .toArray()
      .then((parts) => {
        told.push(parts.join(""));
        response.writeHead(told.length === 1 ? 500 : 204).end();
      });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const base = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") })
    .rawConfig as unknown as PackageConfig;
  const apart = { name: "darkroom", objects: "apart", pictures: HOST } as const;
  const config = repositoryConfig(base, apart, undefined, { root: ROOT, from: folder });
  const workers = [
    { name: "darkroom", ...(await workerOf("index", config)) },
    { name: "darkroom-objects", ...(await workerOf("objects", objectsConfig(config, base.migrations))) },
    { name: "darkroom-pictures", ...(await workerOf("pictures", picturesConfig(config, HOST, false))) },
  ];
  const log = new Log(LogLevel.WARN);
  const shared = { host: "127.0.0.1", port: 0, cf: false, log, handleStructuredLogs: () => undefined } as const;
  service = new Miniflare(convertV4MiniflareOptions({ ...shared, workers } as never));
  url = await service.ready;
  await migrate(await service.getD1Database("DB"));
});
afterAll(async () => {
  await service.dispose();
  endpoint.close();
  await rm(folder, { recursive: true, force: true });
});

/** A key of a new account. */
async function newKey(): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "First" });
  const answer = await fetch(new URL("/admin/accounts", url), { method: "POST", headers, body });
  const { key } = (await answer.json()) as { key: string };
  return key;
}

async function upload(key: string, data: object): Promise<Response> {
  const body = new FormData();
  body.set("file", new Blob([await readFile(SAMPLE)]), "sample.jpg");
  body.set("data", JSON.stringify({ resize: { width: 64 }, output: { format: "png" }, ...data }));
  return fetch(new URL("/1.0/upload", url), { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
}

it("counts by a meter of the other Worker, and has a notification tried again by a courier there", async () => {
  const key = await newKey();
  const { port } = endpoint.address() as AddressInfo;
  const made = await upload(key, {});
  const accepted = await upload(key, { webhook: { url: `http://127.0.0.1:${port}/` } });
  expect([made.status, accepted.status]).toEqual([200, 202]);
  await expect.poll(() => told.length, { timeout: 60_000 }).toBe(2);
  expect(JSON.parse(told[1] ?? "")).toMatchObject({ success: true });
  const account = await fetch(new URL("/1.0/account", url), { headers: { authorization: `Bearer ${key}` } });
  expect(await account.json()).toMatchObject({ credits: { used: 2 } });
}, 300_000);

it("shows pictures at their host alone, and says there what has changed", async () => {
  const key = await newKey();
  const origin = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const rules = {
    name: "Shop",
    sources: [{ kind: "web", prefix: origin }],
    unsigned: { widths: [64] },
  };
  const made = await fetch(new URL("/1.0/deliveries", url), { method: "POST", headers, body: JSON.stringify(rules) });
  const { delivery } = (await made.json()) as { delivery: { id: string } };
  const door = (await service.getWorker("darkroom-pictures")) as unknown as Fetcher;
  const shown = (path: string) => door.fetch(`https://${HOST}${path}`, { headers: { accept: "image/webp" } });
  const picture = await shown(`/i/${delivery.id}/w=64/${origin}sample.jpg`);
  expect([picture.status, picture.headers.get("x-service-rendition")]).toEqual([200, "draft"]);
  expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(0);
  const api = await shown("/1.0/account");
  expect([api.status, await api.json()]).toEqual([404, expect.objectContaining({ message: "Only pictures are here" })]);
  const body = JSON.stringify({ ttl: 60 });
  const changed = await fetch(new URL(`/1.0/deliveries/${delivery.id}`, url), { method: "PATCH", headers, body });
  expect(changed.status).toBe(200);
}, 300_000);
