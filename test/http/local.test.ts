/** A service that may read private addresses: by which names it is called, and which pages it answers. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { openAccount } from "../support/accounts.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { FILE } from "../support/upload-tokens.ts";

const HERE = "http://localhost:8787";
const app = createApp(shortPipeline);

beforeEach(() => forgetKeys());

/** The status of a request to a service that may read private addresses, unless a setting says otherwise. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  more: RequestInit & { base?: string; vars?: object } = {},
) {
  const { base = HERE, vars = {}, ...init } = more;
  const context = createExecutionContext();
  const bindings = { ...env, ALLOWED_HOSTS: "", ...vars };
  const answer = await app.fetch(new Request(base + path, { ...init, headers }), bindings, context);
  const text = await answer.text();
  await waitOnExecutionContext(context);
  return { status: answer.status, text, headers: answer.headers };
}

const PICTURE = "/i/demo/w=30/http://127.0.0.1:9301/x.jpg";

describe("a page of another site", () => {
  it.each<[string, Record<string, string>]>([
    ["that fetches", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["that shows an image", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" }],
    ["of an older browser", { origin: "https://evil.example" }],
    ["in a frame without an origin", { origin: "null" }],
    ["that says where it is", { "sec-fetch-site": "cross-site", referer: "https://evil.example/localhost" }],
    ["whose name looks like ours", { origin: "http://localhost.evil.example" }],
  ])("%s is answered neither pictures nor anything with a key", async (_, headers) => {
    const { key } = await openAccount();
    for (const path of [PICTURE, PICTURE.replace("/i/", "/imgproxy/"), "/1.0/account", "/1.0/nothing"]) {
      const { status, text, headers: said } = await ask(path, { ...headers, authorization: `Bearer ${key}` });
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain("This service answers pages of its own machine");
      expect(said.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("sends no form with a key that the browser knows", async () => {
    const { key } = await openAccount();
    const body = new FormData();
    body.append(...(FILE as readonly [string, File]));
    const headers = {
      authorization: `Basic ${btoa(`${key}:`)}`,
      "sec-fetch-site": "cross-site",
      origin: "https://evil.example",
    };
    expect((await ask("/1.0/upload", headers, { method: "POST", body })).status).toBe(403);
  });

  it("is not told that it may send uploads", async () => {
    const preflight = (origin: string, vars = {}) =>
      ask("/1.0/upload", { origin, "access-control-request-method": "POST" }, { method: "OPTIONS", vars });
    const granted = async (origin: string, vars = {}) =>
      (await preflight(origin, vars)).headers.get("access-control-allow-origin");
    expect(await granted("https://evil.example")).toBeNull();
    expect(await granted("http://localhost:5173")).toBe("http://localhost:5173");
    expect(await granted("https://tunnel.example", { ALLOWED_HOSTS: "tunnel.example" })).toBe("https://tunnel.example");
    expect(await granted("https://app.example", { ALLOW_PRIVATE_ORIGINS: "false" })).toBe("https://app.example");
  });
});

it("pages of this machine, programs and addresses that were typed are answered", async () => {
  const { key } = await openAccount();
  for (const headers of [
    {},
    { origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
    { origin: "http://127.0.0.1:3000" },
    { origin: "http://[::1]:3000" },
    { "sec-fetch-site": "cross-site", referer: "http://127.0.0.1:3000/" },
    { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:3000" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "same-origin" },
  ]) {
    expect((await ask("/1.0/account", { ...headers, authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await ask(PICTURE, headers)).status).toBe(404);
  }
  expect((await ask("/health", { "sec-fetch-site": "cross-site" })).status).toBe(200);
});

it("another name that leads here is refused, whatever is asked", async () => {
  for (const path of [PICTURE, "/health", "/1.0/account", "/temp/x/y", "/nothing"]) {
    expect((await ask(path, {}, { base: "http://attacker.example:8787" })).status).toBe(403);
    expect((await ask(path, { host: "attacker.example" })).status).toBe(403);
  }
  const named = { base: "https://tunnel.example", vars: { ALLOWED_HOSTS: "other.example, Tunnel.example" } };
  expect((await ask("/health", {}, named)).status).toBe(200);
  expect(
    (await ask("/health", {}, { base: "https://pics.example", vars: { BASE_URL: "https://pics.example" } })).status,
  ).toBe(200);
});

it("a deployment, which reads no private address, answers by any name", async () => {
  const { key } = await openAccount();
  const vars = { ALLOW_PRIVATE_ORIGINS: "false" };
  const headers = { authorization: `Bearer ${key}`, origin: "https://app.example", "sec-fetch-site": "cross-site" };
  expect((await ask("/1.0/account", headers, { base: "https://pics.example", vars })).status).toBe(200);
});

describe("a key that a browser has added by itself", () => {
  const vars = { ALLOW_PRIVATE_ORIGINS: "false" };
  const base = "https://pics.example";
  const send = async (headers: Record<string, string>, path = "/1.0/upload") => {
    const { key } = await openAccount();
    const body = new FormData();
    body.append(...(FILE as readonly [string, File]));
    const sent = { authorization: `Basic ${btoa(`${key}:`)}`, ...headers };
    const { status } = await ask(path, sent, { method: "POST", body, base, vars });
    const { credits } = JSON.parse(
      (await ask("/1.0/account", { authorization: `Bearer ${key}` }, { base, vars })).text,
    );
    return { status, used: credits.used as number };
  };

  it.each<[string, Record<string, string>]>([
    ["of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["of another site, in an older browser", { origin: "https://evil.example" }],
    ["beside ours", { origin: "https://blog.pics.example", "sec-fetch-site": "same-site" }],
    ["that hides where it is", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["without an origin", { "sec-fetch-site": "cross-site" }],
    ["of this machine", { origin: "http://localhost:3000", "sec-fetch-site": "cross-site" }],
  ])("sends no form of a page %s", async (_, headers) => {
    expect(await send(headers)).toMatchObject({ status: 403, used: 0 });
    expect((await send(headers, "/1.0/watermarks")).status).toBe(403);
  });

  it("is taken from programs, from our own pages and from extensions of browsers that send it as Bearer", async () => {
    for (const headers of [{}, { origin: base, "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }]) {
      expect(await send(headers)).toMatchObject({ status: 200, used: 1 });
    }
  });
});
