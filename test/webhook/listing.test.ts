/** The queries behind lists of notifications walk along indexes. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { listQuery, type Page } from "../../src/webhook/listing.ts";
import { OLD_SQL, HAND_OUT_SQL } from "../../src/webhook/sweep.ts";

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

it("finds a page of one state in one walk along the index of states", async () => {
  const plan = await planOfPage({ statuses: ["failed"] });
  expect(plan).toContain(
    "SEARCH webhooks USING COVERING INDEX webhooks_of_account_by_status (account_id=? AND status=? AND created_at>? AND created_at<?)",
  );
  expect(plan.filter((step) => step.startsWith("SCAN webhooks"))).toEqual([]);
});

it("merges the walks of several states instead of sorting what they find", async () => {
  const plan = await planOfPage({ statuses: ["created", "failed", "delivered"] });
  expect(plan.filter((step) => step.startsWith("MERGE (UNION ALL)"))).toHaveLength(2);
  const walk =
    "SEARCH webhooks USING COVERING INDEX webhooks_of_account_by_status (account_id=? AND status=? AND created_at>? AND created_at<?)";
  expect(plan.filter((step) => step === walk)).toHaveLength(3);
});

it("reads rows by their id, only those of the page, and sorts nothing else", async () => {
  for (const statuses of [[], ["failed"], ["created", "failed"]] as const) {
    const plan = await planOfPage({ statuses });
    expect(plan.some((step) => /^SEARCH webhooks USING INDEX sqlite_autoindex_webhooks_1 \(id=\?\)$/.test(step))).toBe(
      true,
    );
    expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toEqual(["USE TEMP B-TREE FOR ORDER BY"]);
  }
});

it("finds what is overdue and what is old along an index", async () => {
  const handOut = await planOf(HAND_OUT_SQL, [Date.now(), Date.now(), 1, 2, 1, 100]);
  expect(handOut).toContainEqual(expect.stringMatching(/^SEARCH webhooks USING (COVERING )?INDEX webhooks_untold \(/));
  expect(handOut.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  expect(await planOf(OLD_SQL, [0, 500])).toContain("SEARCH webhooks USING INDEX webhooks_by_age (created_at<?)");
});
