/** What is posted to an account's `alerts.webhook`. */
import * as v from "valibot";

import { ALERT_PERCENTS, BUDGETS } from "../limits/accounts.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A budget of which 80 or 100 percent are spent; once for each, period and limit. */
export const BudgetAlert = v.strictObject({
  success: v.literal(true),
  code: v.literal(200),
  id: v.pipe(v.string(), v.uuid()),
  budget: v.strictObject({
    name: v.picklist(BUDGETS),
    /** The month or the day, UTC: `2026-11`, `2026-11-20`. */
    period: v.string(),
    percent: v.picklist(ALERT_PERCENTS),
    used: count,
    limit: count,
  }),
});
export type BudgetAlert = v.InferOutput<typeof BudgetAlert>;
