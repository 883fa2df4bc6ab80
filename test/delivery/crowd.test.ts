/** Crowds at addresses: hanging origins, and requests that are ended in their midst, take nothing from others. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { SharedWork } from "../../src/delivery/shared-work.ts";
import { MAX_DELIVERY_READS } from "../../src/limits/delivery.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { isolateThread } from "../../src/scheduler/time-slice.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, file, originOf } from "../support/delivery.ts";
import { eventually } from "../support/eventually.ts";

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const widths = { unsigned: { widths: [24], formats: ["webp", "avif"] } };

/** An origin that does not answer until it is told to. */
function hanging() {
  const released = Promise.withResolvers<void>();
  let asked = 0;
  originOf(async (path, request) => {
    if (!path.includes("hanging")) return file(photo)(path, request);
    asked += 1;
    await released.promise;
    return new Response(null, { status: 404 });
  });
  return { asked: () => asked, release: released.resolve };
}

it("hanging originals of one delivery take places of that one alone", async () => {
  const { asked, release } = hanging();
  const [slow, other] = [await deliveryWorld(widths), await deliveryWorld(widths)];
  const waiting = Array.from({ length: MAX_DELIVERY_READS }, (_, index) => slow.get("w=24", `hanging-${index}.jpg`));
  await eventually(() => expect(asked()).toBe(MAX_DELIVERY_READS));
  expect((await other.get("w=24")).status).toBe(200);
  expect((await slow.get("w=24", "hanging-more.jpg")).status).toBe(503);
  release();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([404]));
  expect((await slow.get("w=24")).status).toBe(200);
  await Promise.all([slow.settle(), other.settle()]);
});

it("requests that are ended leave no place taken: after 64 of them the next miss is a picture", async () => {
  const { asked, release } = hanging();
  const { get, settle } = await deliveryWorld(widths);
  const { setInterval } = globalThis;
  // Timers end with their invocation.
  Object.assign(globalThis, { setInterval: () => 0 });
  for (let index = 0; index < MAX_DELIVERY_READS; index += 1) void get("w=24", `hanging-${index}.jpg`);
  await eventually(() => expect(asked()).toBe(MAX_DELIVERY_READS));
  Object.assign(globalThis, { setInterval });
  expect((await get("w=24")).status).toBe(503);
  // Work that is ended in its midst leaves a mark; what is only canceled leaves silence.
  void isolateBudget.run({ bytes: 1 }, () => new Promise(() => undefined));
  isolateThread.look();
  expect((await get("w=24")).status).toBe(200);
  release();
  await settle();
});

it("who waits for work of a request that was ended does it anew", async () => {
  let clock = 0;
  const shared = new SharedWork<string>({ now: () => clock });
  const { setInterval } = globalThis;
  Object.assign(globalThis, { setInterval: () => 0 });
  const never = () => new Promise<string>(() => undefined);
  void shared.begin("a", never);
  Object.assign(globalThis, { setInterval });
  expect(shared.has("a")).toBe(true);
  const joined = shared.join("a", 60_000);
  clock = 11_000;
  expect(await joined).toBeUndefined();
  expect(shared.has("a")).toBe(false);
  const result = shared.begin("a", async () => "made");
  expect(await Promise.all([shared.join("a", 1_000), result])).toEqual(["made", "made"]);
  await eventually(() => expect(shared.has("a")).toBe(false));
});
