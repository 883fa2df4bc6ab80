/** What a batch does about the dead, about stores that talk nonsense, and about an account that has not heard of it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { attend, type AttendPorts } from "../../src/batch/attend.ts";
import { Machine } from "../../src/batch/machine.ts";
import type { Sql, SqlRow } from "../../src/batch/objects.ts";
import { BatchKeeper } from "../../src/entrances/batch.ts";
import { MAX_LIST_PARTS, OBJECT_LEASE_MS, OBJECT_TOLD_MS } from "../../src/limits/batch.ts";
import { BATCH } from "../support/batch-simulation.ts";

/** A machine of its own, with a list of one object that is granted. */
function withMachine(use: (machine: Machine, sql: Sql) => Promise<void> | void): Promise<void> {
  return runInDurableObject(env.BATCH.getByName(crypto.randomUUID()), async (_, { storage }) => {
    const sql: Sql = {
      exec: (statement, ...values) =>
        storage.sql.exec<Record<keyof SqlRow, string | number | null>>(statement, ...values).toArray(),
      transaction: (moves) => storage.transactionSync(moves),
    };
    const machine = new Machine(sql);
    machine.begin(BATCH);
    await use(machine, sql);
  });
}

const ONE = { objects: [{ key: "p/a.jpg", bytes: 100 }], others: 0, cursor: undefined };

function portsOf(more: Partial<AttendPorts> = {}): AttendPorts {
  const ports = { now: () => 0, tell: async () => undefined, fault: () => undefined, report: async () => 8 };
  const list = async () => ({ objects: [] });
  return { ...ports, list, cursorAfter: async () => undefined, whyEnded: async () => undefined, ...more };
}

describe("a batch that stands still", () => {
  it.each(["pause", "cancel"] as const)("after %s counts its dead out once their time is over", (order) =>
    withMachine((machine) => {
      machine.takePart(undefined, ONE, 0);
      machine.grant(8);
      const [n = 0] = machine.handOut(0);
      expect(machine.claim(n, "t", 1)).toBeDefined();
      machine[order](2);
      machine.handOut(3);
      expect(machine.inFlight).toBe(1);
      machine.handOut(OBJECT_LEASE_MS + 1);
      expect(machine.inFlight).toBe(0);
      machine.resume(OBJECT_LEASE_MS + 2);
      expect(machine.handOut(OBJECT_LEASE_MS + OBJECT_TOLD_MS)).toHaveLength(order === "pause" ? 1 : 0);
    }),
  );

  it("is done once it goes on, where its last object came to an end meanwhile", () =>
    withMachine((machine) => {
      machine.takePart(undefined, ONE, 0);
      machine.grant(8);
      const [n = 0] = machine.handOut(0);
      machine.claim(n, "t", 1);
      machine.pause(2);
      machine.finish(n, "t", { kind: "done", before: 100, after: 50 }, 3);
      expect(machine.progress?.state).toBe("paused");
      machine.resume(4);
      expect(machine.progress?.state).toBe("done");
    }));

  it("says so until its account has heard of it", () =>
    withMachine(async (machine) => {
      machine.takePart(undefined, { ...ONE, objects: [] }, 0);
      expect(machine.progress?.state).toBe("done");
      const away = portsOf({ report: () => Promise.reject(new Error("the database is away")) });
      await expect(attend(machine, away)).rejects.toThrow("away");
      expect(machine.isTold).toBe(false);
      await attend(machine, portsOf());
      expect(machine.isTold).toBe(true);
    }));

  it("is one that its account does not know", () =>
    withMachine(async (machine) => {
      await attend(machine, portsOf({ report: async () => undefined }));
      expect(machine.progress?.state).toBe("canceled");
      expect(machine.isTold).toBe(true);
    }));
});

