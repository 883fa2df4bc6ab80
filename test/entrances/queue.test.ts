/** Messages of the queue: jobs and deliveries, once each. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";

import { createConsumer } from "../../src/entrances/queue.ts";
import { ApiError } from "../../src/errors.ts";
import type { Pipeline } from "../../src/pipeline/edges.ts";
import { sealOf } from "../../src/pipeline/notices.ts";
import { accept } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { brokenPipeline, shortPipeline } from "../support/pipeline.ts";
import { column, receiver, store, untilStatus } from "../support/webhooks.ts";

/** A job that was accepted and whose start was lost. */
async function accepted(url: string, upload?: Uint8Array): Promise<string> {
  const id = crypto.randomUUID();
  const source = upload
    ? { kind: "upload", name: "photo.png" }
    : { kind: "fetch", url: "https://images.test/a.png", headers: {} };
  const job = JSON.stringify({ source, processing: {}, baseUrl: "https://darkroom.test" });
  await accept({ id, accountId: "account", url, delaySeconds: 0, job, upload }, ports);
  return id;
}

const ports = {
  store: storeOf(env.DB),
  uploads: uploadsOf(env.BUCKET),
  seal: sealOf(env),
  now: () => Date.now(),
  newClaim: () => crypto.randomUUID(),
  random: Math.random,
  pause: async () => undefined,
  wake: async () => undefined,
  report: () => undefined,
};

/** What becomes of messages: those acknowledged, those that come again. */
async function consume(pipeline: Pipeline, ...bodies: readonly unknown[]) {
  const messages = bodies.map((body, index) => ({ id: String(index), timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("darkroom", messages);
  await createConsumer(pipeline)(batch, env);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  return { acknowledged: explicitAcks.toSorted(), again: retryMessages.map(({ msgId }) => msgId).toSorted() };
}

/** Counts how often the pipeline ran. */
function countingPipeline() {
  let walks = 0;
  const pipeline: Pipeline = {
    ...shortPipeline,
    process: (job, edges) => ((walks += 1), shortPipeline.process(job, edges)),
  };
  return { pipeline, walks: () => walks };
}

it("runs an accepted job once, however often its message comes", async () => {
  const { url, received } = receiver();
  const id = await accepted(url, new Uint8Array([1, 2, 3]));
  const { pipeline, walks } = countingPipeline();
  const run = { kind: "run", id };
  expect(await consume(pipeline, run, run, run)).toEqual({ acknowledged: ["0", "1", "2"], again: [] });
  await untilStatus(id, "delivered");
  await consume(pipeline, run, { kind: "deliver", id }, { kind: "deliver", id });
  expect(walks()).toBe(1);
  expect(await received(1)).toHaveLength(1);
  expect((await env.BUCKET.list({ prefix: "jobs/" })).objects).toHaveLength(0);
});

it("delivers what a message says is due", async () => {
  const { url, received } = receiver();
  const id = await accepted(url);
  await ports.store.claimRun(id, "claim", Date.now(), 1);
  await ports.store.finishRun(id, { payload: '{"success":false}', dueAt: Date.now(), now: Date.now() });
  await consume(shortPipeline, { kind: "deliver", id });
  expect((await received(1))[0]?.body).toBe('{"success":false}');
  await untilStatus(id, "delivered");
});

it("puts a job back when there is no capacity, and does it later", async () => {
  const { url, received } = receiver();
  const id = await accepted(url);
  await consume(brokenPipeline(new ApiError(503, "No capacity")), { kind: "run", id });
  expect(await column(id, "status")).toBe("created");
  await consume(shortPipeline, { kind: "run", id });
  expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true });
});

it("notifies of a fault of ours after some tries, without saying what it was", async () => {
  const { url, received } = receiver();
  const id = await accepted(url);
  for (let start = 0; start < 5; start += 1) {
    await consume(brokenPipeline(new Error("secret words")), { kind: "run", id });
  }
  expect(JSON.parse((await received(1))[0]?.body ?? "")).toEqual({
    success: false,
    code: 500,
    id,
    message: "Internal error",
    error: "fault",
  });
});

it("acknowledges messages of records that are gone, and sends back what is no message", async () => {
  const gone = crypto.randomUUID();
  const bodies = [{ kind: "run", id: gone }, { kind: "deliver", id: gone }, "nonsense", { kind: "drop", id: gone }];
  expect(await consume(shortPipeline, ...bodies)).toEqual({ acknowledged: ["0", "1"], again: ["2", "3"] });
});

it("brings a message that fails again and again ever later", async () => {
  const delayAfter = async (attempts: number) => {
    const retry = vi.fn<(options: QueueRetryOptions) => void>();
    const messages = [{ id: "0", timestamp: new Date(), attempts, body: "nonsense", retry }];
    await createConsumer(shortPipeline)({ messages } as unknown as MessageBatch, env);
    return retry.mock.calls[0]?.[0].delaySeconds ?? 0;
  };
  expect(await delayAfter(1)).toBeLessThanOrEqual(3);
  expect(await delayAfter(4)).toBeGreaterThanOrEqual(12);
  expect(await delayAfter(10)).toBeGreaterThanOrEqual(225);
  expect(await delayAfter(10)).toBeLessThanOrEqual(375);
});

it("leaves alone what is finished", async () => {
  const [id = ""] = await store({ accountId: "account", status: "delivered" });
  await consume(shortPipeline, { kind: "run", id }, { kind: "deliver", id });
  expect(await column(id, "attempts")).toBe("[]");
});

it("ends a record whose job is gone", async () => {
  const [id = ""] = await store({ accountId: "account", status: "created", payload: null, wakeAt: Date.now() });
  for (let start = 0; start < 5; start += 1) await consume(shortPipeline, { kind: "run", id });
  expect(JSON.parse(String(await column(id, "payload")))).toMatchObject({ success: false, code: 500 });
});

it("does one job after the other, whatever a batch holds", async () => {
  const ids = [await accepted(receiver().url), await accepted(receiver().url), await accepted(receiver().url)];
  const state = { now: 0, most: 0 };
  const pipeline: Pipeline = {
    ...shortPipeline,
    process: async (job, edges) => {
      state.most = Math.max(state.most, (state.now += 1));
      await scheduler.wait(5);
      state.now -= 1;
      return shortPipeline.process(job, edges);
    },
  };
  await consume(pipeline, ...ids.map((id) => ({ kind: "run", id })));
  expect(state).toEqual({ now: 0, most: 1 });
});

it("keeps a job that was started before away from all others", async () => {
  const suspect = await accepted(receiver().url);
  await ports.store.claimRun(suspect, "killed", Date.now() - 60_000, 1);
  const innocent = await accepted(receiver().url);
  const running = { names: new Set<string>(), together: false };
  const pipeline: Pipeline = {
    ...shortPipeline,
    process: async (job, edges) => {
      running.names.add(job.id);
      running.together ||= running.names.size > 1;
      await scheduler.wait(20);
      running.names.delete(job.id);
      return shortPipeline.process(job, edges);
    },
  };
  await Promise.all([
    consume(pipeline, { kind: "run", id: innocent }),
    consume(pipeline, { kind: "run", id: suspect }),
  ]);
  await consume(pipeline, { kind: "run", id: innocent }, { kind: "run", id: suspect });
  expect(running.together).toBe(false);
  for (const id of [innocent, suspect]) expect(await column(id, "payload")).toContain('"success":true');
});
