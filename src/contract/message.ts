import type * as v from "valibot";

/** Member names are shown only when they look like member names, so that a key cannot carry other text out. */
const MEMBER = /^[A-Za-z0-9_-]{1,64}$/;

/** A member's path as messages show it. */
export function dotted(path: readonly string[]): string {
  if (path.length === 0) return "The request";
  return path.every((key) => MEMBER.test(key)) ? path.join(".") : "a member";
}

/** The first broken rule as one public sentence: the member's path and the rule, never the value. */
export function sentence(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const [issue] = issues;
  return `${dotted((issue.path ?? []).map((item) => String(item.key)))} ${issue.message}`;
}
