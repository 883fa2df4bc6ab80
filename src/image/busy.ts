/** What is refused for now, and may come again. */
import { ApiError } from "../errors.ts";
import { BUSY_RETRY_SECONDS } from "../limits.ts";

export function busy(): ApiError {
  const headers = { "Retry-After": String(BUSY_RETRY_SECONDS) };
  return new ApiError(503, "No capacity right now, try again shortly", { headers });
}
