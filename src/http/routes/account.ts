import { Account } from "../../contract/response.ts";
/** What an account asks about itself. */
import * as examples from "../examples.ts";
import { showAccount } from "../handlers/account.ts";
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
];
