/** The run of a job: held by one at a time, handed on in time, put back ever more rarely, given up in the end. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { ApiError } from "../../src/errors.ts";
import { FETCH_TIMEOUT_MS } from "../../src/limits.ts";
import { STORE_TIMEOUT_MS } from "../../src/limits/stores.ts";
import {
  DELIVERY_LEASE_MS,
  HAND_OUT_MS,
  MAX_PUT_BACKS,
  MAX_RUN_RETRY_MS,
  MAX_STARTS,
  RUN_LEASE_MS,
  RUN_RENEWAL_MS,
} from "../../src/limits/webhook.ts";
import { accept } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import type { JournalEntry, Message, RunPorts } from "../../src/webhook/ports.ts";
import { run } from "../../src/webhook/run.ts";
import { storeOf } from "../../src/webhook/store.ts";
import wrangler from "../../wrangler.toml?raw";
import { eventually } from "../support/eventually.ts";
import { column } from "../support/webhooks.ts";

/** Ports over the real database, a clock that stands still, and what a run did with them. */
function world(given: Partial<RunPorts> = {}) {
  const seen = {
    now: Date.UTC(2026, 10, 20, 12),
    messages: [] as { readonly message: Message; readonly delaySeconds: number }[],
    renew: () => undefined as void,
    giveUp: () => undefined as void,
    stays: 0,
    joins: [] as boolean[],
  };
  const ports: RunPorts = {
    store: storeOf(env.DB),
    uploads: uploadsOf(env.BUCKET),
    seal: {
      close: async (text) => new TextEncoder().encode(text),
      open: async (sealed) => new TextDecoder().decode(sealed),
    },
    now: () => seen.now,
    random: () => 0.5,
    newClaim: () => crypto.randomUUID(),
    pause: async () => undefined,
    wake: async () => undefined,
    report: () => undefined,
    perform: async () => ({ input: {}, output: {} }),
    closeCredit: async () => undefined,
    beginAttempt: () => undefined,
    retrySeconds: [],
    secrets: async () => [],
    post: async () => ({ at: seen.now, code: 200, durationMs: 1 }),
    join: async (alone) => {
      seen.joins.push(alone);
      return { stay: () => void (seen.stays += 1), leave: () => undefined };
    },
    everyRenewal: (renew) => {
      seen.renew = renew;
      return () => undefined;
    },
    whenLate: (giveUp) => {
      seen.giveUp = giveUp;
      return () => undefined;
    },
    enqueue: async (message, delaySeconds) => void seen.messages.push({ message, delaySeconds }),
    ...given,
  };
  return { ports, seen };
}

async function accepted(ports: RunPorts, delaySeconds = 0): Promise<string> {
  const id = crypto.randomUUID();
  const acceptance = { id, accountId: "account", url: "https://receiver.example/", delaySeconds, job: "{}" };
  await accept({ ...acceptance, upload: undefined }, ports);
  return id;
}

/** Work that goes on until it is told to end, and then for as long as it is kept. */
function longWork() {
  const kept = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const perform = async (_: unknown, signal: AbortSignal) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await kept.promise;
    signal.throwIfAborted();
    return {};
  };
  return { perform, started: started.promise, end: () => kept.resolve() };
}

it("has a lease longer than all that a run may do without saying that it is alive", () => {
  const cpuMs = Number(/^cpu_ms = ([\d_]+)$/m.exec(wrangler)?.[1]?.replace("_", ""));
  expect(cpuMs).toBeGreaterThan(0);
  expect(RUN_LEASE_MS).toBeGreaterThan(cpuMs + FETCH_TIMEOUT_MS + STORE_TIMEOUT_MS);
  expect(RUN_LEASE_MS).toBeGreaterThan(cpuMs + 3 * RUN_RENEWAL_MS);
  expect(wrangler).toMatch(/^max_batch_size = 1$/m);
});

