/** The durable object that wakes when a notification is due. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

import type { JournalEntry } from "../../src/webhook/ports.ts";
import { column, store } from "../support/webhooks.ts";

const HOUR_MS = 3_600_000;

afterEach(() => void vi.useRealTimers());

it("wakes at the earliest of the moments it was asked for", async () => {
  const id = crypto.randomUUID();
  const courier = env.COURIER.getByName(id);
  const now = Date.now();
  await courier.wake(id, now + 7 * 24 * HOUR_MS);
  await courier.wake(id, now + HOUR_MS + 123);
  await courier.wake(id, now + 2 * HOUR_MS);
  expect(await runInDurableObject(courier, (_, state) => state.storage.getAlarm())).toBe(now + HOUR_MS + 123);
});

it("looks again when its record is due, if it was woken early, also after it was evicted", async () => {
  const due = Date.now() + 3 * 24 * HOUR_MS;
  const [id = ""] = await store({ accountId: "account", status: "scheduled", wakeAt: due });
  const courier = env.COURIER.getByName(id);
  await courier.wake(id, Date.now() + HOUR_MS);
  await evictDurableObject(courier);
  expect(await runDurableObjectAlarm(courier)).toBe(true);
  expect(await runInDurableObject(courier, (_, state) => state.storage.getAlarm())).toBe(due);
});

it("is gone when its record is finished or was deleted", async () => {
  const [id = ""] = await store({ accountId: "account", status: "delivered" });
  for (const name of [id, crypto.randomUUID()]) {
    const courier = env.COURIER.getByName(name);
    await courier.wake(name, Date.now() + HOUR_MS);
    await runDurableObjectAlarm(courier);
    const left = await runInDurableObject(courier, async (_, state) => [
      await state.storage.getAlarm(),
      (await state.storage.list()).size,
    ]);
    expect(left).toEqual([null, 0]);
  }
});

it("tells the record what came of an attempt before it was cut off, instead of attempting again", async () => {
  const [id = ""] = await store({ accountId: "account", status: "dispatched", wakeAt: Date.now() - 1 });
  await env.DB.prepare("UPDATE webhooks SET claim = 'claim' WHERE id = ?").bind(id).run();
  const courier = env.COURIER.getByName(id);
  await courier.wake(id, Date.now() + HOUR_MS);
  const attempts = [{ at: Date.now(), code: 200, durationMs: 12 }];
  const entry: JournalEntry = {
    claim: "claim",
    outcome: { status: "delivered", code: 200, attempts, retries: 0, wakeAt: null },
  };
  await runInDurableObject(courier, (_, state) => state.storage.kv.put("journal", entry));
  await runDurableObjectAlarm(courier);
  expect(await column(id, "status")).toBe("delivered");
  expect(JSON.parse(String(await column(id, "attempts")))).toHaveLength(1);
});

it("fails an attempt whose target does not open, and goes on by the schedule", async () => {
  const [id = ""] = await store({ accountId: "account", status: "scheduled", wakeAt: Date.now() - 1 });
  const courier = env.COURIER.getByName(id);
  await courier.wake(id, Date.now() + HOUR_MS);
  await runDurableObjectAlarm(courier);
  expect([await column(id, "status"), await column(id, "code")]).toEqual(["failed", 0]);
  expect(await column(id, "wake_at")).toBeGreaterThan(Date.now());
});
