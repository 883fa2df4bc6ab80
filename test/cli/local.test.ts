/** The service on one machine, as `npm start` runs it. */
import { execFile } from "node:child_process";
import { appendFile, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

import sharp, { type Sharp, type SharpOptions } from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readOptions } from "../../src/cli/batch/options.ts";
import { answers } from "../../src/cli/batch/service.ts";
import { DEMO_KEY, type LocalService, startLocal } from "../../src/cli/local.ts";

const ADMIN_TOKEN = "operator-of-this-test";
/** Seconds of work that the service has before it, and answers that nobody waited for. */
const QUEUED = /queued_seconds\{/;
const GONE = /refusals_total\{status="499"/;
const ROOT = join(import.meta.dirname, "..", "..");

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "local-"));
});
afterEach(async () => {
  await rm(state, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return port;
}

async function account({ url }: Pick<LocalService, "url">): Promise<Response> {
  return fetch(new URL("/1.0/account", url).href, { headers: { authorization: `Bearer ${DEMO_KEY}` } });
}

/** The account, asked for until somebody answers. @throws Error where nobody does who listens */
async function firstAnswer(url: URL, isListening: () => boolean): Promise<Response> {
  for (;;) {
    const late = isListening();
    const answer = await account({ url }).catch(() => undefined);
    if (answer) return answer;
    if (late) throw new Error("It listens and does not answer");
    await wait(5);
  }
}

/** What the service counts: the value of the first line that begins like this. */
async function counted({ url }: LocalService, line: RegExp): Promise<number> {
  const answer = await fetch(new URL("/metrics", url).href, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const [, value = "0"] = new RegExp(`^\\w*${line.source}.*\\} (.+)$`, "m").exec(await answer.text()) ?? [];
  return Number(value);
}

/** A picture of which no search makes a small file, as PNG. */
async function noise(width: number, height: number): Promise<Buffer<ArrayBuffer>> {
  const create = { width, height, channels: 3, background: "gray", noise: { type: "gaussian", mean: 128, sigma: 30 } };
  return sharp({ create } as SharpOptions)
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** The bytes of an animation as AVIF. */
async function asAvif({ url }: LocalService, gif: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const body = new FormData();
  body.set("file", new Blob([gif]), "film.gif");
  body.set("data", JSON.stringify({ output: { format: "avif" }, optimize: { quality: 90 } }));
  const headers = { authorization: `Bearer ${DEMO_KEY}`, "X-Service-Binary": "1" };
  const answer = await fetch(new URL("/1.0/upload", url).href, { method: "POST", headers, body });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/avif"]);
  return answer.bytes();
}

async function samples(picture: Sharp): Promise<Uint8Array> {
  return picture.toColorspace("srgb").removeAlpha().raw().toBuffer();
}

/** The likeness of two pictures of one size, in decibels. */
function psnr(one: Uint8Array, other: Uint8Array): number {
  expect(one).toHaveLength(other.length);
  const squares = one.reduce((sum, sample, at) => sum + (sample - (other[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10((255 * 255 * one.length) / squares);
}

describe("the local service", () => {
  let kept: string;
  /** What it says as soon as it says anything, on a state that is new. */
  let first: Response;
  /** Started again on the same state. */
  let second: LocalService;
  beforeAll(async () => {
    kept = await mkdtemp(join(tmpdir(), "local-"));
    const options = { host: "127.0.0.1", state: kept, quiet: true };
    const port = await freePort();
    let listening = false;
    const asked = firstAnswer(new URL(`http://127.0.0.1:${port}/`), () => listening);
    const service = await startLocal({ ...options, port, variables: { RATE_LIMIT: "7" } });
    listening = true;
    try {
      first = await asked;
    } finally {
      await service.stop();
    }
    second = await startLocal({ ...options, port: 0, variables: { ALLOW_PRIVATE_ORIGINS: "true", ADMIN_TOKEN } });
  });
  afterAll(async () => {
    await second.stop();
    await rm(kept, { recursive: true, force: true });
  });

  it("answers nobody before its database is ready and knows the demo key", () => {
    expect(first.status).toBe(200);
  });

  it("lets a setting of the environment win", () => {
    expect(first.headers.get("X-RateLimit-Limit")).toBe("7");
  });

  it("knows the demo key again after a restart on the same state", async () => {
    expect((await account(second)).status).toBe(200);
  });

  it("serves any picture of the web through the delivery demo, of which no interface can make another", async () => {
    const { url } = second;
    const source = new URL("/sample.jpg", url).href;
    const jpeg = await fetch(new URL(`/i/demo/w=40,h=40,fit=cover,f=jpeg,q=50/${source}`, url).href);
    expect([jpeg.status, jpeg.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    const again = await fetch(new URL(`/imgproxy/demo/unsafe/rs:fill:40:40:1/q:50/plain/${source}@jpg`, url).href);
    expect(await again.bytes()).toEqual(await jpeg.bytes());
    const body = JSON.stringify({ sources: [], unsigned: {}, is_open: true });
    const headers = { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" };
    const made = await fetch(new URL("/1.0/deliveries", url).href, { method: "POST", headers, body });
    expect(made.status).toBe(422);
  });

  it("writes AVIF sequences that another reader shows with their frames and times", async ({ skip }) => {
    const run = promisify(execFile);
    const isThere = await run("avifdec", ["--version"]).then(
      () => true,
      () => false,
    );
    skip(!isThere, "there is no avifdec on this machine");
    const gif = await readFile(join(ROOT, "test", "fixtures", "gif", "muybridge.gif"));
    const { delay: delays = [] } = await sharp(gif, { pages: -1 }).metadata();
    const file = join(state, "made.avif");
    await writeFile(file, await asAvif(second, gif));
    const { stdout } = await run("avifdec", ["--info", file]);
    const durations = [...stdout.matchAll(/\[duration [\d.]+ \((\d+) timescales\)\]/g)].map(([, ticks]) =>
      Number(ticks),
    );
    expect(durations).toEqual(delays);
    for (const index of [0, 1, delays.length - 1]) {
      const shown = join(state, `${index}.png`);
      await run("avifdec", ["--index", String(index), file, shown]);
      expect(psnr(await samples(sharp(shown)), await samples(sharp(gif, { page: index })))).toBeGreaterThan(30);
    }
  });

  it("ends the work of a caller who hangs up, and takes no credit for it", async () => {
    const used = async () => ((await (await account(second)).json()) as { credits: { used: number } }).credits.used;
    const before = await used();
    const body = new FormData();
    body.set("file", new Blob([await noise(2400, 1600)]), "noise.png");
    body.set("data", JSON.stringify({ output: { format: "avif" }, optimize: { lossless: true } }));
    const caller = new AbortController();
    const headers = { authorization: `Bearer ${DEMO_KEY}` };
    const asked = fetch(new URL("/1.0/upload", second.url).href, {
      method: "POST",
      headers,
      body,
      signal: caller.signal,
    });
    await expect.poll(() => counted(second, QUEUED), { timeout: 60_000 }).toBeGreaterThan(0);
    caller.abort();
    await expect(asked).rejects.toThrow("aborted");
    await expect.poll(() => counted(second, GONE), { timeout: 60_000 }).toBe(1);
    expect(await counted(second, QUEUED)).toBe(0);
    expect(await used()).toBe(before);
  });

  it("answers by the names of this machine alone, and no page of another site", async () => {
    const { url } = second;
    const picture = `/i/demo/w=40/${new URL("/sample.jpg", url).href}`;
    const ask = async (path: string, headers: Record<string, string>): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const options = { host: url.hostname, port: url.port, path, headers };
      get(options, (answer) => resolve(answer.resume().statusCode ?? 0)).on("error", reject);
      return promise;
    };
    expect(await ask(picture, {})).toBe(200);
    expect(await ask(picture, { host: "attacker.example" })).toBe(403);
    expect(await ask(picture, { "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await ask(picture, { origin: "https://evil.example" })).toBe(403);
    expect(await ask(picture, { origin: "http://localhost:3000", "sec-fetch-site": "same-site" })).toBe(200);
  });

  it("has no demo account where other machines can call it", { timeout: 300_000 }, async () => {
    const folder = join(state, "shared");
    const options = { host: "127.0.0.1", port: 0, state: folder, variables: {}, quiet: true };
    for (const [hasDemo, status] of [
      [true, 200],
      [false, 403],
      [true, 200],
    ] as const) {
      const service = await startLocal({ ...options, hasDemo });
      try {
        expect((await account(service)).status).toBe(status);
        // The demo account's delivery would wait for an origin that never answers.
        const shown = new URL("/i/demo/-/https://203.0.113.1/a.jpg", service.url).href;
        if (!hasDemo) expect((await fetch(shown)).status).toBe(404);
      } finally {
        await service.stop();
      }
    }
  });

  it("refuses a wrong setting before it listens, naming it", async () => {
    const started = startLocal({ host: "127.0.0.1", port: 0, state, variables: { RATE_LIMIT: "many" }, quiet: true });
    await expect(started).rejects.toThrow("The variable RATE_LIMIT must be a whole number");
  });
});

describe("npm start", () => {
  async function start(
    port: string,
    more: object = {},
    args: string[] = [],
  ): Promise<{ status: number; stderr: string }> {
    const env = { ...process.env, PORT: port, HOST: "127.0.0.1", ...more };
    return new Promise((resolve) => {
      execFile(process.execPath, ["src/cli/start.ts", ...args], { cwd: ROOT, env }, (error, _, stderr) => {
        resolve({ status: error === null ? 0 : 1, stderr });
      });
    });
  }

  it("says that the port is taken, and how to choose another", async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, "127.0.0.1", resolve));
    const { port } = occupant.address() as AddressInfo;
    const { status, stderr } = await start(String(port));
    occupant.close();
    expect(status).toBe(1);
    expect(stderr).toContain(`Port ${port} is taken`);
    expect(stderr).toContain("PORT=");
  });

  it("refuses a port that is none", async () => {
    const { status, stderr } = await start("eighty");
    expect(status).toBe(1);
    expect(stderr).toContain("PORT must be a whole number");
  });

  it.each([
    ["HOST=0.0.0.0", { HOST: "0.0.0.0", ADMIN_TOKEN: "admin" }, []],
    ["HOST=::", { HOST: "::", ADMIN_TOKEN: "fifteen-letters" }, []],
    ["--host", { ADMIN_TOKEN: "" }, ["--host", "192.0.2.1"]],
  ])("starts for other machines with a token of one's own alone: %s", async (_, more, args) => {
    const { status, stderr } = await start("0", more, args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Other machines can call [\d.:]+\. Choose a token of your own first/);
    // No further than that with one: the port is none.
    const own = await start("eighty", { ...more, ADMIN_TOKEN: "a-token-of-my-own" }, args);
    expect(own.stderr).toContain("PORT must be a whole number");
  });
});

/** What a repository needs to run, in a folder of its own: the tests change files in it. */
async function repositoryIn(folder: string): Promise<string> {
  const copy = join(folder, "copy");
  for (const name of ["src", "wasm", "wrangler.toml", "package.json"]) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

describe("npm run dev", () => {
  it("answers, and is another service after a change of the code or of a page", { timeout: 300_000 }, async () => {
    const copy = await repositoryIn(state);
    // BASE_URL means something else to what runs the tests.
    const env = { ...process.env, BASE_URL: undefined, PORT: String(await freePort()), HOST: "127.0.0.1" };
    const child = execFile(process.execPath, [join(copy, "src", "cli", "dev.ts")], { cwd: copy, env });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: string) => (printed += text));
    const ready = async (times: number): Promise<URL> => {
      while (printed.split('The key is "demo"').length <= times) {
        if (child.exitCode !== null) throw new Error(printed);
        await wait(20);
      }
      return new URL(/listens on (\S+)/.exec(printed)?.[1] ?? "");
    };
    try {
      const url = await ready(1);
      expect((await fetch(new URL("/health", url).href)).status).toBe(200);
      expect((await account({ url })).status).toBe(200);

      for (const [path, more] of [
        [join("src", "index.ts"), "// Another version."],
        [join("src", "docs", "running.md"), "A sentence that is new."],
      ] as const) {
        await appendFile(join(copy, path), `\n${more}\n`);
      }
      await ready(2);
      expect(printed).toMatch(/^Changed: .*src.index\.ts/m);
      expect((await fetch(new URL("/health", url).href)).status).toBe(200);
      expect(await (await fetch(new URL("/docs/running", url).href)).text()).toContain("A sentence that is new.");
      expect((await account({ url })).status).toBe(200);
    } finally {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  });
});

describe("the service of a run", () => {
  it("is the one at the usual address, if that is one", async () => {
    let said = '{"success":true,"code":200}';
    const other = createServer((_, response) => void response.end(said));
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    const elsewhere = new URL(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(await answers(elsewhere)).toBe(true);
    said = "hello";
    expect(await answers(elsewhere)).toBe(false);
    await new Promise((closed) => other.close(closed));
    expect(await answers(elsewhere)).toBe(false);
  });

  it("is sought at the usual address alone, and started where it is asked for", () => {
    const start = (args: string[], env = {}) => readOptions([...args, "x"], env)?.start;
    expect(start([])).toBe("unless one answers");
    expect(start(["--local"], { DARKROOM_URL: "https://images.example.com" })).toBe("always");
    expect(start([], { DARKROOM_URL: "http://localhost:8787" })).toBe("never");
    expect(start(["--url", "http://localhost:8787"])).toBe("never");
  });

  it("is started for the run, and ends with it when it is interrupted", async () => {
    const folder = state;
    await mkdir(join(folder, "in"));
    await copyFile(join(ROOT, "src", "playground", "sample.jpg"), join(folder, "in", "a.jpg"));
    const script = join(ROOT, "src", "cli", "darkroom.js");
    const args = [script, "--local", "--watch", "--json", "--resize", "40x", "--out", join(folder, "out")];
    const env = { ...process.env, TMPDIR: folder };
    const child = execFile(process.execPath, [...args, join(folder, "in")], { env });
    let stdout = "";
    let stderr = "";
    child.stderr?.on("data", (text: string) => (stderr += text));
    child.stdout?.on("data", (text: string) => {
      if (stdout === "") child.kill("SIGINT");
      stdout += text;
    });
    const status = await new Promise((resolveExit) => child.on("exit", resolveExit));
    const [line, sums] = stdout.trimEnd().split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({ output: join(folder, "out", "a.jpg"), width: 40 });
    expect(JSON.parse(sums ?? "")).toMatchObject({ images: 1, failed: 0 });
    expect(status).toBe(0);
    expect(stderr).toContain("Starting a service for this run");
    // Its state is gone, and so is whatever could have written it again.
    expect((await readdir(folder)).sort()).toEqual(["in", "out"]);
  });
});
