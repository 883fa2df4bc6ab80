/** The service on one machine whose state is one folder: killed in the midst, copied while it works, never run twice. */
import { spawn } from "node:child_process";
import { glob, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
/** Far less than the lease of a job, which is 130 seconds: a service that starts again waits for none. */
const PATIENCE = { timeout: 60_000, interval: 200 };
/** One black pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

interface Running {
  readonly url: string;
  readonly printed: () => string;
  /** Ends the process, and waits until it has ended. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
}

let folder: string;
let data: string;
let key: string;
const running = new Set<Running>();

/** `npm run serve`, as npm runs it. Jobs may be sent to, and fetched from, this machine. */
async function serve(where: string, variables: Readonly<Record<string, string>> = {}): Promise<Running> {
  // BASE_URL means something else to what runs the tests.
  const env = { ...process.env, BASE_URL: undefined, ALLOW_PRIVATE_ORIGINS: "true", ALLOWED_HOSTS: "*", ...variables };
  const args = ["src/cli/serve.ts", "--data", where, "--port", "0", "--host", "127.0.0.1"];
  const child = spawn(process.execPath, args, { cwd: ROOT, env });
  let text = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(text)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (more: Buffer) => {
        text += more.toString();
        const [, found] = /listens on (\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
  });
  const service: Running = {
    url,
    printed: () => text,
    end: async (signal) => {
      child.kill(signal);
      await ended;
      running.delete(service);
    },
  };
  running.add(service);
  return service;
}

async function call(service: Running, path: string, body: object | FormData, as = key): Promise<Response> {
  const json = !(body instanceof FormData);
  const headers = { authorization: `Bearer ${as}`, ...(json && { "content-type": "application/json" }) };
  return fetch(service.url + path, { method: "POST", headers, body: json ? JSON.stringify(body) : body });
}

/** Sends a job whose result is told to the receiver; the id of one that was accepted. */
async function accepted(service: Running, webhook: object): Promise<string | undefined> {
  const body = new FormData();
  body.set("file", new Blob([PNG]), "pixel.png");
  body.set("data", JSON.stringify({ webhook }));
  try {
    const answer = await call(service, "/1.0/upload", body);
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

beforeAll(async () => {
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  folder = await mkdtemp(join(tmpdir(), "serve-"));
});
afterAll(async () => {
  receiver.close();
  await rm(folder, { recursive: true, force: true });
});
let first: Running;
beforeEach(async () => {
  told.clear();
  data = await mkdtemp(join(folder, "data-"));
  first = await serve(data);
  const [, token = ""] = /ADMIN_TOKEN, shown this once: (\S+)/.exec(first.printed()) ?? [];
  const made = (await (await call(first, "/admin/accounts", { name: "First" }, token)).json()) as { key: string };
  ({ key } = made);
});
afterEach(async () => {
  for (const service of running) await service.end("SIGTERM");
});

describe("npm run serve", () => {
  it("answers a picture and an address, and shows its token once", async () => {
    const body = new FormData();
    body.set("file", new Blob([await readFile(join(ROOT, "src/playground/sample.jpg"))]), "sample.jpg");
    body.set("data", JSON.stringify({ resize: { width: 300 }, optimize: { quality: 70 } }));
    const done = (await (await call(first, "/1.0/upload", body)).json()) as { output: { url: string } };
    expect((await fetch(done.output.url)).headers.get("content-type")).toBe("image/jpeg");
    const wanted = { sources: [{ kind: "web", prefix: `${first.url}/` }], unsigned: { widths: [320] } };
    const made = (await (await call(first, "/1.0/deliveries", wanted)).json()) as { delivery: { url: string } };
    const picture = await fetch(`${made.delivery.url}/w=320/${first.url}/sample.jpg`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
    expect((await stat(join(data, "secrets.json"))).mode & 0o077).toBe(0);
    await first.end("SIGTERM");
    const second = await serve(data);
    expect(second.printed()).not.toContain("ADMIN_TOKEN");
    expect((await fetch(`${second.url}/1.0/account`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      200,
    );
  });

  it("reads no address of its own network unless told to", async () => {
    await first.end("SIGTERM");
    const shut = await serve(data, { ALLOW_PRIVATE_ORIGINS: "false" });
    expect((await call(shut, "/1.0/fetch", { url: address })).status).toBe(422);
  });

  it("runs once in a folder", async () => {
    await expect(serve(data)).rejects.toThrow("Another service runs in");
  });

  it("loses nothing that it accepted when it is killed, and ends with its runtime", async () => {
    const ids: string[] = [];
    const sent = Array.from({ length: 24 }, async (_, index) => {
      // Some are at work or told at once, some wait.
      const id = await accepted(first, { url: address, delay: index % 3 === 0 ? 6 : 0 });
      if (id !== undefined) ids.push(id);
      if (ids.length === 12) await first.end("SIGKILL");
    });
    await Promise.all(sent);
    expect(ids.length).toBeGreaterThanOrEqual(12);
    // The runtime does not outlive it: its port is free, its files are its successor's.
    await vi.waitFor(() => expect(fetch(`${first.url}/health`)).rejects.toThrow(), { timeout: 10_000 });
    await serve(data);
    await vi.waitUntil(() => ids.every((id) => told.has(id)), PATIENCE);
  });

  it("is copied while it works, and the copy has all that was accepted before", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => accepted(first, { url: address, delay: 20 })));
    expect(ids).not.toContain(undefined);
    let busy = true;
    const load = (async () => {
      while (busy) await accepted(first, { url: address });
    })();
    const copy = join(folder, "copy");
    const args = ["src/cli/serve.ts", "--data", data, "--backup", copy];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    busy = false;
    await load;
    await first.end("SIGKILL");
    for await (const name of glob("**/*.sqlite", { cwd: copy })) {
      const database = new DatabaseSync(join(copy, name));
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      database.close();
    }
    told.clear();
    const restored = await serve(copy);
    expect((await fetch(`${restored.url}/1.0/account`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      200,
    );
    await vi.waitUntil(() => ids.every((id) => told.has(String(id))), PATIENCE);
    // Nothing is laid over something.
    const again = spawn(process.execPath, args, { cwd: ROOT, stdio: "ignore" });
    expect(await new Promise((resolve) => again.once("exit", resolve))).toBe(1);
  });
});
