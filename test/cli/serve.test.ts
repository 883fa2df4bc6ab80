/**
 * The service on one machine whose state is one folder: killed in the midst, copied while it works, never run twice. A start
 * takes seconds, so that these tests are one story: each goes on where the one before it ended.
 */
import { glob, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { METER_WRITE_INTERVAL_MS } from "../../src/limits/accounts.ts";
import { type Running, runServe, startServe } from "../support/running-serve.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Far less than the lease of a job, which is 130 seconds: a service that starts again waits for none. */
const PATIENCE = { timeout: 60_000, interval: 200 };
/** One black pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

let folder: string;
/** The service is bundled once, and started from that. */
let bundle: string;
let data: string;
let copy: string;
/** The service of `data`. */
let service: Running;
/** Opens the administration. */
let token: string;
let key: string;
const running = new Set<Running>();

const OPEN = { ALLOW_PRIVATE_ORIGINS: "true", ALLOWED_HOSTS: "*" };

/** `npm run serve`, as npm runs it. */
async function serve(where: string, variables: Readonly<Record<string, string>> = {}): Promise<Running> {
  const started = await startServe(["--data", where, "--bundle", bundle, "--port", "0"], variables);
  running.add(started);
  return started;
}

async function call(path: string, body: object | FormData, as = key): Promise<Response> {
  const json = !(body instanceof FormData);
  const headers = { authorization: `Bearer ${as}`, ...(json && { "content-type": "application/json" }) };
  return fetch(service.url + path, { method: "POST", headers, body: json ? JSON.stringify(body) : body });
}

/** Sends a job whose result is told to the receiver; the id of one that was accepted. */
async function accepted(webhook: object): Promise<string | undefined> {
  const body = new FormData();
  body.set("file", new Blob([PNG]), "pixel.png");
  body.set("data", JSON.stringify({ webhook }));
  try {
    const answer = await call("/1.0/upload", body);
    return answer.status === 202 ? ((await answer.json()) as { id: string }).id : undefined;
  } catch {
    return undefined; // the service was killed before it had answered
  }
}

/** Takes notifications, and notes their ids. */
const told = new Set<string>();
const receiver = createServer((request, response) => {
  told.add(String(request.headers["webhook-id"]));
  request.resume().on("end", () => response.end());
});
let address: string;

const account = async (of: Running): Promise<number> =>
  (await fetch(`${of.url}/1.0/account`, { headers: { authorization: `Bearer ${key}` } })).status;

/** Credits of the account, as the service tells. */
async function used(): Promise<number> {
  const answer = await fetch(`${service.url}/1.0/account`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { credits: { used: number } }).credits.used;
}

beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  folder = await mkdtemp(join(tmpdir(), "serve-"));
  [bundle, data, copy] = [join(folder, "bundle"), join(folder, "data"), join(folder, "copy")];
  expect(await runServe("--bundle", bundle)).toBe(0);
  service = await serve(data);
  [, token = ""] = /ADMIN_TOKEN, shown this once: (\S+)/.exec(service.printed()) ?? [];
  const made = (await (await call("/admin/accounts", { name: "First" }, token)).json()) as { key: string };
  ({ key } = made);
});
afterAll(async () => {
  await Promise.all([...running].map((one) => one.end("SIGTERM")));
  receiver.close();
  await rm(folder, { recursive: true, force: true });
});

