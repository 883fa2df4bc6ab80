/**
 * What anonymous clients and origins do to a delivery: nothing of it costs more than a look, and the service lives on.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { findDeliveryById, forgetDeliveries } from "../../src/delivery/lookup.ts";
import { settingsOf } from "../../src/env.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { api } from "../support/api.ts";
import { deliveryWorld, facts, file, forgetEdges, originOf, PREFIX, signed, WEBP } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const from = (address: string) => ({ accept: WEBP, "cf-connecting-ip": address });

describe("anonymous clients", () => {
  it("who guess deliveries have the database asked once a minute for each id", async () => {
    const { ask, world } = await deliveryWorld();
    for (let guess = 0; guess < 20; guess += 1) {
      const { status, body } = await ask(`/i/dl_0123456789abcdef/-/${PREFIX}a.jpg`);
      expect([status, body.message]).toEqual([404, "Resource not found"]);
    }
    expect(world.calls.database).toBe(1);
    for (const id of ["dl_", "x", "dl_0123456789abcde%2f", "dl_0123456789abcdef0"]) await ask(`/i/${id}/-/a.jpg`);
    expect(world.calls.database).toBe(1);
  });

  it("who leave while the database is asked take the answer of nobody else with them", async () => {
    const { delivery } = await deliveryWorld();
    const { id } = delivery;
    const settings = settingsOf(env);
    const never = Promise.withResolvers<never>();
    const asked = Promise.withResolvers<void>();
    const first = () => {
      asked.resolve();
      return never.promise;
    };
    const statement = { bind: () => statement, first, run: first, all: first };
    const silent = { ...env, DB: { prepare: () => statement, batch: first } } as unknown as Env;
    void findDeliveryById(silent, settings, id, Date.now());
    await asked.promise;
    const found = await Promise.race([findDeliveryById(env, settings, id, Date.now()), scheduler.wait(3_000)]);
    expect(found).toMatchObject({ id });
  });

  it("are told to wait after too many refusals, and pictures are not counted", async () => {
    const { calls } = originOf(file(photo));
    const { get, world } = await deliveryWorld({ unsigned: { widths: [24] }, refine: false });
    Object.assign(world.env, { ANONYMOUS_LIMIT: "5" });
    for (let view = 0; view < 8; view += 1) expect((await get("w=24", "a.jpg", from("192.0.2.9"))).status).toBe(200);
    const statuses: number[] = [];
    for (let width = 100; width < 110; width += 1) {
      statuses.push((await get(`w=${width}`, "a.jpg", from("192.0.2.9"))).status);
    }
    expect(statuses.slice(0, 4)).toEqual([403, 403, 403, 403]);
    expect(statuses.slice(-4)).toEqual([429, 429, 429, 429]);
    expect((await get("w=24", "a.jpg", from("192.0.2.9"))).status).toBe(200);
    expect(calls).toHaveLength(1);
  });

  it("with sizes, signatures and ends of their own get nothing made", async () => {
    const { calls } = originOf(file(photo));
    const { get, ask, delivery, pair, world } = await deliveryWorld({ unsigned: { widths: [24] } });
    for (const options of ["w=23", "w=24,h=24", "w=24,gamma=2", "w=24,sig=AAAA", "f=png", "json=e30"]) {
      expect((await get(options)).status).toBe(403);
    }
    expect((await ask(`/i/${delivery.id}${await signed(pair, "w=9,exp=1", `${PREFIX}a.jpg`)}`)).status).toBe(403);
    expect([calls.length, world.calls.meter, world.calls.bucket]).toEqual([0, 0, 0]);
  });

  it("cannot leave a delivery by its id, nor a result its place", async () => {
    originOf(file(photo));
    const { getSigned, ask, stored, delivery } = await deliveryWorld({ refine: false });
    for (const path of ["/i/..%2f..%2ftemp/-/a", `/i/${delivery.id}%2f..%2f/-/a`, "/i//-/a.jpg", "/i/demo/-/a.jpg"]) {
      expect((await ask(path)).status).toBe(404);
    }
    for (const source of ["a%2f..%2fb.jpg", "..%5c..%5cb.jpg", "x/../../b.jpg", "x/..%2e/b.jpg"]) {
      expect((await getSigned("w=9", source)).status).toBe(403);
    }
    expect((await getSigned("w=9", "x/..a/b.jpg")).status).toBe(200);
    for (const { key } of await stored()) expect(key).toMatch(/^derived\/dl_\w{16}\/[\da-f]{32}\/[\da-f]{32}$/);
  });
});

describe("origins", () => {
  const status = async (answer: (path: string, request: Request) => Response | Promise<Response>, options = "w=24") => {
    const { calls } = originOf(answer);
    const { getSigned, credits } = await deliveryWorld({ refine: false });
    const { status: found, body } = await getSigned(options);
    return { found, message: body?.message as string | undefined, calls, spent: await credits() };
  };
  const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

  it("may redirect inside the prefix, and nowhere else", async () => {
    const inside = await status((path, request) => (path === "a.jpg" ? redirect("b.jpg") : file(photo)(path, request)));
    expect([inside.found, inside.calls.length]).toEqual([200, 2]);
    for (const location of ["/a.jpg", "https://evil.test/uploads/a.jpg", "http://169.254.169.254/", "..%2f..%2fx"]) {
      const outside = await status(() => redirect(location));
      expect([outside.found, outside.calls.length, outside.spent]).toEqual([502, 1, 0]);
    }
  });

  it.each([
    [500, 502],
    [401, 502],
    [404, 404],
    [410, 404],
  ])("that answer %i make it %i", async (answered, shown) => {
    const { found, message, spent } = await status(() => new Response("secret", { status: answered }));
    expect([found, spent, message?.includes("secret")]).toEqual([shown, 0, false]);
  });

  it("that send no image, too much, or too little make it nobody else's problem", async () => {
    expect((await status(() => new Response("<html>"))).found).toBe(415);
    expect((await status(() => new Response("x", { headers: { "content-length": "99999999" } }))).found).toBe(413);
    const endless = () => {
      const chunk = new Uint8Array(1 << 20);
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
    };
    expect((await status(endless)).found).toBe(413);
    const cut = new Uint8Array(photo).subarray(0, 300);
    expect((await status(() => new Response(cut))).found).toBe(422);
  });

  it("that say nothing are given up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const silent = (_: string, { signal }: Request) =>
      new Promise<Response>((_answer, fail) => signal.addEventListener("abort", () => fail(new Error("aborted"))));
    const asked = status(silent);
    await eventually(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await asked).toMatchObject({ found: 504, spent: 0 });
  });

  it("that change between draft and final are shown as they are then", async () => {
    let version = 0;
    originOf((path, request) => file(photo, `"${(version += 1)}"`)(path, request));
    const { getSigned, runFinals } = await deliveryWorld();
    await getSigned("w=24");
    await runFinals();
    expect(version).toBe(2);
  });

  it("can stand in themselves for what cannot be made", async () => {
    originOf(() => new Response("<html>"));
    const { getSigned } = await deliveryWorld();
    const { status: found, headers } = await getSigned("w=24,onerror=redirect");
    expect([found, headers.get("location"), headers.get("cache-control")]).toEqual([302, `${PREFIX}a.jpg`, "no-store"]);
  });
});

it("a thousand different misses at once are made or told to come back, and the service lives on", async () => {
  originOf(file(photo));
  const { getSigned, settle, account } = await deliveryWorld({}, 10_000);
  // Once the delivery is known, all of them come to their work together.
  expect((await getSigned("w=24,sharpen=2")).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 1_000 }, (_, index) => getSigned(`w=24,blur=${index / 10}`)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 503]));
  for (const { status, headers } of answers)
    if (status !== 200) expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await getSigned("w=24,sharpen=1")).status).toBe(200);
  await settle();
  // What was told to come back holds neither a credit nor a place in line.
  const made = answers.filter(({ status }) => status === 200).length + 2;
  const { results } = await env.DB.prepare("SELECT lease FROM delivery_finals WHERE job LIKE ?")
    .bind(`%${account.id}%`)
    .all();
  expect(results).toHaveLength(made);
});

describe("what an original cannot give", () => {
  const widths = { unsigned: { widths: [24, 32], formats: ["webp", "avif"] } };

  it.each([
    ["not there", () => new Response("", { status: 404 }), 404],
    ["no image", () => new Response("<html>"), 415],
    ["too large", () => new Response("x", { headers: { "content-length": "99999999" } }), 413],
  ])("is remembered for a minute, for all that is asked of it: %s", async (_, answer, status) => {
    const { calls } = originOf(answer);
    const { get, world, settle } = await deliveryWorld(widths);
    for (const options of ["w=24", "w=32", "w=24,f=webp"]) expect((await get(options, "bad.jpg")).status).toBe(status);
    await settle();
    expect([calls.length, world.calls.meter]).toEqual([1, status === 404 ? 0 : world.calls.meter]);
    expect((await get("w=24", "other.jpg")).status).toBe(status);
    expect(calls).toHaveLength(2);
  });

  it("is remembered of one request, where another may work", async () => {
    const { calls } = originOf(() => new Response(new Uint8Array(photo).subarray(0, 300)));
    const { get } = await deliveryWorld(widths);
    for (const options of ["w=24", "w=24", "w=32"]) expect((await get(options)).status).toBe(422);
    expect(calls).toHaveLength(2);
  });

  it("is forgotten by a purge, and in time", async () => {
    let answer: () => Response = () => new Response("<html>");
    originOf((path, request) => (path === "a.jpg" ? answer() : file(photo)(path, request)));
    const { get, key, delivery } = await deliveryWorld({ ...widths, refine: false });
    expect((await get("w=24")).status).toBe(415);
    answer = () => new Response(photo.slice(0));
    expect((await get("w=24")).status).toBe(415);
    await api("POST", `/1.0/deliveries/${delivery.id}/purge`, { key, json: { source: "a.jpg" } });
    forgetDeliveries();
    expect((await get("w=24")).status).toBe(200);
    answer = () => new Response("", { status: 404 });
    expect((await get("w=32")).status).toBe(404);
    answer = () => new Response(photo.slice(0));
    vi.setSystemTime(Date.now() + 61_000);
    expect((await get("w=32")).status).toBe(200);
    vi.useRealTimers();
  });

  it("does not hide what is kept", async () => {
    let status = 200;
    originOf((path, request) => (status === 200 ? file(photo)(path, request) : new Response("", { status })));
    const { get, delivery } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    status = 404;
    expect((await get("w=32")).status).toBe(404);
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24"))).toEqual(["final", "stored"]);
  });

  it("says how long it may be kept", async () => {
    originOf(() => new Response("", { status: 404 }));
    const { get } = await deliveryWorld(widths);
    for (let view = 0; view < 2; view += 1) {
      expect((await get("w=24", "gone.jpg")).headers.get("cache-control")).toBe("public, max-age=60");
    }
  });
});

it("views of a few results by many at once cost one computation each, and rows for those alone", async () => {
  const [VIEWS, RESULTS, AT_ONCE] = [200, 10, 32];
  const { calls } = originOf(file(photo));
  const widths = Array.from({ length: RESULTS }, (_, index) => 16 + index);
  const { get, world, runFinals, usage, delivery, credits } = await deliveryWorld({ unsigned: { widths } });
  const views = async () => {
    let next = 0;
    const statuses = new Set<number>();
    const connection = async () => {
      while (next < VIEWS) statuses.add((await get(`w=${widths[next++ % RESULTS]}`)).status);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, connection));
    return statuses;
  };
  expect(await views()).toEqual(new Set([200]));
  await vi.waitFor(() => expect(world.messages).toHaveLength(RESULTS));
  expect([calls.length, world.calls.meter]).toEqual([RESULTS, RESULTS]);
  // A claim and a message for each draft, the delivery, and what is counted together.
  expect(world.calls.database).toBeLessThanOrEqual(2 * RESULTS + 10);
  await runFinals();
  await forgetEdges(delivery.id);
  Object.assign(world.calls, { database: 0, meter: 0, bucket: 0 });
  expect(await views()).toEqual(new Set([200]));
  expect([calls.length, world.calls.meter]).toEqual([2 * RESULTS, 0]);
  expect(world.calls.database).toBeLessThanOrEqual(10);
  expect(await usage()).toMatchObject({ drafts: RESULTS, finals: RESULTS });
  expect(await credits()).toBe(RESULTS);
});
