/** The platform's caches: what is kept no longer than it is good, and what is forgotten. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { cacheControl, edgeName, fromEdge, keepAtEdge } from "../../src/delivery/edge-cache.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { lend, lentBytes } from "../../src/http/lending.ts";
import { MAX_LENT_BYTES } from "../../src/limits/isolate.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { api } from "../support/api.ts";
import { deliveryWorld, facts, file, originOf } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

it("keeps an answer without the time after its own, and gives it back as it was", async () => {
  const name = await edgeName("https://darkroom.test", "derived/a/b/c", 1, "shape");
  const headers = { "Cache-Control": cacheControl("public, max-age=30"), "Content-Type": "image/jpeg" };
  await keepAtEdge(name, new Response("picture", { headers }));
  const kept = await caches.default.match(name);
  expect(kept?.headers.get("Cache-Control")).toBe("public, max-age=30");
  await kept?.body?.cancel();
  const answer = await fromEdge(name);
  expect(answer?.headers.get("Cache-Control")).toBe("public, max-age=30, stale-while-revalidate=86400");
  expect(answer?.headers.get("Content-Type")).toBe("image/jpeg");
  expect(await answer?.text()).toBe("picture");
});

describe("the platform's cache in front", () => {
  it("forgets a delivery that was changed, rotated, purged or deleted, at once and when every place knows", async () => {
    const { key, delivery } = await deliveryWorld();
    const purged: unknown[] = [];
    const sent: [{ kind: string }, object][] = [];
    const cache = { purge: async (options: unknown) => (purged.push(options), { success: true, errors: [] }) };
    const QUEUE = { send: async (...message: (typeof sent)[number]) => void sent.push(message) };
    const path = `/1.0/deliveries/${delivery.id}`;
    const calls = [
      ["PATCH", path, { ttl: 99 }],
      ["POST", `${path}/signing`, undefined],
      ["POST", `${path}/purge`, { source: "a.jpg" }],
      ["DELETE", path, undefined],
    ] as const;
    for (const [method, at, json] of calls) {
      await api(method, at, { key, env: { QUEUE }, context: { cache }, ...(json && { json }) });
    }
    expect(purged).toEqual(calls.map(() => ({ tags: [delivery.id] })));
    const forget = [{ kind: "forget", id: delivery.id }, { delaySeconds: 61 }];
    expect(sent.filter(([{ kind }]) => kind === "forget")).toEqual(calls.map(() => forget));
    const message = { id: "1", body: forget[0], timestamp: new Date(), attempts: 1, ack: vi.fn(), retry: vi.fn() };
    const batch = { messages: [message] } as unknown as MessageBatch;
    const context = { waitUntil: () => undefined, cache } as unknown as ExecutionContext;
    await createConsumer(pipeline)(batch, env, context);
    expect([purged.length, message.ack.mock.calls.length]).toEqual([5, 1]);
  });

  it("keeps nothing that does not say how long", async () => {
    const { key } = await deliveryWorld();
    for (const path of ["/health", "/1.0/account", "/1.0/nothing", "/nothing"]) {
      expect((await api("GET", path, { key })).headers.get("cache-control")).toBe("no-store");
    }
  });
});

it("a picture is read from the bucket when other readers are lent all the memory that there is for them", async () => {
  originOf(file(photo));
  const { get, settle, stored } = await deliveryWorld({ unsigned: { widths: [24, 32], formats: ["webp"] } });
  const others = lend(new Uint8Array(MAX_LENT_BYTES), () => undefined);
  const draft = await get("w=24");
  expect([draft.status, ...facts(draft)]).toEqual([200, "draft", "miss"]);
  expect(draft.bytes).toHaveLength(Number(draft.headers.get("content-length")));
  expect(await stored()).toHaveLength(1);
  await settle();
  const edge = await get("w=24");
  expect([facts(edge), edge.bytes]).toEqual([["draft", "hit"], draft.bytes]);
  expect(lentBytes()).toBe(MAX_LENT_BYTES);
  await others?.cancel();
  expect((await get("w=32")).status).toBe(200);
  await settle();
  await eventually(() => expect(lentBytes()).toBe(0));
});
