/** The stable words of budgets. `error-words.ts` says what words are for. */
import type { ErrorRow } from "./error-rules.ts";

export const BUDGET_WORDS = {
  "budget.credits": {
    statuses: [402],
    says: /month's budget/,
    cause: "The account has spent the credits that its operator allows in a calendar month.",
    cure: "Wait for the month, or ask the operator: [budgets](keeping.md#spending).",
  },
  "budget.cpu": {
    statuses: [429],
    says: /^Today's budget of processor/,
    cause:
      "The account has spent the processor time that its operator allows in a day (UTC), or what it is at may spend the rest.",
    cure: "Wait as `Retry-After` says, or ask the operator: [budgets](keeping.md#spending).",
  },
  "budget.finals": {
    statuses: [429],
    says: /^Today's budget of new/,
    cause:
      "The account's deliveries have made as many finals as its operator allows in a day (UTC). What is made is served on.",
    cure: "Wait as `Retry-After` says, or ask the operator: [budgets](keeping.md#spending).",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