describe("npm run serve", () => {
  it("answers a picture, and reads no address of its own network unless told to", async () => {
    const body = new FormData();
    body.set("file", new Blob([await readFile(join(ROOT, "src/playground/sample.jpg"))]), "sample.jpg");
    body.set("data", JSON.stringify({ resize: { width: 300 }, optimize: { quality: 70 } }));
    const done = (await (await call("/1.0/upload", body)).json()) as { output: { url: string } };
    expect((await fetch(done.output.url)).headers.get("content-type")).toBe("image/jpeg");
    expect((await call("/1.0/fetch", { url: address })).status).toBe(422);
    // By such a header the simulator of the platform finds who serves a call: here it is one of the caller's own.
    const headers = { "MF-Custom-Node-Service": "0/#x" };
    expect((await call("/1.0/fetch", { url: "http://nobody.example/", headers })).status).toBe(422);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    // Windows has no such modes: there the folder is as private as the one it lies in.
    if (process.platform !== "win32") expect((await stat(join(data, "secrets.json"))).mode & 0o077).toBe(0);
  });

  it("has callers choose neither what the Worker believes nor what the simulator does", async () => {
    const headers = { "MF-Original-URL": "https://bank.example/docs", "MF-Route-Override": "x", "MF-CF-Blob": "{" };
    expect(await (await fetch(`${service.url}/health`, { headers })).json()).toMatchObject({ success: true });
    // The simulator serves its buckets to pages of every site.
    const object = await fetch(`${service.url}/cdn-cgi/local/r2/public/darkroom/x`);
    expect([object.status, object.headers.get("access-control-allow-origin")]).toEqual([404, null]);
    const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`x-${index}`, "1"]));
    const refused = await fetch(`${service.url}/health`, { headers: many });
    expect([refused.status, await refused.text()]).toEqual([431, ""]);
  });

  it("keeps the credits of all but the last second when it is killed", async () => {
    const body = new FormData();
    body.set("file", new Blob([PNG]), "pixel.png");
    const before = await used();
    expect((await call("/1.0/upload", body)).status).toBe(200);
    // It is charged when the answer has left: within a few further questions, which nothing else is waited for.
    for (let question = 0; question < 50 && (await used()) === before; question += 1);
    expect(await used()).toBe(before + 1);
    // A busy meter writes once a second.
    await wait(3 * METER_WRITE_INTERVAL_MS);
    await service.end("SIGKILL");
    service = await serve(data);
    expect(await used()).toBe(before + 1);
  });

  it("runs once in a folder", async () => {
    await expect(serve(data)).rejects.toThrow("Another service runs in");
  });

  it("leaves the bundle as it was, and starts from none of other sources", async () => {
    const stamped = join(bundle, "sources.json");
    const made = await readFile(stamped, "utf8");
    await writeFile(stamped, made.replace(/"version":"[^"]*"/, '"version":"0.0.1"'));
    await expect(serve(join(folder, "other"))).rejects.toThrow("is of another version: make it anew");
    await writeFile(stamped, made);
    expect(await readdir(bundle)).toContain("index.js");
    expect(await runServe("--bundle", bundle)).toBe(1);
  });

  it("starts again with what it knew, shows its token no more, and answers an address", async () => {
    await service.end("SIGTERM");
    service = await serve(data, OPEN);
    expect(token).not.toBe("");
    expect(service.printed()).not.toContain(token);
    // A start that ended before it could say it is no reason to begin anew.
    expect(service.printed()).toContain(`ADMIN_TOKEN is in ${join(data, "secrets.json")}`);
    expect(await account(service)).toBe(200);
    const wanted = { sources: [{ kind: "web", prefix: `${service.url}/` }], unsigned: { widths: [320] } };
    const made = (await (await call("/1.0/deliveries", wanted)).json()) as { delivery: { url: string } };
    const picture = await fetch(`${made.delivery.url}/w=320/${service.url}/sample.jpg`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
  });

  it("is copied while it works, and the copy has all that was accepted before", async () => {
    // Told in an hour: in the copy that hour is over.
    const ids = await Promise.all(Array.from({ length: 8 }, () => accepted({ url: address, delay: 3_600 })));
    expect(ids).not.toContain(undefined);
    let busy = true;
    const load = (async () => {
      while (busy) await accepted({ url: address });
    })();
    expect(await runServe("--data", data, "--backup", copy)).toBe(0);
    busy = false;
    await load;
    let due = 0;
    for await (const name of glob("**/*.sqlite", { cwd: copy })) {
      const database = new DatabaseSync(join(copy, name));
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      if (database.prepare("SELECT 1 FROM pragma_table_info('webhooks') WHERE name = 'wake_at'").get()) {
        // Some jobs are done and to be told of, some are still to be done.
        const passed = "UPDATE webhooks SET delay_seconds = 0, wake_at = min(wake_at, ?) WHERE delay_seconds > 0";
        due += Number(database.prepare(passed).run(Date.now()).changes);
      }
      database.close();
    }
    expect(due).toBe(ids.length);
    const restored = await serve(copy, OPEN);
    expect(await account(restored)).toBe(200);
    await vi.waitUntil(() => ids.every((id) => told.has(String(id))), PATIENCE);
    await restored.end("SIGTERM");
    // Nothing is laid over something.
    expect(await runServe("--data", data, "--backup", copy)).toBe(1);
  });

  it("loses nothing that it accepted when it is killed, and ends with its runtime", async () => {
    const ids: string[] = [];
    const sent = Array.from({ length: 24 }, async (_, index) => {
      // Some are at work or told at once, some wait.
      const id = await accepted({ url: address, delay: index % 3 === 0 ? 6 : 0 });
      if (id !== undefined) ids.push(id);
      if (ids.length === 12) await service.end("SIGKILL");
    });
    await Promise.all(sent);
    expect(ids.length).toBeGreaterThanOrEqual(12);
    // The runtime does not outlive it: its port is free, its files are its successor's.
    await vi.waitFor(() => expect(fetch(`${service.url}/health`)).rejects.toThrow(), { timeout: 10_000 });
    service = await serve(data, OPEN);
    await vi.waitUntil(() => ids.every((id) => told.has(id)), PATIENCE);
  });
});
