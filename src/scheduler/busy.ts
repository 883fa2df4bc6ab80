/** Refusals for want of room, which may succeed later. */
import { ApiError } from "../errors.ts";
import { BUSY_RETRY_SECONDS, MAX_RETRY_SECONDS } from "../limits/isolate.ts";

/**
 * 503 with the time after which trying again makes sense.
 * @param waitMs how long a turn would take to come, as far as that is known
 */
export function busy(waitMs = 0): ApiError {
  const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(BUSY_RETRY_SECONDS, Math.ceil(waitMs / 1_000)));
  return new ApiError(503, "No capacity right now, try again shortly", { headers: { "Retry-After": String(seconds) } });
}
