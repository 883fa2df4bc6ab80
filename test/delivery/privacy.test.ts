/** Originals that are not for everybody: shared caches keep none of their results. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, facts, forgetEdges, originOf } from "../support/delivery.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const unsigned = { widths: [24], formats: ["webp"] };
const said = ({ headers }: { readonly headers: Headers }) => headers.get("cache-control");

it.each([
  ["private, max-age=60", /^private, max-age=\d+, stale-while-revalidate=86400$/],
  ["No-Store", /^no-store$/],
  ["no-store, private", /^no-store$/],
  ["public, max-age=60", /^public, max-age=\d+/],
  ['private="set-cookie"', /^public, max-age=\d+/],
  ["no-cache", /^public, max-age=\d+/],
])("an original that says %s", async (header, expected) => {
  originOf(() => new Response(photo.slice(0), { headers: { "cache-control": header } }));
  const { get, settle, delivery, runFinals, credits } = await deliveryWorld({ unsigned });
  const isShared = expected.source.includes("public");
  expect(said(await get("w=24"))).toMatch(expected);
  await settle();
  // What only one browser may keep is in no cache of ours that answers others: its draft is made again.
  expect(facts(await get("w=24"))).toEqual(["draft", isShared ? "hit" : "miss"]);
  await runFinals();
  await forgetEdges(delivery.id);
  const final = await get("w=24");
  expect([...facts(final), said(final)]).toEqual(["final", "stored", expect.stringMatching(expected)]);
  expect(await credits()).toBe(1);
});

it("is asked again what it says when its time is over", async () => {
  let header = "private";
  originOf(() => new Response(photo.slice(0), { headers: { "cache-control": header } }));
  const { get, settle, delivery } = await deliveryWorld({ unsigned, refine: false, ttl: 60 });
  expect(said(await get("w=24"))).toMatch(/^private, /);
  await settle();
  header = "public";
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 61_000);
  await forgetEdges(delivery.id);
  expect(said(await get("w=24"))).toMatch(/^public, /);
  vi.useRealTimers();
});
