/** What a batch's account knows of it, in its database: together its batches work on as much as one alone may. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { insertBatch, reportBatch } from "../../src/batch/rows.ts";
import { NO_COUNTS, type Progress } from "../../src/batch/rules.ts";
import { BATCH_CONCURRENCY, MAX_OPEN_BATCHES } from "../../src/limits/batch.ts";
import { BATCH } from "../support/batch-simulation.ts";

const PROGRESS: Progress = { state: "running", counts: NO_COUNTS, isListed: true, parts: 1, updatedAt: 0 };

/** What batches of one account are granted, once each of them has told of itself twice. */
async function grantsOf(many: number): Promise<number[]> {
  const accountId = crypto.randomUUID();
  const batches = Array.from({ length: many }, () => ({ ...BATCH, accountId, id: crypto.randomUUID() }));
  for (const batch of batches) await insertBatch(env.DB, batch);
  const told = { progress: PROGRESS, inFlight: 0, wants: true };
  for (const batch of batches) await reportBatch(env.DB, batch, told);
  const grants: number[] = [];
  for (const batch of batches) grants.push((await reportBatch(env.DB, batch, told)) ?? 0);
  return grants;
}

describe("batches of one account", () => {
  it.each(Array.from({ length: MAX_OPEN_BATCHES }, (_, before) => before + 1))(
    "that are %i share what it may work on at once in whole objects",
    async (many) => {
      const grants = await grantsOf(many);
      expect(grants).toHaveLength(many);
      expect(grants.every(Number.isSafeInteger)).toBe(true);
      const sum = grants.reduce((all, slots) => all + slots, 0);
      expect(sum).toBeLessThanOrEqual(BATCH_CONCURRENCY);
      expect(sum).toBeGreaterThan(BATCH_CONCURRENCY / 2);
    },
  );
});
