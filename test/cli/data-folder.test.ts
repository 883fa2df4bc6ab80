/** What a start makes of the state that a killed service has left. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, expect, it } from "vitest";

import { Objects } from "../../src/batch/objects.ts";
import { freeHeld } from "../../src/cli/data-folder.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "data-"));
});
afterEach(() => rm(state, { recursive: true, force: true }));

it("has objects of a batch wait again that somebody was told of, or worked on", async () => {
  const folder = join(state, "do", "darkroom-BatchKeeper");
  await mkdir(folder, { recursive: true });
  const open = () => {
    const database = new DatabaseSync(join(folder, "batch.sqlite"));
    const objects = new Objects({
      exec: (sql, ...values) => database.prepare(sql).all(...values) as never,
      transaction: (moves) => moves(),
    });
    return { database, objects };
  };
  const before = open();
  before.objects.add(["a", "b", "c"].map((key) => ({ key, bytes: 1 })));
  const [told = 0] = before.objects.handOut(2, 0);
  expect(before.objects.claim(told, "token", 1)?.key).toBe("a");
  before.database.close();
  new DatabaseSync(join(folder, "metadata.sqlite")).close();
  await freeHeld(state, 2);
  const { database, objects } = open();
  expect([objects.left, objects.inFlight]).toEqual([3, 0]);
  // Whoever had it cannot tell of it any more, and its start counts.
  expect(objects.heldBy(told, "token")).toBeUndefined();
  expect(objects.handOut(3, 3)).toHaveLength(3);
  database.close();
});
