/** Finals: made once in the world, tried three times, and announced again when they were lost. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import * as render from "../../src/delivery/render.ts";
import { sweep } from "../../src/entrances/sweep.ts";
import { ApiError } from "../../src/errors.ts";
import * as lending from "../../src/http/lending.ts";
import { identify } from "../../src/image/plan/detect.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, facts, file, forgetEdges, originOf } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";
import { expectMarked, MARKS, PHOTO } from "../support/marked.ts";

const widths = { unsigned: { widths: [24] } };

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

describe("finals of the queue", () => {
  it("that fail three times leave a draft in their place, for nothing", async () => {
    originOf(file(photo));
    const { get, world, runFinals, delivery, credits } = await deliveryWorld(widths);
    const draft = await get("w=24");
    await eventually(() => expect(world.messages).toHaveLength(1));
    const [message] = world.messages;
    vi.spyOn(render, "makeFinal").mockImplementation(async (_ports, _rendering, { original }) => {
      original.memory.release();
      throw new ApiError(422, "No final can be made");
    });
    for (let start = 0; start < 2; start += 1) {
      await expect(runFinals()).rejects.toMatchObject({ status: 422 });
      if (message) world.messages.push(message);
    }
    await runFinals();
    await forgetEdges(delivery.id);
    const answer = await get("w=24");
    expect([...facts(answer), answer.bytes]).toEqual(["final", "stored", draft.bytes]);
    expect(await credits()).toBe(0);
    expect(await env.DB.prepare("SELECT * FROM delivery_finals").first()).toBeNull();
  });

  it("whose origin fails three times are given up for nothing, and begun anew by the next view", async () => {
    let isThere = true;
    originOf((path, request) => (isThere ? file(photo)(path, request) : new Response("", { status: 500 })));
    const { get, world, runFinals, delivery, credits, stored } = await deliveryWorld(widths);
    await get("w=24");
    await eventually(() => expect(world.messages).toHaveLength(1));
    const [message] = world.messages;
    isThere = false;
    for (let start = 0; start < 2; start += 1) {
      await expect(runFinals()).rejects.toMatchObject({ status: 502 });
      if (message) world.messages.push(message);
    }
    await runFinals();
    expect([await credits(), (await stored()).length]).toEqual([0, 0]);
    expect(await env.DB.prepare("SELECT * FROM delivery_finals").first()).toBeNull();
    isThere = true;
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24"))).toEqual(["draft", "miss"]);
    await runFinals();
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24"))).toEqual(["final", "stored"]);
    expect(await credits()).toBe(1);
  });

  it("that were lost are announced again by the sweep", async () => {
    originOf(file(photo));
    const { get, settle, world, runFinals, delivery, credits } = await deliveryWorld(widths);
    await get("w=24");
    await settle();
    world.messages.length = 0;
    await env.DB.prepare("UPDATE delivery_finals SET wake_at = 1").run();
    await sweep(world.env);
    expect(world.messages).toHaveLength(1);
    await runFinals();
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24"))).toEqual(["final", "stored"]);
    // The first announcement took its credit with it.
    expect(await credits()).toBe(1);
  });

  it("that were lost when no credit is left any more are not made", async () => {
    originOf(file(photo));
    const { get, settle, world, runFinals, stored, account } = await deliveryWorld(widths);
    await get("w=24");
    await settle();
    world.messages.length = 0;
    await env.DB.prepare("UPDATE delivery_finals SET wake_at = 1").run();
    await env.DB.prepare("UPDATE accounts SET credits_total = 0 WHERE id = ?").bind(account.id).run();
    await sweep(world.env);
    await runFinals();
    expect((await stored()).length).toBe(0);
    expect(await env.DB.prepare("SELECT * FROM delivery_finals").first()).toBeNull();
  });

  it("are begun by their own message alone, as long as somebody may be at the draft", async () => {
    originOf(file(photo));
    const { get, settle, world, runFinals, stored } = await deliveryWorld(widths);
    await get("w=24");
    await settle();
    const [{ id } = { id: "" }] = world.messages;
    const [own] = world.messages.splice(0, 1, { kind: "final", id });
    await runFinals();
    expect((await stored()).length).toBe(0);
    if (own) world.messages.push(own, own);
    await runFinals();
    expect((await stored()).length).toBe(1);
  });
});

it("a draft that is read slowly is put aside, and gone when its final is there", async () => {
  originOf(file(photo));
  const { get, stored, runFinals, settle } = await deliveryWorld(widths);
  vi.spyOn(lending, "lend").mockReturnValue(undefined);
  const draft = await get("w=24");
  expect([...facts(draft), draft.bytes.length > 0]).toEqual(["draft", "miss", true]);
  await settle();
  expect((await stored()).map(({ key }) => key.endsWith("-draft"))).toEqual([true]);
  await runFinals();
  expect((await stored()).map(({ key }) => key.endsWith("-draft"))).toEqual([false]);
});

it("a draft is kept at the edge alone", async () => {
  originOf(file(photo));
  const { get, stored, settle } = await deliveryWorld(widths);
  const draft = await get("w=24");
  await settle();
  expect((await stored()).length).toBe(0);
  const again = await get("w=24");
  expect([...facts(again), again.bytes]).toEqual(["draft", "hit", draft.bytes]);
});

it("a preset writes words, covers faces and keeps wide colors", async () => {
  originOf(file(PHOTO));
  const { get } = await deliveryWorld({ presets: { marked: MARKS }, unsigned: { presets_only: true } });
  const final = await get("preset=marked");
  expect(facts(final)).toEqual(["final", "miss"]);
  await expectMarked(final.bytes);
});

it.each([
  ["a border without radius beside a turn", { border: { size: 2, color: "000", radius: 0 }, rotate: { angle: 30 } }],
  ["a turn alone", { rotate: { angle: 30 } }],
  ["a radius", { border: { size: 2, color: "000", radius: 9 } }],
])("a draft has the alpha of its final: %s", async (_name, operations) => {
  originOf(file(photo));
  const { get, runFinals, delivery } = await deliveryWorld({
    presets: { a: operations },
    unsigned: { presets_only: true },
  });
  const draft = await get("preset=a");
  expect(facts(draft)[0]).toBe("draft");
  await runFinals();
  await forgetEdges(delivery.id);
  const final = await get("preset=a");
  expect(facts(final)[0]).toBe("final");
  expect([draft, final].map(({ bytes }) => identify(new Uint8Array(bytes)).facts.alpha)).toEqual([true, true]);
});

describe("a final that is made elsewhere", () => {
  const row = (key: string, id: string) =>
    env.DB.prepare("INSERT INTO delivery_finals (key, delivery_id, job, wake_at) VALUES (?, ?, '{}', 9e15)").bind(
      key,
      id,
    );

  it("is waited for, and not made a second time", async () => {
    originOf(file(photo));
    const { get, delivery, credits, stored, settle } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    const [{ key } = { key: "" }] = await stored();
    const kept = await env.BUCKET.get(key);
    const bytes = await kept?.arrayBuffer();
    await env.BUCKET.delete(key);
    await settle();
    await forgetEdges(delivery.id);
    await row(key, delivery.id).run();
    const waiting = get("w=24");
    await scheduler.wait(400);
    await env.BUCKET.put(key, bytes ?? "", { customMetadata: kept?.customMetadata ?? {} });
    expect((await waiting).status).toBe(200);
    expect(await credits()).toBe(1);
  });

  it("is made here when it ends without a result", async () => {
    originOf(file(photo));
    const { get, delivery, credits, stored, settle } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    const [{ key } = { key: "" }] = await stored();
    await env.BUCKET.delete(key);
    await settle();
    await forgetEdges(delivery.id);
    await row(key, delivery.id).run();
    const waiting = get("w=24");
    await scheduler.wait(400);
    await env.DB.prepare("DELETE FROM delivery_finals").run();
    expect((await waiting).status).toBe(200);
    expect(await credits()).toBe(2);
  });

  it("does not keep anybody from a draft, which is not kept", async () => {
    originOf(file(photo));
    const { get, delivery, credits, stored, runFinals, settle } = await deliveryWorld(widths);
    await get("w=24");
    await settle();
    await runFinals();
    const [{ key } = { key: "" }] = await stored();
    await env.BUCKET.delete(key);
    await forgetEdges(delivery.id);
    await row(key, delivery.id).run();
    expect(facts(await get("w=24"))).toEqual(["draft", "miss"]);
    await settle();
    expect([(await stored()).length, await credits()]).toEqual([0, 1]);
  });
});
