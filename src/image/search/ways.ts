/** Ways to a file that fail in their own manner, while another one may lead to it. */
import { ApiError } from "../../errors.ts";
import { TooLong } from "../../scheduler/job-limits.ts";
import { withoutMemory } from "../codec/guard.ts";
import { TooSmall } from "./fit-size.ts";

/**
 * An error as the refusal of one way, after which others may be tried; null where it is the end of the job: nobody waits any
 * more, the job took all that it may take, there is no room now, or no file can be as small as asked.
 */
export function refusalOfWay(error: unknown): ApiError | null {
  const refusal = withoutMemory(error);
  const isOfWay = refusal instanceof ApiError && refusal.status === 422;
  return isOfWay && !(refusal instanceof TooLong) && !(refusal instanceof TooSmall) ? refusal : null;
}

/** Null for what more work than a file needs was refused for, or did not come to for want of time; every other error is thrown on. */
export function withoutMore(error: unknown): null {
  return error instanceof TooLong ? null : withoutWay(error);
}

/** Null for what a way was refused for; every other error is thrown on. */
export function withoutWay(error: unknown): null {
  if (refusalOfWay(error)) return null;
  throw error;
}
