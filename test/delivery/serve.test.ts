/** Pictures by address: made once, kept, found again, and asked for anew when their time is over. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { sweep } from "../../src/entrances/sweep.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { identify } from "../../src/image/plan/detect.ts";
import animation from "../fixtures/gif/dispose-previous.gif";
import gray from "../fixtures/jpeg/gray.jpg";
import photo from "../fixtures/jpeg/s420.jpg";
import { api, needsInside } from "../support/api.ts";
import { AVIF, deliveryWorld, facts, file, forgetEdges, originOf, PREFIX, WEBP } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const widths = { unsigned: { widths: [24, 32], formats: ["webp", "avif"] } };
const formatOf = (bytes: Uint8Array) => identify(bytes).format.label;
/** Everything that was kept is as old as that. */
async function age(id: string, milliseconds: number): Promise<void> {
  needsInside();
  const { objects } = await env.BUCKET.list({ prefix: `derived/${id}/` });
  for (const { key } of objects) {
    const object = await env.BUCKET.get(key);
    const known = JSON.parse(object?.customMetadata?.["facts"] ?? "{}") as { checkedAt: number; readAt: number };
    known.checkedAt -= milliseconds;
    known.readAt -= milliseconds;
    const bytes = await object?.arrayBuffer();
    if (bytes?.byteLength) await env.BUCKET.put(key, bytes, { customMetadata: { facts: JSON.stringify(known) } });
  }
}

function secondsOf({ headers }: { readonly headers: Headers }): number {
  return Number(/\bmax-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1]);
}

describe("a first view", () => {
  it("is a draft: one encoding in a cheap format, soon to be asked for again", async () => {
    const { calls } = originOf(file(photo));
    const { get, world, stored, settle } = await deliveryWorld(widths);
    const answer = await get("w=24", "a.jpg", { accept: AVIF });
    expect([answer.status, ...facts(answer)]).toEqual([200, "draft", "miss"]);
    expect(identify(answer.bytes)).toMatchObject({ facts: { width: 24 }, format: { label: "JPEG" } });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "public, max-age=30, stale-while-revalidate=86400",
      "content-type": "image/jpeg",
      "content-length": String(answer.bytes.length),
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "timing-allow-origin": "*",
      vary: "Accept",
    });
    expect(answer.headers.get("content-disposition")).toContain('inline; filename="a.jpg"');
    expect(answer.headers.get("server-timing")).toMatch(/encode;dur=\d+.*total;dur=\d+/);
    expect(answer.headers.get("cache-tag")).toMatch(/^dl_\w+,dl_\w+-[\da-f]{32}$/);
    await settle();
    expect([calls.length, world.calls.meter, (await stored()).length]).toEqual([1, 1, 0]);
  });

  it("is followed by the final, which is made once, kept, and costs one credit", async () => {
    originOf(file(photo));
    const { get, runFinals, delivery, credits, usage, world } = await deliveryWorld(widths);
    const draft = await get("w=24", "a.jpg", { accept: AVIF });
    await eventually(() => expect(world.messages).toHaveLength(1));
    const messages = [...world.messages];
    await runFinals();
    world.messages.push(...messages, ...messages);
    await runFinals();
    await forgetEdges(delivery.id);
    const final = await get("w=24", "a.jpg", { accept: AVIF });
    expect(facts(final)).toEqual(["final", "stored"]);
    expect(secondsOf(final)).toBeGreaterThan(604_700);
    expect(final.headers.get("cache-control")).toMatch(/^public, max-age=\d+, stale-while-revalidate=86400$/);
    expect(await credits()).toBe(1);
    const delivered = draft.bytes.length + final.bytes.length;
    expect(await usage()).toEqual({ finals: 1, drafts: 1, stored_hits: 1, delivered_bytes: delivered });
  });

  it("is the final at once without refinement, and where there is nothing to refine", async () => {
    originOf(file(photo));
    const plain = await deliveryWorld({ ...widths, refine: false });
    expect(facts(await plain.get("w=24"))).toEqual(["final", "miss"]);
    const refined = await deliveryWorld(widths);
    expect(facts(await refined.get("w=24,f=webp,q=75"))).toEqual(["final", "miss"]);
    expect(plain.world.messages.concat(refined.world.messages)).toEqual([]);
    expect([await plain.credits(), await refined.credits()]).toEqual([1, 1]);
  });

  it("is one computation for all who ask at the same moment", async () => {
    const { calls } = originOf(file(photo));
    const { get, credits, world } = await deliveryWorld(widths);
    const answers = await Promise.all(Array.from({ length: 12 }, () => get("w=24")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // There the queue asks for the original of the final meanwhile.
    needsInside();
    expect(calls).toHaveLength(1);
    await eventually(() => expect(world.messages).toHaveLength(1));
    expect(await credits()).toBe(0);
  });
});

