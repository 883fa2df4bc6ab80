/**
 * A final of a delivery with a budget, while each call of a binding in turn goes wrong: it is there in the end, and what was
 * reserved for it is spent once, or free again.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { changeAccount } from "../../src/account/accounts.ts";
import { lostFinals } from "../../src/delivery/claims.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { forgetSpent } from "../../src/delivery/spent-budgets.ts";
import { CREDIT_LEASE_SECONDS } from "../../src/limits/accounts.ts";
import { GRACE_MS, RUN_LEASE_MS } from "../../src/limits/webhook.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, file, forgetEdges, originOf } from "../support/delivery.ts";
import { faultyBinding, faultyDatabase, faultyObjects, type Mishap, nthCall } from "../support/faults.ts";

const MOST_CALLS = 60;

beforeEach(() => {
  forgetSpent();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type World = Awaited<ReturnType<typeof deliveryWorld>>;

/** Has the nth call of a binding go wrong. */
function failAt({ world }: World, nth: number, mishap: Mishap): readonly string[] {
  const { chance, suffered } = nthCall(nth, mishap);
  const { QUEUE } = world.env;
  Object.assign(world.env, {
    DB: faultyDatabase(env.DB, "DB", chance),
    BUCKET: faultyBinding(env.BUCKET, "BUCKET", chance),
    METER: faultyObjects(env.METER, "METER", chance),
    QUEUE: faultyBinding(QUEUE, "QUEUE", chance),
  });
  return suffered;
}

/** Carries out what the queue has; a message that fails comes again. */
async function drain({ world, runFinals }: World): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const messages = [...world.messages];
    await runFinals().catch(() => void world.messages.push(...messages));
  }
}

async function tried(nth: number, mishap: Mishap): Promise<boolean> {
  originOf(file(photo));
  const site = await deliveryWorld({ unsigned: { widths: [24] } });
  await changeAccount(env.DB, site.account.id, { limits: { finals_per_day: 5 } });
  forgetDeliveries();
  const suffered = failAt(site, nth, mishap);
  expect((await site.get("w=24")).status, String(suffered)).toBeOneOf([200, 500, 503]);
  await site.settle();
  await drain(site);
  const isOver = suffered.length === 0;
  failAt(site, 0, "none");
  // What was lost is announced by the sweep once its time is over.
  const later = Date.now() + RUN_LEASE_MS + GRACE_MS + (CREDIT_LEASE_SECONDS + 60) * 1_000;
  vi.useFakeTimers({ toFake: ["Date"], now: later });
  const lost = await lostFinals(env.DB, later);
  site.world.messages.push(...lost.map((id) => ({ kind: "final", id }) as const));
  await drain(site);
  forgetDeliveries();
  await forgetEdges(site.delivery.id);
  expect((await site.get("w=24")).status, String(suffered)).toBe(200);
  await site.settle();
  await drain(site);
  await forgetEdges(site.delivery.id);
  const { status, headers } = await site.get("w=24");
  expect([suffered, status, headers.get("x-service-rendition")]).toEqual([suffered, 200, "final"]);
  vi.setSystemTime(later + (CREDIT_LEASE_SECONDS + 60) * 1_000);
  const { used, today } = await env.METER.getByName(`account:${site.account.id}`).take({
    key: "test",
    limit: 1_000,
    budget: {},
  });
  // A final whose settling was lost costs nothing; none is paid twice.
  expect([suffered, used], "credits").toEqual([suffered, expect.toBeOneOf([0, 1])]);
  // One whose announcement was lost counts for its day as well, so that no budget is overrun.
  expect([suffered, today?.finals], "finals of the day").toEqual([suffered, expect.toBeOneOf([1, 2])]);
  vi.useRealTimers();
  return isOver;
}

it.each<Mishap>(["fails", "fails after"])(
  "is there in the end, and paid once at most, whichever call %s",
  async (mishap) => {
    let nth = 1;
    while (!(await tried(nth, mishap))) {
      nth += 1;
      expect(nth).toBeLessThan(MOST_CALLS);
    }
    expect(nth).toBeGreaterThan(5);
  },
);
