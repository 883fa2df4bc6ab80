/** Twenty callers who hang up, wherever their request is: place, memory and credit are free within a second. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, inject, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { png } from "../../src/image/formats/png.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { noise, pictureOf } from "../support/rows.ts";

const app = createApp(pipeline);
const api = apiOf(pipeline);
const CALLERS = 20;
/** Results that the largest of their requests makes. */
const RESULTS = 2;
/** What the account has besides what the callers would take. */
const MORE = 5;
const TOTAL = CALLERS * RESULTS + MORE;
/** A second of a machine that does five things at once: what nobody ends takes half a minute. */
const SOON_MS = 5_000;
const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

beforeEach(() => forgetKeys());

type Asked = (key: string, signal: AbortSignal) => Request;

function form(file: Uint8Array, data: object): FormData {
  const body = new FormData();
  body.set("file", new File([file.slice()], "a.png"));
  body.set("data", JSON.stringify(data));
  return body;
}

function request(path: string, key: string, init: RequestInit): Request {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${key}` };
  return new Request(`https://darkroom.test${path}`, { method: "POST", ...init, headers });
}

/** A picture that takes seconds as AVIF. */
function hardPicture(): Promise<Uint8Array> {
  return png.write.encode(pictureOf([noise(700, 700)]), EXACT, UNPAUSED);
}

/**
 * Has twenty callers ask for the same, and hang up together once `isThere` says that they are where they are to be.
 */
async function hangUp(asked: Asked, isThere: () => boolean): Promise<{ statuses: ReadonlySet<number>; key: string }> {
  const { key } = await openAccount(TOTAL);
  const before = (await env.BUCKET.list()).objects.length;
  const callers = Array.from({ length: CALLERS }, () => new AbortController());
  const answers = callers.map(async ({ signal }) => {
    const context = createExecutionContext();
    const answer = await app.fetch(asked(key, signal), env, context);
    await answer.body?.cancel();
    await waitOnExecutionContext(context);
    return answer.status;
  });
  await eventually(() => expect(isThere()).toBe(true));
  const since = performance.now();
  for (const caller of callers) caller.abort();
  await eventually(() => {
    expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
    expect([isolateBudget.waiting, isolateBudget.waitingAtDoor]).toEqual([0, 0]);
  });
  expect(performance.now() - since).toBeLessThan(SOON_MS);
  const statuses = new Set(await Promise.all(answers));
  expect((await env.BUCKET.list()).objects).toHaveLength(before);
  return { statuses, key };
}

/** Nothing was charged, and every credit can be used. */
async function expectAllCredits(key: string): Promise<void> {
  const total = TOTAL;
  const { credits } = (await api("GET", "/1.0/account", { key })).body;
  expect(credits).toEqual({ total, used: 0, remaining: total });
  const small = await png.write.encode(pictureOf([noise(8, 8)]), EXACT, UNPAUSED);
  const done = await Promise.all(
    Array.from({ length: total }, () => api("POST", "/1.0/upload", { key, body: form(small, {}) })),
  );
  expect(done.filter(({ status }) => status !== 200)).toEqual([]);
  expect((await api("POST", "/1.0/upload", { key, body: form(small, {}) })).status).toBe(402);
}

it("while their origin says nothing", async () => {
  let asking = 0;
  const url = `${inject("origin")}/silent`;
  const asked: Asked = (key, signal) => {
    asking++;
    const body = JSON.stringify({ url });
    return request("/1.0/fetch", key, { headers: { "content-type": "application/json" }, body, signal });
  };
  const { statuses, key } = await hangUp(asked, () => asking === CALLERS);
  expect(statuses).toEqual(new Set([499]));
  await expectAllCredits(key);
});

it("while their origin stops in the midst of the file", async () => {
  const url = `${inject("origin")}/stall`;
  const asked: Asked = (key, signal) => {
    const body = JSON.stringify({ url });
    return request("/1.0/fetch", key, { headers: { "content-type": "application/json" }, body, signal });
  };
  const { statuses, key } = await hangUp(asked, () => isolateBudget.held.originals > 0);
  expect(statuses).toEqual(new Set([499]));
  await expectAllCredits(key);
});

it("while they send their file", async () => {
  let sending = 0;
  const asked: Asked = (key, signal) => {
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          sending++;
          const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
          controller.enqueue(new TextEncoder().encode(head));
          controller.enqueue(new Uint8Array(1_000));
          // As much is sent as was until then.
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": "100000" };
    return request("/1.0/upload", key, { headers, body, signal });
  };
  const { statuses, key } = await hangUp(asked, () => sending >= CALLERS / 2);
  expect(statuses).toEqual(new Set([499]));
  await expectAllCredits(key);
});

it("in the midst of a search, and in the line for it", async () => {
  const file = await hardPicture();
  const asked: Asked = (key, signal) =>
    request("/1.0/upload", key, { body: form(file, { output: { format: "avif" } }), signal });
  const { statuses, key } = await hangUp(asked, () => isolateBudget.held.work > 0 && isolateBudget.waiting > 5);
  expect(statuses).toEqual(new Set([499]));
  await expectAllCredits(key);
});

it("in the midst of a set, and in the line for it", async () => {
  const file = await hardPicture();
  const avif = { output: { format: "avif" } };
  const outputs = { large: { resize: { width: 600 }, ...avif }, small: { resize: { width: 500 }, ...avif } };
  const asked: Asked = (key, signal) => request("/1.0/upload", key, { body: form(file, { outputs }), signal });
  const { statuses, key } = await hangUp(asked, () => isolateBudget.held.work > 0 && isolateBudget.waiting > 2);
  expect(statuses).toEqual(new Set([499]));
  await expectAllCredits(key);
});
