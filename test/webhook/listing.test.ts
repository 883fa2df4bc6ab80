/** The queries behind lists of notifications walk along indexes. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { list, listQuery, type Page } from "../../src/webhook/listing.ts";
import { STATUSES } from "../../src/webhook/record.ts";
import { OLD_SQL, HAND_OUT_SQL } from "../../src/webhook/sweep.ts";
import { store } from "../support/webhooks.ts";

const page: Page = { statuses: [], start: 0, end: Date.now(), offset: 10, limit: 50 };

/** What the database would do, a line a step. */
async function planOf(sql: string, values: readonly unknown[]): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

async function planOfPage(changes: Partial<Page>): Promise<string[]> {
  const { sql, values } = listQuery("account", { ...page, ...changes });
  return planOf(sql, values);
}

it("finds a page of all records in one walk along an index that holds the answer's order", async () => {
  const plan = await planOfPage({});
  expect(plan).toContain(
    "SEARCH webhooks USING COVERING INDEX webhooks_of_account (account_id=? AND created_at>? AND created_at<?)",
  );
  expect(plan.filter((step) => step.startsWith("SCAN webhooks"))).toEqual([]);
});

it("finds a page of what failed in one walk along an index that holds nothing else", async () => {
  const plan = await planOfPage({ statuses: ["failed"] });
  expect(plan).toContain(
    "SEARCH webhooks USING COVERING INDEX webhooks_failed (account_id=? AND created_at>? AND created_at<?)",
  );
  expect(plan.filter((step) => step.startsWith("SCAN webhooks"))).toEqual([]);
});

it("finds what is not finished among what waits, of all accounts", async () => {
  const plan = await planOfPage({ statuses: ["created", "scheduled"] });
  expect(plan).toContain("SEARCH webhooks USING INDEX webhooks_to_sweep (stage=?)");
  expect(plan.filter((step) => step.startsWith("SCAN webhooks"))).toEqual([]);
});

it("merges the walks of several states instead of sorting what they find, but for the few that wait", async () => {
  const plan = await planOfPage({ statuses: ["created", "failed", "delivered"] });
  expect(plan.filter((step) => step.startsWith("MERGE (UNION ALL)"))).toHaveLength(2);
  const range = "(account_id=? AND created_at>? AND created_at<?)";
  expect(plan).toContain(`SEARCH webhooks USING INDEX webhooks_of_account ${range}`);
  expect(plan).toContain(`SEARCH webhooks USING COVERING INDEX webhooks_failed ${range}`);
});

it("reads rows by their id, only those of the page, and sorts nothing else", async () => {
  for (const statuses of [[], ["failed"], ["delivered", "failed"]] as const) {
    const plan = await planOfPage({ statuses });
    expect(plan.some((step) => /^SEARCH webhooks USING PRIMARY KEY \(id=\?\)$/.test(step))).toBe(true);
    expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toEqual(["USE TEMP B-TREE FOR ORDER BY"]);
  }
});

it("lists exactly what has one of the states, the newest first", async () => {
  const accountId = crypto.randomUUID();
  const states = [
    { status: "created", wakeAt: 1, payload: null },
    { status: "scheduled", wakeAt: Date.now() + 60_000 },
    { status: "dispatched", wakeAt: 1 },
    { status: "failed", wakeAt: Date.now() + 60_000 },
    { status: "failed" },
    { status: "delivered" },
  ] as const;
  const ids = await store(...states.map((state, index) => ({ ...state, accountId, createdAt: 1_000 + index })));
  await store({ accountId: "another", status: "created", wakeAt: 1, payload: null });
  for (let some = 0; some < 32; some += 1) {
    const statuses = STATUSES.filter((_, index) => (some >> index) % 2 === 1);
    const shown = statuses.length === 0 ? STATUSES : statuses;
    const expected = ids.filter((_, index) => shown.includes(states[index]?.status ?? "created")).toReversed();
    const found = await list(env.DB, accountId, { ...page, statuses, offset: 0 });
    expect(
      found.map(({ id }) => id),
      statuses.join(),
    ).toEqual(expected);
  }
});

it("finds what is overdue and what is old along an index", async () => {
  const handOut = await planOf(HAND_OUT_SQL, [Date.now(), Date.now(), 1, 2, 1, 100]);
  expect(handOut).toContainEqual(expect.stringMatching(/^SEARCH webhooks USING INDEX webhooks_to_sweep \(/));
  expect(handOut.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  expect(await planOf(OLD_SQL, [0, 500])).toContain(
    "SEARCH webhooks USING COVERING INDEX webhooks_to_sweep (stage=? AND sweep_at<?)",
  );
});
