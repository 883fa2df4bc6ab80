/** Purges while work goes on: what was read of an original before a purge of it is not kept. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { isPurgedSince } from "../../src/delivery/purges.ts";
import { sweepDeliveries } from "../../src/delivery/sweep.ts";
import { settingsOf } from "../../src/env.ts";
import gray from "../fixtures/jpeg/gray.jpg";
import photo from "../fixtures/jpeg/s420.jpg";
import { api } from "../support/api.ts";
import { deliveryWorld, facts, forgetEdges, originOf } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const unsigned = { widths: [24], formats: ["webp"] };

/** An origin that has read its file when it is asked, and hands it out when it is told to. */
function slowOrigin() {
  const state = { bytes: photo, gate: Promise.withResolvers<void>() };
  const { calls } = originOf(async () => {
    const { bytes, gate } = state;
    await gate.promise;
    return new Response(bytes.slice(0), { headers: { etag: `"${bytes.byteLength}"` } });
  });
  return { state, calls };
}

describe.each([
  ["of one original", { source: "a.jpg" }],
  ["of everything", {}],
])("a purge %s", (_, json) => {
  const purge = async (world: { key: string; delivery: { id: string } }) => {
    // The clock of the purge is past that of the question to the origin.
    await scheduler.wait(5);
    const answer = await api("POST", `/1.0/deliveries/${world.delivery.id}/purge`, { key: world.key, json });
    expect(answer.status).toBe(202);
    forgetDeliveries();
  };

  it("is not undone by a final that was under way", async () => {
    const { state, calls } = slowOrigin();
    const world = await deliveryWorld({ unsigned, refine: false });
    const asked = world.get("w=24");
    await eventually(() => expect(calls).toHaveLength(1));
    const gate = state.gate;
    Object.assign(state, { bytes: gray, gate: Promise.withResolvers<void>() });
    await purge(world);
    state.gate.resolve();
    gate.resolve();
    const old = await asked;
    expect(old.status).toBe(200);
    await world.settle();
    expect(await world.stored()).toHaveLength(0);
    const fresh = await world.get("w=24");
    expect([...facts(fresh), fresh.bytes.length === old.bytes.length]).toEqual(["final", "miss", false]);
    await world.settle();
    await forgetEdges(world.delivery.id);
    expect((await world.get("w=24")).bytes).toEqual(fresh.bytes);
  });

  it("is not undone by a draft, whose final is made of what is there then", async () => {
    const { state, calls } = slowOrigin();
    const world = await deliveryWorld({ unsigned });
    const asked = world.get("w=24");
    await eventually(() => expect(calls).toHaveLength(1));
    const gate = state.gate;
    Object.assign(state, { bytes: gray, gate: Promise.withResolvers<void>() });
    await purge(world);
    state.gate.resolve();
    gate.resolve();
    expect(facts(await asked)).toEqual(["draft", "miss"]);
    await world.settle();
    expect(await world.stored()).toHaveLength(0);
    await world.runFinals();
    await forgetEdges(world.delivery.id);
    const final = await world.get("w=24,f=auto");
    expect([...facts(final), await world.credits()]).toEqual(["final", "stored", 1]);
  });

  it("has a final of the queue that was under way made once more", async () => {
    const { state, calls } = slowOrigin();
    const world = await deliveryWorld({ unsigned });
    state.gate.resolve();
    await world.get("w=24");
    await world.settle();
    state.gate = Promise.withResolvers<void>();
    const [message] = world.world.messages;
    const making = world.runFinals();
    const failed = expect(making).rejects.toMatchObject({ status: 503 });
    await eventually(() => expect(calls).toHaveLength(2));
    const gate = state.gate;
    Object.assign(state, { bytes: gray, gate: Promise.withResolvers<void>() });
    await purge(world);
    state.gate.resolve();
    gate.resolve();
    await failed;
    const kept = await Promise.all((await world.stored()).map(({ key }) => env.BUCKET.head(key)));
    expect(kept.filter((one) => one?.customMetadata?.["facts"]?.includes('"final"'))).toEqual([]);
    if (message) world.world.messages.push(message);
    await world.runFinals();
    const [{ key } = { key: "" }] = await world.stored();
    const final = JSON.parse((await env.BUCKET.head(key))?.customMetadata?.["facts"] ?? "{}") as { picture: object };
    expect(final.picture).toMatchObject({ original: { bytes: gray.byteLength } });
    expect(await world.credits()).toBe(1);
  });

  it("is not undone by a look whether the original has changed", async () => {
    const { state, calls } = slowOrigin();
    const world = await deliveryWorld({ unsigned, refine: false, ttl: 60 });
    state.gate.resolve();
    await world.get("w=24");
    await world.settle();
    await forgetEdges(world.delivery.id);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 61_000);
    state.gate = Promise.withResolvers<void>();
    const asked = world.get("w=24");
    await eventually(() => expect(calls).toHaveLength(2));
    vi.setSystemTime(Date.now() + 10);
    await purge(world);
    state.gate.resolve();
    expect((await asked).status).toBe(200);
    await world.settle();
    expect((await world.stored()).length === 0 || Object.keys(json).length === 0).toBe(true);
    vi.setSystemTime(Date.now() + 10);
    expect(facts(await world.get("w=24"))).toEqual(["final", "miss"]);
  });
});

