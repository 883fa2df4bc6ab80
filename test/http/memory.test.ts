/**
 * What uploads hold in memory is admitted before their bytes are read, and native code that gets no more harms nobody.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { createApp } from "../../src/http/app.ts";
import { lentBytes } from "../../src/http/lending.ts";
import { MAX_SOURCE_BYTES } from "../../src/limits.ts";
import { MAX_LENT_BYTES, MAX_ORIGINALS_BYTES, ORIGINAL_STEP_BYTES } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import avif from "../fixtures/avif/limited-709.avif";
import heic from "../fixtures/heic/s420.heic";
import tiff from "../fixtures/tiff/sm_colors_pb_tile.tif";
import webp from "../fixtures/webp/video-001-lossy.webp";
import { openAccount } from "../support/accounts.ts";
import { type Answer, api, apiOf } from "../support/api.ts";
import { reserve } from "../support/budget.ts";
import { eventually } from "../support/eventually.ts";
import { shortPipeline } from "../support/pipeline.ts";

const MIB = 1024 * 1024;
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
const multipart = { "content-type": "multipart/form-data; boundary=b" };

/** An upload whose sender stops shortly before it has sent so many bytes, until it is told to hang up. */
function stalling(bytes: number, announced = bytes) {
  const chunk = new Uint8Array(MIB);
  const state = { sent: 0, stalled: false };
  const hangUp = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (state.sent === 0) controller.enqueue(new TextEncoder().encode(HEAD));
        else if (state.sent + 2 * MIB < bytes) controller.enqueue(chunk);
        else {
          state.stalled = true;
          await hangUp.promise;
          controller.error(new Error("the sender hung up"));
        }
        state.sent += MIB;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, bytes: announced, state, hangUp: () => hangUp.resolve() };
}

const small = (key: string): Promise<Answer> => {
  const body = new FormData();
  body.set("file", new File([new Uint8Array(1000)], "a.png"));
  return api("POST", "/1.0/upload", { key, body });
};

afterEach(() => expect(isolateBudget.held).toEqual({ work: 0, originals: 0 }));

it("12 uploads of 31 MiB that stall do not exceed the budget, and keep no small one out", async () => {
  const { key } = await openAccount();
  const uploads = Array.from({ length: 12 }, () => stalling(31 * MIB));
  const answers = uploads.map(({ body, bytes }) => {
    const headers = { ...multipart, "content-length": String(bytes) };
    return api("POST", "/1.0/upload", { key, body, headers, env: { MAX_WAIT_SECONDS: "3" } });
  });
  await eventually(() => expect(uploads.some(({ state }) => state.stalled)).toBe(true));
  // Two of them could not both come to their end: the others wait, and none of their bytes is read.
  expect(uploads.filter(({ state }) => state.sent > 0)).toHaveLength(1);
  expect(isolateBudget.held.originals).toBeLessThanOrEqual(31 * MIB);
  expect(isolateBudget.waitingAtDoor).toBe(11);
  for (let round = 0; round < 3; round += 1) expect((await small(key)).status).toBe(200);
  await eventually(() => expect(isolateBudget.waitingAtDoor).toBe(0));
  for (const { hangUp } of uploads) hangUp();
  const settled = await Promise.all(answers);
  expect(settled.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([400, ...Array<number>(11).fill(503)]);
  for (const { status, headers } of settled) expect(headers.has("retry-after")).toBe(status === 503);
});

it("an upload holds what it has sent and one step, whatever it announces", async () => {
  const { key } = await openAccount();
  const slow = stalling(6 * MIB);
  const headers = { ...multipart, "content-length": String(31 * MIB) };
  const answer = api("POST", "/1.0/upload", { key, body: slow.body, headers });
  await eventually(() => expect(slow.state.stalled).toBe(true));
  expect(isolateBudget.held.originals).toBeLessThanOrEqual(slow.state.sent + ORIGINAL_STEP_BYTES);
  slow.hangUp();
  expect((await answer).status).toBe(400);
});

it("an upload that announces nothing is none of the small ones any more once it is large", async () => {
  const { key } = await openAccount();
  const unannounced = [stalling(6 * MIB), stalling(6 * MIB)];
  const answers = unannounced.map(({ body }) => api("POST", "/1.0/upload", { key, body, headers: multipart }));
  await eventually(() => expect(unannounced.some(({ state }) => state.stalled)).toBe(true));
  expect((await small(key)).status).toBe(200);
  for (const { hangUp } of unannounced) hangUp();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400]);
});

