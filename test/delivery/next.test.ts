/** Addresses as a site of Next.js writes them by itself, answered as its own server answers them. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { next } from "../../src/delivery/dialects/next.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { admit } from "../../src/delivery/policy.ts";
import { identify } from "../../src/image/plan/detect.ts";
import animation from "../fixtures/gif/dispose-previous.gif";
import photo from "../fixtures/jpeg/s420.jpg";
import said from "../fixtures/next/said.json";
import { api } from "../support/api.ts";
import { AVIF, deliveryWorld, file, forgetEdges, originOf, PREFIX } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";
import { openedDelivery } from "../support/opened-delivery.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const PAIR = { key: "00ff10".repeat(8), salt: "a1b2c3d4".repeat(8) };
const OPENED = openedDelivery(PAIR, {
  sources: [{ kind: "web", prefix: "https://www.example.com/" }],
  presets: {},
  unsigned: { widths: [64, 640], qualities: [50, 75], formats: ["webp"] },
});

const SAID = Object.entries(said).map(([query, expected]) => [query.slice(0, 80), query, expected] as const);

it.each(SAID)("%s is judged as its server judges it", async (_, query, expected) => {
  const spelled = next.split(`/_next/image?${query}`);
  if (!spelled) throw new Error("no address");
  const told = await admit(OPENED, next, spelled, 0).then(
    ({ asked }) => `${asked.width} pixels at quality ${String(asked.body.optimize?.["quality"])}`,
    (error: Error) => error.message,
  );
  expect(told).toBe(expected);
});

const FOR_NEXT = { for: "next", unsigned: { widths: [16, 24], formats: ["webp"] } };

async function site(rules: object = FOR_NEXT, answers = file(photo)) {
  const { calls } = originOf(answers);
  const world = await deliveryWorld(rules);
  const get = async (query: Record<string, string>, headers: Record<string, string> = { accept: AVIF }) =>
    world.ask(`/next/${world.delivery.id}/_next/image?${new URLSearchParams(query).toString()}`, headers);
  const text = (answer: { readonly bytes: Uint8Array }) => new TextDecoder().decode(answer.bytes);
  return { ...world, calls, get, text };
}

describe("a picture", () => {
  const query = { url: "/harbor.jpg", w: "24", q: "75" };

  it("is found below the only web source, kept, and has the headers of its server", async () => {
    const { get, calls, runFinals, world, delivery } = await site();
    const first = await get(query);
    expect(first.status).toBe(200);
    expect(calls).toEqual([`${PREFIX}harbor.jpg`]);
    expect(identify(first.bytes).facts.width).toBe(24);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      vary: "Accept",
      "x-nextjs-cache": "MISS",
      "cache-control": "public, max-age=30, must-revalidate",
      "content-disposition": expect.stringContaining('filename="harbor.jpg"'),
    });
    await eventually(() => expect(world.messages).toHaveLength(1));
    await runFinals();
    await forgetEdges(delivery.id);
    const final = await get(query);
    expect(final.headers.get("x-nextjs-cache")).toBe("HIT");
    expect(final.headers.get("cache-control")).toMatch(/^public, max-age=\d{5,}, must-revalidate$/);
    // AVIF is none of the formats that the delivery lists.
    expect(final.headers.get("content-type")).toBe("image/webp");
    const etag = final.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await get(query, { accept: AVIF, "if-none-match": etag });
    expect([again.status, again.bytes.length, again.headers.get("cache-control")]).toEqual([
      304,
      0,
      expect.stringMatching(/^public, max-age=\d+, must-revalidate$/),
    ]);
  });

  it("is never larger than its original, and moves if that does", async () => {
    const wide = await site({ ...FOR_NEXT, refine: false, unsigned: { widths: [3840] } });
    const answer = await wide.get({ ...query, w: "3840" });
    const own = identify(new Uint8Array(photo)).facts.width;
    expect(identify(answer.bytes).facts.width).toBe(own);
    const moving = await site({ ...FOR_NEXT, refine: false }, file(animation));
    const shown = await moving.get({ ...query, url: "/moving.gif", w: "16" }, { accept: "image/webp" });
    expect(identify(shown.bytes).facts.frames).toBeGreaterThan(1);
  });

  it("is in a format that everybody shows where the client names none", async () => {
    const { get } = await site({ ...FOR_NEXT, refine: false });
    const safari = { accept: "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5" };
    for (const headers of [safari, {}]) {
      expect((await get(query, headers)).headers.get("content-type")).toMatch(/^image\/(?:jpeg|png)$/);
    }
    expect((await get(query)).headers.get("content-type")).toBe("image/webp");
  });

  it("whose name changes with its bytes is kept for ever, once it is final", async () => {
    const hashed = { ...query, url: "/_next/static/media/harbor.4f3a.jpg" };
    const refined = await site();
    expect((await refined.get(hashed)).headers.get("cache-control")).toBe("public, max-age=30, must-revalidate");
    const { get } = await site({ ...FOR_NEXT, refine: false });
    expect((await get(hashed)).headers.get("cache-control")).toBe("public, max-age=315360000, immutable");
  });

  it("of an absolute address lies inside the sources", async () => {
    const { get, text } = await site({ ...FOR_NEXT, refine: false });
    expect((await get({ ...query, url: `${PREFIX}a.jpg` })).status).toBe(200);
    const other = await get({ ...query, url: "https://www.example.org/a.jpg" });
    expect([other.status, text(other)]).toEqual([400, '"url" parameter is not allowed']);
  });

  it("has the quality that is asked for where the list has it", async () => {
    const { get, stored } = await site({ ...FOR_NEXT, refine: false, unsigned: { widths: [24], qualities: [33, 75] } });
    const [low, high] = [await get({ ...query, q: "33" }), await get(query)];
    expect(low.bytes.length).toBeLessThan(high.bytes.length);
    expect((await stored()).length).toBe(2);
  });
});

describe("a refusal", () => {
  const query = { url: "/harbor.jpg", w: "24", q: "75" };

  it("is plain text in the words of its server, kept by nobody", async () => {
    const { get, text } = await site();
    const answer = await get({ ...query, w: "25" });
    expect([answer.status, text(answer)]).toEqual([400, '"w" parameter (width) of 25 is not allowed']);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(text(await get({ ...query, q: "90" }))).toBe('"q" parameter (quality) of 90 is not allowed');
  });

  it.each([
    [404, 404, '"url" parameter is valid but upstream response is invalid'],
    [500, 502, '"url" parameter is valid but upstream response is invalid'],
  ])("an origin's %i is %i", async (status, expected, words) => {
    const { get, text } = await site(FOR_NEXT, () => new Response(null, { status }));
    const answer = await get(query);
    expect([answer.status, text(answer)]).toEqual([expected, words]);
  });

  it("is 400 of what is no picture", async () => {
    const { get, text } = await site(FOR_NEXT, () => new Response("<html>", { headers: { "content-length": "6" } }));
    const answer = await get(query);
    expect([answer.status, text(answer)]).toEqual([400, "The requested resource isn't a valid image."]);
  });

  it("tells the owner more", async () => {
    const { get, text, key } = await site({ unsigned: false });
    const visitor = await get(query);
    expect([visitor.status, text(visitor)]).toEqual([400, '"url" parameter is not allowed']);
    const owner = await get(query, { authorization: `Bearer ${key}` });
    expect(owner.body.message).toBe("This address is not allowed: it has no signature, and unsigned is false");
  });

  it("is 404 of other paths", async () => {
    const { ask, delivery } = await site();
    for (const path of ["", "/", "/_next", "/_next/images?url=a", "/_next/image/a"]) {
      expect((await ask(`/next/${delivery.id}${path}`)).status).toBe(404);
    }
    expect((await ask(`/next/dl_0123456789abcdef/_next/image?url=/a.jpg&w=24&q=75`)).status).toBe(404);
  });
});

describe("a delivery for a framework", () => {
  const sources = [{ kind: "web", prefix: PREFIX }];
  const made = async (json: object) => {
    const { openAccount } = await import("../support/accounts.ts");
    const { key } = await openAccount();
    return api("POST", "/1.0/deliveries", { key, json: { sources, ...json } });
  };

  it.each(["next", "astro", "nuxt"])("%s has its widths and formats", async (framework) => {
    const { status, body } = await made({ for: framework });
    expect(status).toBe(201);
    expect(body.delivery.unsigned.widths).toContain(framework === "nuxt" ? 768 : 828);
    expect(body.delivery.unsigned.formats).toEqual(expect.arrayContaining(["avif", "webp"]));
    expect(body.delivery.unsigned.qualities).toEqual(framework === "next" ? [75] : undefined);
  });

  it("has what is said besides", async () => {
    const { body } = await made({ for: "next", unsigned: { qualities: [50, 75], query: ["v"] } });
    expect(body.delivery.unsigned).toMatchObject({ qualities: [50, 75], query: ["v"], formats: ["avif", "webp"] });
    expect(body.delivery.unsigned.widths).toContain(3840);
  });

  it("is none that takes signed addresses alone", async () => {
    const { status, body } = await made({ for: "next", unsigned: false });
    expect([status, body.param]).toEqual([422, "for"]);
    expect((await made({ for: "remix" })).body.message).toBe("for must be one of next, astro, nuxt");
    expect((await made({ unsigned: { qualities: [0] } })).status).toBe(422);
  });

  it("becomes one for another when it is changed", async () => {
    const { openAccount } = await import("../support/accounts.ts");
    const { key } = await openAccount();
    const { body } = await api("POST", "/1.0/deliveries", { key, json: { sources } });
    const change = (json: object) => api("PATCH", `/1.0/deliveries/${body.delivery.id}`, { key, json });
    const { body: changed } = await change({ for: "astro", unsigned: { query: ["v"] } });
    expect(changed.delivery.unsigned).toMatchObject({
      round_up: true,
      query: ["v"],
      formats: ["avif", "webp", "jpeg", "png", "gif"],
    });
    for (const framework of ["astro", "nuxt"]) {
      const { body: made } = await change({ for: framework });
      expect(made.delivery.unsigned).toMatchObject({ round_up: true, heights: true });
    }
    expect((await change({ for: "next" })).body.delivery.unsigned.qualities).toEqual([75]);
    expect((await change({ name: "shop" })).body.delivery.unsigned.qualities).toEqual([75]);
    expect((await change({ for: "next", unsigned: false })).body.param).toBe("for");
  });
});
