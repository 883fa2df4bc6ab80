/** How a broken rule is told in public: by the member's path and the rule, never by the value. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";

/** Member names are shown only when they look like member names, so that a key cannot carry other text out. */
const MEMBER = /^[A-Za-z0-9_-]{1,64}$/;

/** A member's path as messages show it, as far as it can be shown. */
export function dotted(path: readonly string[]): string {
  if (path.length === 0) return "The request";
  const strange = path.findIndex((key) => !MEMBER.test(key));
  if (strange === -1) return path.join(".");
  return strange === 0 ? "a member" : `a member of ${path.slice(0, strange).join(".")}`;
}

/** The first broken rule as one public sentence: the member's path and the rule, never the value. */
function sentence(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const [issue] = issues;
  return `${dotted((issue.path ?? []).map((item) => String(item.key)))} ${issue.message}`;
}

/**
 * A value as its schema describes it.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function checked<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (!parsed.success) throw new ApiError(422, sentence(parsed.issues));
  return parsed.output;
}