it("four slow uploads of one account keep none of another out", async () => {
  const [slow, other] = [await openAccount(), await openAccount()];
  const drips = [4, 4, 31, 0.25].map((mebibytes) => stalling(0, mebibytes * MIB));
  const answers = drips.map(({ body, bytes }) => {
    const headers = { ...multipart, "content-length": String(bytes) };
    return api("POST", "/1.0/upload", { key: slow.key, body, headers });
  });
  await eventually(() => expect(drips.every(({ state }) => state.stalled)).toBe(true));
  // None of them has more than a step.
  expect(isolateBudget.held.originals).toBeLessThanOrEqual(3 * ORIGINAL_STEP_BYTES + 0.25 * MIB);
  const file = new Uint8Array(5 * MIB);
  const upload = (bytes: Uint8Array<ArrayBuffer>) => {
    const body = new FormData();
    body.set("file", new File([bytes], "a.png"));
    return api("POST", "/1.0/upload", { key: other.key, body });
  };
  const sizes = Array.from({ length: 20 }, (_, index) => (index % 5 === 4 ? file.length : 110_000));
  const done = await Promise.all(sizes.map((bytes) => upload(file.slice(0, bytes))));
  expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { hangUp } of drips) hangUp();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
});

it("what was held for nothing counts as failed work, and what was waited for does not", async () => {
  const { key } = await openAccount();
  const failedMs = async () => (await api("GET", "/1.0/account", { key })).body.failed_ms.used as number;
  const slow = stalling(28 * MIB, 28 * MIB);
  const headers = { ...multipart, "content-length": String(slow.bytes) };
  const answer = api("POST", "/1.0/upload", { key, body: slow.body, headers });
  await eventually(() => expect(slow.state.stalled).toBe(true));
  await scheduler.wait(400);
  slow.hangUp();
  expect((await answer).status).toBe(400);
  const failed = await failedMs();
  expect(failed).toBeGreaterThan(250);
  const others = reserve(isolateBudget, MAX_ORIGINALS_BYTES);
  const waiting = stalling(5 * MIB);
  const next = api("POST", "/1.0/upload", {
    key,
    body: waiting.body,
    headers: { ...multipart, "content-length": String(waiting.bytes) },
  });
  await scheduler.wait(400);
  others.release();
  await eventually(() => expect(waiting.state.stalled).toBe(true));
  waiting.hangUp();
  expect((await next).status).toBe(400);
  expect((await failedMs()) - failed).toBeLessThan(100);
});

/** An upload of a file of so many bytes, whose sender does not hurry. */
function leisurely(bytes: number) {
  const chunk = new Uint8Array(MIB);
  const tail = new TextEncoder().encode("\r\n--b--\r\n");
  const head = new TextEncoder().encode(HEAD);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await scheduler.wait(5);
        if (sent === 0) controller.enqueue(head);
        controller.enqueue(chunk.subarray(0, Math.min(MIB, bytes - sent)));
        sent += MIB;
        if (sent < bytes) return;
        controller.enqueue(tail);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, headers: { ...multipart, "content-length": String(head.length + bytes + tail.length) } };
}

it.each(["one account", "two accounts"])(
  "two files of more than 28 MiB of %s are both done, one after the other",
  async (whose) => {
    const first = await openAccount();
    const second = whose === "one account" ? first : await openAccount();
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, isolateBudget.held.originals)), 5);
    const answers = await Promise.all(
      [first, second].map(({ key }) => api("POST", "/1.0/upload", { key, ...leisurely(29 * MIB) })),
    );
    clearInterval(watching);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(most).toBeLessThanOrEqual(MAX_ORIGINALS_BYTES);
    const waited = answers.map(({ headers }) =>
      Number(/wait;dur=(\d+)/.exec(headers.get("server-timing") ?? "")?.[1] ?? 0),
    );
    expect(waited.filter((ms) => ms > 0)).toHaveLength(1);
  },
);

it("an upload that had to wait says how long", async () => {
  const { key } = await openAccount();
  const others = reserve(isolateBudget, MAX_ORIGINALS_BYTES);
  const body = new FormData();
  body.set("file", new File([new Uint8Array(5 * MIB)], "a.png"));
  const headers = { "content-length": String(5 * MIB + 500) };
  const waiting = api("POST", "/1.0/upload", { key, body, headers });
  await eventually(() => expect(isolateBudget.waitingAtDoor).toBe(1));
  await scheduler.wait(20);
  others.release();
  const { status, headers: answered } = await waiting;
  expect(status).toBe(200);
  const [, waited = "0", total = "0"] =
    /^wait;dur=(\d+),.* total;dur=(\d+)$/.exec(answered.get("server-timing") ?? "") ?? [];
  expect(Number(waited)).toBeGreaterThanOrEqual(20);
  expect(Number(total)).toBeGreaterThanOrEqual(Number(waited));
  expect((await small(key)).headers.get("server-timing")).not.toContain("wait");
});

it("a refused request holds nothing", async () => {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File([new Uint8Array(1000)], "a.png"));
  body.set("data", '{"resize":{}}');
  expect((await api("POST", "/1.0/upload", { key, body })).status).toBe(422);
  expect((await api("POST", "/1.0/watermarks", { key, body })).status).toBe(422);
  expect((await api("POST", "/1.0/keyfiles", { key, body })).status).toBe(400);
  expect((await api("POST", "/1.0/fetch", { key, json: { url: 1 } })).status).toBe(422);
});

