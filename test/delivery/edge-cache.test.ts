/** The platform's caches: what is kept no longer than it is good, and what is forgotten. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { cacheControl, edgeName, fromEdge, keepAtEdge } from "../../src/delivery/edge-cache.ts";
import { street } from "../../src/street/edges.ts";
import { createConsumer } from "../../src/street/queue.ts";
import { api } from "../support/api.ts";
import { deliveryWorld } from "../support/delivery.ts";

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
    const cache = { purge: async (wish: unknown) => (purged.push(wish), { success: true, errors: [] }) };
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
    await createConsumer(street)(batch, env, context);
    expect([purged.length, message.ack.mock.calls.length]).toEqual([5, 1]);
  });

  it("keeps nothing that does not say how long", async () => {
    const { key } = await deliveryWorld();
    for (const path of ["/health", "/1.0/account", "/1.0/nothing", "/nothing"]) {
      expect((await api("GET", path, { key })).headers.get("cache-control")).toBe("no-store");
    }
  });
});
