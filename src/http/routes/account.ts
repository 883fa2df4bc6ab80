/** What an account asks about itself. */
import { Account } from "../../contract/response.ts";
import { UsageList, UsageQuery } from "../../contract/usage.ts";
import * as examples from "../examples.ts";
import { showAccount } from "../handlers/account.ts";
import { showOwnUsage } from "../handlers/usage.ts";
import type { Route } from "../route.ts";

export const account: readonly Route[] = [
  {
    method: "get",
    path: "/1.0/account",
    operationId: "showAccount",
    summary: "Shows the subscription and the credits of the calendar month; tests a key.",
    tag: "Account",
    access: "key",
    answers: { 200: { description: "The account", schema: Account, example: examples.account } },
    refusals: [],
    handler: showAccount,
  },
  {
    method: "get",
    path: "/1.0/account/usage",
    operationId: "showUsage",
    summary:
      "Shows what the account's keys did by day (UTC), the newest day first; the last 30 days unless told otherwise.",
    tag: "Account",
    access: "key",
    query: UsageQuery,
    answers: { 200: { description: "Usage", schema: UsageList, example: examples.usageList } },
    refusals: [422],
    handler: showOwnUsage,
  },
];
