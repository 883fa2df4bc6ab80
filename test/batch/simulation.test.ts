/** A batch of a large bucket in a world that goes wrong: nothing is lost, nothing done twice, and what it holds stays small. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import type { SqlRow } from "../../src/batch/objects.ts";
import { BATCH_CONCURRENCY, MAX_WAITING_OBJECTS } from "../../src/limits/batch.ts";
import { BatchWorld, type Trouble } from "../support/batch-simulation.ts";
import { IS_WHOLE } from "../support/exhaustive.ts";

/** Numbers that are the same every time (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The world after the end of its batch, and the bytes of the batch's database. */
function simulated(seed: number, objects: number, trouble: Trouble): Promise<{ world: BatchWorld; bytes: number }> {
  return runInDurableObject(env.BATCH.getByName(`simulation ${seed} ${objects}`), async (_, { storage }) => {
    const sql = {
      exec: (statement: string, ...values: (string | number | null)[]) =>
        storage.sql.exec<Record<keyof SqlRow, string | number | null>>(statement, ...values).toArray(),
      transaction: <Result>(moves: () => Result) => storage.transactionSync(moves),
    };
    const world = new BatchWorld(sql, objects, trouble, randomOf(seed));
    await world.run();
    return { world, bytes: storage.sql.databaseSize };
  });
}

function expectWhole({ world, bytes }: { world: BatchWorld; bytes: number }, objects: number): void {
  expect(world.wrong.slice(0, 5)).toEqual([]);
  const { state, counts } = world.progress ?? {};
  expect(state).toBe("done");
  expect(counts?.found).toBe(objects);
  expect((counts?.done ?? 0) + (counts?.skipped ?? 0) + (counts?.failed ?? 0)).toBe(objects);
  // What is no result was replaced, or deleted, once its turn was over, or has failed.
  const left = world.results.filter((result, n) => result === 0 && world.gone[n] === 0 && world.versions[n] === 1);
  expect(left.length).toBeLessThanOrEqual(counts?.failed ?? 0);
  expect(world.mostKnown).toBeLessThanOrEqual(MAX_WAITING_OBJECTS);
  expect(world.mostAtOnce).toBeLessThanOrEqual(BATCH_CONCURRENCY);
  expect(bytes).toBeLessThan(2_000_000);
}

const ROUGH: Trouble = { kill: 0.004, busy: 0.01, change: 0.01, pause: 0.002 };

it.each([1, 2, 3])("is whole after kills, changes and a slow store (%i)", async (seed) => {
  const objects = 2_500;
  const run = await simulated(seed, objects, ROUGH);
  expectWhole(run, objects);
  expect(run.world.kills).toBeGreaterThan(50);
  expect(run.world.changes).toBeGreaterThan(30);
});

it("does every object of a quiet world, once", async () => {
  const run = await simulated(4, 1_200, { kill: 0, busy: 0, change: 0, pause: 0 });
  expectWhole(run, 1_200);
  expect(run.world.progress?.counts).toMatchObject({ done: 1_200, skipped: 0, failed: 0, bytesBefore: 120_000 });
});

it("comes to its end however often its owner pauses it", async () => {
  for (let seed = 10; seed < 30; seed += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    expectWhole(await simulated(seed, 3, { kill: 0, busy: 0, change: 0, pause: 0.2 }), 3);
  }
});

it.runIf(IS_WHOLE)("holds no more for a hundred thousand objects", async () => {
  const objects = 100_000;
  expectWhole(await simulated(5, objects, { kill: 0.0005, busy: 0.001, change: 0.001, pause: 0.0005 }), objects);
});