it("keeps its claim and its place for as long as it computes", async () => {
  const work = longWork();
  const { ports, seen } = world({ perform: work.perform });
  const id = await accepted(ports);
  const running = run(id, ports);
  await work.started;
  seen.now += RUN_LEASE_MS - 1;
  seen.renew();
  await eventually(async () => expect(await column(id, "wake_at")).toBe(seen.now + RUN_LEASE_MS));
  expect(seen.stays).toBe(1);
  seen.now += RUN_LEASE_MS - 1;
  const other = world();
  other.seen.now = seen.now;
  await run(id, other.ports);
  expect(other.seen.joins).toEqual([]);
  work.end();
  seen.giveUp();
  await running;
});

it("ends as soon as it learns that somebody else has the job, and leaves it alone", async () => {
  const work = longWork();
  const { ports, seen } = world({ perform: work.perform });
  const id = await accepted(ports);
  const running = run(id, ports);
  await work.started;
  seen.now += RUN_LEASE_MS + 1;
  await ports.store.claimRun(id, "somebody else", seen.now, RUN_LEASE_MS);
  seen.renew();
  work.end();
  await running;
  expect([await column(id, "status"), await column(id, "claim")]).toEqual(["created", "somebody else"]);
  expect(seen.messages).toEqual([]);
});

it("hands on what it cannot finish in time, which counts as no start, and waits for what it has given up", async () => {
  const work = longWork();
  const { ports, seen } = world({ perform: work.perform });
  const id = await accepted(ports);
  let isOver = false;
  const running = run(id, ports).then(() => (isOver = true));
  await work.started;
  seen.giveUp();
  await eventually(() => expect(seen.messages).toEqual([{ message: { kind: "run", id }, delaySeconds: 0 }]));
  expect([await column(id, "claim"), await column(id, "starts")]).toEqual([null, 0]);
  expect(isOver).toBe(false);
  work.end();
  await running;
  const next = world();
  await run(id, next.ports);
  expect(next.seen.joins).toEqual([false]);
  expect(await column(id, "status")).toBe("scheduled");
});

it("waits twice as long each time there is no capacity, and says so after an hour", async () => {
  const { ports, seen } = world({ perform: () => Promise.reject(new ApiError(503, "No capacity")) });
  const id = await accepted(ports);
  const startedAt = seen.now;
  for (let start = 0; start < MAX_PUT_BACKS; start += 1) {
    await run(id, ports);
    expect(await column(id, "status")).toBe("created");
    seen.now += (seen.messages.at(-1)?.delaySeconds ?? 0) * 1_000;
    expect(await column(id, "sweep_at")).toBe(seen.now + HAND_OUT_MS);
  }
  const delays = seen.messages.map(({ delaySeconds }) => delaySeconds);
  expect(delays.slice(0, 7)).toEqual([2, 4, 8, 16, 32, 60, 60]);
  expect(Math.max(...delays)).toBe(MAX_RUN_RETRY_MS / 1_000);
  expect(seen.now - startedAt).toBeGreaterThanOrEqual(3_500_000);
  await run(id, ports);
  expect(JSON.parse(String(await column(id, "payload")))).toMatchObject({ success: false, code: 503 });
});

it("leaves to the next sweep what the queue does not take back", async () => {
  const { ports } = world({
    perform: () => Promise.reject(new ApiError(503, "No capacity")),
    enqueue: () => Promise.reject(new Error("away")),
  });
  const id = await accepted(ports);
  await run(id, ports);
  expect(await column(id, "sweep_at")).toBe(0);
});

it("gives a job alone its further starts, and none after the last that ended without a word", async () => {
  const { ports, seen } = world();
  const id = await accepted(ports);
  for (let start = 1; start <= MAX_STARTS; start += 1) {
    const dying = world({ perform: () => new Promise(() => undefined) });
    dying.seen.now = seen.now += RUN_LEASE_MS + 1;
    void run(id, dying.ports);
    await eventually(() => expect(dying.seen.joins).toEqual([start > 1]));
    expect(await column(id, "starts")).toBe(start);
  }
  seen.now += RUN_LEASE_MS + 1;
  await run(id, ports);
  expect(seen.joins).toEqual([]);
  expect(JSON.parse(String(await column(id, "payload")))).toMatchObject({ success: false, code: 500 });
});

