/** Pictures at a host of their own: what the door answers, what its cache is billed at, and who makes it forget. */
import { createExecutionContext, createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { DIALECTS } from "../../src/delivery/dialects.ts";
import { atDoor } from "../../src/delivery/door.ts";
import { forgetTag } from "../../src/delivery/front-cache.ts";
import { DELIVERY, ROUTES } from "../../src/docs/figures.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { DELIVERY_CACHE_SECONDS } from "../../src/limits/delivery.ts";
import { PIECES } from "../../src/limits/prices.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { NO_USAGE } from "./bill.ts";
import { WorkersCache } from "./cache.ts";
import { onPlatform, type Platform } from "./platform.ts";
import { site, web } from "./site.ts";

const HOST = "https://img.darkroom.test";
const AVIF = "image/avif,image/webp,image/*,*/*;q=0.8";

/** The Worker behind the door, and the cache before it. */
function doorOf(platform: Platform): WorkersCache {
  const service = {
    fetch: async (request: Request) => {
      const { pathname, search } = new URL(request.url);
      return platform.begin(pathname + search, { method: request.method, headers: request.headers }).response;
    },
  } as unknown as Fetcher;
  return new WorkersCache(
    () => platform.time.now,
    (request) => atDoor(request, service),
  );
}

it("a hit is the door's request and nothing else, and a miss is what it is at the Worker", () =>
  onPlatform({ web }, async (platform) => {
    const { see, pathOf } = await site(platform);
    const door = doorOf(platform);
    await see("a.jpg");
    await platform.settle();
    await platform.drain();
    platform.edge.clear();
    platform.used();
    const visit = () => door.visit("here", new Request(HOST + pathOf("a.jpg"), { headers: { accept: AVIF } }));
    const first = await visit();
    const bytes = await first.answer.bytes();
    await platform.settle();
    const { requests, reads, writes, calls } = platform.used();
    expect([first.status, first.answer.status, bytes.length > 0]).toEqual(["MISS", 200, true]);
    const { storedHit } = ROUTES;
    expect([requests, reads, writes, calls]).toEqual([
      storedHit.requests,
      storedHit.reads,
      storedHit.writes,
      storedHit.calls,
    ]);
    const again = await visit();
    expect([again.status, await again.answer.bytes()]).toEqual(["HIT", bytes]);
    await platform.settle();
    // The Worker does nothing for it: the request is the cache's.
    expect(platform.used()).toEqual(NO_USAGE);
    expect(PIECES.filter((piece) => DELIVERY.frontHit[piece] > 0)).toEqual(["requests"]);
  }));

it("what is no picture is not there, and nothing is kept while the Worker is missing", async () => {
  const unasked = { fetch: () => Promise.reject(new Error("The Worker was asked")) } as unknown as Fetcher;
  for (const path of ["/", "/1.0/account", "/admin/accounts", "/i/", "/docs/", "/temp/a.png", "/health"]) {
    const answer = await atDoor(new Request(HOST + path), unasked);
    expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 404, "no-store"]);
  }
  const early = await atDoor(new Request(`${HOST}/i/demo/w=24/a.jpg`), undefined);
  expect([early.status, early.headers.get("cache-control")]).toEqual([503, "no-store"]);
});

it("every dialect of addresses comes through", async () => {
  const asked: string[] = [];
  const service = { fetch: async ({ url }: Request) => (asked.push(url), new Response("")) } as unknown as Fetcher;
  const urls = Object.keys(DIALECTS).map((name) => `${HOST}/${name}/demo/a.jpg`);
  for (const url of urls) await atDoor(new Request(url), service);
  expect(asked).toEqual(urls);
});

it("forgets at once what was changed, and once more when no isolate knows the former", () => {
  const told: string[] = [];
  const PICTURES = { forget: async (id: string) => void told.push(id) };
  return onPlatform({ web, variables: { PICTURES } }, async (platform) => {
    const { purge, pathOf } = await site(platform);
    const [, , id = ""] = pathOf("a.jpg").split("/");
    await purge({});
    expect(told).toEqual([id]);
    platform.time.pass((DELIVERY_CACHE_SECONDS + 2) * 1_000);
    await platform.drain();
    expect(told).toEqual([id, id]);
  });
});

it("is told again where it could not forget", async () => {
  const refusing = { purge: async () => ({ success: false, errors: [{ code: 10_429, message: "" }], zoneTag: "" }) };
  const PICTURES = { forget: (id: string) => forgetTag(refusing as unknown as CacheContext, id) };
  const batch = createMessageBatch("darkroom", [
    { id: "1", timestamp: new Date(), attempts: 1, body: { kind: "forget", id: "demo" } },
  ]);
  let again = 0;
  const [message] = batch.messages;
  if (message) message.retry = () => void (again += 1);
  await createConsumer(pipeline)(batch, { ...env, PICTURES } as Env, createExecutionContext());
  expect(again).toBe(1);
});
