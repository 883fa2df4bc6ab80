/**
 * Jobs where they were accepted: at once while there is room, and on to the queue what takes too long or must be alone.
 */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

import {
  DIRECT_RUN_MS,
  DIRECT_WORK_MS,
  MAX_DIRECT_RUNS,
  QUEUE_WORK_MS,
  RUN_LEASE_MS,
} from "../../src/limits/webhook.ts";
import type { Pipeline } from "../../src/pipeline/edges.ts";
import type { Result } from "../../src/pipeline/job.ts";
import { acceptWork, runWork } from "../../src/pipeline/work.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { column, receiver, untilStatus } from "../support/webhooks.ts";

afterEach(() => void vi.useRealTimers());

/** Accepts jobs, and knows what goes to the queue. */
function entrance(pipeline: Pipeline) {
  const queued: unknown[] = [];
  const send = async (message: unknown) => void queued.push(message);
  const own = { ...env, QUEUE: { send } as unknown as Queue };
  const deferred: Promise<unknown>[] = [];
  const { url } = receiver();
  const accept = async (): Promise<string> => {
    const id = crypto.randomUUID();
    const job = {
      source: { kind: "fetch", url: "https://images.test/a.png", headers: {} },
      processing: {},
      baseUrl: "https://darkroom.test",
    } as const;
    const acceptance = { id, accountId: "account", database: "DB", url, delaySeconds: 0, job, upload: undefined };
    await acceptWork(own, pipeline, (work) => deferred.push(work), acceptance);
    return id;
  };
  const settle = async () => {
    while (deferred.length > 0) await deferred.pop();
  };
  return { own, queued, accept, settle };
}

it("starts jobs where they are accepted while there is room, and sends the others through the queue", async () => {
  const release = Promise.withResolvers<void>();
  const walked: string[] = [];
  const { queued, accept, settle } = entrance({
    ...shortPipeline,
    process: async (...given): Promise<Result> => {
      walked.push(given[0].id);
      await release.promise;
      return shortPipeline.process(...given);
    },
  });
  const ids: string[] = [];
  for (let job = 0; job < MAX_DIRECT_RUNS + 2; job += 1) ids.push(await accept());
  expect(queued).toEqual(ids.slice(MAX_DIRECT_RUNS).map((id) => ({ kind: "run", id, database: "DB" })));
  release.resolve();
  for (const id of ids.slice(0, MAX_DIRECT_RUNS)) await untilStatus(id, "delivered");
  await settle();
  expect(walked.toSorted()).toEqual(ids.slice(0, MAX_DIRECT_RUNS).toSorted());
  ids.push(await accept());
  expect(queued).toHaveLength(2);
  await settle();
});

it("hands a job to the queue that would outlast the time after an answer, and stores nothing of it", async () => {
  expect(DIRECT_WORK_MS).toBeLessThan(DIRECT_RUN_MS);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const started = Promise.withResolvers<AbortSignal | undefined>();
  let isStored = false;
  const { queued, accept, settle } = entrance({
    ...shortPipeline,
    process: async (job, { jobLimits }): Promise<Result> => {
      const { signal } = jobLimits ?? {};
      started.resolve(signal);
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      signal?.throwIfAborted();
      isStored = true;
      throw new Error(`${job.id} was not told to stop`);
    },
  });
  const id = await accept();
  expect((await started.promise)?.aborted).toBe(false);
  vi.advanceTimersByTime(DIRECT_WORK_MS);
  vi.useRealTimers();
  await settle();
  expect(queued).toEqual([{ kind: "run", id, database: "DB" }]);
  expect(isStored).toBe(false);
  expect([await column(id, "status"), await column(id, "claim"), await column(id, "starts")]).toEqual([
    "created",
    null,
    0,
  ]);
});

it("starts nothing beside a job that was started before, and sends it through the queue", async () => {
  const release = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const { own, queued, accept, settle } = entrance(shortPipeline);
  const blocked: Pipeline = {
    ...shortPipeline,
    process: async (...given) => {
      started.resolve();
      await release.promise;
      return shortPipeline.process(...given);
    },
  };
  const suspect = await accept();
  // Before its direct run has claimed it: as if that had been killed long ago.
  await storeOf(env.DB).claimRun(suspect, "killed", Date.now() - 2 * RUN_LEASE_MS, RUN_LEASE_MS);
  const running = runWork(own, blocked, { id: suspect }, QUEUE_WORK_MS);
  await started.promise;
  const innocent = await accept();
  await settle();
  expect(queued).toEqual([{ kind: "run", id: innocent, database: "DB" }]);
  expect([await column(innocent, "claim"), await column(innocent, "starts")]).toEqual([null, 0]);
  release.resolve();
  await running;
  await runWork(own, shortPipeline, { id: innocent }, QUEUE_WORK_MS);
  await untilStatus(innocent, "delivered");
});
