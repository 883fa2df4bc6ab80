import type * as v from "valibot";

/** Member names are shown only when they look like member names, so that a key cannot carry other text out. */
const MEMBER = /^[A-Za-z0-9_-]{1,64}$/;

/** The first broken rule as one public sentence: the member's path and the rule, never the value. */
export function sentence(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const [issue] = issues;
  const keys = (issue.path ?? []).map((item) => String(item.key));
  const path = keys.every((key) => MEMBER.test(key)) ? keys.join(".") : "a member";
  return `${path === "" ? "The request" : path} ${issue.message}`;
}
