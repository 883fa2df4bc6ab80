/** Records of a deployment that is upgraded come over as they are. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { storeOf } from "../../src/webhook/store.ts";
import { databaseOver } from "../support/embedded-storage.ts";

const CREATED = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;

it("keeps records and jobs of the tables before", () =>
  runInDurableObject(env.COURIER.getByName("migration"), async (_, { storage }) => {
    const db = databaseOver(storage);
    const at = env.TEST_MIGRATIONS.findIndex(({ name }) => name.startsWith("0014_"));
    const apply = async (from: number, to?: number) => {
      for (const sql of env.TEST_MIGRATIONS.slice(from, to).flatMap(({ queries }) => queries)) await db.exec(sql);
    };
    await apply(0, at);
    const insert = `INSERT INTO webhooks (id, account_id, status, created_at, updated_at, delay_seconds, target, payload, wake_at, told_until)
      VALUES (?1, 'a', ?2, ${CREATED}, ${CREATED + 1}, 0, x'01', ?3, ?4, ?5)`;
    const rows = [
      ["waits", "created", null, CREATED, CREATED + 30_000],
      ["due", "scheduled", "{}", CREATED + 5, 0],
      ["kept", "delivered", "{}", null, 0],
      ["emptied", "failed", null, null, 0],
    ];
    for (const row of rows)
      await db
        .prepare(insert)
        .bind(...row)
        .run();
    await db.prepare("INSERT INTO webhook_jobs (id, job, bytes_key) VALUES ('waits', x'02', 'jobs/1/waits')").run();
    await apply(at);

    const { results } = await db
      .prepare("SELECT id, stage, sweep_at - ?1 AS after FROM webhooks ORDER BY id")
      .bind(CREATED)
      .all();
    expect(results).toEqual([
      { id: "due", stage: "waiting", after: 5 },
      { id: "emptied", stage: "emptied", after: 60 * DAY_MS },
      { id: "kept", stage: "kept", after: 7 * DAY_MS + 1 },
      { id: "waits", stage: "waiting", after: 30_000 },
    ]);
    const claimed = await storeOf(db).claimRun("waits", "claim", CREATED, 1_000);
    expect([claimed?.job, claimed?.bytesKey, claimed?.record.starts]).toEqual([new Uint8Array([2]), "jobs/1/waits", 1]);
  }));