describe("later views", () => {
  it("touch neither the database nor a meter, from the edge or from the bucket", async () => {
    originOf(file(photo));
    const { get, settle, delivery, world } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    await settle();
    Object.assign(world.calls, { database: 0, meter: 0, bucket: 0 });
    for (let view = 0; view < 20; view += 1) expect(facts(await get("w=24"))).toEqual(["final", "hit"]);
    expect(world.calls).toEqual({ database: 0, meter: 0, bucket: 0 });
    await settle();
    await forgetEdges(delivery.id);
    await get("w=32");
    await get("w=32");
    await settle();
    await forgetEdges(delivery.id);
    // The delivery itself is read once a minute.
    await get("f=webp,w=24").catch(() => undefined);
    Object.assign(world.calls, { database: 0, meter: 0, bucket: 0 });
    expect(facts(await get("w=32"))).toEqual(["final", "stored"]);
    expect(world.calls).toEqual({ database: 0, meter: 0, bucket: 1 });
  });

  it("find the same object however the address is spelled, each class of clients its own", async () => {
    originOf(file(photo));
    const { get, ask, delivery, stored } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    await get("width=24,f=auto,fit=scale-down");
    await ask(`/i/${delivery.id}/cdn-cgi/image/w=12,dpr=2/a.jpg`, { accept: WEBP });
    await ask(`/imgproxy/${delivery.id}/unsafe/w:24/plain/${PREFIX}a.jpg`, { accept: WEBP });
    expect(await stored()).toHaveLength(1);
    await get("w=24", "a.jpg", { accept: "*/*" });
    expect(await stored()).toHaveLength(2);
  });

  it("are 304 to those who have it, and bodiless to HEAD", async () => {
    originOf(file(photo));
    const { get } = await deliveryWorld({ ...widths, refine: false });
    const first = await get("w=24");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\da-f]{40}"$/);
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const answer = await get("w=24", "a.jpg", { accept: WEBP, "if-none-match": tags });
      expect([answer.status, answer.bytes.length, answer.headers.get("etag")]).toEqual([304, 0, etag]);
    }
    expect((await get("w=24", "a.jpg", { accept: WEBP, "if-none-match": '"x"' })).status).toBe(200);
    const head = await get("w=24", "a.jpg", { accept: WEBP }, "HEAD");
    expect([head.status, head.bytes.length, head.headers.get("content-length")]).toEqual([
      200,
      0,
      String(first.bytes.length),
    ]);
  });

  it("send the part that is asked for, from the edge, from the bucket and just made", async () => {
    originOf(file(photo));
    const { get, delivery, settle, usage } = await deliveryWorld({ ...widths, refine: false });
    const range = { accept: WEBP, range: "bytes=4-11" };
    const made = await get("w=24", "a.jpg", range);
    await settle();
    const whole = await get("w=24");
    const hit = await get("w=24", "a.jpg", range);
    await forgetEdges(delivery.id);
    const stored = await get("w=24", "a.jpg", range);
    expect([made, hit, stored].map(facts)).toEqual([
      ["final", "miss"],
      ["final", "hit"],
      ["final", "stored"],
    ]);
    for (const part of [made, hit, stored]) {
      expect([part.status, part.bytes]).toEqual([206, whole.bytes.subarray(4, 12)]);
      expect(part.headers.get("content-range")).toBe(`bytes 4-11/${whole.bytes.length}`);
    }
    const beyond = await get("w=24", "a.jpg", { accept: WEBP, range: "bytes=999999-" });
    expect([beyond.status, beyond.headers.get("cache-control")]).toEqual([416, "no-store"]);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${whole.bytes.length}`);
    const since = { accept: WEBP, "if-modified-since": whole.headers.get("last-modified") ?? "" };
    expect((await get("w=24", "a.jpg", since)).status).toBe(304);
    expect(await usage()).toMatchObject({ delivered_bytes: whole.bytes.length + 3 * 8 });
  });

  it("say what the final is where facts are wanted", async () => {
    originOf(file(photo));
    const { getSigned } = await deliveryWorld(widths);
    const original = identify(new Uint8Array(photo)).facts;
    const { body, headers } = await getSigned("w=24,f=json");
    expect(body).toMatchObject({
      width: 24,
      original: { width: original.width, height: original.height, format: "JPEG", bytes: photo.byteLength },
      bytes: expect.any(Number) as number,
    });
    expect(headers.get("x-service-rendition")).toBe("final");
  });
});

describe("after its time", () => {
  const old = 2_592_000_000;

  it("nears its end, and caches are told how much is left", async () => {
    originOf(file(photo));
    const { get, delivery } = await deliveryWorld({ ...widths, refine: false });
    expect(secondsOf(await get("w=24"))).toBe(2_592_000);
    await age(delivery.id, 2_587_200_000);
    await forgetEdges(delivery.id);
    const left = secondsOf(await get("w=24"));
    expect(left).toBeLessThanOrEqual(4_800);
    expect(left).toBeGreaterThan(4_700);
  });

  it("a result whose original is what it was lives on, and nothing is computed", async () => {
    const { calls } = originOf(file(photo));
    const { get, delivery, credits, settle } = await deliveryWorld({ ...widths, refine: false });
    const first = await get("w=24");
    await age(delivery.id, old);
    await forgetEdges(delivery.id);
    const again = await get("w=24");
    expect([...facts(again), again.bytes]).toEqual(["final", "stored", first.bytes]);
    await settle();
    await forgetEdges(delivery.id);
    await get("w=24");
    expect([calls.length, await credits()]).toEqual([2, 1]);
  });

  it("the same bytes are the same original, whatever the origin calls them", async () => {
    let etag = 0;
    originOf((path, request) => file(photo, `"${(etag += 1)}"`)(path, request));
    const { get, delivery, credits } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    await age(delivery.id, old);
    await forgetEdges(delivery.id);
    expect(facts(await get("w=24"))).toEqual(["final", "stored"]);
    expect(await credits()).toBe(1);
  });

  it("another original makes another result", async () => {
    let [bytes, etag] = [photo, '"one"'];
    originOf((path, request) => file(bytes, etag)(path, request));
    const { get, delivery, credits } = await deliveryWorld({ ...widths, refine: false });
    const first = await get("w=24");
    await age(delivery.id, old);
    await forgetEdges(delivery.id);
    [bytes, etag] = [gray, '"two"'];
    const second = await get("w=24");
    expect(facts(second)).toEqual(["final", "miss"]);
    expect(second.bytes).not.toEqual(first.bytes);
    expect(await credits()).toBe(2);
  });

  it("an original that is gone is 404, and its result is forgotten", async () => {
    let status = 200;
    originOf((path, request) => (status === 200 ? file(photo)(path, request) : new Response("", { status })));
    const { get, delivery, stored } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    await age(delivery.id, old);
    await forgetEdges(delivery.id);
    status = 410;
    const answer = await get("w=24");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "public, max-age=60"]);
    expect(await stored()).toHaveLength(0);
  });

  it("an origin that fails leaves the result as it is, for a day more at most", async () => {
    let status = 200;
    originOf((path, request) => (status === 200 ? file(photo)(path, request) : new Response("", { status })));
    const { get, delivery } = await deliveryWorld({ ...widths, refine: false });
    await get("w=24");
    await age(delivery.id, old);
    await forgetEdges(delivery.id);
    status = 500;
    const kept = await get("w=24");
    expect([...facts(kept), secondsOf(kept)]).toEqual(["final", "stored", 60]);
    await age(delivery.id, 86_400_000);
    await forgetEdges(delivery.id);
    expect((await get("w=24")).status).toBe(502);
  });
});

describe("without credits", () => {
  it("what is there is served, and nothing new is made", async () => {
    originOf(file(photo));
    const { get, credits, settle } = await deliveryWorld({ ...widths, refine: false }, 1);
    expect((await get("w=24")).status).toBe(200);
    await settle();
    const refused = await get("w=32");
    expect([refused.status, refused.body.message]).toEqual([402, "No credits left in this period"]);
    expect((await get("w=24")).status).toBe(200);
    expect(await credits()).toBe(1);
    expect(await env.DB.prepare("SELECT * FROM delivery_finals").first()).toBeNull();
  });

  it("no draft is given away either", async () => {
    originOf(file(photo));
    const { get } = await deliveryWorld(widths, 0);
    expect((await get("w=24")).status).toBe(402);
  });
});

it("results that nobody asks for are deleted by the sweep, a page at a time", async () => {
  originOf(file(photo));
  const { get, world, stored } = await deliveryWorld({ ...widths, refine: false });
  await get("w=24");
  await sweep(world.env);
  expect(await stored()).toHaveLength(1);
  vi.setSystemTime(Date.now() + 181 * 86_400_000);
  await sweep(world.env);
  vi.useRealTimers();
  expect(await stored()).toHaveLength(0);
});

it("shows the first frame of an animation alone, as a draft and as the final", async () => {
  originOf(file(animation));
  const { getSigned, runFinals, delivery } = await deliveryWorld();
  const frames = ({ bytes }: { readonly bytes: Uint8Array }) => identify(bytes).facts.frames;
  expect(frames(await getSigned("w=24"))).toBeGreaterThan(1);
  const draft = await getSigned("w=24,anim=false");
  expect([frames(draft), formatOf(draft.bytes)]).toEqual([1, "JPEG"]);
  await runFinals();
  await forgetEdges(delivery.id);
  const final = await getSigned("w=24,anim=false");
  expect([...facts(final), frames(final)]).toEqual(["final", "stored", 1]);
});

it("keeps metadata in the draft as in the final, and gives it up in a format that nobody named", async () => {
  const rights = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="(c) Ann"/></rdf:RDF>`;
  const xmp = new TextEncoder().encode(rights);
  originOf(file(FORMATS.jpeg.metadata.write(new Uint8Array(photo), { xmp }).slice().buffer));
  const { getSigned, runFinals, delivery } = await deliveryWorld();
  const says = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes).includes("(c) Ann");
  const draft = await getSigned("w=24,metadata=copyright");
  expect([...facts(draft), says(draft)]).toEqual(["draft", "miss", true]);
  await runFinals();
  await forgetEdges(delivery.id);
  const final = await getSigned("w=24,metadata=copyright");
  expect([...facts(final), says(final)]).toEqual(["final", "stored", true]);
  expect(says(await getSigned("w=24"))).toBe(false);
  originOf(file(animation));
  expect((await getSigned("w=24,metadata=keep", "b.gif")).status).toBe(200);
});

it("shows what a picture is at every turn", async () => {
  originOf(file(photo));
  const { getSigned } = await deliveryWorld({ ...widths, refine: false });
  expect(formatOf((await getSigned("w=24,f=webp")).bytes)).toBe("WEBP");
  expect(formatOf((await getSigned("w=24,f=png")).bytes)).toBe("PNG");
  expect(formatOf((await getSigned("w=24,f=auto", "a.jpg", { accept: "*/*" })).bytes)).toMatch(/JPEG|PNG/);
});

it("forgets what edges and the bucket know when it is purged", async () => {
  const { calls } = originOf(file(photo));
  const { get, key, delivery, settle } = await deliveryWorld({ ...widths, refine: false });
  await get("w=24");
  await settle();
  expect(facts(await get("w=24"))).toEqual(["final", "hit"]);
  for (const json of [{ source: "a.jpg" }, {}]) {
    const purged = await api("POST", `/1.0/deliveries/${delivery.id}/purge`, { key, json });
    expect(purged.status).toBe(202);
    expect(facts(await get("w=24"))).toEqual(["final", "miss"]);
    await settle();
  }
  expect(calls).toHaveLength(3);
});
