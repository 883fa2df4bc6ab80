/** Callers who hang up: their work ends within a stretch, costs nothing, and leaves room for others. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { png } from "../../src/image/formats/png.ts";
import { ISOLATE_BUDGET_BYTES, MAX_ORIGINALS_BYTES } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { reserve } from "../support/budget.ts";
import { eventually } from "../support/eventually.ts";
import { noise, pictureOf } from "../support/rows.ts";
import { receiver } from "../support/webhooks.ts";

const app = createApp(pipeline);
const api = apiOf(pipeline);

beforeEach(() => forgetKeys());
afterEach(() => vi.restoreAllMocks());

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

/** A picture that takes seconds as AVIF. */
async function hardPicture(): Promise<Uint8Array> {
  return png.write.encode(pictureOf([noise(700, 700)]), EXACT, UNPAUSED);
}

function uploadOf(key: string, file: Uint8Array, signal: AbortSignal, data: object): Request {
  const body = new FormData();
  body.set("file", new File([file.slice()], "hard.png"));
  body.set("data", JSON.stringify(data));
  const headers = { authorization: `Bearer ${key}` };
  return new Request("https://darkroom.test/1.0/upload", { method: "POST", headers, body, signal });
}

it("stop their work, which costs no credit and stores nothing", async () => {
  const { key } = await openAccount(1);
  const file = await hardPicture();
  const caller = new AbortController();
  const context = createExecutionContext();
  const before = (await env.BUCKET.list()).objects.length;
  let stretches = 0;
  const counting = setInterval(() => {
    if (++stretches === 3) caller.abort();
  }, 1);
  const answer = await app.fetch(uploadOf(key, file, caller.signal, { output: { format: "avif" } }), env, context);
  clearInterval(counting);
  await answer.body?.cancel();
  await waitOnExecutionContext(context);
  expect(answer.status).toBe(499);
  expect((await env.BUCKET.list()).objects).toHaveLength(before);
  expect((await api("GET", "/1.0/account", { key })).body.credits).toEqual({ total: 1, used: 0, remaining: 1 });
  // All memory is free again: work that needs all of it starts at once.
  expect(await isolateBudget.run({ bytes: ISOLATE_BUDGET_BYTES }, () => "free")).toBe("free");
});

it("do not stop a job that was accepted: it is done and notified of, and costs one credit", async () => {
  const { key } = await openAccount(2);
  const { url, received } = receiver();
  const caller = new AbortController();
  const context = createExecutionContext();
  const put = env.BUCKET.put.bind(env.BUCKET);
  // In the midst of making the job durable.
  vi.spyOn(env.BUCKET, "put").mockImplementationOnce((async (name: string, bytes: Uint8Array) => {
    caller.abort();
    return put(name, bytes);
  }) as typeof env.BUCKET.put);
  const file = await png.write.encode(pictureOf([noise(8, 8)]), EXACT, UNPAUSED);
  const answer = await app.fetch(uploadOf(key, file, caller.signal, { webhook: { url } }), env, context);
  await waitOnExecutionContext(context);
  expect([caller.signal.aborted, answer.status]).toEqual([true, 202]);
  expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true });
  expect((await api("GET", "/1.0/account", { key })).body.credits).toEqual({ total: 2, used: 1, remaining: 1 });
});

it("give back place, memory and credit while they wait, and nothing is charged for what nobody received", async () => {
  const { key } = await openAccount(25);
  const others = reserve(isolateBudget, MAX_ORIGINALS_BYTES);
  const file = new Uint8Array(5 << 20);
  const callers = Array.from({ length: 20 }, () => new AbortController());
  const contexts = callers.map(() => createExecutionContext());
  const answers = callers.map(async ({ signal }, index) => {
    const context = contexts[index] ?? createExecutionContext();
    const answer = await app.fetch(uploadOf(key, file, signal, { output: { format: "avif" } }), env, context);
    await answer.body?.cancel();
    await waitOnExecutionContext(context);
    return answer.status;
  });
  await eventually(() => expect(isolateBudget.waitingAtDoor).toBeGreaterThan(15));
  for (const caller of callers) caller.abort();
  // In turns, since a time would say nothing on a busy machine.
  for (let turn = 0; turn < 20; turn += 1) await scheduler.wait(0);
  expect(isolateBudget.waitingAtDoor).toBe(0);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([499]));
  others.release();
  expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
  const { credits } = (await api("GET", "/1.0/account", { key })).body;
  expect(credits).toEqual({ total: 25, used: 0, remaining: 25 });
  // None of them is reserved any more: every one can be used.
  const small = await png.write.encode(pictureOf([noise(8, 8)]), EXACT, UNPAUSED);
  const body = () => {
    const form = new FormData();
    form.set("file", new File([small.slice()], "a.png"));
    return form;
  };
  const done = await Promise.all(Array.from({ length: 25 }, () => api("POST", "/1.0/upload", { key, body: body() })));
  expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
});