describe("a database that fails", () => {
  const failing = (world: { env: Env }, fails: (sql: string) => boolean) => {
    const { DB } = world.env;
    const prepare = (sql: string) => {
      if (fails(sql)) throw new Error("D1 is not there");
      return DB.prepare(sql);
    };
    Object.assign(world.env, { DB: { prepare, batch: DB.batch.bind(DB) } });
  };

  it("when a result was put keeps none that may have been purged, and charges nothing", async () => {
    originOf(() => new Response(photo.slice(0)));
    const world = await deliveryWorld({ unsigned, refine: false });
    let looks = 0;
    failing(world.world, (sql) => sql.includes("FROM delivery_purges") && (looks += 1) > 1);
    expect((await world.get("w=24")).status).toBe(500);
    expect([(await world.stored()).length, await world.credits()]).toEqual([0, 0]);
  });

  it("when it notes the bytes of an original keeps the final all the same", async () => {
    originOf(() => new Response(photo.slice(0)));
    const world = await deliveryWorld({ unsigned, refine: false });
    failing(world.world, (sql) => sql.startsWith("INSERT INTO delivery_twins"));
    expect((await world.get("w=24")).status).toBe(200);
    expect([(await world.stored()).length, await world.credits()]).toEqual([1, 1]);
    expect((await world.get("w=24", "b.jpg")).status).toBe(200);
    expect(await world.credits()).toBe(2);
  });
});

it("a result of an earlier version, which kept another moment, is found as it was", async () => {
  originOf(() => new Response(photo.slice(0)));
  const { get, stored, delivery, settle } = await deliveryWorld({ unsigned, refine: false });
  const first = await get("w=24");
  await settle();
  const [{ key } = { key: "" }] = await stored();
  const object = await env.BUCKET.get(key);
  const { readAt, ...facts_ } = JSON.parse(object?.customMetadata?.["facts"] ?? "{}") as { readAt: number };
  const customMetadata = { facts: JSON.stringify({ ...facts_, madeAt: readAt }) };
  await env.BUCKET.put(key, (await object?.arrayBuffer()) ?? "", { customMetadata });
  await forgetEdges(delivery.id);
  const again = await get("w=24");
  expect([...facts(again), again.headers.get("last-modified")]).toEqual([
    "final",
    "stored",
    first.headers.get("last-modified"),
  ]);
});

it("a purge is remembered until every work that was begun before it is over", async () => {
  originOf(() => new Response(photo.slice(0)));
  const { delivery, key, stored, get, settle } = await deliveryWorld({ unsigned, refine: false });
  await get("w=24");
  await settle();
  const [{ key: name } = { key: "" }] = await stored();
  const [, , original = ""] = name.split("/");
  const now = Date.now();
  await api("POST", `/1.0/deliveries/${delivery.id}/purge`, { key, json: { source: "a.jpg" } });
  const of = { delivery: delivery.id, original };
  await sweepDeliveries(env, settingsOf(env), now + 1_200_000);
  expect(await isPurgedSince(env.DB, of, now - 1)).toBe(true);
  expect(await isPurgedSince(env.DB, of, Date.now() + 1)).toBe(false);
  expect(await isPurgedSince(env.DB, { ...of, original: "other" }, now - 1)).toBe(false);
  await sweepDeliveries(env, settingsOf(env), now + 7_200_000);
  expect(await isPurgedSince(env.DB, of, now - 1)).toBe(false);
});
