/**
 * Why answers are failures, as monitors count them: a closed list, so that no caller can make up series. Sentences may
 * have as many forms as they like.
 */

/** The reason of each status, where an error names none of its own. */
const OF_STATUS = {
  400: "malformed",
  401: "key",
  402: "credits",
  403: "forbidden",
  404: "missing",
  405: "method",
  408: "slow",
  409: "running",
  412: "condition",
  413: "size",
  415: "type",
  416: "condition",
  422: "rule",
  429: "rate",
  499: "gone",
  500: "fault",
  502: "origin",
  503: "capacity",
  504: "origin",
} as const;

/** Every status that an answer can carry on purpose; the words of refusals are in src/docs/errors.md. */
export type ErrorStatus = keyof typeof OF_STATUS;

/** Reasons that errors name themselves. */
const NAMED = ["origin", "outage", "strangers"] as const;

export type Reason = (typeof OF_STATUS)[ErrorStatus] | (typeof NAMED)[number];

/** Every reason that can be counted. */
export const REASONS: readonly Reason[] = [...new Set([...Object.values(OF_STATUS), ...NAMED])];

export function reasonOf({
  status,
  reason,
}: {
  readonly status: ErrorStatus;
  readonly reason?: Reason | undefined;
}): Reason {
  return reason ?? OF_STATUS[status];
}
