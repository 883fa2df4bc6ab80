/** The platform of these tests keeps the platform's rules: each rule has a source, a date and a test. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { DEFAULT_LOG_SAMPLE } from "../../src/limits.ts";
import { logLine } from "../../src/log.ts";
import { openAccount } from "../support/accounts.ts";
import { nested } from "../support/around.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { Bill, NO_USAGE } from "./bill.ts";
import { bounded, MAX_CONNECTIONS, MAX_STATEMENTS, MAX_SUBREQUESTS } from "./bounds.ts";
import { CACHE_RULES } from "./cache.ts";
import { gathered } from "./gathered.ts";
import { holding } from "./held.ts";
import { current, distant, Invocation, mortal } from "./invocation.ts";
import { ISOLATE_BYTES, IsolateMemory } from "./memory.ts";
import { Objects } from "./objects.ts";
import { onPlatform, type Platform, type Terms } from "./platform.ts";
import { MAX_RETRIES, PlatformQueue } from "./queue.ts";
import { RULES } from "./rules.ts";

const NOW = Date.UTC(2026, 10, 28);
const call = (service: "bucket" | "queue" | "object" | "database", method: string, ...given: unknown[]) =>
  ({ service, where: `B.${method}`, method, given }) as const;
const nothing = async () => undefined;
const aside = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => "settled",
      () => "failed",
    ),
    scheduler.wait(20).then(() => "pending"),
  ]);

const deployed = (use: (platform: Platform) => Promise<void>, terms: Terms = {}) =>
  onPlatform({ pipeline: shortPipeline, ...terms }, use);

async function uploaded(platform: Platform): Promise<void> {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File([new Uint8Array(1_000)], "a.png"));
  const headers = { authorization: `Bearer ${key}` };
  expect((await platform.ask("/1.0/upload", { method: "POST", body, headers })).status).toBe(200);
  await platform.settle();
}

const HOLDS: Readonly<Record<string, () => Promise<void>>> = {
  "the clock stands still": () =>
    deployed(async ({ time }) => {
      const invocation = new Invocation("fetch", time.now);
      await current.run(invocation, async () => {
        const before = [Date.now(), performance.now(), new Date().getTime()];
        const until = time.now + 5;
        while (time.now < until);
        expect([Date.now(), performance.now(), new Date().getTime()]).toEqual(before);
        await distant(invocation, () => 40)(call("bucket", "get"), nothing);
        expect(Date.now()).toBe((before[0] ?? 0) + 40);
        await scheduler.wait(3);
        expect(Date.now()).toBe((before[0] ?? 0) + 43);
      });
    }),

  "gathered on warm isolates": () =>
    deployed(async (platform) => {
      const statuses = await gathered(platform);
      expect(statuses).toEqual(statuses.map(() => 200));
      expect(platform.memory.isCondemned).toBe(false);
    }),

  "ends without unwinding": () =>
    deployed(async ({ time }) => {
      const invocation = new Invocation("fetch", time.now);
      const left: string[] = [];
      const answer = Promise.withResolvers<void>();
      const working = current.run(invocation, async () => {
        setTimeout(() => left.push("timer"), 1);
        try {
          await mortal(invocation)(call("bucket", "get"), () => answer.promise);
        } finally {
          left.push("finally");
        }
      });
      invocation.end();
      answer.resolve();
      expect(await aside(working)).toBe("pending");
      expect(left).toEqual([]);
    }),

  "cancelled after a hang-up": () =>
    deployed(async (platform) => {
      let isDone = false;
      const { invocation } = platform.begin("/health");
      current.run(invocation, () => {
        invocation.context.waitUntil(scheduler.wait(31_000).then(() => (isDone = true)));
      });
      await platform.hangUp(invocation);
      await platform.settle();
      while (platform.time.fireNext());
      expect([invocation.hasEnded, isDone]).toEqual([true, false]);
    }),

  "six connections": async () => {
    const around = bounded();
    const answers = Array.from({ length: MAX_CONNECTIONS + 1 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const calls = answers.map(({ promise }, index) =>
      around(call("bucket", "get"), () => {
        begun.push(index);
        return promise;
      }),
    );
    await scheduler.wait(1);
    expect(begun).toHaveLength(MAX_CONNECTIONS);
    answers[2]?.resolve();
    await calls[2];
    await scheduler.wait(1);
    expect(begun).toHaveLength(MAX_CONNECTIONS + 1);
    for (const { resolve } of answers) resolve();
    await Promise.all(calls);
  },

  subrequests: async () => {
    const around = bounded();
    for (let count = 0; count < MAX_SUBREQUESTS; count += 1) await around(call("object", "take"), nothing);
    await expect(around(call("object", "take"), nothing)).rejects.toThrow("subrequests");
  },

  statements: async () => {
    const around = bounded();
    const statements = Array.from({ length: MAX_STATEMENTS }, () => ({ sql: "SELECT 1", values: [] }));
    await around({ ...call("database", "batch"), statements }, nothing);
    await expect(around({ ...call("database", "run"), statements: statements.slice(0, 1) }, nothing)).rejects.toThrow(
      "single worker invocation",
    );
  },

  "sizes of statements": async () => {
    const run = (sql: string, values: readonly unknown[]) =>
      bounded()({ ...call("database", "run"), statements: [{ sql, values }] }, nothing);
    await run("SELECT ?", [new Uint8Array(2_000_000)]);
    await expect(run(" ".repeat(100_001), [])).rejects.toThrow("too long");
    await expect(
      run(
        "SELECT ?",
        Array.from({ length: 101 }, () => 1),
      ),
    ).rejects.toThrow("too many SQL variables");
    await expect(run("SELECT ?", ["é".repeat(1_000_001)])).rejects.toThrow("too big");
  },

  "sizes of objects": async () => {
    const put = (key: string, customMetadata: Record<string, string>) =>
      bounded()(call("bucket", "put", key, "", { customMetadata }), nothing);
    await put("k".repeat(1_024), { facts: "x".repeat(8_187) });
    await expect(put("k".repeat(1_025), {})).rejects.toThrow("10020");
    await expect(put("k", { facts: "x".repeat(8_188) })).rejects.toThrow("10012");
  },

  "lists of objects": async () => {
    const keys = Array.from({ length: 1_001 }, String);
    await bounded()(call("bucket", "delete", keys.slice(1)), nothing);
    await expect(bounded()(call("bucket", "delete", keys), nothing)).rejects.toThrow("1000 keys");
  },

  "sizes of messages": async () => {
    const send = (...given: unknown[]) => bounded()(call("queue", "send", ...given), nothing);
    await send("x".repeat(127_998));
    await expect(send("x".repeat(127_999))).rejects.toThrow("message too large");
    await expect(send("x", { delaySeconds: 43_201 })).rejects.toThrow("delay");
    const batch = Array.from({ length: 101 }, (_, body) => ({ body }));
    await expect(bounded()(call("queue", "sendBatch", batch), nothing)).rejects.toThrow("batch too large");
  },

  "no host by number": () =>
    deployed(
      async () => {
        for (const host of ["93.184.216.34", "[2606:2800::1]"])
          expect((await fetch(`https://${host}/`)).status).toBe(403);
        expect(await (await fetch("https://93.184.216.34/")).text()).toBe("error code: 1003");
        expect((await fetch("https://example.com/")).status).toBe(200);
      },
      { web: () => new Response("") },
    ),

  "128 MB": async () => {
    let bytes = ISOLATE_BYTES;
    const memory = new IsolateMemory(() => bytes);
    await memory.watching()(call("bucket", "get"), nothing);
    expect(memory.isCondemned).toBe(false);
    await memory.watching()(call("bucket", "get"), async () => void (bytes += 1));
    bytes = 0;
    expect([memory.isCondemned, memory.peakBytes]).toEqual([true, ISOLATE_BYTES + 1]);
  },

  distance: async () => {
    const invocation = new Invocation("fetch", NOW);
    const far = distant(invocation, (binding) => (binding === "B" ? 120 : 0));
    const get = () => far(call("bucket", "get"), nothing);
    await Promise.all([get(), get()]);
    expect(invocation.clock - NOW).toBe(120);
    await get();
    await far({ service: "cache", where: "cache.match", method: "match", given: [] }, nothing);
    expect(invocation.clock - NOW).toBe(240);
  },

  "no cache on the shared domain": async () => {
    const name = new Request("https://a.test/x");
    const found = async () => {
      await caches.default.put(name, new Response("kept", { headers: { "Cache-Control": "public, max-age=60" } }));
      return (await caches.default.match(name))?.text();
    };
    await deployed(async () => expect(await found()).toBe("kept"));
    await deployed(async () => expect(await found()).toBeUndefined(), { domain: "shared" });
  },

  "evicted at idle moments": () =>
    deployed(async (platform) => {
      await uploaded(platform);
      await platform.objects.evict();
      await uploaded(platform);
    }),

  "alarms twice": () =>
    deployed(async (platform) => {
      await uploaded(platform);
      platform.used();
      expect(await platform.objects.ring(2)).toBe(1);
      expect(platform.used().calls).toBe(2);
    }),

  "at least once": async () => {
    const queue = new PlatformQueue(() => NOW, new Bill());
    await queue.producer.send("one");
    const came: unknown[] = [];
    await queue.bring(async ({ body }) => {
      came.push(body);
      return "acked";
    }, true);
    expect(came).toEqual(["one", "one"]);
  },

  "out of order": async () => {
    const queue = new PlatformQueue(() => NOW, new Bill());
    await queue.producer.sendBatch([{ body: 1 }, { body: 2 }]);
    const came: unknown[] = [];
    while (
      await queue.bring(async ({ body }) => {
        came.push(body);
        return "acked";
      })
    );
    expect(came).toEqual([2, 1]);
  },

  "ten tries": async () => {
    let now = NOW;
    const queue = new PlatformQueue(() => now, new Bill());
    await queue.producer.send("one");
    let tries = 0;
    for (; await queue.bring(async () => ({ again: 5 })); tries += 1) now += 5_000;
    expect([tries, queue.lost]).toEqual([MAX_RETRIES + 1, ["one"]]);
  },

  requests: () =>
    deployed(
      async (platform) => {
        await platform.ask("/health");
        expect(platform.used().requests).toBe(1);
        await platform.queue.producer.send({ kind: "final", id: "gone" });
        await platform.drain();
        expect(platform.used().requests).toBe(1);
        await fetch("https://example.com/");
        await platform.strike();
        expect(platform.used().requests).toBe(0);
      },
      { web: () => new Response("") },
    ),

  "operations of R2": async () => {
    const bill = new Bill();
    for (const method of ["put", "list", "get", "head", "delete"])
      await bill.counting()(call("bucket", method), nothing);
    expect(bill.take()).toEqual({ ...NO_USAGE, writes: 2, reads: 2 });
  },

  "rows of D1": async () => {
    const bill = new Bill();
    const around = nested(bill.counting());
    const insert = env.DB.prepare("INSERT INTO delivery_sweep (id, key) VALUES (1, '') ON CONFLICT DO NOTHING");
    await around({ ...call("database", "run"), statements: [] }, () => insert.all());
    expect(bill.take().rows).toBe(1);
    await around({ ...call("database", "batch"), statements: [] }, () => env.DB.batch([insert, insert]));
    expect(bill.take().rows).toBe(0);
  },

  "calls of objects": () =>
    deployed(async (platform) => {
      await uploaded(platform);
      expect(platform.used().calls).toBe(2);
      await platform.objects.ring();
      expect(platform.used().calls).toBe(1);
    }),

  "rows of objects": () =>
    deployed(async (platform) => {
      const stub = env.METER.getByName("rows");
      await platform.objects.watch("METER", "rows", stub);
      await runInDurableObject(stub, async (_, { storage }) => {
        await storage.put({ a: 1, b: 2 });
        await storage.delete("a");
        await storage.setAlarm(NOW + 1e12);
        storage.kv.put("c", 3);
        storage.sql.exec("CREATE TABLE t (a INTEGER PRIMARY KEY) WITHOUT ROWID");
      });
      platform.used();
      await runInDurableObject(stub, (_, { storage }) => storage.sql.exec("INSERT INTO t VALUES (1), (2), (3)"));
      expect(platform.used()).toEqual({ ...NO_USAGE, objectRows: 3 });
      await runInDurableObject(stub, async (_, { storage }) => {
        await storage.put({ a: 1, b: 2 });
        await storage.delete("a");
        await storage.setAlarm(NOW + 1e12);
        storage.kv.put("c", 3);
        await storage.deleteAll();
      });
      expect(platform.used()).toEqual({ ...NO_USAGE, objectRows: 5 });
    }),

  "duration of objects": () =>
    deployed(async ({ time }) => {
      const bill = new Bill();
      const stub = env.METER.getByName("timer");
      const objects = new Objects(bill, time, () => env, /rules\.test/);
      await objects.watch("METER", "timer", stub);
      await runInDurableObject(stub, () => void setTimeout(() => undefined, 200));
      await objects.rest();
      expect(bill.take().awakeSeconds).toBeGreaterThan(0.15);
      await runInDurableObject(stub, () => clearTimeout(setTimeout(() => undefined, 10_000)));
      await objects.rest();
      expect(bill.take().awakeSeconds).toBeLessThan(0.1);
    }),

  "operations of queues": async () => {
    const bill = new Bill();
    const queue = new PlatformQueue(() => NOW, bill);
    await bill.counting()(call("queue", "send", "one"), () => queue.producer.send("one"));
    await queue.bring(async () => ({ again: 0 }));
    await queue.bring(async () => "acked");
    expect(bill.take().operations).toBe(4);
    await bill.counting()(call("queue", "send", "x".repeat(64_001)), nothing);
    expect(bill.take().operations).toBe(2);
  },

  "events of logs": () =>
    deployed(async (platform) => {
      logLine("warning", { event: "one" });
      logLine("error", { event: "another" });
      expect(platform.used().events).toBe(2);
      logLine("info", { event: "one of many" });
      expect(platform.used().events).toBe(1 / DEFAULT_LOG_SAMPLE);
    }),
};

holding(
  RULES.filter((rule) => !CACHE_RULES.includes(rule)),
  HOLDS,
);
