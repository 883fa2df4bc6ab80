/**
 * Anonymous clients multiply no results: neither by spelling a source, nor by a second address of the same bytes, nor
 * by many.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";
import { forgetHours } from "../../src/delivery/hourly.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { admit } from "../../src/delivery/policy.ts";
import { signatureOf, signedUntil } from "../../src/delivery/signature.ts";
import { identityOf, locate, plainSource } from "../../src/delivery/sources.ts";
import { DELIVERY } from "../../src/docs/figures.ts";
import gray from "../fixtures/jpeg/gray.jpg";
import photo from "../fixtures/jpeg/s420.jpg";
import { api, needsInside } from "../support/api.ts";
import { deliveryWorld, facts, file, forgetEdges, originOf, PREFIX, WEBP } from "../support/delivery.ts";
import { openedDelivery } from "../support/opened-delivery.ts";
import { refusal } from "../support/refusal.ts";

beforeEach(() => {
  forgetDeliveries();
  forgetHours();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const widths = { widths: [24, 32], formats: ["webp"] };
const PAIR = { key: "aa".repeat(32), salt: "bb".repeat(32) };
const NOT_ALLOWED = { status: 403, message: "This address is not allowed" };

describe("a source", () => {
  const sources = [{ kind: "web", prefix: `${PREFIX}%7eann/` } as const, { kind: "bucket", name: "art" } as const];
  const at = (spelled: string) => {
    const found = locate({ sources, isOpen: false }, plainSource(spelled) ?? "");
    return found && identityOf(found);
  };

  it.each([
    ["a.jpg", "~ann/a.jpg"],
    ["%61.jpg", "~ann/a.jpg"],
    ["a%2ejpg", "~ann/a.jpg"],
    ["a%2Ejpg?", "~ann/a.jpg"],
    ["a.jpg?#x", "~ann/a.jpg"],
    ["%c3%a4.jpg", "~ann/%C3%A4.jpg"],
    ["ä.jpg", "~ann/%C3%A4.jpg"],
    ["x/b%2fa.jpg?%76=%2f1", "~ann/x/b%2Fa.jpg?v=%2F1"],
    [`${PREFIX}~ann/a.jpg`, "~ann/a.jpg"],
    [`${PREFIX}%7Eann/a.jpg`, "~ann/a.jpg"],
    ["100%25.jpg", "~ann/100%25.jpg"],
  ])("%s is known as %s", (spelled, identity) => expect(at(spelled)).toBe(PREFIX + identity));

  it.each([
    "..%00/a.jpg",
    "x/..%00/..%00/a.jpg",
    "a%0a.jpg",
    "a%7f.jpg",
    "%ef%bc%8e%ef%bc%8e/a.jpg",
    "．．/a.jpg",
    "x%EF%BC%8F..%EF%BC%8Fa.jpg",
    "․․/a.jpg",
    "‥/a.jpg",
    "﹒﹒/a.jpg",
    "%25ef%25bc%258e%25ef%25bc%258e/a.jpg",
    "art/．．/a.jpg",
    "art/‥/a.jpg",
  ])("%s is none", (spelled) => expect(at(spelled)).toBeUndefined());

  it("is one result for anonymous clients, however it is written", async () => {
    const { calls } = originOf(file(photo));
    const { get, stored, credits } = await deliveryWorld({ unsigned: widths, refine: false });
    const spellings = ["sample.jpg", "%73ample.jpg", "s%61mple.jpg", "sa%6dple.jpg", "sample%2ejpg", "sample.jpg?"];
    for (const spelled of spellings) expect((await get("w=24", spelled)).status).toBe(200);
    expect([calls, (await stored()).length, await credits()]).toEqual([[`${PREFIX}sample.jpg`], 1, 1]);
  });
});

describe("a query of a source", () => {
  it("is nothing that anonymous clients may say, unless the delivery lets them", async () => {
    const { calls } = originOf(file(photo));
    const { get, getSigned, delivery, key } = await deliveryWorld({ unsigned: widths, refine: false });
    for (const query of ["?1", "?x=3", "?v=1&v=2"]) {
      const { status, body } = await get("w=24", `sample.jpg${query}`);
      expect([status, body.message]).toEqual([403, NOT_ALLOWED.message]);
    }
    expect(calls).toEqual([]);
    expect((await getSigned("w=24", "sample.jpg?v=1")).status).toBe(200);
    const allow = async (query: unknown) => {
      const json = { unsigned: { ...widths, query } };
      return api("PATCH", `/1.0/deliveries/${delivery.id}`, { key, json });
    };
    await allow(["v"]);
    for (const [query, status] of [
      ["?v=2", 200],
      ["?v=2&w=1", 403],
      ["?v=2&v=3", 403],
      ["?w=1", 403],
      ["", 200],
    ] as const) {
      expect((await get("w=24", `sample.jpg${query}`)).status).toBe(status);
    }
    expect((await allow(true)).body.delivery.unsigned.query).toBe(true);
    expect((await get("w=24", "sample.jpg?any=1&thing")).status).toBe(200);
    const { status, body } = await allow("v");
    expect([status, body.message]).toEqual([
      422,
      "unsigned.query must be true or false, or a list of at most 16 names of parameters",
    ]);
  });
});

describe("the same bytes under another address", () => {
  it("take the final that is there, without a credit", async () => {
    originOf(file(photo));
    const { get, stored, credits } = await deliveryWorld({ unsigned: widths, refine: false });
    const first = await get("w=24", "a.jpg");
    const second = await get("w=24", "copies/b.jpeg");
    expect([second.status, second.bytes]).toEqual([200, first.bytes]);
    expect(second.headers.get("content-disposition")).toContain('filename="b.');
    expect([(await stored()).length, await credits()]).toEqual([2, 1]);
    await get("w=32", "a.jpg");
    expect(await credits()).toBe(2);
  });

  it("take it in place of a draft, and in the queue", async () => {
    // There the queue makes the final between two views.
    needsInside();
    originOf(file(photo));
    const { get, runFinals, credits, settle, delivery } = await deliveryWorld({ unsigned: widths });
    expect(facts(await get("w=24", "a.jpg"))).toEqual(["draft", "miss"]);
    expect(facts(await get("w=24", "b.jpg"))).toEqual(["draft", "miss"]);
    await runFinals();
    await settle();
    expect(await credits()).toBe(1);
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24", "b.jpg"))).toEqual(["final", "stored"]);
    expect(facts(await get("w=24", "c.jpg"))).toEqual(["final", "miss"]);
    expect(await credits()).toBe(1);
  });

  it("are made anew where the delivery was purged, or the first has changed", async () => {
    let bytes = photo;
    originOf((path, request) => file(path === "a.jpg" ? bytes : photo, `"${bytes.byteLength}"`)(path, request));
    const { get, key, delivery, credits } = await deliveryWorld({ unsigned: widths, refine: false, ttl: 60 });
    await get("w=24", "a.jpg");
    await api("POST", `/1.0/deliveries/${delivery.id}/purge`, { key, json: {} });
    await get("w=24", "b.jpg");
    expect(await credits()).toBe(2);
    bytes = gray;
    await api("POST", `/1.0/deliveries/${delivery.id}/purge`, { key, json: { source: "a.jpg" } });
    const other = await get("w=24", "a.jpg");
    expect([other.bytes, await credits()]).not.toEqual([(await get("w=24", "b.jpg")).bytes, 2]);
    expect(await credits()).toBe(3);
  });
});

it("a draft and a final ask the bucket as often as their costs say", async () => {
  originOf(file(photo));
  const { get, world, settle, runFinals } = await deliveryWorld({ unsigned: widths });
  const { draft, finalJpeg } = DELIVERY;
  await get("w=24");
  await settle();
  expect(world.calls.bucket).toBe(draft.reads + draft.writes);
  await runFinals();
  // One more call deletes, which costs nothing.
  expect(world.calls.bucket).toBe(draft.reads + draft.writes + finalJpeg.reads + finalJpeg.writes + 1);
});

describe("new results of anonymous clients", () => {
  it("are so many an hour; what is there goes on, and so do signed addresses", async () => {
    needsInside();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.UTC(2026, 10, 28, 12, 20));
    const { calls } = originOf((path) => new Response(path.startsWith("g") ? gray.slice(0) : photo.slice(0)));
    const unsigned = { ...widths, finals_per_hour: 1 };
    const { get, getSigned, delivery, credits } = await deliveryWorld({ unsigned, refine: false });
    expect((await get("w=24", "a.jpg")).status).toBe(200);
    const refused = await get("w=32", "a.jpg");
    expect([refused.status, refused.body.message]).toEqual([
      429,
      "Too many new pictures were asked for without a signature within this hour",
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(2_300);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(2_400);
    const before = calls.length;
    for (let view = 0; view < 5; view += 1) expect((await get("w=24", `g${view}.jpg`)).status).toBe(429);
    // The isolate knows: no further original is asked for.
    expect(calls).toHaveLength(before);
    await forgetEdges(delivery.id);
    expect((await get("w=24", "a.jpg")).status).toBe(200);
    expect((await getSigned("w=32", "g.jpg")).status).toBe(200);
    expect(await credits()).toBe(2);
    vi.setSystemTime(Date.UTC(2026, 10, 28, 13, 0, 1));
    expect((await get("w=32", "a.jpg")).status).toBe(200);
  });

  it("count an address that takes the final of the same bytes, which is none of a credit", async () => {
    // An origin that answers whatever it is asked for with the same picture.
    const { calls } = originOf(file(photo));
    const unsigned = { ...widths, finals_per_hour: 3 };
    const { get, getSigned, credits, stored } = await deliveryWorld({ unsigned, refine: false });
    const statuses: number[] = [];
    for (let view = 0; view < 6; view += 1) statuses.push((await get("w=24", `a.jpg;view=${view}`)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    expect([await credits(), calls.length]).toEqual([1, 4]);
    expect((await stored()).length).toBeLessThanOrEqual(4);
    expect((await getSigned("w=24", "b.jpg")).status).toBe(200);
    expect(await credits()).toBe(1);
  });

  it("are not those of pictures that their owner has changed", async () => {
    let bytes = photo;
    originOf(() => new Response(bytes.slice(0), { headers: { etag: `"${bytes.byteLength}"` } }));
    const unsigned = { ...widths, finals_per_hour: 1 };
    const { get, delivery, settle, credits } = await deliveryWorld({ unsigned, refine: false, ttl: 60 });
    const old = await get("w=24");
    await settle();
    bytes = gray;
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 61_000);
    await forgetEdges(delivery.id);
    const changed = await get("w=24");
    expect([changed.status, changed.bytes.length === old.bytes.length, await credits()]).toEqual([200, false, 2]);
  });

  it("count no draft whose final is another's, and a delivery has its own hour", async () => {
    originOf(file(photo));
    const unsigned = { ...widths, finals_per_hour: 1 };
    const one = await deliveryWorld({ unsigned });
    const other = await deliveryWorld({ unsigned });
    for (const { get } of [one, other]) {
      expect((await get("w=24")).status).toBe(200);
      expect((await get("w=32")).status).toBe(429);
    }
  });
});

it("presets in chains are for signed addresses, and few", async () => {
  const sources = [{ kind: "web", prefix: PREFIX } as const];
  const presets = { a: { flip: { horizontal: true } }, b: { resize: { width: 9 } } };
  const delivery = openedDelivery(PAIR, { sources, presets, unsigned: {} });
  const asked = async (options: string, signature = "unsafe") => {
    const spelled = imgproxy.split(`/${signature}/${options}/plain/${PREFIX}a.jpg`);
    if (!spelled) throw new Error("no address");
    return admit(delivery, imgproxy, spelled, 0);
  };
  expect((await asked("pr:a")).asked.presets).toEqual(["a"]);
  for (const chain of ["pr:a:b", "pr:a:a", "pr:a/pr:b"]) expect(await refusal(asked(chain))).toEqual(NOT_ALLOWED);
  const signed = async (options: string) => asked(options, await signatureOf(PAIR, `/${options}/plain/${PREFIX}a.jpg`));
  expect((await signed("pr:a:b")).asked.presets).toEqual(["a", "b"]);
  expect(await refusal(signed(`pr:${"a:".repeat(8)}b`))).toEqual({
    status: 422,
    message: "preset must name at most 8 presets",
  });
});

it("a signature has one spelling", async () => {
  const signature = await signatureOf(PAIR, "text");
  const until = (given: string) => signedUntil({ current: PAIR }, "text", given, 0);
  expect(await until(signature)).toBe(Infinity);
  const last = signature.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // The last character holds four bits of the signature, and two that mean nothing.
  const others = alphabet
    .split("")
    .filter((one) => one !== last)
    .map((one) => signature.slice(0, -1) + one);
  for (const spelled of [`${signature}=`, ` ${signature}`, `${signature}\n`, ...others]) {
    expect(await until(spelled)).toBeUndefined();
  }
});

it("options of made-up names count as refusals of anonymous clients", async () => {
  originOf(file(photo));
  const { get, getSigned, world } = await deliveryWorld({ unsigned: widths });
  Object.assign(world.env, { ANONYMOUS_LIMIT: "5" });
  const from = { accept: WEBP, "cf-connecting-ip": "192.0.2.77" };
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess += 1) statuses.push((await get(`zabc${guess}=a`, "a.jpg", from)).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 429]);
  expect((await getSigned("zabc=a", "a.jpg", { ...from, "cf-connecting-ip": "192.0.2.78" })).status).toBe(422);
});