it("the bytes of an accepted job are read once there is room for them", async () => {
  const uploads = uploadsOf(env.BUCKET);
  await uploads.put("jobs/1/a", new Uint8Array(5 * MIB));
  const others = reserve(isolateBudget, MAX_SOURCE_BYTES);
  const waiting = uploads.get("jobs/1/a");
  await eventually(() => expect(isolateBudget.waitingAtDoor).toBe(1));
  others.release();
  const held = await waiting;
  expect(isolateBudget.held.originals).toBe(5 * MIB);
  held?.memory.release();
  await uploads.remove(["jobs/1/a"]);
});

/**
 * From now on every instance that counts its work has all the memory that its module may have, and all of it is taken.
 */
function takeMemory(): void {
  const { Instance } = WebAssembly;
  class Taken extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      const { fuel, memory, malloc } = this.exports;
      if (fuel === undefined || !(memory instanceof WebAssembly.Memory)) return;
      for (let pages = 1_024; pages >= 1; pages /= 2) while (hasGrown(memory, pages));
      expect(memory.buffer.byteLength).toBe(96 * MIB);
      // The allocator of C takes what was there before it as its own.
      const take = malloc as ((bytes: number) => number) | undefined;
      for (let bytes = 16 * MIB; take && bytes >= 1_024; bytes /= 2) while (take(bytes) !== 0);
    }
  }
  vi.spyOn(WebAssembly, "Instance", "get").mockReturnValue(Taken);
}

function hasGrown(memory: WebAssembly.Memory, pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch {
    return false;
  }
}

const svg = new TextEncoder().encode(
  `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><g opacity=".5"><circle cx="9" cy="9" r="900"/></g></svg>`,
);

it.each([
  ["AVIF", avif],
  ["HEIC", heic],
  ["TIFF", tiff],
  ["WebP", webp],
  ["SVG", svg],
])("%s whose decoder gets no more memory is refused with 422, and the next one is done", async (name, file) => {
  const { key } = await openAccount();
  const upload = () => {
    const body = new FormData();
    body.set("file", new File([file], name));
    body.set("data", JSON.stringify({ resize: { width: 16 }, output: { format: "png" }, optimize: { quality: 80 } }));
    return apiOf(pipeline)("POST", "/1.0/upload", { key, body });
  };
  takeMemory();
  const refused = await upload();
  vi.restoreAllMocks();
  expect(refused.status).toBe(422);
  const done = await upload();
  expect([done.status, done.body.output?.format]).toEqual([200, "PNG"]);
});

it("a result takes room until it is stored", async () => {
  const { key } = await openAccount();
  const put = env.BUCKET.put.bind(env.BUCKET);
  let [held, length] = [0, Infinity];
  const slow = async (name: string, bytes: Uint8Array) => {
    [held, length] = [isolateBudget.held.originals, bytes.length];
    return put(name, bytes);
  };
  vi.spyOn(env.BUCKET, "put").mockImplementationOnce(slow as typeof env.BUCKET.put);
  const body = new FormData();
  body.set("file", new File([svg], "a.svg"));
  body.set("data", JSON.stringify({ output: { format: "png" } }));
  expect((await apiOf(pipeline)("POST", "/1.0/upload", { key, body })).status).toBe(200);
  expect(length).toBeGreaterThan(svg.length);
  expect(held).toBeGreaterThanOrEqual(length);
});

describe("an answer in bytes", () => {
  /** The service as above, with results in the bucket; nobody reads its answers. */
  const app = createApp({ ...shortPipeline, portsOf: pipeline.portsOf });

  async function unread(key: string, file: Uint8Array<ArrayBuffer>) {
    const body = new FormData();
    body.set("file", new File([file], "a.png"));
    body.set("data", JSON.stringify({ response: { mode: "binary" } }));
    const headers = { authorization: `Bearer ${key}` };
    const context = createExecutionContext();
    const request = new Request("https://darkroom.test/1.0/upload", { method: "POST", headers, body });
    return { answer: await app.fetch(request, env, context), settle: () => waitOnExecutionContext(context) };
  }

  it("is lent memory while there is some to lend, and comes from the bucket beyond", async () => {
    const { key } = await openAccount();
    const file = new Uint8Array(1.5 * MIB).map((_, at) => at % 251);
    const asked = [];
    for (let readers = 0; readers < 5; readers++) asked.push(await unread(key, file));
    expect(lentBytes()).toBeGreaterThan(MAX_LENT_BYTES / 2);
    expect(lentBytes()).toBeLessThanOrEqual(MAX_LENT_BYTES);
    expect(isolateBudget.held.originals).toBe(0);
    for (const { answer, settle } of asked) {
      expect([answer.status, answer.headers.get("content-length")]).toEqual([200, String(file.length)]);
      expect(await sha1(await answer.arrayBuffer())).toBe(await sha1(file.buffer));
      await settle();
    }
    expect(lentBytes()).toBe(0);
  });

  it("is lent none any more when its reader hangs up", async () => {
    const { key } = await openAccount();
    const { answer, settle } = await unread(key, new Uint8Array(MIB));
    const reader = answer.body?.getReader();
    await reader?.read();
    expect(lentBytes()).toBeGreaterThanOrEqual(MIB);
    await reader?.cancel();
    await settle();
    expect(lentBytes()).toBe(0);
  });
});

async function sha1(bytes: ArrayBuffer): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toHex();
}