describe("a store that talks nonsense", () => {
  it("is left alone for an hour at most", () =>
    withMachine((machine) => {
      machine.slowDown(1e12, 0);
      expect(machine.holdUntil).toBe(3_600_000);
    }));

  it("ends a batch by a list without an end", () =>
    withMachine((machine, sql) => {
      machine.takePart(undefined, { ...ONE, objects: [], cursor: "1" }, 0);
      expect(machine.progress?.state).toBe("listing");
      const [{ json = "" } = {}] = sql.exec("SELECT json FROM standing");
      sql.exec(
        "UPDATE standing SET json = ?",
        JSON.stringify({ ...JSON.parse(String(json)), parts: MAX_LIST_PARTS - 1 }),
      );
      const later = new Machine(sql);
      later.takePart("1", { ...ONE, objects: [], cursor: "2" }, 0);
      expect(later.progress).toMatchObject({ state: "failed", trouble: { error: "batch.store" } });
      later.resume(1);
      later.takePart("2", { ...ONE, objects: [], cursor: "3" }, 1);
      expect(later.isAtWork).toBe(true);
    }));
});

/** Works on all that is handed out, until nothing is left or so many rounds are over. */
function workedOn(machine: Machine, isRefused: (key: string, round: number) => boolean): string[] {
  const order: string[] = [];
  for (let round = 0, now = 0; round < 1_000 && machine.isAtWork; round += 1, now = machine.holdUntil + 1) {
    for (const n of machine.handOut(now)) {
      const { key } = machine.claim(n, `t${round}`, now) ?? expect.fail("it was handed out");
      const isMade = !isRefused(key, round);
      if (isMade) order.push(key);
      const outcome = isMade ? ({ kind: "skipped" } as const) : ({ kind: "wait", why: "store" } as const);
      machine.finish(n, `t${round}`, outcome, now);
    }
  }
  return order;
}

const MANY = Array.from({ length: 100 }, (_, at) => ({ key: `p/${100 + at}.jpg`, bytes: 100 }));

describe("objects for which a store asks for time", () => {
  it("fail where it gives others, and keep those from nothing, wherever they stand", () =>
    withMachine((machine) => {
      machine.takePart(undefined, { ...ONE, objects: MANY }, 0);
      machine.grant(8);
      const poisoned = new Set(MANY.slice(0, 10).map(({ key }) => key));
      expect(workedOn(machine, (key) => poisoned.has(key))).toHaveLength(90);
      expect(machine.progress).toMatchObject({ state: "done", counts: { skipped: 90, failed: 10 } });
      expect(machine.failures(0, 1)).toMatchObject([{ error: "batch.object" }]);
    }));

  it("have not failed where it gives none at all", () =>
    withMachine((machine) => {
      machine.takePart(undefined, { ...ONE, objects: MANY }, 0);
      machine.grant(8);
      expect(workedOn(machine, () => true)).toEqual([]);
      expect(machine.progress).toMatchObject({ state: "paused", counts: { failed: 0 } });
    }));

  it("have not failed after hours in which it gave nothing", () =>
    withMachine((machine) => {
      machine.takePart(undefined, { ...ONE, objects: MANY }, 0);
      machine.grant(8);
      expect(workedOn(machine, (_, round) => round >= 2 && round < 25)).toHaveLength(100);
      expect(machine.progress).toMatchObject({ state: "done", counts: { skipped: 100, failed: 0 } });
    }));
});

describe("the alarm of a batch", () => {
  it("rings again while the database does not take the end of the batch", async () => {
    const stub = env.BATCH.getByName(crypto.randomUUID());
    await runInDurableObject(stub, async (instance, state) => {
      const DB = { prepare: () => expect.fail("the database is away") };
      const keeper = new BatchKeeper(state, { ...env, DB } as never);
      expect(instance).toBeDefined();
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      await keeper.control(BATCH, "cancel", "key");
      await state.storage.deleteAlarm();
      const before = Date.now();
      await keeper.alarm();
      const next = await state.storage.getAlarm();
      expect(next).toBeGreaterThanOrEqual(before);
      expect(next).toBeLessThan(before + 60_000);
      vi.useFakeTimers({ toFake: ["Date"], now: before + 61 * 86_400_000 });
      await keeper.alarm();
      expect(await state.storage.getAlarm()).toBeGreaterThan(before);
      await state.storage.deleteAlarm();
      vi.useRealTimers();
      vi.restoreAllMocks();
    });
  });
});
