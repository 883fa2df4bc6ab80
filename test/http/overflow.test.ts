/** Requests of a busy isolate that an object of the pool does: what they are answered, and what is charged. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { MAKER_LINE_MS } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { Caller } from "../../src/scheduler/caller.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";

const api = apiOf(pipeline);
const MAKERS = "4";

beforeEach(() => forgetKeys());
afterEach(() => vi.restoreAllMocks());

/** Keeps the isolate busy: another account is expected to bring so much, and brings nothing. */
async function crowded<Result>(work: () => Promise<Result>): Promise<Result> {
  const other = new Caller({ account: "another" });
  isolateBudget.learn(other, MAKER_LINE_MS + 1_000);
  isolateBudget.expect(other);
  try {
    return await work();
  } finally {
    other.settle();
  }
}

function form(file = photo): FormData {
  const body = new FormData();
  body.set("file", new File([file], "a.jpg"));
  body.set("data", JSON.stringify({ resize: { width: 40 } }));
  return body;
}

/** The objects of the pool, with a count of how often they were called. */
function pool(fetching: (request: Request, name: string) => Promise<Response> = real) {
  const names: string[] = [];
  const getByName = (name: string) => ({
    fetch: (request: Request) => {
      names.push(name);
      return fetching(request, name);
    },
  });
  return { names, env: { MAKERS, MAKER: { getByName } } };
}

function real(request: Request, name: string): Promise<Response> {
  return env.MAKER.getByName(name).fetch(request);
}

async function creditsOf(key: string): Promise<unknown> {
  return (await api("GET", "/1.0/account", { key })).body.credits;
}

it("stay where they are unless there is a pool, and the isolate has a long line", async () => {
  const { key } = await openAccount(5);
  const { names, env: own } = pool();
  await crowded(() => api("POST", "/1.0/upload", { key, body: form(), env: { ...own, MAKERS: "0" } }));
  await api("POST", "/1.0/upload", { key, body: form(), env: own });
  await crowded(() => api("GET", "/1.0/account", { key, env: own }));
  await crowded(() => api("POST", "/1.0/upload", { key: "unknown", body: form(), env: own }));
  expect(names).toEqual([]);
});

it("are answered as they would be here, and charged once", async () => {
  const { key } = await openAccount(5);
  const { names, env: own } = pool();
  const here = await api("POST", "/1.0/upload", { key, body: form() });
  const there = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), env: own }));
  expect(names).toEqual([expect.stringMatching(/^maker:[0-3]$/)]);
  expect([there.status, there.body.output.sha1]).toEqual([200, here.body.output.sha1]);
  expect(there.headers.get("x-request-id")).toBe(there.body.id);
  expect(await creditsOf(key)).toEqual({ total: 5, used: 2, remaining: 3 });
  const headers = { "x-service-binary": "1" };
  const bytes = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), headers, env: own }));
  const same = await api("POST", "/1.0/upload", { key, body: form(), headers });
  expect([...bytes.headers.keys()].toSorted()).toEqual([...same.headers.keys()].toSorted());
  expect(bytes.bytes).toEqual(same.bytes);
});

it("are refused as they would be here, and cost nothing", async () => {
  const { key } = await openAccount(1);
  const { names, env: own } = pool();
  const broken = () => form(photo.slice(0, 40));
  const here = await api("POST", "/1.0/upload", { key, body: broken() });
  const there = await crowded(() => api("POST", "/1.0/upload", { key, body: broken(), env: own }));
  expect(names).toHaveLength(1);
  expect([there.status, there.body.message]).toEqual([here.status, here.body.message]);
  expect(await creditsOf(key)).toEqual({ total: 1, used: 0, remaining: 1 });
  const done = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), env: own }));
  const spent = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), env: own }));
  expect([done.status, spent.status]).toEqual([200, 402]);
});

it("come back from an object that dies in their midst, and are done here", async () => {
  const { key } = await openAccount(2);
  const { names, env: own } = pool(async (request) => {
    // Some of the body is gone.
    await request.body?.getReader().read();
    throw new Error("the object has died");
  });
  const headers = { "content-length": String(await lengthOf(form())) };
  const there = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), headers, env: own }));
  expect([names.length, there.status]).toEqual([1, 200]);
  expect(await creditsOf(key)).toEqual({ total: 2, used: 1, remaining: 1 });
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
});

it("come back from an object that is as busy", async () => {
  const { key } = await openAccount(2);
  const { env: own } = pool(async () => Response.json({ success: false }, { status: 503 }));
  const headers = { "content-length": String(await lengthOf(form())) };
  const there = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), headers, env: own }));
  expect(there.status).toBe(200);
});

it("are lost with an object where nobody knows what became of them: who sends them again finds the answer", async () => {
  const { key } = await openAccount(2);
  const dying = pool(async (request, name) => {
    await real(request, name);
    throw new Error("the object has died after its work");
  });
  const headers = { "content-length": String(await lengthOf(form())), "idempotency-key": "k1" };
  const lost = await crowded(() => api("POST", "/1.0/upload", { key, body: form(), headers, env: dying.env }));
  expect([lost.status, lost.headers.get("retry-after")]).toEqual([503, "2"]);
  const found = await api("POST", "/1.0/upload", { key, body: form(), headers });
  expect([found.status, found.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(await creditsOf(key)).toEqual({ total: 2, used: 1, remaining: 1 });
});

/** Boundaries of forms are of the same length. */
async function lengthOf(body: FormData): Promise<number> {
  return (await new Response(body).arrayBuffer()).byteLength;
}

it("that are parts of another stay where that is", async () => {
  const { key } = await openAccount(5);
  const { names, env: own } = pool();
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "optimize_image", arguments: { url: "https://images.test/a.jpg" } },
  };
  await crowded(() => api("POST", "/mcp", { key, json: call, env: own }));
  expect(names).toEqual([]);
});