describe("a notification that is due when its job ends", () => {
  /** A world that gives leave for first attempts, and notes who is woken. */
  function attempting(given: Partial<RunPorts> = {}) {
    const woken: { at: number; entry: JournalEntry | undefined }[] = [];
    const asked: string[] = [];
    const { ports, seen } = world({
      beginAttempt: (accountId) => {
        asked.push(accountId);
        return () => void asked.push("over");
      },
      retrySeconds: [5],
      wake: async (_, at, entry) => void woken.push({ at, entry }),
      ...given,
    });
    return { ports, seen, woken, asked };
  }

  it("is attempted by whoever did the job, and has no courier once it is delivered", async () => {
    const { ports, woken, asked } = attempting();
    const id = await accepted(ports);
    await run(id, ports);
    expect([await column(id, "status"), await column(id, "code"), await column(id, "claim")]).toEqual([
      "delivered",
      200,
      null,
    ]);
    expect(woken).toEqual([]);
    expect(asked).toEqual(["account", "over"]);
  });

  it("has a courier for its further attempts", async () => {
    const { ports, seen, woken } = attempting({ post: async () => ({ at: seen.now, code: 500, durationMs: 20 }) });
    const id = await accepted(ports);
    await run(id, ports);
    expect(await column(id, "status")).toBe("failed");
    expect(woken).toEqual([{ at: seen.now + 5_020, entry: undefined }]);
  });

  it("is a courier's where its account's endpoints are waited for already, or when it has a delay", async () => {
    const { ports, seen, woken } = attempting({ beginAttempt: () => undefined });
    const id = await accepted(ports);
    await run(id, ports);
    expect(await column(id, "status")).toBe("scheduled");
    expect(woken).toEqual([{ at: seen.now, entry: undefined }]);

    const later = attempting();
    const delayed = await accepted(later.ports, 60);
    await run(delayed, later.ports);
    expect(later.asked).toEqual([]);
    expect(later.woken).toEqual([{ at: later.seen.now + 60_000, entry: undefined }]);
  });

  it("is a courier's when the attempt could not be made, once nobody else may be at it", async () => {
    const { ports, seen, woken } = attempting({ secrets: () => Promise.reject(new Error("away")) });
    const id = await accepted(ports);
    await run(id, ports);
    expect(await column(id, "status")).toBe("dispatched");
    expect(woken).toEqual([{ at: seen.now + DELIVERY_LEASE_MS, entry: undefined }]);
  });

  it("is not sent again when the database does not take what came of it: its courier is told", async () => {
    const store = { ...storeOf(env.DB), finishDelivery: () => Promise.reject(new Error("away")) };
    const { ports, woken } = attempting({ store });
    const id = await accepted(ports);
    await run(id, ports);
    const { claim, outcome } = woken[0]?.entry ?? {};
    expect([claim, outcome?.status, outcome?.code]).toEqual([await column(id, "claim"), "delivered", 200]);
  });

  it("is attempted once when the end of its job is written twice, because the first answer was lost", async () => {
    const store = storeOf(env.DB);
    let calls = 0;
    const finishRunAndClaim: typeof store.finishRunAndClaim = async (...args) => {
      const delivery = await store.finishRunAndClaim(...args);
      if ((calls += 1) === 1) throw new Error("the answer was lost");
      return delivery;
    };
    let posts = 0;
    const post = async () => ({ at: (posts += 1), code: 200, durationMs: 1 });
    const { ports } = attempting({ store: { ...store, finishRunAndClaim }, post });
    const id = await accepted(ports);
    await run(id, ports);
    expect([calls, posts, await column(id, "status")]).toEqual([2, 1, "delivered"]);
  });
});
